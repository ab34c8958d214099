//! What a training run asks of the network: bytes between nodes in a step, and the rate that hides them.

use std::sync::Arc;

use crate::model::Model;
use crate::plan::assumption::Assumed;
use crate::plan::figure::{Figure, Figures, Reason};
use crate::plan::formula::collectives::nic_rate;
use crate::plan::formula::constants::Name;
use crate::plan::formula::round::{product, ratio};
use crate::plan::formula::states::stage_layers;
use crate::plan::formula::traffic::{Traffic, TrafficInput, per_step};
use crate::plan::load::{Bar, Known, put_known};
use crate::plan::readable;

use super::job::Job;
use super::layout::{Layout, parallel};
use super::{memory, saving};

/// Share of a step that traffic can hide behind: at most all of it, and half where kernels and copies get in each other's
/// way. Assumption.
const OVERLAP: Bar = Bar { value: 0.7, low: 0.5, high: 1.0 };

/// Puts the figures; gives back bytes a second that a GPU needs to other nodes.
pub fn size(
    figures: &mut Figures,
    model: &Model<'_>,
    job: &Job<'_>,
    layout: &Layout,
    rate: &Known<Bar>,
) -> Option<Bar> {
    let block = job.id.block();
    let step = step(job, rate);
    let step_figure = step.clone().map(|bar| {
        let formula = "tokens of a batch ÷ tokens a second";
        bar.figure(readable::time(bar.value), formula).of(block, "batch").of(block, "utilisation")
    });
    put_known(figures, block, "step_time", step_figure);
    let traffic = traffic(job, layout);
    put_known(figures, block, "network_per_step", traffic.clone().map(|traffic| bytes_figure(job, &traffic)));
    let efficiency = saving::constant(model, job, Name::NicEfficiency);
    let needed = traffic.and_then(|traffic| Ok(needed(&traffic, step.clone()?, efficiency)));
    put_known(figures, block, "network_rate", needed.clone().map(|bar| rate_figure(job, bar, efficiency)));
    needed.ok()
}

/// Seconds of an optimizer step.
fn step(job: &Job<'_>, rate: &Known<Bar>) -> Known<Bar> {
    let (batch, rate) = (job.batch.clone()? as f64, rate.clone()?);
    Ok(Bar { value: ratio(batch, rate.value), low: ratio(batch, rate.high), high: ratio(batch, rate.low) })
}

fn traffic(job: &Job<'_>, layout: &Layout) -> Known<Traffic> {
    let (shape, parameters) = job.shape.as_ref().map_err(Arc::clone)?;
    let batch = job.batch.clone()? as f64;
    let by = parallel(&layout.parallelism);
    let need = memory::need(job, (shape, parameters), by, layout.micro_batches);
    let (layers, stages) = (shape.layers.max(1), by.pipeline);
    Ok(per_step(&TrafficInput {
        parallel: by,
        node: job.seat.node.gpus,
        shard: need.shard(),
        sharding: need.sharding,
        bytes: need.bytes,
        batch,
        micro_batches: layout.micro_batches.unwrap_or(1),
        hidden: shape.hidden,
        key_value_width: product([shape.kv_heads, shape.head_dim]),
        layers: stage_layers(layers, stages, false),
        expert_layers: stage_layers(shape.expert_layers(), stages, false),
        experts_per_token: shape.experts.map_or(0, |experts| experts.per_token),
    }))
}

/// The most where weights are gathered for every micro-batch and little hides, the least where they are gathered once.
fn needed(traffic: &Traffic, step: Bar, efficiency: Option<Assumed>) -> Bar {
    let efficiency = efficiency.map_or(Bar { value: 1.0, low: 1.0, high: 1.0 }, |found| found.bar);
    Bar {
        value: nic_rate(traffic.total(), step.value, OVERLAP.value, efficiency.value),
        low: nic_rate(traffic.least(), step.high, OVERLAP.high, efficiency.high),
        high: nic_rate(traffic.total(), step.low, OVERLAP.low, efficiency.low),
    }
}

fn bytes_figure(job: &Job<'_>, traffic: &Traffic) -> Figure {
    let block = job.id.block();
    let (value, low) = (traffic.total(), traffic.least());
    let formula =
        "gradients and weights among copies + activations between stages + what layers, sequences and experts send";
    let figure = Figure::between(value, low, value, readable::data(value), formula)
        .of(job.training.model.block(), "total_parameters")
        .of(block, "data_parallel")
        .of(block, "states")
        .of(block, "batch");
    let parts = [
        ("among copies of the model", traffic.data),
        ("between stages", traffic.pipeline),
        ("within layers", traffic.tensor),
        ("within sequences", traffic.context),
        ("to experts", traffic.expert),
    ];
    parts
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0.0)
        .fold(figure, |figure, (what, bytes)| figure.note(format!("{:.1} GB {what}", bytes / 1e9)))
}

fn rate_figure(job: &Job<'_>, bar: Bar, efficiency: Option<Assumed>) -> Figure {
    let block = job.id.block();
    let formula =
        "bytes of a step ÷ (time of a step × share that hides them × share of a port that a collective reaches)";
    let figure =
        bar.figure("Gbps", formula).of(block, "network_per_step").of(block, "step_time").because(Reason::constant(
            "share of a step that traffic hides behind",
            Arc::from(format!("{} ({} to {})", OVERLAP.value, OVERLAP.low, OVERLAP.high)),
            "assumption",
        ));
    match efficiency {
        Some(found) => found.explain(figure, "share of a port that a collective reaches"),
        None => figure,
    }
}
