//! # A storage reads more slowly than workloads ask
//!
//! GPUs wait for their data. What workloads read at the same time is more than the storage gives.
//!
//! ```aip
//! storage s { read = 100 MB/s }  # wrong: data preparation reads 2 GB/s
//! storage s { read = auto }      # right
//! ```
//!
//! Source: arithmetic over the loads that read from it at once.

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
    code: Code(3031),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("reads_too_slow.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.storages.values().filter_map(|storage| {
        let (there, needed) = (storage.read?, storage.read_needed?);
        if !round::exceeds(needed, there) {
            return None;
        }
        let message = format!(
            "workloads read {} from `{}`, it gives {}",
            amount::rate(needed),
            model.address(storage.id.block()),
            amount::rate(there)
        );
        let finding = Finding::on(model, storage.id.block(), "read", message);
        let largest = storage.demands.iter().filter(|demand| demand.read > 0.0).take(4);
        let finding = largest.fold(finding, |finding, demand| {
            finding.fact(format!("{} for {} of `{}`", amount::rate(demand.read), demand.what, model.address(demand.by)))
        });
        Some(finding.help(format!("plan for {} or more (`read`), or write `auto`", amount::rate(needed))))
    });
    judged.collect()
}
