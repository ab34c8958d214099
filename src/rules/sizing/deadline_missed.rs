//! # A deadline is missed
//!
//! At the speed that is measured or published for it, the run takes longer than `deadline`. When only the upper end of the
//! error bar does, it is a warning.
//!
//! ```aip
//! training t { gpus = 8, deadline = 10 days }   # wrong: it takes 40 days
//! training t { gpus = 32, deadline = 10 days }  # right
//! ```
//!
//! Source: the time formula of `aipc explain training.NAME.time`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3003),
    levels: Levels::always(Severity::Error),
    text: include_str!("deadline_missed.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let plan = context.plan;
    let model = context.model();
    let trainings = plan.trainings.values().filter_map(|one| {
        judge(context, one.id.block(), one.time?, model[one.id].deadline.given()?.seconds(), one.gpus)
    });
    let finetunes = plan.finetunes.values().filter_map(|one| {
        judge(context, one.id.block(), one.time?, model[one.id].deadline.given()?.seconds(), one.gpus)
    });
    trainings.chain(finetunes).collect()
}

fn judge(
    context: &Context<'_>,
    block: BlockId,
    (value, _, high): (f64, f64, f64),
    deadline: f64,
    gpus: u64,
) -> Option<Finding> {
    let model = context.model();
    let (address, limit) = (model.address(block), amount::time(deadline));
    if round::exceeds(value, deadline) {
        let message = format!("`{address}` takes {}, its deadline is {limit}", amount::time(value));
        let needed = round::ceil_units(gpus as f64 * value / deadline);
        let help = format!("at the same efficiency {needed} GPUs instead of {gpus} would do; or move the deadline");
        Some(Finding::on(model, block, "deadline", message).help(help))
    } else if round::exceeds(high, deadline) {
        let message =
            format!("`{address}` may take up to {}, its deadline is {limit}", amount::time(high));
        let finding = Finding::on(model, block, "deadline", message).softened();
        Some(finding.fact(format!("{} is expected", amount::time(value))).help("measure a sample run and write a `baseline`"))
    } else {
        None
    }
}
