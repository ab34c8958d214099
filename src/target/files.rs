//! Files in memory, by path, with the addresses that their lines come from.

use std::collections::BTreeMap;

/// The mark before an address in rendered text; no source text may contain it.
pub(in crate::target) const ADDRESS_START: char = '\u{1}';
/// The mark after it.
pub(in crate::target) const ADDRESS_END: char = '\u{2}';

/// Paths below the output folder, with `/`, and what they hold.
#[derive(Debug, Default)]
pub struct Files {
    all: BTreeMap<String, File>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// For each line that begins something: its number from 1, and the address it comes from.
    pub lines: Vec<(usize, String)>,
    /// True when it must be executable.
    pub executable: bool,
}

impl Files {
    /// Adds a text whose marks lead to addresses.
    pub fn add_text(&mut self, path: impl Into<String>, marked: &str) {
        let (text, lines) = take_marks(marked);
        self.all.insert(path.into(), File { bytes: text.into_bytes(), lines, executable: false });
    }

    /// Adds a text that is run.
    pub fn add_script(&mut self, path: impl Into<String>, marked: &str) {
        let (text, lines) = take_marks(marked);
        self.all.insert(path.into(), File { bytes: text.into_bytes(), lines, executable: true });
    }

    /// Adds bytes.
    pub fn add_bytes(&mut self, path: impl Into<String>, bytes: Vec<u8>) {
        self.all.insert(path.into(), File { bytes, lines: Vec::new(), executable: false });
    }

    /// Takes over all files of another set.
    pub fn extend(&mut self, other: Files) {
        self.all.extend(other.all);
    }

    /// A file by its path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.all.get(path)
    }

    /// All of them, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &File)> {
        self.all.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// Path and file, by path.
impl IntoIterator for Files {
    type Item = (String, File);
    type IntoIter = std::collections::btree_map::IntoIter<String, File>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

/// A text without its marks.
pub fn unmarked(marked: &str) -> String {
    take_marks(marked).0
}

/// Splits the marks from the text.
fn take_marks(marked: &str) -> (String, Vec<(usize, String)>) {
    let mut text = String::with_capacity(marked.len());
    let mut lines = Vec::new();
    let mut line = 1;
    let mut rest = marked;
    while let Some(start) = rest.find(ADDRESS_START) {
        let (before, after) = rest.split_at(start);
        line += before.bytes().filter(|&byte| byte == b'\n').count();
        text.push_str(before);
        let after = &after[ADDRESS_START.len_utf8()..];
        let Some(end) = after.find(ADDRESS_END) else { break };
        lines.push((line, after[..end].to_string()));
        rest = &after[end + ADDRESS_END.len_utf8()..];
    }
    text.push_str(rest);
    (text, lines)
}

#[cfg(test)]
mod tests {
    use super::take_marks;

    #[test]
    fn marks_become_lines_and_leave_the_text() {
        let (text, lines) = take_marks("a\n\u{1}pool.x\u{2}b\nc\n\u{1}pool.y\u{2}d");
        assert_eq!(text, "a\nb\nc\nd");
        assert_eq!(lines, [(2, String::from("pool.x")), (4, String::from("pool.y"))]);
    }
}
