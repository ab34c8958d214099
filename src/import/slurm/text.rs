//! Lines as Slurm joins them: comments go, a backslash at the end joins a line to the next.

use crate::base::diagnostic::Diagnostic;
use crate::base::source::Sources;
use crate::base::span::{SourceId, Span};

use super::problems;

/// The longest line, with those that are joined to it.
const LONGEST: usize = 1 << 20;

/// A line with those that a backslash joined to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its text without comments.
    pub text: String,
    /// From its first character to its last.
    pub at: Span,
}

/// The lines of a source that say something.
pub fn lines(sources: &Sources, id: SourceId) -> Result<Vec<Line>, Box<Diagnostic>> {
    let text = sources.get(id).map_or("", |source| &source.text);
    let text = text.strip_prefix('\u{FEFF}').map_or(text, |rest| rest);
    let offset = sources.get(id).map_or(0, |source| source.text.len() - text.len());
    if let Some(place) = text.find(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{B}' | '\u{C}')) {
        return Err(Box::new(problems::not_text(Span::new(id, offset + place, offset + place + 1))));
    }
    let (mut lines, mut open, mut at) = (Vec::new(), None::<(String, usize)>, offset);
    for physical in text.split_inclusive('\n') {
        let (start, end) = (at, at + physical.trim_end_matches(['\n', '\r']).len());
        at += physical.len();
        let (mut joined, first) = open.take().unwrap_or_else(|| (String::new(), start));
        let bare = without_comment(physical);
        let goes_on = continued(&bare);
        joined.push_str(goes_on.unwrap_or(&bare).trim_end_matches(['\n', '\r']));
        if joined.len() > LONGEST {
            return Err(Box::new(problems::limit(Span::new(id, first, first + 1), "a line is longer than 1 MiB")));
        }
        match goes_on {
            Some(_) => open = Some((joined, first)),
            None => close(&mut lines, joined, Span::new(id, first, end.max(first))),
        }
    }
    if let Some((joined, first)) = open {
        close(&mut lines, joined, Span::new(id, first, at.max(first)));
    }
    Ok(lines)
}

fn close(lines: &mut Vec<Line>, text: String, at: Span) {
    let text = text.trim().to_string();
    if !text.is_empty() {
        lines.push(Line { text, at });
    }
}

/// The text before a `#`, also between quotation marks; `\#` is a `#`.
fn without_comment(line: &str) -> String {
    let mut kept = String::new();
    for c in line.chars() {
        match c {
            '#' if kept.ends_with('\\') => {
                kept.pop();
                kept.push('#');
            }
            '#' => break,
            other => kept.push(other),
        }
    }
    kept
}

/// The text before the backslash that joins the line to the next; two backslashes are one.
fn continued(line: &str) -> Option<&str> {
    let bare = line.trim_end();
    let slashes = bare.len() - bare.trim_end_matches('\\').len();
    (slashes % 2 == 1).then(|| &bare[..bare.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::base::source::Sources;

    fn read(text: &str) -> Vec<String> {
        let mut sources = Sources::new();
        let id = sources.add("slurm.conf", text);
        lines(&sources, id).map(|lines| lines.into_iter().map(|line| line.text).collect()).unwrap_or_default()
    }

    #[test]
    fn comments_go_and_lines_are_joined() {
        assert_eq!(read("A=1 # b\n\n#C=2\nD=\"x#y\"\n"), ["A=1", "D=\"x"]);
        assert_eq!(read("A=1 \\\n  B=2 \\  \r\n C=3\r\nD=4"), ["A=1   B=2  C=3", "D=4"]);
        assert_eq!(read("A=a\\#b\nB=x\\\\\nC=1\\"), ["A=a#b", "B=x\\\\", "C=1"]);
        assert_eq!(read("\u{FEFF}A=1"), ["A=1"]);
    }

    #[test]
    fn what_is_no_text_is_said() {
        for hostile in ["A=1\0", "\u{1b}[31m", "\u{7f}ELF\u{2}"] {
            let mut sources = Sources::new();
            let id = sources.add("slurm.conf", hostile);
            assert!(lines(&sources, id).is_err(), "{hostile:?}");
        }
        let mut sources = Sources::new();
        let id = sources.add("slurm.conf", "A".repeat(2 << 20));
        assert!(lines(&sources, id).is_err());
    }
}
