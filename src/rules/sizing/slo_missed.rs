//! # A service level cannot be met
//!
//! Even one request at a time gets its first token, or the ones after it, later than promised. More replicas do not help:
//! each of them is too slow.
//!
//! ```aip
//! inference i { slo { per_token_p95 = 1 ms } }   # wrong: reading the weights once takes longer
//! inference i { slo { per_token_p95 = 40 ms } }  # right
//! ```
//!
//! When only the upper end of the error bar of the first token is too slow, or only the wait behind other requests at the peak
//! makes it so, it is a warning.
//!
//! Source: a token needs all weights read once from GPU memory; see `aipc explain inference.NAME.per_token`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::plan::InferencePlan;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3015),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("slo_missed.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.inferences.values().flat_map(|inference| judge(context, inference)).collect()
}

fn judge(context: &Context<'_>, inference: &InferencePlan) -> Vec<Finding> {
    let model = context.model();
    let Some(id) = model[inference.id].slo.first().copied() else { return Vec::new() };
    let slo = &model[id];
    let address = model.address(inference.id.block());
    if let Some(missed) = &inference.missed {
        let message = format!("`{address}` cannot meet its service level: {missed}");
        return vec![Finding::about(model, id.block(), message).help(REPAIR)];
    }
    let limits = [
        ("first_token_p95", "the first token", slo.first_token_p95, inference.first_token),
        ("per_token_p95", "each further token", slo.per_token_p95, inference.per_token),
    ];
    let judged = limits.into_iter().filter_map(|(attribute, what, limit, time)| {
        let (limit, (value, _, high)) = (limit?.seconds(), time?);
        let slow = |time: f64| format!("{what} of `{address}` takes {}, promised is {}", amount::time(time), amount::time(limit));
        if round::exceeds(value, limit) {
            Some(Finding::on(model, id.block(), attribute, slow(value)).help(REPAIR))
        } else if attribute == "first_token_p95" && round::exceeds(high, limit) {
            // As many requests run at once as the time of a further token allows, so its bar always reaches beyond.
            let message = format!("{}; {} is expected", slow(high).replacen("takes", "may take", 1), amount::time(value));
            let help = "measure it and write a `baseline`, or promise less";
            Some(Finding::on(model, id.block(), attribute, message).softened().help(help))
        } else if let Some(busy) = waits(inference, attribute, limit) {
            let message = slow(busy).replacen(", promised", " at the peak, promised", 1);
            let message = format!("{}; {} on an idle copy", message.replacen("takes", "may take", 1), amount::time(value));
            let help = "allow more replicas or a lower `utilisation`, measure it, or promise more time";
            Some(Finding::on(model, id.block(), attribute, message).softened().help(help))
        } else {
            None
        }
    });
    judged.collect()
}

/// The time of the first token with what a request waits for at the peak, where that is more than promised.
fn waits(inference: &InferencePlan, attribute: &str, limit: f64) -> Option<f64> {
    inference.first_token_at_peak.filter(|&time| attribute == "first_token_p95" && round::exceeds(time, limit))
}

const REPAIR: &str = "use more GPUs a replica, a faster GPU, fewer bits a weight, a smaller model, or promise less";
