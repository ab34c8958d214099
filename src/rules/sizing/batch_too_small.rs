//! # A batch has fewer sequences than there are copies of the model
//!
//! Every copy of the model takes at least `micro_batch` sequences in each optimizer step. With fewer sequences in the batch
//! some GPUs have nothing to do.
//!
//! ```aip
//! training t { gpus = 64, sequence = 8_192 tok, batch = 262_144 tok }  # wrong: 32 sequences for 64 copies
//! training t { gpus = 64, sequence = 8_192 tok, batch = 524_288 tok }  # right: 64 sequences
//! ```
//!
//! Source: arithmetic.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::plan::TrainingPlan;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3005),
    levels: Levels::always(Severity::Error),
    text: include_str!("batch_too_small.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.trainings.values().filter_map(|training| judge(context, training)).collect()
}

fn judge(context: &Context<'_>, training: &TrainingPlan) -> Option<Finding> {
    let model = context.model();
    let written = &model[training.id];
    let sequences = training.sequences?;
    let needed = round::product([training.parallelism.data, written.micro_batch.max(1)]);
    if sequences >= needed {
        return None;
    }
    let message = format!(
        "a batch of `{}` has {}, its {} of the model need {needed}",
        model.address(training.id.block()),
        phrase::count(sequences, "sequence"),
        if training.parallelism.data == 1 { String::from("1 copy") } else { format!("{} copies", training.parallelism.data) },
    );
    let tokens = needed as f64 * written.sequence.tokens();
    let help = format!("raise `batch` to {tokens:.0} tok, use fewer GPUs, or more `tensor_parallel`");
    Some(Finding::on(model, training.id.block(), "batch", message).help(help))
}
