//! # Training stands still too long for a checkpoint
//!
//! Writing a checkpoint to its storage takes longer than `stall_below` allows.
//!
//! ```aip
//! checkpoint { to = storage.slow, stall_below = 10 s }  # wrong: 1.1 TB at 20 GB/s take 56 s
//! checkpoint { to = storage.fast, stall_below = 60 s }  # right
//! ```
//!
//! Source: size of the states over the write rate; `aipc explain training.NAME.checkpoint_stall`.

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
    code: Code(3033),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("checkpoint_stall.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.trainings.iter().filter_map(|training| {
        let checkpoint = training.checkpoint.first().copied()?;
        let limit = model[checkpoint].stall_below?.seconds();
        let stall = context.plan.figures.known(training.id.block(), "checkpoint_stall")?;
        if !round::exceeds(stall.value, limit) {
            return None;
        }
        let message = format!(
            "`{}` stands still {} for a checkpoint, {} is allowed",
            model.address(training.id.block()),
            amount::time(stall.value),
            amount::time(limit)
        );
        let finding = Finding::on(model, checkpoint.block(), "stall_below", message);
        let to = model[checkpoint].to;
        let finding = finding.see(model.place_of(to, "write"), "where it is written to");
        let size = context.plan.trainings.get(&training.id).and_then(|plan| plan.checkpoint_bytes);
        Some(match size {
            Some(bytes) => finding.help(format!(
                "{} in {} need {}: raise the write rate of `{}`, or allow a longer stall",
                amount::data(bytes),
                amount::time(limit),
                amount::rate(bytes / limit),
                model.address(to.block())
            )),
            None => finding.help(format!("raise the write rate of `{}`, or allow a longer stall", model.address(to.block()))),
        })
    });
    judged.collect()
}
