//! # All nodes of a pool are spare
//!
//! Spare nodes are counted among the nodes of a pool and kept out of its capacity: as many as there are, or more, leave
//! nothing to work with.
//!
//! ```aip
//! pool train { nodes = 4, spare = 4 }  # wrong: no node is left
//! pool train { nodes = 5, spare = 1 }  # right: four to work with
//! ```
//!
//! Source: arithmetic.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8022),
    levels: Levels::always(Severity::Error),
    text: include_str!("only_spares.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.pools.values().filter(|pool| pool.spare > 0 && pool.spare >= pool.nodes.high);
    judged
        .map(|pool| {
            let block = pool.id.block();
            let nodes = phrase::count(pool.nodes.high, "node");
            let message = format!("`{}` has {nodes}, {} of them spare", model.address(block), pool.spare);
            Finding::on(model, block, "spare", message).help("keep fewer spare, or add nodes")
        })
        .collect()
}
