//! Answers that come too late: more GPUs a copy, fewer bits, or less promised.

use crate::model::kinds::{Inference, Slo};
use crate::model::words::Precision;
use crate::plan::formula::round::{ceil_units, exceeds};
use crate::plan::gpu::Card;
use crate::plan::{InferencePlan, Plan};

use super::knob::{Growth, Knob};

/// Knobs of the inference whose service level is at an address.
pub fn knobs(plan: &Plan<'_>, address: &str) -> Vec<Knob> {
    let model = &plan.model;
    let is_at = |row: &&InferencePlan| {
        let level = model[row.id].slo.first().map(|slo| model.address(slo.block()));
        level.is_some_and(|level| {
            address.strip_prefix(level.as_str()).is_some_and(|end| end.is_empty() || end.starts_with('.'))
        })
    };
    let Some(row) = plan.inferences.values().find(is_at) else { return Vec::new() };
    let Some(&slo) = model[row.id].slo.first() else { return Vec::new() };
    let late = late(&model[slo], row);
    if late.is_empty() {
        return Vec::new();
    }
    let mut knobs = wider(plan, row);
    knobs.extend(fewer_bits(plan, row));
    if let [(attribute, seconds)] = late[..] {
        knobs.push(less_promised(&model.address(slo.block()), attribute, seconds));
    }
    knobs
}

/// What is late even with one request at a time, and the seconds it takes.
fn late(slo: &Slo, row: &InferencePlan) -> Vec<(&'static str, f64)> {
    let limits = [
        ("first_token_p95", slo.first_token_p95, row.first_token),
        ("per_token_p95", slo.per_token_p95, row.per_token),
    ];
    let late = limits.into_iter().filter_map(|(attribute, limit, time)| {
        let (value, ..) = time?;
        exceeds(value, limit?.seconds()).then_some((attribute, value))
    });
    late.collect()
}

/// More GPUs a copy, within a node.
pub fn wider(plan: &Plan<'_>, row: &InferencePlan) -> Vec<Knob> {
    let inference: &Inference = &plan.model[row.id];
    let growth = Growth::of(plan, inference.runs_on);
    let (now, most) = (row.gpus_per_replica, growth.gpus_per_node());
    if now >= most {
        return Vec::new();
    }
    let (address, replicas) = (plan.model.address(row.id.block()), row.replicas.map_or(1, |span| span.high));
    vec![Knob::new("more GPUs a replica", now + 1, most, move |size| {
        let own = format!("{address}.gpus_per_replica = {size}");
        std::iter::once(own).chain(growth.setting((size - now).saturating_mul(replicas))).collect()
    })]
}

/// The weights in fewer bits, as far as the GPU multiplies them.
pub fn fewer_bits(plan: &Plan<'_>, row: &InferencePlan) -> Vec<Knob> {
    let inference: &Inference = &plan.model[row.id];
    let precision = inference.precision.unwrap_or_else(|| crate::plan::shape::precision(&plan.model, inference.model));
    let gpu = plan.pools.get(&inference.runs_on).and_then(|pool| pool.node.gpu);
    let Some(card) = gpu.map(|gpu| Card::of(&plan.model, gpu)) else { return Vec::new() };
    let ladder: Vec<Precision> = match precision {
        Precision::Fp32 => vec![Precision::Bf16, Precision::Fp8, Precision::Int4],
        Precision::Bf16 | Precision::Fp16 => vec![Precision::Fp8, Precision::Int4],
        Precision::Fp8 | Precision::Int8 => vec![Precision::Int4],
        Precision::Int4 | Precision::Mxfp4 | Precision::Nvfp4 => Vec::new(),
    };
    let ladder: Vec<Precision> = ladder
        .into_iter()
        .filter(|&bits| bits != Precision::Fp8 || card.training_peak(Precision::Fp8).is_some())
        .collect();
    let Some(last) = ladder.len().checked_sub(1) else { return Vec::new() };
    let address = plan.model.address(row.id.block());
    vec![Knob::new("fewer bits a weight, where answers stay good enough", 0, last as u64, move |size| {
        let bits = usize::try_from(size).ok().and_then(|size| ladder.get(size));
        bits.map(|bits| format!("{address}.precision = {}", bits.word())).into_iter().collect()
    })]
}

/// What can be promised, in whole milliseconds.
fn less_promised(level: &str, attribute: &'static str, seconds: f64) -> Knob {
    let first = ceil_units(seconds * 1000.0);
    let path = format!("{level}.{attribute}");
    Knob::new("less promised", first, first.saturating_add(1), move |size| vec![format!("{path} = {size} ms")])
}
