//! # The demand needs more replicas than there may be
//!
//! At its peak the demand needs more copies than `replicas` allows. Requests queue, and the service level is missed for
//! everybody.
//!
//! ```aip
//! inference i { replicas = 1..2 }  # wrong: 8 req/s need 3
//! inference i { replicas = 2..4 }  # right
//! ```
//!
//! Source: the throughput of a copy within its service level, and `demand.utilisation` of it.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3014),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("replicas_too_few.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.inferences.values().filter_map(|inference| {
        let needed = inference.needed?;
        let most = inference.replicas?.high;
        if needed <= most {
            return None;
        }
        let message = format!(
            "the demand on `{}` needs {}, there may be {most}",
            model.address(inference.id.block()),
            phrase::count(needed, "replica")
        );
        let finding = Finding::on(model, inference.id.block(), "replicas", message);
        let demand = model[inference.id].demand.first();
        let finding = match demand {
            Some(demand) => finding.see(model.place_of(*demand, "requests"), "the demand"),
            None => finding,
        };
        Some(finding.help(format!("let `replicas` go up to {needed}, or lower the demand that is promised")))
    });
    judged.collect()
}
