//! # A storage is too small for what is kept on it
//!
//! Datasets with their growth over the lifetime, checkpoints, backups and indexes together take more than its capacity.
//!
//! ```aip
//! storage s { capacity = 1 TB }   # wrong: a dataset of 4 TB lives on it
//! storage s { capacity = auto }   # right
//! ```
//!
//! Source: arithmetic; `fill_target` keeps part of the capacity free, because file systems get slow when they are full.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3030),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("storage_too_small.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.storages.values().filter_map(|storage| {
        let (capacity, needed) = (storage.capacity?, storage.needed?);
        if !round::exceeds(needed, capacity) {
            return None;
        }
        let message = format!(
            "`{}` needs {} of usable capacity, it has {}",
            model.address(storage.id.block()),
            amount::data(needed),
            amount::data(capacity)
        );
        let finding = Finding::on(model, storage.id.block(), "capacity", message);
        let largest = storage.demands.iter().filter(|demand| demand.bytes > 0.0).take(4);
        let finding = largest.fold(finding, |finding, demand| {
            finding.fact(format!("{} for {} of `{}`", amount::data(demand.bytes), demand.what, model.address(demand.by)))
        });
        Some(finding.help(format!("raise `capacity` to {} or write `auto`", amount::data(needed))))
    });
    judged.collect()
}
