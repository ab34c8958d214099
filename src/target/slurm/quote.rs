//! How texts become tokens of Slurm's files and words of a shell.

/// A token of Slurm's files: it stands without quotes and means itself wherever it stands.
///
/// Slurm has no way to escape a quotation mark, a `#` begins a comment even inside quotes, and a backslash joins lines;
/// so what is not surely harmless is refused, never repaired.
pub fn token(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err(String::from("it is empty"));
    }
    match text.chars().find(|c| !(c.is_ascii_alphanumeric() || "._-/:@+".contains(*c))) {
        Some(c) if c.is_control() => Err(String::from("it has a control character")),
        Some(c) if !c.is_ascii() => Err(format!("it has `{c}`, which is not ASCII")),
        Some(' ') => Err(String::from("it has a blank")),
        Some(c) => Err(format!("it has `{c}`")),
        None => Ok(text.to_string()),
    }
}

/// A text between the single quotes of a file for `sacctmgr load`, when it can stand there.
pub fn description(text: &str) -> Option<&str> {
    let harmless = |c: char| c.is_ascii_alphanumeric() || " ._-/@+()".contains(c);
    let framed = text.trim() == text && !text.is_empty() && text.len() <= 200;
    (framed && text.chars().all(harmless)).then_some(text)
}

/// A word of a shell: bare when nothing in it is special, otherwise in single quotes.
pub fn shell(text: &str) -> Result<String, String> {
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(String::from("it has a control character"));
    }
    let bare = |c: char| c.is_ascii_alphanumeric() || "._-/:@+,=".contains(c);
    if !text.is_empty() && text.chars().all(bare) {
        return Ok(text.to_string());
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{description, shell, token};
    use crate::target::slurm::reader::{entries, shell_words};

    #[test]
    fn what_could_change_the_structure_is_refused() {
        for hostile in ["", "a b", "a,b", "a\"b", "a#b", "a\nNodeName=x", "a\\", "a=b", "ü", "a'b", "a[1-2]", "%n"] {
            assert!(token(hostile).is_err(), "{hostile:?}");
        }
        for fine in ["h200", "/var/log/slurm", "25.11", "a_b-c", "user@example.org"] {
            assert_eq!(token(fine).as_deref(), Ok(fine));
        }
    }

    #[test]
    fn descriptions_are_taken_whole_or_not_at_all() {
        assert_eq!(description("Research (applied)"), Some("Research (applied)"));
        for hostile in ["", " a", "a:Fairshare=9", "a'b", "a#b", "a\nAccount - 'x'", "ü", "a,b"] {
            assert_eq!(description(hostile), None, "{hostile:?}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_token_comes_back(text in "\\PC{0,12}|[ -~]{0,12}") {
            if let Ok(written) = token(&text) {
                let line = format!("Key={written} Other=1 # end");
                prop_assert_eq!(entries(&line), vec![vec![
                    (String::from("Key"), text),
                    (String::from("Other"), String::from("1")),
                ]]);
            }
        }

        #[test]
        fn a_shell_word_comes_back(text in "[\\PC\n\t]{0,20}") {
            let written = shell(&text);
            prop_assert!(written.is_ok());
            prop_assert_eq!(shell_words(&written.unwrap_or_default()), Some(vec![text]));
        }
    }
}
