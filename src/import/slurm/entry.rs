//! A line as keys and values.

use crate::base::secret;
use crate::base::span::Span;

use super::text::Line;

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// As written.
    pub key: String,
    /// Without its quotation marks.
    pub value: String,
    /// Its line.
    pub at: Span,
}

impl Pair {
    /// True for a key, however its letters are written.
    pub fn is(&self, key: &str) -> bool {
        self.key.eq_ignore_ascii_case(key)
    }
}

/// What a line says.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// `Include NAME`.
    Include(String),
    /// One pair or more.
    Pairs(Vec<Pair>),
}

/// What stands in the place of a secret: nothing that reads on has one.
const HIDDEN: &str = "***";

/// Reads a line; where it stops being one, the last key before that.
pub fn read(line: &Line) -> Result<Entry, Option<String>> {
    if let Some((word, name)) = line.text.split_once(char::is_whitespace)
        && word.eq_ignore_ascii_case("include")
        && !name.trim_start().starts_with('=')
    {
        return Ok(Entry::Include(name.trim().trim_matches('"').to_string()));
    }
    let (mut pairs, mut rest) = (Vec::new(), line.text.as_str());
    while !rest.is_empty() {
        let last = || pairs.last().map(|pair: &Pair| pair.key.clone());
        let (mut pair, after) = pair(rest, line.at).ok_or_else(last)?;
        if secret::is_secret(&pair.key) || says(&pair.value) {
            pair.value = String::from(HIDDEN);
        }
        pairs.push(pair);
        rest = after.trim_start();
    }
    Ok(Entry::Pairs(pairs))
}

/// True for a value with a secret in it: `StorageParameters=pass=x`.
fn says(value: &str) -> bool {
    value.match_indices('=').any(|(at, _)| {
        let before = value[..at].trim_end();
        before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().is_some_and(secret::is_secret)
    })
}

fn pair(text: &str, at: Span) -> Option<(Pair, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))?;
    let key = &text[..end];
    let value = text[end..].trim_start().strip_prefix('=')?.trim_start();
    let (value, rest) = match value.strip_prefix('"') {
        Some(quoted) => {
            let (inside, rest) = quoted.split_once('"')?;
            (inside, rest.starts_with(char::is_whitespace).then_some(rest).or(rest.is_empty().then_some(rest))?)
        }
        None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
    };
    (!key.is_empty()).then(|| (Pair { key: key.to_string(), value: value.to_string(), at }, rest))
}

#[cfg(test)]
mod tests {
    use super::{Entry, read};
    use crate::base::span::Span;
    use crate::import::slurm::text::Line;

    fn of(text: &str) -> Result<Entry, Option<String>> {
        read(&Line { text: text.to_string(), at: Span::DETACHED, cut: false })
    }

    fn pairs(text: &str) -> Vec<(String, String)> {
        match of(text) {
            Ok(Entry::Pairs(pairs)) => pairs.into_iter().map(|pair| (pair.key, pair.value)).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_and_values_stand_in_a_row() {
        let read = pairs("NodeName=n[1-2] Reason=\"a b=c\" X = 1 Empty=\"\" Last=a=b");
        let wanted = [("NodeName", "n[1-2]"), ("Reason", "a b=c"), ("X", "1"), ("Empty", ""), ("Last", "a=b")];
        assert_eq!(read, wanted.map(|(key, value)| (key.to_string(), value.to_string())));
    }

    #[test]
    fn secrets_are_hidden_where_they_are_read() {
        let read = pairs("DbdPort=1 storagepass=hunter2 MysqlPass=\"a b\" StoragePassScript=/etc/p");
        let values: Vec<&str> = read.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["1", "***", "***", "/etc/p"]);
        assert_eq!(pairs("StorageParameters=ssl=1,pass=hunter2")[0].1, "***");
        assert_eq!(of("StorageUser=slurm StoragePass=\"open"), Err(Some(String::from("StorageUser"))));
    }

    #[test]
    fn includes_are_told_from_keys() {
        assert_eq!(of("include nodes.conf"), Ok(Entry::Include(String::from("nodes.conf"))));
        assert!(of("just words").is_err() && of("=x").is_err() && of("A=\"x").is_err() && of("A=\"x\"y").is_err());
    }
}
