//! # A long training keeps no checkpoint
//!
//! A node that fails takes the whole run with it, back to the first step.
//!
//! ```aip
//! training t { checkpoint { to = storage.scratch, every = auto } }
//! ```
//!
//! Source: Llama 3 405B had 419 unplanned stops in 54 days on 16,384 GPUs, one every three hours.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8018),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Production, Severity::Error)]),
    text: include_str!("no_checkpoint.rs"),
    dated: false,
    check,
};

/// A run that can be lost and done again.
const SHORT: f64 = 86_400.0;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.trainings.values().filter_map(|training| {
        let (time, _, _) = training.time?;
        if !model[training.id].checkpoint.is_empty() || time <= SHORT {
            return None;
        }
        let message = format!(
            "`{}` runs for {} and keeps no checkpoint",
            model.address(training.id.block()),
            amount::time(time)
        );
        Some(Finding::about(model, training.id.block(), message).help("add `checkpoint { to = storage.…, every = auto }`"))
    });
    judged.collect()
}
