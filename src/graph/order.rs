//! A stable order of sizing, and the shortest circle where there is none.

use std::collections::{BinaryHeap, VecDeque};

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::base::diagnostic::Diagnostic;
use crate::base::span::Span;
use crate::model::Model;
use crate::model::ids::BlockId;

use super::{Edge, Order, SIZING_CYCLE};

/// Blocks so that each comes after those it needs; where that leaves a choice, as in the source.
pub(super) fn order(model: &Model<'_>, graph: &DiGraph<BlockId, Edge>) -> Result<Vec<BlockId>, Box<Diagnostic>> {
    let mut waiting = vec![0usize; graph.node_count()];
    let mut next: Vec<Vec<NodeIndex>> = vec![Vec::new(); graph.node_count()];
    for edge in graph.edge_references() {
        if let Some((first, then)) = ends(edge.weight().order, edge.source(), edge.target()) {
            waiting[then.index()] += 1;
            next[first.index()].push(then);
        }
    }
    let ready = graph.node_indices().filter(|node| waiting[node.index()] == 0);
    let mut ready: BinaryHeap<_> = ready.map(std::cmp::Reverse).collect();
    let mut order = Vec::with_capacity(graph.node_count());
    while let Some(std::cmp::Reverse(node)) = ready.pop() {
        order.push(graph[node]);
        for &then in &next[node.index()] {
            waiting[then.index()] -= 1;
            if waiting[then.index()] == 0 {
                ready.push(std::cmp::Reverse(then));
            }
        }
    }
    if order.len() == graph.node_count() {
        return Ok(order);
    }
    let stuck: Vec<NodeIndex> = graph.node_indices().filter(|node| waiting[node.index()] > 0).collect();
    Err(Box::new(cycle(model, graph, &stuck, &next)))
}

fn ends(order: Order, source: NodeIndex, target: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    match order {
        Order::TargetFirst => Some((target, source)),
        Order::SourceFirst => Some((source, target)),
        Order::Free => None,
    }
}

/// The shortest circle among blocks that wait for each other.
fn cycle(
    model: &Model<'_>,
    graph: &DiGraph<BlockId, Edge>,
    stuck: &[NodeIndex],
    next: &[Vec<NodeIndex>],
) -> Diagnostic {
    let ring = stuck.iter().filter_map(|&start| shortest_back(start, next)).min_by_key(Vec::len).unwrap_or_default();
    let name = |node: NodeIndex| model.address(graph[node]);
    let first = ring.first().map(|&node| name(node)).unwrap_or_default();
    if let [node] = ring[..] {
        let problem = Diagnostic::error(SIZING_CYCLE, format!("`{first}` refers to itself"));
        let problem = problem.at(place(graph, node, node), "it would be sized before itself");
        return problem.help("refer to another block, or leave it out");
    }
    let mut problem = Diagnostic::error(SIZING_CYCLE, format!("the size of `{first}` depends on itself"));
    for (index, &node) in ring.iter().enumerate() {
        let then = ring[(index + 1) % ring.len()];
        problem = problem.at(place(graph, node, then), format!("`{}` needs `{}`", name(then), name(node)));
    }
    problem.help("write one of these sizes as a literal")
}

fn shortest_back(start: NodeIndex, next: &[Vec<NodeIndex>]) -> Option<Vec<NodeIndex>> {
    let mut came: Vec<Option<NodeIndex>> = vec![None; next.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &then in &next[node.index()] {
            if then == start {
                let mut ring = vec![node];
                while let Some(&last) = ring.last().filter(|&&last| last != start) {
                    ring.push(came[last.index()]?);
                }
                ring.reverse();
                return Some(ring);
            }
            if came[then.index()].is_none() {
                came[then.index()] = Some(node);
                queue.push_back(then);
            }
        }
    }
    None
}

fn place(graph: &DiGraph<BlockId, Edge>, first: NodeIndex, then: NodeIndex) -> Span {
    let joins = graph.edges_connecting(first, then).chain(graph.edges_connecting(then, first));
    joins
        .filter(|edge| ends(edge.weight().order, edge.source(), edge.target()) == Some((first, then)))
        .map(|edge| edge.weight().place)
        .next()
        .unwrap_or(Span::DETACHED)
}
