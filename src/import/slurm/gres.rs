//! Generic resources: items of a node's line, and lines of `gres.conf`.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hosts;
use crate::base::span::Span;

use super::conf::Keys;

/// `gpu:a100:4`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// `gpu`.
    pub name: String,
    /// `a100`.
    pub kind: Option<String>,
    /// As it is written, a suffix included: `4`, `2K`.
    pub count: String,
    /// What else stands there: `(S:0-1)`, `no_consume`.
    pub rest: String,
}

impl Item {
    /// The count as a number.
    pub fn number(&self) -> Option<u64> {
        let (digits, factor) = match self.count.char_indices().next_back() {
            Some((at, 'k' | 'K')) => (&self.count[..at], 1u64 << 10),
            Some((at, 'm' | 'M')) => (&self.count[..at], 1 << 20),
            Some((at, 'g' | 'G')) => (&self.count[..at], 1 << 30),
            Some((at, 't' | 'T')) => (&self.count[..at], 1 << 40),
            _ => (self.count.as_str(), 1),
        };
        digits.parse::<u64>().ok()?.checked_mul(factor)
    }

    /// As Slurm writes it, without what else stands there.
    pub fn show(&self) -> String {
        match &self.kind {
            Some(kind) => format!("{}:{kind}:{}", self.name, self.count),
            None => format!("{}:{}", self.name, self.count),
        }
    }
}

/// The items of `Gres=…`. Commas between parentheses part nothing.
pub fn items(list: &str) -> Vec<Item> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty() && *part != "(null)").map(item).collect()
}

fn item(part: &str) -> Item {
    let (words, tail) = part.split_at(part.find('(').unwrap_or(part.len()));
    let mut words: Vec<&str> = words.split(':').collect();
    let mut rest = tail.to_string();
    if let Some(place) = words.iter().position(|word| word.eq_ignore_ascii_case("no_consume")) {
        words.remove(place);
        rest = format!("no_consume{rest}");
    }
    let counts = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && is_count(word);
    let (name, kind, count) = match words[..] {
        [name] => (name, None, "1"),
        [name, count] if counts(count) => (name, None, count),
        [name, kind] => (name, Some(kind), "1"),
        [name, kind, count, ..] => (name, Some(kind), count),
        [] => ("", None, "1"),
    };
    Item { name: name.to_string(), kind: kind.map(str::to_string), count: count.to_string(), rest }
}

fn is_count(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| "kKmMgGtTpP".contains(c));
    word.len() - digits.len() <= 1 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line of `gres.conf`.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// The nodes it is about; all when it names none.
    pub hosts: Option<BTreeSet<String>>,
    /// What it says.
    pub keys: Keys,
    /// Where.
    pub at: Span,
}

/// Lines of `gres.conf` by node.
pub struct Index<'c> {
    named: BTreeMap<&'c str, Vec<usize>>,
    everywhere: Vec<usize>,
}

impl<'c> Index<'c> {
    /// Sorts lines by the nodes that they are about.
    pub fn new(devices: &'c [Device]) -> Index<'c> {
        let mut index = Index { named: BTreeMap::new(), everywhere: Vec::new() };
        for (at, device) in devices.iter().enumerate() {
            match &device.hosts {
                Some(hosts) => hosts.iter().for_each(|host| index.named.entry(host).or_default().push(at)),
                None => index.everywhere.push(at),
            }
        }
        index
    }

    /// The lines about a node, in their order.
    pub fn of(&self, host: &str) -> Vec<usize> {
        let mut lines: Vec<usize> =
            self.named.get(host).into_iter().flatten().chain(&self.everywhere).copied().collect();
        lines.sort_unstable();
        lines
    }
}

impl Device {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.keys.get(key).map(|pair| pair.value.as_str())
    }

    /// Its device files.
    pub fn files(&self) -> Vec<String> {
        let files = self.get("file").or_else(|| self.get("multiplefiles")).unwrap_or_default();
        hosts::unfold(files).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn items_have_a_type_or_not() {
        for (text, shown) in [
            ("gpu:a100:4", "gpu:a100:4"),
            ("gpu:8", "gpu:8"),
            ("gpu", "gpu:1"),
            ("gpu:tesla", "gpu:tesla:1"),
            ("gpu:1g.10gb:7", "gpu:1g.10gb:7"),
            ("gpu:a100:2(S:0,1),shard:16", "gpu:a100:2 shard:16"),
            ("bandwidth:lustre:no_consume:4G", "bandwidth:lustre:4G"),
            ("(null)", ""),
        ] {
            let read: Vec<String> = items(text).iter().map(|item| item.show()).collect();
            assert_eq!(read.join(" "), shown, "{text}");
        }
        assert_eq!(items("x:4K")[0].number(), Some(4_096));
    }
}
