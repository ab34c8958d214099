//! The graph as text, for people and pictures.

use std::fmt::Write;

use crate::model::Model;
use crate::model::block::Origin;
use crate::model::ids::BlockId;

use super::Graph;

/// Graphviz.
pub fn dot(model: &Model<'_>, graph: &Graph) -> String {
    let mut text = String::from("digraph platform {\n  rankdir = LR;\n  node [shape = box];\n");
    for (id, address) in nodes(model, graph) {
        let shape = if model.block(id).origin == Origin::Catalogue { " [style = dashed]" } else { "" };
        let _ = writeln!(text, "  \"{address}\"{shape};");
    }
    for (from, to, attribute) in edges(model, graph) {
        let _ = writeln!(text, "  \"{from}\" -> \"{to}\" [label = \"{attribute}\"];");
    }
    text.push_str("}\n");
    text
}

/// Mermaid.
pub fn mermaid(model: &Model<'_>, graph: &Graph) -> String {
    let mut text = String::from("flowchart LR\n");
    for (id, address) in nodes(model, graph) {
        let _ = writeln!(text, "  n{}[\"{address}\"]", id.index());
    }
    let mut lines: Vec<String> = graph
        .edges()
        .map(|(from, to, edge)| format!("  n{} -->|{}| n{}", from.index(), edge.attribute, to.index()))
        .collect();
    lines.sort();
    lines.dedup();
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Blocks in the order of their addresses.
fn nodes(model: &Model<'_>, graph: &Graph) -> Vec<(BlockId, String)> {
    let mut nodes: Vec<(BlockId, String)> = graph.order().iter().map(|&id| (id, model.address(id))).collect();
    nodes.sort_by(|a, b| a.1.cmp(&b.1));
    nodes
}

fn edges(model: &Model<'_>, graph: &Graph) -> Vec<(String, String, &'static str)> {
    let mut edges: Vec<(String, String, &'static str)> =
        graph.edges().map(|(from, to, edge)| (model.address(from), model.address(to), edge.attribute)).collect();
    edges.sort();
    edges.dedup();
    edges
}
