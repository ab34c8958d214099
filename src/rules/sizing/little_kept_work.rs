//! # Failures and checkpoints take too much of a training
//!
//! What is written between two checkpoints is lost with every failure, and training stands still while one is written. Below
//! 90 % of the time as kept work, faster storage for checkpoints pays for itself; below 70 % the run may not end.
//!
//! ```aip
//! checkpoint { every = 12 h }  # wrong on 512 nodes, where something fails every nine hours
//! checkpoint { every = auto }  # right
//! ```
//!
//! Source: Daly 2006; failure rates of published runs, see `aipc explain training.NAME.goodput`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::plan::TrainingPlan;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3025),
    levels: Levels::always(Severity::Error),
    text: include_str!("little_kept_work.rs"),
    dated: false,
    check,
};

/// Below this share a run may not end.
const HOPELESS: f64 = 0.70;
/// Below this share faster checkpoints pay.
const POOR: f64 = 0.90;

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.trainings.values().filter_map(|training| judge(context, training)).collect()
}

fn judge(context: &Context<'_>, training: &TrainingPlan) -> Option<Finding> {
    let (model, figures) = (context.model(), &context.plan.figures);
    let block = training.id.block();
    let (kept, stall) = (figures.known(block, "goodput")?, figures.known(block, "checkpoint_stall")?);
    if kept.value >= POOR {
        return None;
    }
    let every = figures.known(block, "checkpoint_interval")?.value;
    let checkpoint = model[training.id].checkpoint.first()?.block();
    let message = format!(
        "{} of the time of `{}` becomes kept work",
        amount::share(kept.value),
        model.address(block)
    );
    let finding = Finding::on(model, checkpoint, "every", message)
        .fact(format!("a checkpoint every {}, standing still {} for each", amount::time(every), amount::time(stall.value)));
    let finding = if kept.value < HOPELESS { finding } else { finding.softened() };
    Some(finding.help("let `every` be `auto`, and write checkpoints to faster storage"))
}
