//! # A training pool has no spare node
//!
//! A large training loses a node every few days or weeks. Without a spare it runs on with fewer, or waits for the repair.
//!
//! ```aip
//! pool train { nodes = 9, spare = 1 }
//! ```
//!
//! Source: BLOOM kept 4 of 52 nodes spare, OPT-175B 12 of 124.

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8016),
    levels: Levels::steps(&[(Stage::Production, Severity::Note)]),
    text: include_str!("no_spare.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let several = context.plan.trainings.values().filter(|training| training.nodes > 1);
    let pools: BTreeSet<Id<Pool>> = several.map(|training| model[training.id].runs_on).collect();
    let own = pools.into_iter().filter_map(|id| context.plan.pools.get(&id));
    own.filter(|pool| !pool.node.rented && pool.spare == 0)
        .map(|pool| {
            let message = format!("`{}` trains over several nodes and has no spare one", model.address(pool.id.block()));
            Finding::on(model, pool.id.block(), "spare", message).help("buy one more and set `spare = 1`, or `spare = auto`")
        })
        .collect()
}
