//! `NodeSet=…`: a name for nodes, by a list of them or by a feature that they have.

use std::collections::BTreeSet;

use crate::base::span::Span;

use super::conf::NodeLine;

/// What all lines of a name say together.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSet {
    /// The nodes that are named.
    pub hosts: BTreeSet<String>,
    /// The features whose nodes are in it.
    pub features: BTreeSet<String>,
    /// Its first line.
    pub at: Span,
}

impl NodeSet {
    /// Its nodes, of those that are declared.
    pub fn members(&self, declared: &BTreeSet<String>, nodes: &[NodeLine]) -> BTreeSet<String> {
        let mut members: BTreeSet<String> = self.hosts.intersection(declared).cloned().collect();
        if !self.features.is_empty() {
            let fitting = nodes.iter().filter(|line| self.features.iter().any(|feature| has(line, feature)));
            members.extend(fitting.flat_map(|line| line.hosts.iter().cloned()));
        }
        members
    }
}

fn has(line: &NodeLine, feature: &str) -> bool {
    let said = ["feature", "features"].iter().filter_map(|key| line.keys.get(*key));
    said.flat_map(|pair| pair.value.split(',')).any(|one| one.trim() == feature)
}
