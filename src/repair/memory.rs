//! A load that does not fit into GPU memory: more GPUs, more recomputation, a shorter context, fewer bits.

use crate::model::kinds::Inference;
use crate::model::words::Recompute;
use crate::plan::formula::round::ceil_units;
use crate::plan::{Fit, InferencePlan, Memory, Plan};

use super::deadline::{more_gpus, more_nodes};
use super::knob::{Growth, Knob};
use super::service_level;

/// Nodes that a copy is divided over beyond the least, at most.
const NODES: u64 = 3;
/// Tokens that a context is shortened by at a time, at least.
const STEP: u64 = 1024;
/// Steps that a context is shortened in, at most.
const STEPS: u64 = 32;

/// Knobs of the load at an address.
pub fn knobs(plan: &Plan<'_>, address: &str) -> Vec<Knob> {
    let model = &plan.model;
    let is_at = |block| {
        let load = address.strip_suffix(".gpus").or_else(|| address.strip_suffix(".gpus_per_replica"));
        load.is_some_and(|load| model.address(block) == load)
    };
    if let Some(row) = plan.trainings.values().find(|row| is_at(row.id.block()) && misfits(row.memory.as_ref())) {
        let (training, load) = (&model[row.id], model.address(row.id.block()));
        let mut knobs = vec![more_nodes(&load, Growth::of(plan, training.runs_on), row.gpus, 1.0)];
        if training.recompute != Recompute::Full {
            knobs.push(Knob::one("more recomputation", format!("{load}.recompute = full")));
        }
        return knobs;
    }
    if let Some(row) = plan.finetunes.values().find(|row| is_at(row.id.block()) && misfits(row.memory.as_ref())) {
        let load = model.address(row.id.block());
        return vec![more_gpus(&load, Growth::of(plan, model[row.id].runs_on), row.gpus, 1.0)];
    }
    plan.inferences
        .values()
        .find(|row| is_at(row.id.block()) && misfits(row.memory.as_ref()))
        .map_or_else(Vec::new, |row| of_inference(plan, row))
}

fn misfits(memory: Option<&Memory>) -> bool {
    memory.is_some_and(|memory| memory.fit == Fit::No)
}

fn of_inference(plan: &Plan<'_>, row: &InferencePlan) -> Vec<Knob> {
    let inference: &Inference = &plan.model[row.id];
    let mut knobs = service_level::wider(plan, row);
    if knobs.is_empty() {
        knobs.push(whole_nodes(plan, row));
    }
    knobs.push(shorter(&plan.model.address(row.id.block()), ceil_units(inference.context.tokens())));
    knobs.extend(service_level::fewer_bits(plan, row));
    knobs
}

/// A copy over more whole nodes.
fn whole_nodes(plan: &Plan<'_>, row: &InferencePlan) -> Knob {
    let growth = Growth::of(plan, plan.model[row.id].runs_on);
    let (now, each) = (row.gpus_per_replica, growth.gpus_per_node());
    let (address, replicas) = (plan.model.address(row.id.block()), row.replicas.map_or(1, |span| span.high));
    let first = now / each + 1;
    Knob::new("more nodes a replica", first, first.saturating_add(NODES), move |nodes| {
        let size = nodes.saturating_mul(each);
        let own = format!("{address}.gpus_per_replica = {size}");
        std::iter::once(own).chain(growth.at_least(nodes.saturating_mul(replicas))).collect()
    })
}

/// A context that is shorter by whole steps.
fn shorter(address: &str, context: u64) -> Knob {
    let step = (context / STEPS / STEP + 1) * STEP;
    let address = address.to_string();
    Knob::new("a shorter context", 1, context.saturating_sub(1) / step, move |size| {
        vec![format!("{address}.context = {} tok", context.saturating_sub(size * step))]
    })
}
