//! What cannot be read of Slurm's files.

use crate::base::diagnostic::Diagnostic;
use crate::base::phrase;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::target::problems::{SLURM_IMPORT_LIMIT, SLURM_IMPORT_UNREADABLE};
use crate::target::slurm::version::KNOWN;

/// A file that is no text.
pub fn not_text(at: Span) -> Diagnostic {
    Diagnostic::error(SLURM_IMPORT_UNREADABLE, "this is no text: it has control characters")
        .at(at, "")
        .help("name Slurm's own files: slurm.conf, gres.conf, cgroup.conf, topology.conf, slurmdbd.conf")
}

/// A line that has no form of Slurm's, from after a key on. Its text stays where it is: it may be a secret, or of a file that
/// is none of Slurm's.
/// With `cut` it stops between quotation marks at a `#`.
pub fn line(at: Span, last: Option<&str>, cut: bool) -> Diagnostic {
    if cut {
        return Diagnostic::error(SLURM_IMPORT_UNREADABLE, "`#` begins a comment between quotation marks as well")
            .at(at, "")
            .help("Slurm would not read this line either; write `\\#`, or take the `#` out");
    }
    let message = match last {
        Some(key) => format!("what follows `{}` on this line is no `Key=value`", phrase::excerpt(key, 60)),
        None => String::from("this line is no `Key=value`"),
    };
    Diagnostic::error(SLURM_IMPORT_UNREADABLE, message)
        .at(at, "")
        .help("Slurm would not read this line either; correct it, or take it out")
}

/// A list of hosts that Slurm would not read.
pub fn hosts(at: Span, list: &str, why: &str) -> Diagnostic {
    let shown = phrase::excerpt(list, 60);
    Diagnostic::error(SLURM_IMPORT_UNREADABLE, format!("`{shown}` is no list of hosts: {why}")).at(at, "")
}

/// A node or a partition that two lines declare, or one line twice.
pub fn twice(sources: &Sources, at: Span, first: Span, noun: &str, name: &str) -> Diagnostic {
    let message = format!("the {noun} `{}` is declared twice", phrase::excerpt(name, 60));
    let problem = Diagnostic::error(SLURM_IMPORT_UNREADABLE, message).at(at, "");
    if first == at {
        return problem.help("leave it in the line once");
    }
    // Where only the first place is shown, the help has the other one.
    let help = format!("leave one of its lines; it stands at {} as well", sources.place(first));
    problem.at(first, "first here").help(help)
}

/// A name that a partition uses and no line declares; `swallowed` is a line that is part of a comment.
pub fn no_node(sources: &Sources, at: Span, name: &str, swallowed: Option<Span>) -> Diagnostic {
    let message = format!("no line declares the node `{}`", phrase::excerpt(name, 60));
    let problem = Diagnostic::error(SLURM_IMPORT_UNREADABLE, message).at(at, "");
    match swallowed {
        Some(swallowed) => {
            let place = sources.place(swallowed);
            let help =
                format!("the line at {place} is part of the comment before it: take the backslash at its end out");
            problem.at(swallowed, "part of the comment before it").help(help)
        }
        None => problem.help("add its line, or the file that has it"),
    }
}

/// An included file that cannot be had.
pub fn include(at: Span, name: &str, why: &str) -> Diagnostic {
    let message = format!("`{}` cannot be included: {why}", phrase::excerpt(name, 60));
    Diagnostic::error(SLURM_IMPORT_UNREADABLE, message).at(at, "")
}

/// More than is read.
pub fn limit(at: Span, what: &str) -> Diagnostic {
    Diagnostic::error(SLURM_IMPORT_LIMIT, format!("too much to read: {what}")).at(at, "")
}

/// Nothing to make a draft of.
pub fn nothing(what: &str) -> Diagnostic {
    Diagnostic::error(SLURM_IMPORT_UNREADABLE, format!("there is no {what}"))
        .help("name the cluster's slurm.conf, or the folder that it is in")
}

/// A release whose keys are not known.
pub fn release() -> Diagnostic {
    Diagnostic::error(SLURM_IMPORT_UNREADABLE, "this is no release of Slurm whose keys are known")
        .help(format!("give one of {}", phrase::any_of(KNOWN)))
}
