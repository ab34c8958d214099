//! # A parallel layout does not divide
//!
//! GPUs are not the product of the parallel sizes, heads, layers or vocabulary do not divide by them, or the batch is no
//! whole number of micro-batches. Training frameworks refuse such a layout at the start.
//!
//! ```aip
//! training t { gpus = 12, tensor_parallel = 8 }  # wrong: 12 is not a multiple of 8
//! training t { gpus = 16, tensor_parallel = 8 }  # right
//! ```
//!
//! Source: arithmetic, and the checks that Megatron-LM makes of its own arguments.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3004),
    levels: Levels::always(Severity::Error),
    text: include_str!("parallelism_uneven.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let uneven = context.plan.trainings.values().filter(|training| !training.uneven.is_empty());
    uneven
        .map(|training| {
            let message = format!("the layout of `{}` does not divide", model.address(training.id.block()));
            let finding = Finding::on(model, training.id.block(), "gpus", message);
            let finding = training.uneven.iter().fold(finding, |finding, what| finding.fact(what.as_str()));
            finding.help("choose sizes that divide, or leave them `auto`")
        })
        .collect()
}
