//! # A pipeline stands idle for much of a step
//!
//! With p stages and m micro-batches a copy, (p - 1) of m + p - 1 rounds of every step are spent waiting. Below four
//! micro-batches a stage that is a fifth of the time and more.
//!
//! ```aip
//! training t { pipeline_parallel = 8, batch = 1_048_576 tok }  # wrong: 16 micro-batches, 30% idle
//! training t { pipeline_parallel = 4, batch = 1_048_576 tok }  # right, or a larger batch
//! ```
//!
//! Source: Narayanan et al., SC21, section 2.2; four micro-batches a stage is the usual rule of thumb.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::plan::TrainingPlan;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3013),
    levels: Levels::always(Severity::Warning),
    text: include_str!("pipeline_bubble.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.trainings.values().filter_map(|training| judge(context, training)).collect()
}

fn judge(context: &Context<'_>, training: &TrainingPlan) -> Option<Finding> {
    let model = context.model();
    let (stages, rounds) = (training.parallelism.pipeline, training.micro_batches?);
    if stages < 2 || rounds >= round::product([4, stages]) {
        return None;
    }
    let idle = (stages - 1) as f64 / (rounds.saturating_add(stages - 1)) as f64;
    let message = format!(
        "the pipeline of `{}` stands idle for {} of each step",
        model.address(training.id.block()),
        amount::share(idle)
    );
    let sum = format!("{} for {}", phrase::count(stages, "stage"), phrase::count(rounds, "micro-batch"));
    let finding = Finding::on(model, training.id.block(), "pipeline_parallel", message).fact(sum);
    Some(finding.help("use fewer stages or a larger batch: at least 4 micro-batches a stage"))
}
