//! # A pool has fewer GPUs than run on it at once
//!
//! The workloads that may run at the same time ask for more GPUs than the pool has, spare nodes not counted. Loads that take
//! turns count once.
//!
//! ```aip
//! pool train { nodes = 2 }                 # wrong: 16 GPUs for a training on 16 and a fine-tuning on 8
//! pool train { nodes = 3 }                 # right, or
//! finetune f { takes_turns_with = [training.t] }  # right: never both at once
//! ```
//!
//! Source: arithmetic.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3002),
    levels: Levels::always(Severity::Error),
    text: include_str!("pool_over_capacity.rs"),
    dated: false,
    check,
};

/// Loads whose number of GPUs follows from a deadline: a later one needs fewer.
fn deadlines(context: &Context<'_>, loads: &[BlockId]) -> Vec<String> {
    let model = context.model();
    let of = |load: &BlockId| {
        let row = context.plan.trainings.get(&model.as_id(*load)?)?;
        let training = &model[row.id];
        let deadline = training.deadline.given().filter(|_| training.gpus.is_auto())?.seconds();
        Some(format!("the deadline of `{}`, {}, asks for {} GPUs", model.address(*load), amount::time(deadline), row.gpus))
    };
    loads.iter().filter_map(of).take(4).collect()
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let sized = context.plan.pools.values().filter(|pool| context.unknown(pool.id.block(), "nodes").is_none());
    let over = sized.filter(|pool| pool.node.gpus > 0 && pool.used_gpus > pool.usable_gpus);
    over.map(|pool| {
        let message = format!(
            "the workloads on `{}` use {} at once, it has {} for them",
            model.address(pool.id.block()),
            phrase::count(pool.used_gpus, "GPU"),
            pool.usable_gpus
        );
        let needed = round::div_ceil(pool.used_gpus, pool.node.gpus).saturating_add(pool.spare);
        let nodes = pool.nodes.high;
        let sum = format!(
            "{} × {} GPUs, {} of them spare",
            phrase::count(nodes, "node"),
            pool.node.gpus,
            phrase::count(pool.spare, "node")
        );
        let help = format!("raise `nodes` to {needed}, use fewer GPUs, or let loads take turns (`takes_turns_with`)");
        let finding = Finding::on(model, pool.id.block(), "nodes", message).saying(sum).help(help);
        // A few places are enough to see where it comes from.
        let gpus = |load: &BlockId| {
            let attribute = if model.block(*load).kind == Kind::Inference { "replicas" } else { "gpus" };
            model.block(*load).place_of(attribute)
        };
        let finding = deadlines(context, &pool.loads).into_iter().fold(finding, Finding::fact);
        pool.loads.iter().take(4).fold(finding, |finding, load| finding.see(gpus(load), "runs here"))
    })
    .collect()
}
