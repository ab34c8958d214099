//! What stands on the lines of an output, with what it came from. Files do not carry it: it is worked out anew where a
//! line is asked about, and holds for the line only where it is written there.

/// A key of a line with its value and its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The block that the line comes from.
    pub address: String,
    /// The key with what parts it from the value: `RealMemory=`.
    pub key: String,
    /// The value, as it is written.
    pub value: String,
    /// The rule in words, with the sum.
    pub how: String,
    /// Attributes and figures that it came from, as addresses.
    pub of: Vec<String>,
}

impl Trace {
    /// The key and the value, as they are written.
    pub fn written(&self) -> String {
        format!("{}{}", self.key, self.value)
    }

    /// Where it stands on a line.
    pub fn stands(&self, line: &str) -> Option<usize> {
        let ends = |after: &str| after.chars().next().is_none_or(|c| c.is_whitespace() || ",\"".contains(c));
        let written = self.written();
        starts(line, &written).find(|at| ends(&line[at + written.len()..]))
    }

    /// True where a line has the key.
    pub fn has_key(&self, line: &str) -> bool {
        starts(line, &self.key).next().is_some()
    }
}

/// Where a word begins on a line that is not the end of a longer one.
fn starts<'t>(line: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let begins = |at: usize| line[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '-');
    line.match_indices(word).map(|(at, _)| at).filter(move |&at| begins(at))
}

#[cfg(test)]
mod tests {
    use super::Trace;

    #[test]
    fn a_value_stands_as_a_whole_word() {
        let trace = |key: &str, value: &str| Trace {
            address: String::from("pool.gpu"),
            key: key.to_string(),
            value: value.to_string(),
            how: String::new(),
            of: Vec::new(),
        };
        let line = "NodeName=a DownNodes=b Weight=1000 Weights=\"CPU=1,Mem=0.5G\"";
        assert_eq!(trace("Mem=", "0.5G").stands(line), line.find("Mem="));
        assert_eq!(trace("Weight=", "1000").stands(line), line.find("Weight="));
        assert_eq!(trace("Weight=", "100").stands(line), None);
        assert!(trace("Weight=", "100").has_key(line));
        assert!(!trace("Nodes=", "b").has_key(line));
    }
}
