//! Who refers to whom, why, and where it was written: the order of sizing, what nothing uses, circles.
//!
//! petgraph stays private to this folder; the rest of the compiler speaks of blocks.

mod order;
pub mod text;

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::base::code::codes;
use crate::base::diagnostic::Diagnostic;
use crate::base::span::Span;
use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::value::Value;

codes! {
    /// # Sizes depend on each other in a circle
    ///
    /// What one block needs depends on another that depends on the first, for example two storages that are each
    /// other's backup. The shortest circle is shown, a step a line. Write one of the sizes as a literal.
    SIZING_CYCLE = 1025;
}

/// Why one block is joined to another.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The attribute that makes it.
    pub attribute: &'static str,
    /// Where it is written.
    pub place: Span,
    /// Which of the two has to be sized first.
    pub order: Order,
}

/// Which end of a reference is sized first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// What is referred to.
    TargetFirst,
    /// What refers.
    SourceFirst,
    /// It does not matter.
    Free,
}

/// The references of a model.
pub struct Graph {
    /// An edge leads from what refers to what it refers to.
    graph: DiGraph<BlockId, Edge>,
    order: Vec<BlockId>,
}

impl Graph {
    /// Every reference of the model, and the order to size its blocks in.
    pub fn of(model: &Model<'_>) -> Result<Graph, Box<Diagnostic>> {
        let mut graph = DiGraph::new();
        let mut nodes: Vec<Option<NodeIndex>> = Vec::new();
        for (id, block) in model.all_blocks() {
            if block.parent.is_none() {
                nodes.resize(nodes.len().max(id.index() + 1), None);
                nodes[id.index()] = Some(graph.add_node(id));
            }
        }
        let node = |id: BlockId| nodes.get(top(model, id).index()).copied().flatten();
        for (id, block) in model.all_blocks() {
            for slot in &block.slots {
                let attribute = block.attribute(slot.attribute).name;
                for target in slot.value.iter().flat_map(Value::blocks) {
                    let (Some(from), Some(to)) = (node(id), node(target)) else { continue };
                    // A sub-block may refer to its own top block and neighbours; a block that refers to itself is a circle.
                    if from != to || id == target {
                        let order = order_of(model, block.kind, attribute, target);
                        graph.add_edge(from, to, Edge { attribute, place: slot.place, order });
                    }
                }
            }
        }
        // A site counts the switches of fabrics that name no rack, so it comes after every fabric that ends at it.
        for fabric in &model.tables.fabrics {
            let place = model.place_of(fabric.id, "connects");
            for end in fabric.connects.iter().filter_map(|end| site_of(model, end.block)) {
                let (Some(from), Some(to)) = (node(fabric.id.block()), node(end)) else { continue };
                graph.update_edge(from, to, Edge { attribute: "connects", place, order: Order::SourceFirst });
            }
        }
        let order = order::order(model, &graph)?;
        Ok(Graph { graph, order })
    }

    /// Blocks in the order of sizing: what others stand on comes first, otherwise as in the source.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// Every reference: from, to, why.
    pub fn edges(&self) -> impl Iterator<Item = (BlockId, BlockId, &Edge)> {
        self.graph.edge_references().map(|edge| (self.graph[edge.source()], self.graph[edge.target()], edge.weight()))
    }

    /// Blocks that nothing refers to.
    pub fn unused(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.graph.externals(petgraph::Direction::Incoming).map(|node| self.graph[node])
    }
}

/// The site of a pool or storage.
fn site_of(model: &Model<'_>, end: BlockId) -> Option<BlockId> {
    match model.value(end, "site") {
        Value::Block(site) => Some(site),
        _ => None,
    }
}

/// The block at top level that a sub-block stands in.
fn top(model: &Model<'_>, mut id: BlockId) -> BlockId {
    while let Some(parent) = model.block(id).parent {
        id = parent;
    }
    id
}

/// Which end is sized first: a pool needs its loads, a rack its pools, a site its racks, a storage what is kept on it.
fn order_of(model: &Model<'_>, kind: Kind, attribute: &str, target: BlockId) -> Order {
    match (kind, attribute, model.block(target).kind) {
        (_, "takes_turns_with" | "uses", _) => Order::Free,
        (Kind::Flow | Kind::Role | Kind::Secret | Kind::Baseline | Kind::Quote | Kind::Link, _, _) => Order::Free,
        (_, "runs_on" | "rack" | "site", _) => Order::SourceFirst,
        (Kind::Dataset, "lives_on" | "prefetch_to", _) => Order::SourceFirst,
        (Kind::Dataprep, "writes", _) => Order::SourceFirst,
        (Kind::Checkpoint | Kind::Backup | Kind::Audit | Kind::Finetune, "to", Kind::Storage) => Order::SourceFirst,
        (Kind::Retrieval, "on", _) => Order::SourceFirst,
        (_, "queue" | "tenant", _) => Order::Free,
        _ => Order::TargetFirst,
    }
}
