//! # Fine-tuning runs come faster than they get done
//!
//! Runs a month times the time of a run is more than a month: the queue grows for ever.
//!
//! ```aip
//! finetune f { gpus = 1, runs = 200/month }  # wrong: a run takes 6 h
//! finetune f { gpus = 2, runs = 200/month }  # right
//! ```
//!
//! Source: arithmetic.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3009),
    levels: Levels::always(Severity::Error),
    text: include_str!("finetune_overloaded.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.finetunes.values().filter_map(|finetune| {
        let busy = finetune.busy?;
        if !round::exceeds(busy, 1.0) {
            return None;
        }
        let message = format!(
            "the runs of `{}` keep its GPUs busy for {} of the time",
            model.address(finetune.id.block()),
            amount::share(busy)
        );
        let finding = Finding::on(model, finetune.id.block(), "runs", message);
        let finding = match finetune.time {
            Some((time, _, _)) => finding.fact(format!("a run takes {} on {} GPUs", amount::time(time), finetune.gpus)),
            None => finding,
        };
        let needed = round::ceil_units(finetune.gpus as f64 * busy);
        Some(finding.help(format!("use {needed} GPUs instead of {}, or plan fewer runs", finetune.gpus)))
    });
    judged.collect()
}
