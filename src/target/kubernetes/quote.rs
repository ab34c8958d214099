//! The one way a text gets into YAML.

use std::fmt::Write as _;

/// Words that a YAML 1.1 reader takes for a truth value or for nothing, in lower case.
const SPECIAL: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// A text as a YAML scalar that every reader, of YAML 1.1 or 1.2, gives back unchanged and as a text.
///
/// It stands plain when it begins with a letter or `/` and consists of letters, digits, `.`, `_`, `/` and `-`, so
/// that nothing that looks like a number, a date or a mark of YAML is ever plain; else it stands in double quotes
/// with the escapes that JSON and YAML share.
pub fn quote(text: &str) -> Result<String, String> {
    Ok(if is_plain(text) { text.to_string() } else { in_quotes(text) })
}

fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = bytes.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'/');
    let legal = |byte: &u8| byte.is_ascii_alphanumeric() || b"._/-".contains(byte);
    starts && bytes.iter().all(legal) && !SPECIAL.iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn in_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) => escape(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn escape(out: &mut String, c: char) {
    let number = u32::from(c);
    // Writing to a string cannot fail.
    let _ = if number > 0xFFFF { write!(out, "\\U{number:08X}") } else { write!(out, "\\u{number:04X}") };
}

/// Control characters, line ends that only YAML knows, the byte order mark and what is no character at all.
fn needs_escape(c: char) -> bool {
    let number = u32::from(c);
    c.is_control()
        || matches!(number, 0x2028 | 0x2029 | 0xFEFF | 0xFDD0..=0xFDEF | 0xFFF0..=0xFFFF)
        || number & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};
    use yaml_rust2::{Yaml, YamlLoader};

    use super::quote;

    /// What a YAML reader makes of a text that stands as a key, a value and an item.
    fn read_back(text: &str) -> [Yaml; 3] {
        let quoted = quote(text).expect("every text can be quoted");
        let document = format!("value: {quoted}\nitems:\n  - {quoted}\nmap:\n  {quoted}: x\nend: yes-it-ends\n");
        let documents = YamlLoader::load_from_str(&document).expect("the document is YAML");
        let root = &documents[0];
        assert_eq!(root["end"].as_str(), Some("yes-it-ends"), "{text:?} changed the structure");
        let key = root["map"].as_hash().and_then(|map| map.keys().next()).cloned();
        [root["value"].clone(), root["items"][0].clone(), key.unwrap_or(Yaml::BadValue)]
    }

    fn check(text: &str) {
        for read in read_back(text) {
            assert_eq!(read, Yaml::String(text.to_string()), "{text:?}");
        }
    }

    #[test]
    fn what_looks_like_something_else_stays_a_text() {
        for text in [
            "",
            " ",
            " x",
            "x ",
            "no",
            "On",
            "YES",
            "y",
            "N",
            "true",
            "False",
            "null",
            "Null",
            "~",
            "1",
            "-1",
            "1e3",
            "12e34567",
            "0o17",
            "0123",
            "0x1F",
            "1_000",
            "1:2",
            "12:30:45",
            "2026-12-01",
            "1.20",
            ".5",
            ".inf",
            ".nan",
            "=",
            "<<",
            "- x",
            "? x",
            "x: y",
            "x:",
            ": x",
            "#x",
            "x #y",
            "&a",
            "*a",
            "!t",
            "%d",
            "@at",
            "`",
            "|",
            ">",
            "'",
            "\"",
            "\\",
            "{a}",
            "[a]",
            "---",
            "...",
            "--- a",
            "a\nb",
            "a\n---\nkind: Pod",
            "\ttab",
            "\r",
            "\r\n",
            "\0",
            "\u{1}x\u{2}",
            "\u{7f}",
            "\u{85}",
            "\u{2028}",
            "\u{2029}",
            "\u{feff}",
            "\u{fffe}",
            "\u{ffff}",
            "\u{1f600}",
            "\u{1ffff}",
            "{{ x }}",
            "${x}",
            "owner@acme.example",
            "/models/atlas",
            "a.b_c-d/e",
        ] {
            check(text);
        }
    }

    #[test]
    fn names_stay_readable() {
        for text in ["atlas", "app.kubernetes.io/name", "/models/atlas", "v1.35", "Recreate"] {
            assert_eq!(quote(text).as_deref(), Ok(text));
        }
        assert_eq!(quote("4711").as_deref(), Ok("\"4711\""));
    }

    proptest! {
        #[test]
        fn hostile_text_comes_back_unchanged(text in any::<String>()) {
            check(&text);
        }
    }
}
