//! # A storage writes more slowly than workloads ask
//!
//! What is written at the same time is more than the storage takes: checkpoints stall training, and data preparation does
//! not get done in time.
//!
//! ```aip
//! storage s { write = 1 GB/s }  # wrong: a checkpoint of 1.1 TB within a minute asks for 19 GB/s
//! storage s { write = auto }    # right
//! ```
//!
//! Source: arithmetic over what is written at once.

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
    code: Code(3032),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("writes_too_slow.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.storages.values().filter_map(|storage| {
        let (there, needed) = (storage.write?, storage.write_needed?);
        if !round::exceeds(needed, there) {
            return None;
        }
        let message = format!(
            "workloads write {} to `{}`, it takes {}",
            amount::rate(needed),
            model.address(storage.id.block()),
            amount::rate(there)
        );
        let finding = Finding::on(model, storage.id.block(), "write", message);
        let largest = storage.demands.iter().filter(|demand| demand.write > 0.0).take(4);
        let finding = largest.fold(finding, |finding, demand| {
            finding.fact(format!("{} for {} of `{}`", amount::rate(demand.write), demand.what, model.address(demand.by)))
        });
        Some(finding.help(format!("plan for {} or more (`write`), or write `auto`", amount::rate(needed))))
    });
    judged.collect()
}
