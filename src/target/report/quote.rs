//! The one way a text gets into HTML and SVG.

/// A text that HTML and XML readers give back unchanged, between tags and in quoted attributes.
///
/// Line ends and tabs are written as references, because readers turn them into blanks in attributes. Characters that
/// XML cannot hold are shown as their pictures.
pub fn quote(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            c => out.push(picture(c)),
        }
    }
    Ok(out)
}

/// The character itself, or what people see in its place.
fn picture(c: char) -> char {
    match u32::from(c) {
        number @ 0..=0x1F => char::from_u32(0x2400 + number).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7F => '\u{2421}',
        0x80..=0x9F | 0xFFFE | 0xFFFF => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn marks_of_the_language_become_references() {
        assert_eq!(quote("<b a=\"1\">&'x'</b>").as_deref(), Ok("&lt;b a=&quot;1&quot;&gt;&amp;&#39;x&#39;&lt;/b&gt;"));
        assert_eq!(quote("a\n\tb").as_deref(), Ok("a&#10;&#9;b"));
    }

    #[test]
    fn what_cannot_be_held_is_shown() {
        assert_eq!(quote("\u{1}\u{7F}\u{FFFE}").as_deref(), Ok("\u{2401}\u{2421}\u{FFFD}"));
    }
}
