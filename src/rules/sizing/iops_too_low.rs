//! # A storage answers fewer random reads than queries make
//!
//! Rescoring reads the full vectors of every candidate, each from another place. When the storage answers fewer reads a second,
//! queries queue behind each other at the peak.
//!
//! ```aip
//! storage s { iops = 5_000 }  # wrong: 100 queries a second that rescore 100 vectors make 20,000 reads
//! storage s { iops = auto }   # right
//! ```
//!
//! Source: arithmetic; `aipc explain retrieval.NAME.iops`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3034),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("iops_too_low.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.storages.values().filter_map(|storage| {
        let (there, needed) = (storage.iops?, storage.iops_needed);
        if needed <= there {
            return None;
        }
        let address = model.address(storage.id.block());
        let message = format!("queries make {needed} random reads a second on `{address}`, it answers {there}");
        let finding = Finding::on(model, storage.id.block(), "iops", message);
        let asking = storage.demands.iter().filter(|demand| demand.iops > 0).take(4);
        let finding = asking.fold(finding, |finding, demand| {
            finding.fact(format!("{} of `{}`", demand.iops, model.address(demand.by)))
        });
        Some(finding.help(format!("plan for {needed} or more (`iops`), rescore fewer candidates, or write `auto`")))
    });
    judged.collect()
}
