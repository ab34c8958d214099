//! A run that takes too long: more nodes, a later deadline, or fewer bits.

use crate::model::decode::Setting;
use crate::model::ids::Id;
use crate::model::kinds::{Finetune, Training};
use crate::model::words::Precision;
use crate::plan::formula::round::{ceil_units, div_ceil, exceeds, ratio};
use crate::plan::gpu::Card;
use crate::plan::{FinetunePlan, Plan, TrainingPlan};

use super::knob::{Growth, Knob};

/// Knobs of the training or fine-tuning at an address.
pub fn knobs(plan: &Plan<'_>, address: &str) -> Vec<Knob> {
    let model = &plan.model;
    let is_at = |block| address.strip_suffix(".deadline").is_some_and(|load| model.address(block) == load);
    if let Some(row) = plan.trainings.values().find(|row| is_at(row.id.block())) {
        return of_training(plan, row);
    }
    plan.finetunes.values().find(|row| is_at(row.id.block())).map_or_else(Vec::new, |row| of_finetune(plan, row))
}

fn of_training(plan: &Plan<'_>, row: &TrainingPlan) -> Vec<Knob> {
    let training: &Training = &plan.model[row.id];
    let (Some((time, ..)), Setting::Given(deadline)) = (row.time, &training.deadline) else { return Vec::new() };
    if !exceeds(time, deadline.seconds()) {
        return Vec::new();
    }
    let address = plan.model.address(row.id.block());
    let growth = Growth::of(plan, training.runs_on);
    let mut knobs = Vec::new();
    if training.gpus.given().is_some() {
        knobs.push(more_nodes(&address, growth, row.gpus, time / deadline.seconds()));
    }
    if row.baseline.is_none() && is_sixteen_bit(training.precision) && trains_in_fp8(plan, row.id) {
        knobs.push(Knob::one(
            "fewer bits, where the model trains as well with them",
            format!("{address}.precision = fp8"),
        ));
    }
    knobs.push(later(&address, time));
    knobs
}

fn of_finetune(plan: &Plan<'_>, row: &FinetunePlan) -> Vec<Knob> {
    let finetune: &Finetune = &plan.model[row.id];
    let (Some((time, ..)), Setting::Given(deadline)) = (row.time, &finetune.deadline) else { return Vec::new() };
    if !exceeds(time, deadline.seconds()) {
        return Vec::new();
    }
    let address = plan.model.address(row.id.block());
    let mut knobs = Vec::new();
    if finetune.gpus.given().is_some() {
        knobs.push(more_gpus(&address, Growth::of(plan, finetune.runs_on), row.gpus, time / deadline.seconds()));
    }
    knobs.push(later(&address, time));
    knobs
}

/// Whole nodes, from as many as would do if nothing were lost by having more.
pub fn more_nodes(address: &str, growth: Growth, gpus: u64, times: f64) -> Knob {
    let each = growth.gpus_per_node();
    let nodes = div_ceil(gpus, each);
    let first = ceil_units(ratio(gpus as f64 * times, each as f64)).max(nodes.saturating_add(1));
    let address = address.to_string();
    Knob::new("more nodes", first, u64::MAX, move |nodes| {
        let gpus_then = nodes.saturating_mul(each);
        let own = format!("{address}.gpus = {gpus_then}");
        std::iter::once(own).chain(growth.setting(gpus_then - gpus)).collect()
    })
}

/// GPUs within a node, then whole nodes.
pub fn more_gpus(address: &str, growth: Growth, gpus: u64, times: f64) -> Knob {
    let each = growth.gpus_per_node();
    if gpus >= each {
        return more_nodes(address, growth, gpus, times);
    }
    let first = ceil_units(gpus as f64 * times).max(gpus.saturating_add(1));
    let address = address.to_string();
    Knob::new("more GPUs", first, u64::MAX, move |size| {
        let own = format!("{address}.gpus = {size}");
        std::iter::once(own).chain(growth.setting(size - gpus)).collect()
    })
}

/// The deadline that the run keeps, in whole units that people would set.
fn later(address: &str, seconds: f64) -> Knob {
    let (unit, length) = [("days", 86_400.0), ("h", 3600.0), ("min", 60.0)]
        .into_iter()
        .find(|(_, length)| seconds >= 2.0 * length)
        .unwrap_or(("s", 1.0));
    let first = ceil_units(seconds / length);
    let address = address.to_string();
    Knob::new("a later deadline", first, first.saturating_add(1), move |size| {
        vec![format!("{address}.deadline = {size} {unit}")]
    })
}

fn is_sixteen_bit(precision: Option<Precision>) -> bool {
    matches!(precision, None | Some(Precision::Bf16 | Precision::Fp16))
}

fn trains_in_fp8(plan: &Plan<'_>, id: Id<Training>) -> bool {
    let node = plan.pools.get(&plan.model[id].runs_on).map(|pool| &pool.node);
    node.and_then(|node| node.gpu).is_some_and(|gpu| Card::of(&plan.model, gpu).training_peak(Precision::Fp8).is_some())
}
