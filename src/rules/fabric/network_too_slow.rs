//! # A training asks more of the network than its nodes have
//!
//! In every optimizer step each GPU sends gradients and weights, and where stages, layers or experts reach over nodes their
//! activations, to other nodes. What does not hide behind the arithmetic of the step makes all GPUs wait.
//!
//! ```aip
//! training t { gpus = 256, states = fsdp, batch = 2_097_152 tok }  # wrong on nodes with one port of 25 Gbps
//! training t { gpus = 256, states = zero-1 }                        # right: weights are not gathered for each micro-batch
//! ```
//!
//! Source: the formula of `aipc explain training.NAME.network_rate`; ZeRO-3 falls from 144 to 48 TFLOP/s a GPU on slow
//! networks (Narayanan et al. 2021, table 2).

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::plan::fabric;
use crate::plan::formula::round;
use crate::plan::TrainingPlan;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3110),
    levels: Levels::always(Severity::Warning),
    text: include_str!("network_too_slow.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.trainings.values().filter(|training| training.nodes > 1).filter_map(|one| judge(context, one)).collect()
}

fn judge(context: &Context<'_>, training: &TrainingPlan) -> Option<Finding> {
    let model = context.model();
    let pool = model[training.id].runs_on;
    let (needed, ..) = training.network_rate?;
    let there = rate_of_gpu(context, pool)?;
    if !round::exceeds(needed, there) {
        return None;
    }
    let message = format!(
        "each GPU of `{}` needs {} to other nodes, `{}` gives it {}",
        model.address(training.id.block()),
        amount::bits(needed),
        model.address(pool.block()),
        amount::bits(there)
    );
    let finding = Finding::on(model, training.id.block(), "gpus", message);
    let finding = finding.see(model.place(pool), "its nodes");
    Some(finding.help("take nodes with more or faster ports, a larger `batch`, or `states = zero-1` where that fits"))
}

/// Bytes a second that one GPU of a pool has to other nodes; nothing where that is not known.
fn rate_of_gpu(context: &Context<'_>, pool: Id<Pool>) -> Option<f64> {
    let (model, row) = (context.model(), context.plan.pools.get(&pool)?);
    let gpus = row.node.gpus.max(1) as f64;
    if let Some(instance) = model[pool].instance {
        return Some(model[instance].network?.bytes_per_second() / gpus);
    }
    let rates = context.fabrics(pool.block()).iter().filter_map(|&id| {
        let plan = context.plan.fabrics.get(&id)?;
        let ports = plan.pools.iter().find(|one| one.pool == pool)?.ports_per_node as f64;
        let port = fabric::port_speed(model, pool, &model[id])?;
        Some(ports * port.min(model[id].speed.bytes_per_second()) / gpus)
    });
    rates.max_by(f64::total_cmp)
}
