//! Lines as Slurm joins them: a backslash at the end joins a line to the next, and then comments go.

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
    /// True where its comment begins between quotation marks.
    pub cut: bool,
}

/// What a source says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text {
    /// The lines that say something.
    pub lines: Vec<Line>,
    /// Lines that are part of a comment, because the line before them has one and ends in a backslash.
    pub swallowed: Vec<Line>,
}

/// A line that is joined to others.
#[derive(Debug, Default)]
struct Joined {
    text: String,
    /// Where each of its parts begins in the text, and where it stands.
    parts: Vec<(usize, Span)>,
}

/// The lines of a source that say something.
pub fn lines(sources: &Sources, id: SourceId) -> Result<Text, Box<Diagnostic>> {
    let text = sources.get(id).map_or("", |source| &source.text);
    let text = text.strip_prefix('\u{FEFF}').map_or(text, |rest| rest);
    let offset = sources.get(id).map_or(0, |source| source.text.len() - text.len());
    if let Some(place) = text.find(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{B}' | '\u{C}')) {
        return Err(Box::new(problems::not_text(Span::new(id, offset + place, offset + place + 1))));
    }
    let (mut read, mut open, mut at) = (Text::default(), Joined::default(), offset);
    for physical in text.split_inclusive('\n') {
        let bare = physical.trim_end_matches(['\n', '\r']);
        let span = Span::new(id, at, at + bare.len());
        at += physical.len();
        let goes_on = continued(bare);
        open.parts.push((open.text.len(), span));
        open.text.push_str(goes_on.unwrap_or(bare));
        if open.text.len() > LONGEST {
            let first = open.parts.first().map_or(span, |part| part.1).start();
            return Err(Box::new(problems::limit(Span::new(id, first, first + 1), "a line is longer than 1 MiB")));
        }
        if goes_on.is_none() {
            close(&mut read, &std::mem::take(&mut open));
        }
    }
    close(&mut read, &open);
    Ok(read)
}

fn close(read: &mut Text, joined: &Joined) {
    let (Some((_, first)), Some((_, last))) = (joined.parts.first(), joined.parts.last()) else { return };
    let (kept, comment) = without_comment(&joined.text);
    let text = kept.trim().to_string();
    let cut = comment.is_some() && kept.matches('"').count() % 2 == 1;
    if !text.is_empty() {
        read.lines.push(Line { text, at: first.to(*last), cut });
    }
    let ends = joined.parts.iter().skip(1).map(|part| part.0).chain([joined.text.len()]);
    for (&(start, at), end) in joined.parts.iter().zip(ends) {
        if comment.is_some_and(|comment| comment < start) {
            let text = without_comment(&joined.text[start..end]).0.trim().to_string();
            read.swallowed.push(Line { text, at, cut: false });
        }
    }
}

/// The text before a `#`, also between quotation marks, and where that is; `\#` is a `#`.
fn without_comment(line: &str) -> (String, Option<usize>) {
    let mut kept = String::new();
    for (place, c) in line.char_indices() {
        match c {
            '#' if kept.ends_with('\\') => {
                kept.pop();
                kept.push('#');
            }
            '#' => return (kept, Some(place)),
            other => kept.push(other),
        }
    }
    (kept, None)
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
        lines(&sources, id).map(|text| text.lines.into_iter().map(|line| line.text).collect()).unwrap_or_default()
    }

    #[test]
    fn comments_go_and_lines_are_joined() {
        assert_eq!(read("A=1 # b\n\n#C=2\nD=\"x#y\"\n"), ["A=1", "D=\"x"]);
        assert_eq!(read("A=1 \\\n  B=2 \\  \r\n C=3\r\nD=4"), ["A=1   B=2  C=3", "D=4"]);
        assert_eq!(read("A=a\\#b\nB=x\\\\\nC=1\\"), ["A=a#b", "B=x\\\\", "C=1"]);
        assert_eq!(read("\u{FEFF}A=1"), ["A=1"]);
    }

    #[test]
    fn a_comment_goes_on_after_a_backslash() {
        let mut sources = Sources::new();
        let id = sources.add("slurm.conf", "A=1 # old \\\nB=2 \\\n# c\nC=\"x # y\"\n");
        let text = lines(&sources, id).expect("a text");
        let lines: Vec<_> = text.lines.iter().map(|line| (line.text.as_str(), line.cut)).collect();
        assert_eq!(lines, [("A=1", false), ("C=\"x", true)]);
        let swallowed: Vec<_> = text.swallowed.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(swallowed, ["B=2", ""]);
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
