//! What a string means: escapes, `$${`, and the indent of strings over several lines.

use std::borrow::Cow;

use super::ast::{Expr, TextPart};
use super::problems;
use super::read::Reader;
use crate::base::source::Sources;
use crate::base::span::Span;

/// A piece of a string as it is meant.
#[derive(Debug, Clone)]
pub enum Piece<'t> {
    /// Text, escapes read.
    Raw(Cow<'t, str>),
    /// A value to be put in.
    Expr(&'t Expr),
}

/// The pieces of a string, in order: escapes read and, in a string over several lines, the common indent removed.
///
/// `whole` is the string, `parts` what stands in its [`ExprKind::Text`](super::ast::ExprKind::Text).
pub fn pieces<'t>(sources: &'t Sources, whole: &Expr, parts: &'t [TextPart]) -> Vec<Piece<'t>> {
    if is_long(&sources[whole.span]) {
        return long_pieces(sources, parts);
    }
    let piece = |part: &'t TextPart| match part {
        TextPart::Expr(expr) => Piece::Expr(expr),
        TextPart::Raw(span) => Piece::Raw(unescape(&sources[*span])),
    };
    parts.iter().map(piece).collect()
}

/// Whether a string has three quotes; parentheses around it do not count.
pub(super) fn is_long(written: &str) -> bool {
    written.trim_start_matches(['(', ' ', '\t', '\r', '\n']).starts_with("\"\"\"")
}

/// The pieces of a string over several lines. The line of the first quotes and that of the last go when nothing else
/// stands in them.
fn long_pieces<'t>(sources: &'t Sources, parts: &'t [TextPart]) -> Vec<Piece<'t>> {
    let indent = common_indent(sources, parts);
    let last = parts.len().saturating_sub(1);
    let mut pieces = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        match part {
            TextPart::Expr(expr) => pieces.push(Piece::Expr(expr)),
            TextPart::Raw(span) => {
                let lines = lines_of(&sources[*span], indent, at == 0, at == last);
                pieces.push(Piece::Raw(Cow::Owned(unescape(&lines).into_owned())));
            }
        }
    }
    pieces
}

/// The fewest blanks before a line of a string over several lines; lines without text do not count.
fn common_indent(sources: &Sources, parts: &[TextPart]) -> usize {
    let mut least: Option<usize> = None;
    for (at, part) in parts.iter().enumerate() {
        let TextPart::Raw(span) = part else { continue };
        let goes_on = at + 1 < parts.len();
        let mut lines = sources[*span].split('\n').skip(1).peekable();
        while let Some(line) = lines.next() {
            let blanks = leading_blanks(line);
            let has_text = !line[blanks..].trim_end_matches('\r').is_empty() || goes_on && lines.peek().is_none();
            if has_text {
                least = Some(least.map_or(blanks, |least| least.min(blanks)));
            }
        }
    }
    least.unwrap_or(0)
}

fn leading_blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The lines of a part without the common indent; of the first part without a blank first line, of the last without a
/// blank last line.
fn lines_of(raw: &str, indent: usize, first: bool, last: bool) -> String {
    let mut lines: Vec<&str> = raw.split('\n').collect();
    let frames = lines.len() > 1;
    let is_blank = |line: Option<&&str>| line.is_some_and(|line| line.trim_matches([' ', '\t', '\r']).is_empty());
    if frames && last && is_blank(lines.last()) {
        lines.pop();
    }
    let skipped = usize::from(frames && first && is_blank(lines.first()));
    let cut = |(at, line): (usize, &&str)| {
        let from = if at == 0 { 0 } else { leading_blanks(line).min(indent) };
        line[from..].strip_suffix("\r").unwrap_or(&line[from..]).to_owned()
    };
    let kept: Vec<String> = lines.iter().enumerate().map(cut).skip(skipped).collect();
    kept.join("\n")
}

/// The text that a piece of a string stands for: `\\ \" \n \t \u{…}` and `$${` read.
///
/// An escape that does not exist stays as it is written: parsing has reported it.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['\\', '$']) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['\\', '$']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (text, length) = special(rest);
        match text {
            Some(character) => out.push(character),
            None => out.push_str(&rest[..length]),
        }
        rest = &rest[length..];
        if text == Some('$') && length == 2 {
            out.push('{');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What a text that begins with `\` or `$` stands for, and how many bytes that takes.
fn special(text: &str) -> (Option<char>, usize) {
    if text.starts_with("$${") {
        return (Some('$'), 2);
    }
    match text.as_bytes() {
        [b'\\', b'\\', ..] => (Some('\\'), 2),
        [b'\\', b'"', ..] => (Some('"'), 2),
        [b'\\', b'n', ..] => (Some('\n'), 2),
        [b'\\', b't', ..] => (Some('\t'), 2),
        [b'\\', b'u', b'{', ..] => code_point(text).map_or((None, 1), |(c, length)| (Some(c), length)),
        _ => (None, 1),
    }
}

/// The character of `\u{…}` and how many bytes it takes.
fn code_point(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|byte| byte == b'}')?;
    let digits = text.get(3..end)?;
    let legal = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = legal.then(|| u32::from_str_radix(digits, 16).ok())??;
    Some((char::from_u32(number)?, end + 1))
}

/// Reports the escapes of a piece that do not exist.
pub(super) fn check_escapes(reader: &mut Reader<'_>, raw: Span) {
    let text = reader.text(raw);
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let (character, mut length) = special(&text[at..]);
        if character.is_none() {
            length = 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
            let place = Span::new(reader.source, raw.start() + at, raw.start() + at + length);
            reader.report(problems::unknown_escape(place, &text[at..at + length]));
        }
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces, unescape};
    use crate::base::source::Sources;
    use crate::syntax::ast::ExprKind;
    use crate::syntax::parse_expression;

    /// The text of a string expression, values in it shown as written.
    fn meaning(text: &str) -> String {
        let mut sources = Sources::new();
        let id = sources.add("x.aip", text);
        let expr = parse_expression(id, text).unwrap_or_else(|problems| panic!("{problems:?}"));
        let ExprKind::Text(parts) = &expr.kind else { panic!("no text: {expr:?}") };
        let show = |piece: Piece<'_>| match piece {
            Piece::Raw(text) => text.into_owned(),
            Piece::Expr(expr) => format!("<{}>", &sources[expr.span]),
        };
        pieces(&sources, &expr, parts).into_iter().map(show).collect()
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(unescape(r#"a\"b\\c\n\t\u{e9}$${x} $x"#), "a\"b\\c\n\t\u{e9}${x} $x");
        assert_eq!(unescape("$$${x}"), "$${x}");
        assert_eq!(unescape("plain"), "plain");
        assert_eq!(unescape(r"\u{110000}"), r"\u{110000}");
    }

    #[test]
    fn the_common_indent_goes() {
        assert_eq!(meaning("\"\"\"\n    a\n      b ${let.x}\n\n    c\n    \"\"\""), "a\n  b <let.x>\n\nc");
        assert_eq!(meaning("\"\"\"\r\n  a\r\n  b\r\n\"\"\""), "a\nb");
        assert_eq!(meaning("\"\"\"one line\"\"\""), "one line");
        assert_eq!(meaning("\"\"\"\n  ${let.x}\n    b\"\"\""), "<let.x>\n  b");
        assert_eq!(meaning("\"\"\"\n  x ${a.b}\n  \"\"\""), "x <a.b>");
    }

    #[test]
    fn a_backslash_n_is_no_line() {
        assert_eq!(meaning("\"\"\"\n  a\\n  b\n  \"\"\""), "a\n  b");
    }
}
