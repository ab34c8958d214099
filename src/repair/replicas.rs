//! A demand that needs more copies than there may be.

use crate::plan::Plan;

use super::knob::{Growth, Knob};

/// Knobs of the inference at an address.
pub fn knobs(plan: &Plan<'_>, address: &str) -> Vec<Knob> {
    let model = &plan.model;
    let load = address.strip_suffix(".replicas");
    let row = plan.inferences.values().find(|row| load.is_some_and(|load| model.address(row.id.block()) == load));
    let Some((row, needed, replicas)) = row.and_then(|row| Some((row, row.needed?, row.replicas?))) else {
        return Vec::new();
    };
    let (low, high, each) = (replicas.low, replicas.high, row.gpus_per_replica);
    if needed <= high {
        return Vec::new();
    }
    let growth = Growth::of(plan, model[row.id].runs_on);
    let address = model.address(row.id.block());
    vec![Knob::new("more replicas", needed, needed, move |size| {
        let own = if low == high {
            format!("{address}.replicas = {size}")
        } else {
            format!("{address}.replicas = {low}..{size}")
        };
        std::iter::once(own).chain(growth.setting(size.saturating_sub(high).saturating_mul(each))).collect()
    })]
}
