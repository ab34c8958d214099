//! Keys of other programs whose value is a secret: no package has one, and no message shows one.

/// True for a key whose value is a password, however its letters are written. A script that prints one is none.
pub fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.contains("pass") && !key.ends_with("passscript")
}

/// The text with asterisks in place of what such keys are set to, each byte in its place.
pub fn masked(text: &str) -> String {
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('=') {
        shown.push_str(before);
        shown.push('=');
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let key = before.trim_end().trim_end_matches('"');
        let key = key.rsplit(|c: char| !word(c)).next().unwrap_or_default();
        rest = after;
        if is_secret(key) {
            let end = end_of_text(after);
            shown.extend(after[..end].chars().flat_map(asterisks));
            rest = &after[end..];
        }
    }
    shown + rest
}

/// Blanks and marks stay; of anything else each byte is hidden.
fn asterisks(c: char) -> impl Iterator<Item = char> {
    let stays = c.is_whitespace() || c == '"';
    std::iter::repeat_n(if stays { c } else { '*' }, if stays { 1 } else { c.len_utf8() })
}

/// Where the text that begins here ends: after its quotation marks, or where they are missing with the line.
fn end_of_text(text: &str) -> usize {
    let Some(open) = text.find('"').filter(|&open| text[..open].trim().is_empty()) else { return 0 };
    if let Some(long) = text[open..].strip_prefix("\"\"\"") {
        return long.find("\"\"\"").map_or(text.len(), |end| open + end + 6);
    }
    let (mut escaped, from) = (false, open + 1);
    for (at, c) in text[from..].char_indices() {
        match c {
            '"' if !escaped => return from + at + 1,
            '\n' => return from + at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::masked;

    #[test]
    fn what_secrets_are_set_to_is_hidden() {
        for (text, shown) in [
            ("slurmdbd { StoragePass = \"hunter2\" }", "slurmdbd { StoragePass = \"*******\" }"),
            ("storagepass=\"a\\\"b\", DbdPort = \"1\"", "storagepass=\"**\"*\", DbdPort = \"1\""),
            ("StoragePass = \"two words, and more", "StoragePass = \"*** ****** *** ****"),
            ("\"JobCompPass\" = \"\u{fc}\"", "\"JobCompPass\" = \"**\""),
            ("StoragePass = \"\"\"a\nb", "StoragePass = \"\"\"*\n*"),
            ("StoragePass = \"a\nb = \"c\"", "StoragePass = \"*\nb = \"c\""),
            ("StoragePassScript = \"/etc/p\"", "StoragePassScript = \"/etc/p\""),
            ("StoragePass = pw", "StoragePass = pw"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    proptest! {
        #[test]
        fn every_byte_keeps_its_place(text in "(Pass|=|\"| |\\\\|\u{fc}|x|\n){0,12}") {
            prop_assert_eq!(masked(&text).len(), text.len());
        }
    }
}
