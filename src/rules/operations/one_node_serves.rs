//! # All replicas run on one node
//!
//! A high availability is promised, and the node they run on is the only one. It is one power supply, one kernel and one
//! update for all of them.
//!
//! ```aip
//! pool serve { nodes = 1 }  # wrong under an inference with `availability = 99.9%`
//! pool serve { nodes = 2 }  # right
//! ```
//!
//! Source: arithmetic; 0.1% of a year is 8.8 h, less than most repairs of a server.

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
    code: Code(8019),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Pilot, Severity::Warning)]),
    text: include_str!("one_node_serves.rs"),
    dated: false,
    check,
};

/// Availability from which one node is not enough.
const HIGH: f64 = 0.999;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.inferences.values().filter_map(|row| {
        let inference = &model[row.id];
        let slo = inference.slo.first().copied()?;
        let promised = model[slo].availability?.fraction();
        let nodes = context.plan.pools.get(&inference.runs_on)?.nodes.low;
        // One replica alone is another rule's finding.
        if nodes != 1 || row.replicas?.high < 2 || round::exceeds(HIGH, promised) {
            return None;
        }
        let pool = model.address(inference.runs_on.block());
        let message = format!(
            "`{}` promises {} on one node of `{pool}`",
            model.address(row.id.block()),
            amount::share(promised)
        );
        let finding = Finding::on(model, inference.id.block(), "runs_on", message);
        let finding = finding.see(model.place_of(inference.runs_on, "nodes"), "one node");
        Some(finding.help(format!("set the least of `{pool}.nodes` to 2")))
    });
    judged.collect()
}
