//! English in one place: lists, counts, backticks, nearest names.

use std::fmt::Display;

/// `` `a`, `b` or `c` ``.
pub fn any_of<T: Display>(words: impl IntoIterator<Item = T>) -> String {
    join(words, "or")
}

/// `` `a`, `b` and `c` ``.
pub fn all_of<T: Display>(words: impl IntoIterator<Item = T>) -> String {
    join(words, "and")
}

/// `a, b and c`: of words that carry their own ticks, or none.
pub fn together<T: Display>(words: impl IntoIterator<Item = T>) -> String {
    enumerate(words.into_iter().map(|word| word.to_string()).collect(), "and")
}

fn join<T: Display>(words: impl IntoIterator<Item = T>, last: &str) -> String {
    enumerate(words.into_iter().map(|word| format!("`{word}`")).collect(), last)
}

fn enumerate(words: Vec<String>, last: &str) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// `1 node`, `2 nodes`, `2 switches`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// The noun with an `s`, with `es` after a hiss.
pub fn plural(noun: &str) -> String {
    let hiss = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    format!("{noun}{}", if hiss { "es" } else { "s" })
}

/// Characters of the longest word that may be a slip of the pen.
const LONGEST_SLIP: usize = 100;

/// The legal name nearest to `wrong`, when one is near enough to be meant: a third of its length, or a shared start.
pub fn nearest<'a>(wrong: &str, legal: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    // Nobody means a name with a word of that length, and the comparison would take its time.
    if length > LONGEST_SLIP {
        return None;
    }
    let limit = (length / 3).max(1);
    legal
        .into_iter()
        .filter(|name| name.chars().count().abs_diff(length) <= limit)
        .map(|name| (distance(wrong, name), name))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, name)| (distance, name))
        .map(|(_, name)| name)
}

/// The legal names that contain `part`, however its letters are written; none for a part of one letter.
pub fn containing<'a>(part: &str, legal: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let part = part.to_ascii_lowercase();
    if part.len() < 2 {
        return Vec::new();
    }
    legal.into_iter().filter(|name| name.to_ascii_lowercase().contains(&part)).collect()
}

/// `` `a`, `b` and 3 more ``: at most `limit` of the words.
pub fn some_of<T: Display>(words: &[T], limit: usize) -> String {
    let more = words.len().saturating_sub(limit);
    let shown = words.iter().take(limit).map(|word| format!("`{word}`"));
    together(shown.chain((more > 0).then(|| format!("{more} more"))))
}

/// Edits between two names; a swapped hyphen and underscore or case counts nothing.
fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    strsim::damerau_levenshtein(&fold(a), &fold(b))
}

/// At most `limit` characters of a text, on one line, so that a hostile text cannot flood a message.
pub fn excerpt(text: &str, limit: usize) -> String {
    let mut short: String = text.chars().take(limit).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if text.chars().nth(limit).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::{any_of, containing, count, nearest, some_of};

    #[test]
    fn lists_read_as_english() {
        assert_eq!(any_of(["a"]), "`a`");
        assert_eq!(any_of(["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(3, "node"), "3 nodes");
        assert_eq!(count(2, "spine switch"), "2 spine switches");
    }

    #[test]
    fn names_with_a_part_are_found() {
        assert_eq!(containing("H100", ["dgx-h100", "dgx-h200", "hgx-h100-8"]), ["dgx-h100", "hgx-h100-8"]);
        assert!(containing("h", ["dgx-h100"]).is_empty());
        assert_eq!(some_of(&["a", "b", "c", "d"], 2), "`a`, `b` and 2 more");
        assert_eq!(some_of(&["a", "b"], 2), "`a` and `b`");
    }

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("capasity", ["capacity", "read"]), Some("capacity"));
        assert_eq!(nearest("power-limit", ["power_limit"]), Some("power_limit"));
        assert_eq!(nearest("colour", ["capacity", "read"]), None);
    }
}
