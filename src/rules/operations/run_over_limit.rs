//! # A run is longer than its queue allows, and nothing carries it over
//!
//! The scheduler ends a job at the `max_time` of its partition. A training with a `checkpoint` goes on from there in the
//! next job; without one, and for a fine-tuning, the next job begins again, and none of them ends.
//!
//! ```aip
//! cluster hpc { partition debug { max_time = 1 h } }
//! finetune sft { queue = cluster.hpc.partition.debug }  # wrong: runs for 2 hours
//! ```
//!
//! Source: `slurm.conf` on `MaxTime`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::{Context, Load};
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8024),
    levels: Levels::always(Severity::Warning),
    text: include_str!("run_over_limit.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.loads.iter().filter_map(|load| judge(context, load)).collect()
}

fn judge(context: &Context<'_>, load: &Load) -> Option<Finding> {
    let model = context.model();
    let queue = load.queue?;
    let limit = model[queue].max_time?.seconds();
    let time = time(context, load)?;
    if time <= limit {
        return None;
    }
    let message = format!(
        "`{}` runs for {}, a job of `{}` for {} at most, and nothing says that it goes on in the next",
        model.address(load.block),
        amount::time(time),
        model.address(queue.block()),
        amount::time(limit)
    );
    let finding = Finding::on(model, load.block, "queue", message);
    let finding = finding.see(model.place_of(queue, "max_time"), "the limit of the queue");
    Some(finding.help("raise `max_time`, name another `queue`, use more GPUs, or give a training a `checkpoint`"))
}

/// Seconds of a run that begins again when its job ends.
fn time(context: &Context<'_>, load: &Load) -> Option<f64> {
    let (model, plan) = (context.model(), context.plan);
    let training = model.as_id(load.block).and_then(|id| plan.trainings.get(&id));
    let training = training.filter(|training| model[training.id].checkpoint.is_empty()).and_then(|training| training.time);
    let finetune = model.as_id(load.block).and_then(|id| plan.finetunes.get(&id)).and_then(|finetune| finetune.time);
    training.or(finetune).map(|(time, _, _)| time)
}
