//! HCL as text: quoting, alignment, names.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::target::files::{ADDRESS_END, ADDRESS_START};

/// A text as a quoted string of HCL. Template marks are doubled, so that no text starts an interpolation.
///
/// Terraform keeps strings in Unicode's composed form (NFC); any other text comes back from it unchanged.
pub fn quote(text: &str) -> Result<String, String> {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '$' | '%' if rest.peek() == Some(&'{') => quoted.extend([c, c]),
            // A byte order mark and the separators of lines and paragraphs are invisible in an editor.
            c if c.is_control() || matches!(c, '\u{FEFF}' | '\u{2028}' | '\u{2029}') => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Ok(quoted)
}

/// Aligns the `=` of neighbouring one-line arguments, as `terraform fmt` does, so that no template has to count blanks.
pub fn align(text: &str) -> String {
    let mut aligned = String::with_capacity(text.len());
    let mut run: Vec<(&str, &str)> = Vec::new();
    let mut heredoc: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let argument = if heredoc.is_some() { None } else { split_argument(line) };
        match argument {
            Some(pair) => run.push(pair),
            None => {
                flush(&mut run, &mut aligned);
                aligned.push_str(line);
            }
        }
        heredoc = match heredoc {
            Some(end) if line.trim() == end => None,
            None => line.trim_end().split_once("= <<-").map(|(_, end)| end),
            open => open,
        };
    }
    flush(&mut run, &mut aligned);
    aligned
}

fn flush(run: &mut Vec<(&str, &str)>, aligned: &mut String) {
    let widest = run.iter().map(|(name, _)| width(name)).max().unwrap_or_default();
    for (name, value) in run.drain(..) {
        aligned.push_str(name);
        aligned.extend(std::iter::repeat_n(' ', widest - width(name) + 1));
        aligned.push_str(value);
    }
}

/// Characters that a reader sees: the marks of an address are taken out later.
fn width(text: &str) -> usize {
    let mut inside = false;
    let visible = |c: &char| match *c {
        ADDRESS_START => {
            inside = true;
            false
        }
        ADDRESS_END => {
            inside = false;
            false
        }
        _ => !inside,
    };
    text.chars().filter(visible).count()
}

/// `name = value` as `name` and `= value`, when the value ends on its line.
fn split_argument(line: &str) -> Option<(&str, &str)> {
    let bytes = line.as_bytes();
    if line.trim_start().starts_with('#') {
        return None;
    }
    let (mut quoted, mut escaped, mut depth, mut equals) = (false, false, 0i32, None);
    for (index, &byte) in bytes.iter().enumerate() {
        if quoted {
            quoted = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth -= 1,
            b'=' if equals.is_none() => {
                let other = matches!(bytes.get(index + 1), Some(b'=' | b'>'))
                    || matches!(bytes.get(index.wrapping_sub(1)), Some(b'=' | b'!' | b'<' | b'>'));
                // Brackets before the sign do not count: only those of the value must close on the line.
                (equals, depth) = if other { (None, depth) } else { (Some(index), 0) };
            }
            b'<' if equals.is_some() && bytes.get(index + 1) == Some(&b'<') => return None,
            _ => {}
        }
    }
    let (name, value) = line.split_at(equals?);
    (depth == 0 && !name.trim().is_empty()).then(|| (name.trim_end(), value))
}

/// A name of at most `limit` characters out of `[a-z0-9-]`: what is legal stays as it is, anything else becomes a slug
/// with a piece of its digest, so that two names stay two.
pub fn label(text: &str, limit: usize) -> String {
    let slug = slug(text);
    if slug == text && text.len() <= limit {
        return slug;
    }
    let digest = Sha256::digest(text.as_bytes());
    let mark = format!("{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2]);
    let kept: String = slug.chars().take(limit.saturating_sub(mark.len() + 1)).collect();
    let kept = kept.trim_end_matches('-');
    if kept.is_empty() { mark } else { format!("{kept}-{mark}") }
}

/// Lower case, one hyphen for each run of anything else than letters and digits.
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{align, label, quote};

    /// Reads a quoted string the way HCL does: escapes, doubled template marks, and no template may start.
    fn read(quoted: &str) -> Option<String> {
        let inner: Vec<char> = quoted.strip_prefix('"')?.strip_suffix('"')?.chars().collect();
        let (mut text, mut at) = (String::new(), 0);
        while let Some(&c) = inner.get(at) {
            let next = |offset: usize| inner.get(at + offset).copied();
            match (c, next(1), next(2)) {
                ('$' | '%', Some(same), Some('{')) if same == c => {
                    text.extend([c, '{']);
                    at += 3;
                }
                ('$' | '%', Some('{'), _) | ('"' | '\n' | '\r', ..) => return None,
                ('\\', Some('u'), _) => {
                    let code: String = inner.get(at + 2..at + 6)?.iter().collect();
                    text.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                    at += 6;
                }
                ('\\', Some(escape), _) => {
                    text.push(match escape {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        '"' | '\\' => escape,
                        _ => return None,
                    });
                    at += 2;
                }
                _ => {
                    text.push(c);
                    at += 1;
                }
            }
        }
        Some(text)
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in any::<String>()) {
            prop_assert_eq!(quote(&text).ok().and_then(|quoted| read(&quoted)), Some(text));
        }

        #[test]
        fn template_marks_come_back(text in "[$%{}\\\\\"nu0\n\r\t\u{0}\u{2028}a]{0,24}") {
            prop_assert_eq!(quote(&text).ok().and_then(|quoted| read(&quoted)), Some(text));
        }
    }

    #[test]
    fn marks_of_templates_are_doubled_and_others_stay() {
        assert_eq!(quote("${a} %{b} $c 5% $$ \"\\").as_deref(), Ok(r#""$${a} %%{b} $c 5% $$ \"\\""#));
        assert_eq!(quote("$${a").as_deref(), Ok(r#""$$${a""#));
    }

    #[test]
    fn neighbours_are_aligned_and_blocks_are_not() {
        let given =
            "a = 1\nlonger = \"x = {\"\n\nb = {\n  \"k\" = { c = 1 }\n  \u{1}pool.x\u{2}\"key\" = { c = 2 }\n}\n";
        let wanted = "a      = 1\nlonger = \"x = {\"\n\nb = {\n  \"k\"   = { c = 1 }\n  \u{1}pool.x\u{2}\"key\" = { c = 2 }\n}\n";
        assert_eq!(align(given), wanted);
        assert_eq!(align(wanted), wanted);
    }

    #[test]
    fn heredocs_are_left_alone() {
        let text = "a = <<-EOT\n  b = 1\n  long = 2\nEOT\n";
        assert_eq!(align(text), text);
    }

    #[test]
    fn two_names_stay_two() {
        assert_eq!(label("audit-log", 20), "audit-log");
        assert_ne!(label("audit_log", 20), label("audit.log", 20));
        assert!(label(&"x".repeat(80), 20).len() <= 20);
        assert_eq!(label("\u{e9}", 20).len(), 6);
    }
}
