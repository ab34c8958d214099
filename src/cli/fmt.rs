//! `aipc fmt`: one style, no options.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::base::diagnostic::Diagnostics;
use crate::base::source::Sources;
use crate::fmt;
use crate::syntax::MAX_SOURCE;

use super::args::{Format, ReportArgs, Threshold};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::findings::Findings;
use super::package;

/// Format files
#[derive(clap::Args)]
pub struct Args {
    /// Files, or folders whose `.aip` files are formatted; `-` reads from the standard input
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Only say which files would change
    #[arg(long)]
    check: bool,
    /// Only show what would change
    #[arg(long)]
    diff: bool,
}

/// Formats, or says what would change.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let mut exit = Exit::Fine;
    for path in &args.paths {
        for path in files(path)? {
            let one = one(&path, args, console)?;
            exit = if exit == Exit::Fine { one } else { exit };
        }
    }
    Ok(exit)
}

fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let files = package::sources_in(path)?;
    if files.is_empty() {
        return Err(Failure::new(format!("`{}` has no `.aip` file", path.display())));
    }
    Ok(files)
}

fn one(path: &Path, args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let piped = path.as_os_str() == OsStr::new("-");
    let text = if piped { stdin()? } else { package::text(path)? };
    let name = if piped { String::from("(standard input)") } else { package::shown(path) };
    let formatted = match formatted(&name, &text) {
        Ok(formatted) => formatted,
        Err((sources, problems)) => return refused(&sources, problems, console),
    };
    let changed = formatted != text;
    if args.diff && changed {
        let diff = TextDiff::from_lines(&text, &formatted);
        console.answer(&diff.unified_diff().context_radius(3).header(&name, &name).to_string())?;
    }
    if args.check && changed {
        console.tell(&format!("{name} is not formatted\n"));
    }
    if args.check || args.diff {
        return Ok(Exit::unless(args.check && changed));
    }
    if piped {
        console.answer(&formatted)?;
    } else if changed {
        replace(path, &formatted)?;
    }
    Ok(Exit::Fine)
}

fn formatted(name: &str, text: &str) -> Result<String, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    fmt::format(id, text).map_err(|problems| (sources, problems))
}

/// A file that cannot be parsed stays as it is.
fn refused(sources: &Sources, problems: Diagnostics, console: &mut Console) -> Result<Exit, Failure> {
    let mut findings = Findings::default();
    findings.add(None, problems, Vec::new());
    findings.show(&ReportArgs { format: Format::Human, fail_on: Threshold::Error }, sources, console)
}

fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = MAX_SOURCE as u64 + 1;
    let read = std::io::stdin().lock().take(limit).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(format!("cannot read the standard input: {error}")))?;
    if bytes.len() > MAX_SOURCE {
        return Err(Failure::new(format!("the standard input is larger than {} MiB", MAX_SOURCE >> 20)));
    }
    package::utf8(bytes).map_err(|why| Failure::new(format!("the standard input: {why}")))
}

/// Puts the new text in place at once: a reader sees the old file or the new one. A link stays a link.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error| Failure::path("write", path, error);
    let path = fs::canonicalize(path).map_err(failed)?;
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let permissions = fs::metadata(&path).map_err(failed)?.permissions();
    let written = fs::write(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, permissions))
        .and_then(|()| fs::rename(&beside, &path));
    written.map_err(|error| {
        // What is left of a failed attempt is worth less than the reason for it.
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}
