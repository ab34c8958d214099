//! Values of patched keys as they stand in a file.

/// The longest value: more does not fit a line that every release reads.
const LONGEST: usize = 1_000;

/// A value as it is written: bare, or between quotation marks where it has blanks.
///
/// Slurm has no way to write a quotation mark inside a value; `#` begins a comment even between them, and a backslash
/// joins lines. What has one of these, or is no printable ASCII, is refused.
pub fn value(text: &str) -> Result<String, String> {
    if text.is_empty() || text.trim() != text {
        return Err(String::from(if text.is_empty() { "it is empty" } else { "it begins or ends with a blank" }));
    }
    if text.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} characters"));
    }
    match text.chars().find(|&c| !(c == ' ' || c.is_ascii_graphic()) || matches!(c, '#' | '"' | '\\')) {
        Some(c) if c.is_control() => Err(String::from("it has a control character")),
        Some(c) if !c.is_ascii() => Err(format!("it has `{c}`, which is not ASCII")),
        Some(c) => Err(format!("it has `{c}`")),
        None if text.contains(' ') => Ok(format!("\"{text}\"")),
        None => Ok(text.to_string()),
    }
}

/// A value inside a list that has commas, colons and blanks for itself.
pub fn item(text: &str) -> Result<String, String> {
    match text.chars().find(|&c| !(c.is_ascii_alphanumeric() || "._-".contains(c))) {
        Some(c) => Err(format!("it has `{}`", c.escape_default())),
        None if text.is_empty() => Err(String::from("it is empty")),
        None => Ok(text.to_string()),
    }
}

/// How many there are of a resource: digits, and a letter for thousands of 1,024.
pub fn count(text: &str) -> Result<String, String> {
    let (digits, power) = match text.char_indices().last().map(|(at, c)| (at, "KMGTP".find(c.to_ascii_uppercase()))) {
        Some((at, Some(place))) => (&text[..at], u32::try_from(place).unwrap_or(0) + 1),
        Some((_, None)) | None => (text, 0),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(String::from("it is no count, like `4` or `2K`"));
    }
    // The two highest numbers mean something else.
    let counted = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(1_024_u64.pow(power)));
    match counted.filter(|&count| count < u64::MAX - 1) {
        Some(_) => Ok(text.to_string()),
        None => Err(String::from("it is more than Slurm counts")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{count, value};
    use crate::target::slurm::reader::entries;

    #[test]
    fn what_could_change_the_structure_is_refused() {
        for hostile in ["", " a", "a ", "a\"b", "a#b", "a\nNodeName=x", "a\\", "a\tb", "ü", "a\r", "a\u{2028}b"] {
            assert!(value(hostile).is_err(), "{hostile:?}");
        }
        assert_eq!(value("a b=c").as_deref(), Ok("\"a b=c\""));
        assert_eq!(value("/var/log/%n.log,x[1-3]").as_deref(), Ok("/var/log/%n.log,x[1-3]"));
    }

    #[test]
    fn a_count_is_a_number_with_a_letter() {
        for (text, fine) in [
            ("4", true),
            ("2K", true),
            ("500m", true),
            ("", false),
            ("K", false),
            ("x", false),
            ("2KB", false),
            ("-1", false),
            ("99999999999999999999", false),
            ("16383P", true),
            ("16384P", false),
            ("\u{fc}", false),
        ] {
            assert_eq!(count(text).is_ok(), fine, "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_value_comes_back(text in "\\PC{0,12}|[ -~]{0,12}") {
            if let Ok(written) = value(&text) {
                let line = format!("NodeName=a Key={written} Other=1");
                let read = entries(&line);
                prop_assert_eq!(&read[0][1], &(String::from("Key"), text));
                prop_assert_eq!(read[0].len(), 3);
            }
        }
    }
}
