//! Who refers to whom, from what is referred to.

use std::collections::HashMap;

use crate::graph::Graph;
use crate::model::ids::BlockId;

/// References, from what is referred to.
#[derive(Debug, Clone, Default)]
pub struct Uses {
    by_target: HashMap<BlockId, Vec<(BlockId, &'static str)>>,
}

impl Uses {
    /// The edges of the graph, the other way round.
    pub fn of(graph: &Graph) -> Uses {
        let mut by_target: HashMap<BlockId, Vec<(BlockId, &'static str)>> = HashMap::new();
        for (from, to, edge) in graph.edges() {
            by_target.entry(to).or_default().push((from, edge.attribute));
        }
        Uses { by_target }
    }

    /// Who refers to a block, and through which attribute; sub-blocks count as the block they stand in.
    pub fn of_block(&self, block: BlockId) -> &[(BlockId, &'static str)] {
        self.by_target.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Who refers to a block through this attribute.
    pub fn through(&self, block: BlockId, attribute: &str) -> impl Iterator<Item = BlockId> {
        self.of_block(block).iter().filter(move |(_, name)| *name == attribute).map(|(from, _)| *from)
    }
}
