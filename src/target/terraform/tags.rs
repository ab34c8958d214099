//! Tags of AWS: text that is legal there goes whole, any other as a slug with a note.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::target::problems;

use super::hcl;

/// The longest value.
const LONGEST: usize = 256;

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Tag {
    /// Its key.
    pub key: &'static str,
    /// Its value.
    pub value: String,
}

/// A tag with the text of an attribute, and a note when AWS does not take the text as it is.
pub(super) fn tag(key: &'static str, text: &str, address: &str) -> (Tag, Option<Diagnostic>) {
    let legal = |c: char| c.is_alphanumeric() || " +-=._:/@".contains(c);
    if text.chars().count() <= LONGEST && text.chars().all(legal) && text.trim() == text {
        return (Tag { key, value: text.to_string() }, None);
    }
    let value = hcl::label(text, LONGEST);
    let note = problems::tag_slug(address, text, &value);
    (Tag { key, value }, Some(note))
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn legal_text_goes_whole_and_other_text_as_a_slug() {
        assert_eq!(tag("owner", "ai@acme.example", "platform.p").0.value, "ai@acme.example");
        let (tag, note) = tag("owner", "Tom & Ann", "platform.p");
        assert!(tag.value.starts_with("tom-ann-"), "{}", tag.value);
        assert!(note.is_some());
    }
}
