//! # Whether a workload fits and is done in time is not known
//!
//! What it needs could not be computed, so nothing was held against it: that there is no finding about its memory, its deadline or
//! its demand does not say that they hold. When something is open or missing it is a warning. When every number of nodes, GPUs
//! or copies was tried and none does, what is asked for cannot be, and it is an error.
//!
//! ```aip
//! training t { tokens = 15 trillion tok, deadline = 1 h }     # wrong: no number of nodes does that
//! training t { tokens = 15 trillion tok, deadline = 90 days } # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::kinds::{Finetune, Inference, Kind, Training};
use crate::plan::Fit;
use crate::plan::load::NO_NUMBER;
use crate::rules::Rule;
use crate::rules::context::{Context, Load};
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3027),
    levels: Levels::always(Severity::Error),
    text: include_str!("load_not_checked.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.loads.iter().filter_map(|load| judge(context, load)).collect()
}

fn judge(context: &Context<'_>, load: &Load) -> Option<Finding> {
    let model = context.model();
    let asked = asked(context, load.block);
    let (what, why) = asked.into_iter().find_map(|(attribute, what)| Some((what, context.unknown(load.block, attribute)?)))?;
    // A pool without GPUs, and one whose GPUs are divided, are findings of other rules.
    let without_gpus = context.plan.pools.get(&load.pool).is_some_and(|pool| pool.node.gpus == 0 || pool.parts > 1);
    if without_gpus && why.contains("GPU") && !matches!(model.block(load.block).kind, Kind::Dataprep | Kind::Retrieval) {
        return None;
    }
    let address = model.address(load.block);
    Some(if why.starts_with(NO_NUMBER) {
        Finding::about(model, load.block, format!("`{address}` cannot be as it is written: {why}"))
            .help("allow more time, take machines with more memory or speed, or ask for less")
    } else {
        Finding::about(model, load.block, format!("whether {what} is not known: {why}"))
            .softened()
            .help("say what is missing; until then nothing checks it")
    })
}

/// The figures that what is asked of a load is held against, in the order in which they build on each other.
fn asked(context: &Context<'_>, load: BlockId) -> Vec<(&'static str, String)> {
    let (model, plan) = (context.model(), context.plan);
    let address = format!("`{}`", model.address(load));
    let fits = format!("{address} fits into GPU memory");
    let in_time = format!("{address} is done by its deadline");
    match model.block(load).kind {
        Kind::Training => {
            let late = model.typed::<Training>(load).is_some_and(|one| !one.deadline.is_absent());
            std::iter::once(("memory_per_gpu", fits)).chain(late.then_some(("time", in_time))).collect()
        }
        Kind::Finetune => {
            let late = model.typed::<Finetune>(load).is_some_and(|one| !one.deadline.is_absent());
            std::iter::once(("memory_per_gpu", fits)).chain(late.then_some(("time", in_time))).collect()
        }
        Kind::Inference => {
            let memory = model.as_id(load).and_then(|id| plan.inferences.get(&id)?.memory.as_ref());
            let Some(memory) = memory else { return vec![("kv_per_gpu", fits)] };
            // A copy that does not fit answers nothing: that is another rule's finding.
            if memory.fit == Fit::No {
                return Vec::new();
            }
            of_served(model, load, &address)
        }
        Kind::Dataprep => vec![("cores", format!("{address} has cores enough"))],
        Kind::Retrieval => vec![("memory", format!("the index of {address} fits into memory"))],
        _ => Vec::new(),
    }
}

fn of_served(model: &Model<'_>, load: BlockId, address: &str) -> Vec<(&'static str, String)> {
    let Some(inference) = model.typed::<Inference>(load) else { return Vec::new() };
    let promises = inference.slo.first().is_some_and(|&slo| {
        let slo = &model[slo];
        slo.first_token_p95.is_some() || slo.per_token_p95.is_some()
    });
    let mut asked = Vec::new();
    if promises {
        asked.push(("first_token", format!("{address} keeps its service level")));
    }
    if !inference.demand.is_empty() {
        asked.push(("replicas_needed", format!("{address} answers its demand")));
    }
    asked
}
