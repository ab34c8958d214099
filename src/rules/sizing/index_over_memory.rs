//! # The vector indexes of a pool do not fit into its memory
//!
//! An index in memory answers in milliseconds; one that swaps to disk does not. All copies of all indexes on the pool
//! together take more than its nodes have.
//!
//! ```aip
//! retrieval r { vectors = 1 billion, dimensions = 1_024, index = hnsw }    # wrong: 4 TB on one node of 512 GiB
//! retrieval r { vectors = 1 billion, dimensions = 1_024, index = ivf-pq }  # right
//! ```
//!
//! When they only fit while none is built again, it is a warning.
//!
//! Source: bytes of a vector and its links, as the engines document them; see `aipc explain retrieval.NAME.memory`.

use std::collections::BTreeMap;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::plan::figure::Estimate;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3021),
    levels: Levels::always(Severity::Error),
    text: include_str!("index_over_memory.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut sums: BTreeMap<Id<Pool>, (f64, f64)> = BTreeMap::new();
    for retrieval in context.plan.retrievals.values() {
        if let Some(Estimate::Known(memory)) = context.plan.figures.get(retrieval.id.block(), "memory") {
            let (value, high) = sums.entry(model[retrieval.id].runs_on).or_default();
            *value += memory.value;
            *high += memory.high;
        }
    }
    let judged = sums.into_iter().filter_map(|(id, (needed, high))| {
        let pool = context.plan.pools.get(&id)?;
        let node = pool.node.memory?;
        let nodes = pool.nodes.high.saturating_sub(pool.spare);
        let there = node * nodes as f64;
        if !round::exceeds(high, there) || context.unknown(id.block(), "nodes").is_some() {
            return None;
        }
        if !round::exceeds(needed, there) {
            let message = format!(
                "the indexes on `{}` may take up to {} of memory while they are built again, its nodes have {}",
                model.address(id.block()),
                amount::memory(high),
                amount::memory(there)
            );
            let finding = Finding::on(model, id.block(), "nodes", message).softened();
            let finding = finding.fact(format!("{} is expected", amount::memory(needed)));
            return Some(finding.help("add a node, or build the copies again one after the other"));
        }
        let message = format!(
            "the indexes on `{}` take {} of memory, its nodes have {}",
            model.address(id.block()),
            amount::memory(needed),
            amount::memory(there)
        );
        let wanted = round::ceil_units(needed / node).saturating_add(pool.spare);
        let finding = Finding::on(model, id.block(), "nodes", message);
        let finding = finding.saying(format!("{} × {}", phrase::count(nodes, "node"), amount::memory(node)));
        Some(finding.help(format!("raise `nodes` to {wanted} or more, or use an index that takes less (`ivf-pq`)")))
    });
    judged.collect()
}
