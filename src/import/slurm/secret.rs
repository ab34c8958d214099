//! Passwords: none is needed for a draft, so none is kept of what is read, and nothing can show one.

use super::entry;
use super::text::{self, Line};
use crate::base::span::Span;

/// What stands for a password.
const HIDDEN: &str = "***";

/// True for a key whose value may be a password; the path of a script that tells one is none.
pub fn is(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.contains("pass") && !key.ends_with("passscript")
}

/// True for what is left of a line that is not shown.
pub fn is_hidden(line: &str) -> bool {
    line == HIDDEN
}

/// A text without its passwords, of as many lines. A line that has the word and cannot be read is gone as a whole.
pub fn hidden(text: String) -> String {
    let text = text.strip_prefix('\u{FEFF}').map_or(text.clone(), str::to_string);
    if !mentions(&text) {
        return text;
    }
    let (mut shown, mut open) = (String::with_capacity(text.len()), String::new());
    for physical in text.split_inclusive('\n') {
        open.push_str(physical);
        if text::continued(&text::without_comment(physical)).is_none() {
            shown.push_str(&without(&std::mem::take(&mut open)));
        }
    }
    shown + &without(&open)
}

fn mentions(text: &str) -> bool {
    text.as_bytes().windows(4).any(|word| word.eq_ignore_ascii_case(b"pass"))
}

/// A line with those that are joined to it, without its passwords.
fn without(lines: &str) -> String {
    if !mentions(lines) {
        return lines.to_string();
    }
    let mut joined = String::new();
    for physical in lines.split_inclusive('\n') {
        let bare = text::without_comment(physical);
        joined.push_str(text::continued(&bare).unwrap_or(&bare).trim_end_matches(['\n', '\r']));
    }
    let joined = joined.trim();
    let kept = match entry::read(&Line { text: joined.to_string(), at: Span::DETACHED }) {
        Ok(entry::Entry::Pairs(pairs)) => match pairs.iter().any(|pair| is(&pair.key) || says(&pair.value)) {
            true => pairs.iter().map(shown).collect::<Vec<_>>().join(" "),
            // Only a comment, or a name, has the word.
            false => return if joined.len() == lines.trim().len() { lines.to_string() } else { padded(joined, lines) },
        },
        Ok(entry::Entry::Include(_)) => joined.to_string(),
        Err(_) => String::from(HIDDEN),
    };
    padded(&kept, lines)
}

/// True for a value with a password in it: `StorageParameters=pass=x`.
fn says(value: &str) -> bool {
    value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '=')).any(|word| {
        let words: Vec<&str> = word.split('=').collect();
        words.iter().take(words.len() - 1).any(|key| is(key))
    })
}

fn shown(pair: &entry::Pair) -> String {
    let value = match pair.value.as_str() {
        "" => String::from("\"\""),
        value if is(&pair.key) || says(value) => String::from(HIDDEN),
        value if value.contains(char::is_whitespace) => format!("\"{value}\""),
        value => value.to_string(),
    };
    format!("{}={}", pair.key, value.replace('#', "\\#"))
}

/// A line in place of several: those that it no longer has are empty, so that places stay what they are.
fn padded(line: &str, lines: &str) -> String {
    format!("{line}{}", "\n".repeat(lines.matches('\n').count()))
}

#[cfg(test)]
mod tests {
    use super::{hidden, is};

    #[test]
    fn no_password_is_left_in_a_text() {
        for (text, left) in [
            ("DbdHost=a\nStoragePass=S3 StorageUser=u\nX=1", "DbdHost=a\nStoragePass=*** StorageUser=u\nX=1"),
            ("StoragePass=\\\nS3\nX=1\n", "StoragePass=***\n\nX=1\n"),
            ("StoragePass=\"S3#x\"\nX=1", "***\nX=1"),
            ("Storage Pass=S3\n", "***\n"),
            ("MYSQLPASS:S3\n", "***\n"),
            ("S3 StoragePass=\"a\n", "***\n"),
            ("StoragePass=x S3\n", "***\n"),
            ("StorageParameters=pass=S3,b=c\n", "StorageParameters=***\n"),
            ("#StoragePass=S3\nX=1 # pass S3\n", "\nX=1\n"),
            ("\u{FEFF}StoragePass=S3\u{1}\n", "StoragePass=***\n"),
            ("StoragePassScript=/etc/x\n", "StoragePassScript=/etc/x\n"),
            ("NodeName=compass1 Reason=\"pass by\"\n", "NodeName=compass1 Reason=\"pass by\"\n"),
        ] {
            assert_eq!(hidden(text.to_string()), left, "{text:?}");
        }
        assert!(is("DefaultStoragePass") && is("Password") && !is("StoragePassScript") && !is("Storage"));
    }
}
