//! Sizing of `training`: how it is spread, whether it fits, how long it takes, what it saves and reads.

mod job;
mod layout;
pub mod memory;
mod saving;
mod time;
mod traffic;

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Training;

use super::figure::{Basis, Figure, Figures, Reason};
use super::formula::activations::{FIXED, TRAINING_MARGIN};
use super::formula::constants::Name;
use super::formula::round::div_ceil;
use super::formula::storage::token_rate;
use super::load::{self, Bar, Known, put, put_known};
use super::pace::Disagreement;
use super::pace::Pace;
use super::{Fit, Memory, Plan, readable};

pub use layout::Parallelism;

use job::Job;
use layout::{Chosen, Layout};

/// Bytes of a token as it is stored: 2 to 4, by the size of the vocabulary. Source: Megatron-LM indexed data format.
const TOKEN_BYTES: Bar = Bar { value: 4.0, low: 2.0, high: 4.0 };

/// A training run, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingPlan {
    /// Which.
    pub id: Id<Training>,
    /// GPUs it uses.
    pub gpus: u64,
    /// Whole nodes it uses.
    pub nodes: u64,
    /// How it is spread.
    pub parallelism: Parallelism,
    /// Sequences of an optimizer step, when the batch is known.
    pub sequences: Option<u64>,
    /// Micro-batches that one copy runs through in a step.
    pub micro_batches: Option<u64>,
    /// Divisions that do not come out even, in words.
    pub uneven: Vec<String>,
    /// Memory on each GPU; nothing when the model's shape is not known.
    pub memory: Option<Memory>,
    /// Seconds: value, low, high.
    pub time: Option<(f64, f64, f64)>,
    /// Bytes of a checkpoint.
    pub checkpoint_bytes: Option<f64>,
    /// Seconds between checkpoints.
    pub checkpoint_every: Option<f64>,
    /// Bytes a second it reads.
    pub read_rate: Option<f64>,
    /// Bytes a second that a GPU needs to other nodes: value, low, high.
    pub network_rate: Option<(f64, f64, f64)>,
    /// The baseline that its time stands on.
    pub baseline: Option<BlockId>,
    /// Where that baseline and the formula do not agree.
    pub disagreement: Option<Disagreement>,
}

/// Sizes one. Without a known number of GPUs it has figures, but no plan.
pub fn size(plan: &mut Plan<'_>, id: Id<Training>) {
    let model = Arc::clone(&plan.model);
    let block = id.block();
    let why = match load::seat(&model, model[id].runs_on) {
        Ok(seat) => sized(plan, &model, &Job::of(&model, id, seat)).err(),
        Err(why) => Some(why),
    };
    load::finish(plan, block, why.as_ref());
    for checkpoint in &model[id].checkpoint {
        load::finish(plan, checkpoint.block(), why.as_ref());
    }
}

fn sized(plan: &mut Plan<'_>, model: &Model<'_>, job: &Job<'_>) -> Known<()> {
    let block = job.id.block();
    let size = saving::size(model, job);
    put_known(&mut plan.figures, block, "checkpoint_size", size.clone().map(|bar| checkpoint_size(model, job, bar)));
    let chosen = layout::choose(model, job)?;
    let layout = &chosen.layout;
    spread(&mut plan.figures, job, &chosen);
    let memory = memory(&mut plan.figures, job, layout);
    let pace = job.pace(model, layout.gpus);
    let rate = pace.as_ref().map(|pace| time::rate(job, layout, pace)).map_err(Arc::clone);
    utilisation(&mut plan.figures, job, layout, &pace, &rate);
    let time = time::of(model, job, layout);
    let nodes = div_ceil(layout.gpus, job.seat.node.gpus);
    put_known(
        &mut plan.figures,
        block,
        "time",
        time.clone().and_then(|bar| Ok(time_figure(model, job, layout, bar, pace.as_ref().map_err(Arc::clone)?))),
    );
    let every = saved(&mut plan.figures, model, job, nodes);
    kept(&mut plan.figures, model, job, nodes);
    let network_rate = traffic::size(&mut plan.figures, model, job, layout, &rate);
    let reading = reading(model, job, &rate);
    put_known(&mut plan.figures, block, "read_rate", reading.clone());
    plan.trainings.insert(
        job.id,
        TrainingPlan {
            id: job.id,
            gpus: layout.gpus,
            nodes,
            parallelism: layout.parallelism,
            sequences: layout.sequences,
            micro_batches: layout.micro_batches,
            uneven: layout.uneven.clone(),
            memory,
            time: time.ok().map(Bar::triple),
            checkpoint_bytes: size.ok().map(|bar| bar.value),
            checkpoint_every: every,
            read_rate: reading.ok().map(|figure| figure.value),
            network_rate: network_rate.map(Bar::triple),
            baseline: pace.as_ref().ok().and_then(Pace::baseline),
            disagreement: pace.ok().and_then(|pace| pace.disagreement(layout::filled(job, layout, &pace))),
        },
    );
    Ok(())
}

fn checkpoint_size(model: &Model<'_>, job: &Job<'_>, bar: Bar) -> Figure {
    let figure = bar.figure(readable::data(bar.value), "parameters × bytes of a saved parameter");
    let figure = figure.of(job.training.model.block(), "total_parameters");
    match saving::constant(model, job, Name::CheckpointBytes) {
        Some(found) => found.explain(figure, "bytes of a saved parameter"),
        None => figure,
    }
}

/// How it is divided: figures for what was left `auto`, and the copies.
fn spread(figures: &mut Figures, job: &Job<'_>, chosen: &Chosen) {
    let (block, layout) = (job.id.block(), &chosen.layout);
    if let Some(because) = &chosen.gpus_because {
        let figure = Figure::exact(layout.gpus as f64, "", "nodes × GPUs of a node").note(because.as_str());
        let figure = figure.of(block, "memory_per_gpu");
        let figure = if job.training.deadline.is_absent() { figure } else { figure.of(block, "deadline") };
        put(figures, block, "gpus", figure);
    }
    if let Some(why) = &chosen.undivided {
        let training = job.training;
        let open = [
            ("tensor_parallel", training.tensor_parallel.is_auto()),
            ("pipeline_parallel", training.pipeline_parallel.is_auto()),
            ("context_parallel", training.context_parallel.is_auto()),
            ("expert_parallel", training.expert_parallel.is_auto()),
            ("data_parallel", true),
        ];
        for (name, _) in open.into_iter().filter(|(_, open)| *open) {
            figures.unknown(block, name, Arc::clone(why));
        }
        return;
    }
    let by = &layout.parallelism;
    let note = format!(
        "the fewest GPUs a copy whose memory fits {} and that divide heads, layers, GPUs and batch",
        readable::memory_text(job.seat.card.memory())
    );
    let choices = [
        (&job.training.tensor_parallel, "tensor_parallel", by.tensor),
        (&job.training.pipeline_parallel, "pipeline_parallel", by.pipeline),
        (&job.training.context_parallel, "context_parallel", by.context),
        (&job.training.expert_parallel, "expert_parallel", by.expert),
    ];
    for (setting, name, value) in choices {
        if setting.is_auto() {
            let figure = Figure::exact(value as f64, "", "smallest that fits").of(block, "memory_per_gpu");
            put(figures, block, name, figure.note(note.as_str()));
        }
    }
    let copies = Figure::exact(by.data as f64, "", "GPUs ÷ (tensor × pipeline × context parallel)")
        .of(block, "gpus")
        .of(block, "tensor_parallel")
        .of(block, "pipeline_parallel")
        .of(block, "context_parallel");
    put(figures, block, "data_parallel", copies);
}

fn memory(figures: &mut Figures, job: &Job<'_>, layout: &Layout) -> Option<Memory> {
    let block = job.id.block();
    match &layout.memory {
        Ok(bar) => {
            let figure = memory_figure(*bar, "(states + activations + logits) × margin + context")
                .of(job.training.model.block(), "total_parameters")
                .of(block, "gpus")
                .of(block, "states")
                .of(block, "recompute")
                .of(block, "sequence")
                .of(block, "micro_batch")
                .of(block, "tensor_parallel")
                .of(block, "pipeline_parallel");
            put(
                figures,
                block,
                "memory_per_gpu",
                against(figure, job.seat.card.id.block(), job.seat.card.memory_attribute()),
            );
            Some(held(*bar, job.seat.card.memory()))
        }
        Err(why) => {
            figures.unknown(block, "memory_per_gpu", Arc::clone(why));
            None
        }
    }
}

/// Memory of training on a GPU, with the margin that it stands on.
pub fn memory_figure(bar: Bar, formula: &'static str) -> Figure {
    bar.figure("GiB", formula)
        .because(Reason::constant(
            "margin for allocator and buffers",
            Arc::from(format!("{} (1 to {})", TRAINING_MARGIN.factor, TRAINING_MARGIN.high)),
            TRAINING_MARGIN.source,
        ))
        .because(Reason::constant(
            "context and collective buffers",
            Arc::from(readable::memory_text(FIXED.total())),
            "BigScience chronicles; aiconfigurator",
        ))
}

/// Adds what a need for memory is held against.
pub fn against(figure: Figure, gpu: BlockId, attribute: &'static str) -> Figure {
    let figure = figure.of(gpu, attribute);
    if attribute == "memory" {
        let value = Arc::from(super::gpu::USABLE_SHARE.to_string());
        return figure.because(Reason::constant(
            "share of the memory as sold that a runtime sees",
            value,
            "assumption, from engine logs",
        ));
    }
    figure
}

/// A need with its bar against what a GPU has.
pub fn held(bar: Bar, available: f64) -> Memory {
    Memory { need: bar.value, high: bar.high, available, fit: Fit::of(bar.value, bar.high, available) }
}

fn utilisation(figures: &mut Figures, job: &Job<'_>, layout: &Layout, pace: &Known<Pace>, rate: &Known<Bar>) {
    let block = job.id.block();
    let figure = pace.as_ref().map_err(Arc::clone).and_then(|pace| {
        let bar = pace.utilisation(layout.gpus, rate.clone()?)?;
        let formula = "FLOP of a token × tokens a second ÷ (GPUs × dense peak); full attention is counted";
        let figure = bar.figure("%", formula).of(block, "gpus").of(job.training.model.block(), "active_parameters");
        Ok(pipeline(pace.explain(figure), job, layout, pace))
    });
    if job.training.mfu.is_auto() {
        put_known(figures, block, "mfu", figure.clone());
    }
    put_known(figures, block, "utilisation", figure);
}

fn time_figure(model: &Model<'_>, job: &Job<'_>, layout: &Layout, bar: Bar, pace: &Pace) -> Figure {
    let block = job.id.block();
    let formula = "tokens ÷ tokens a second ÷ share of the time that failures and checkpoints leave";
    let mut figure = bar.figure(readable::time(bar.value), formula).of(block, "tokens").of(block, "gpus");
    figure = pace.explain(figure);
    let nodes = div_ceil(layout.gpus, job.seat.node.gpus);
    figure = match (saving::kept(model, job, nodes), saving::failures(model, job)) {
        (Some(_), Ok(failures)) => figure
            .of(block, "checkpoint_interval")
            .of(block, "checkpoint_stall")
            .because(failures.reason("failures in 1000 node-days"))
            .because(Reason::constant(
                "time from a failure to work again",
                Arc::from(readable::time_text(saving::RESTART)),
                "assumption",
            )),
        _ => figure.note("what failures cost is not counted: interval or stall of its checkpoint is not known"),
    };
    if let Some(shown) = saving::constant(model, job, Name::EndToEnd).filter(|_| pace.is_published()) {
        figure = figure.because(shown.reason("utilisation of a whole run over that of undisturbed stretches"));
    }
    if let Some(useful) = time::useful(model, job, layout, pace) {
        figure = figure.note(format!("{:.1} % of the time becomes kept work", useful.value * 100.0));
    }
    pipeline(figure, job, layout, pace)
}

/// Adds how full the pipeline is, where there is one.
fn pipeline(figure: Figure, job: &Job<'_>, layout: &Layout, pace: &Pace) -> Figure {
    if layout.parallelism.pipeline <= 1 {
        return figure;
    }
    let filled = layout::filled(job, layout, pace).here;
    figure.note(format!("the pipeline works {:.0} % of the time", filled * 100.0))
}

/// Checkpoints; gives back the seconds between two.
fn saved(figures: &mut Figures, model: &Model<'_>, job: &Job<'_>, nodes: u64) -> Option<f64> {
    let block = job.id.block();
    let (every, stall) = (saving::every(model, job, nodes), saving::stall(model, job));
    let saving = saving::block(model, job);
    let interval = every.clone().map(|bar| interval(model, job, bar));
    if let Some(saving) = saving.filter(|saving| saving.every.is_auto()) {
        put_known(figures, saving.id.block(), "every", interval.clone());
    }
    put_known(figures, block, "checkpoint_interval", interval);
    let stall = stall.map(|seconds| {
        let formula = "size of a checkpoint ÷ write rate of its storage";
        let figure = Figure::exact(seconds, readable::time(seconds), formula).of(block, "checkpoint_size");
        match saving {
            Some(saving) if model[saving.to].write.given().is_some() => figure.of(saving.to.block(), "write"),
            Some(saving) => figure
                .basis(Basis::Given)
                .of(saving.id.block(), "stall_below")
                .note("the storage is to write as fast as this asks"),
            None => figure,
        }
    });
    put_known(figures, block, "checkpoint_stall", stall);
    every.ok().map(|bar| bar.value).filter(|every| every.is_finite())
}

fn interval(model: &Model<'_>, job: &Job<'_>, bar: Bar) -> Figure {
    let block = job.id.block();
    let unit = readable::time(bar.value);
    match saving::block(model, job) {
        Some(saving) if !saving.every.is_auto() => {
            bar.figure(unit, "as written").basis(Basis::Given).of(saving.id.block(), "every")
        }
        _ => {
            let formula = "Daly: √(2 × stall × time between failures), with its correction for long stalls";
            let figure = bar.figure(unit, formula).of(block, "checkpoint_stall").of(block, "gpus");
            match saving::failures(model, job) {
                Ok(failures) => figure.because(failures.reason("failures in 1000 node-days")),
                Err(_) => figure,
            }
        }
    }
}

/// What failures and checkpoints leave of the time, and the nodes that stand in for broken ones.
fn kept(figures: &mut Figures, model: &Model<'_>, job: &Job<'_>, nodes: u64) {
    let block = job.id.block();
    let goodput =
        saving::kept(model, job, nodes).ok_or_else(|| Arc::from("interval or stall of its checkpoint is not known"));
    let goodput = goodput.and_then(|bar| {
        let failures = saving::failures(model, job)?;
        let formula = "Daly: interval ÷ (time between failures × (e^((interval + stall) ÷ time between failures) − 1))";
        let figure =
            bar.figure("%", formula).of(block, "checkpoint_interval").of(block, "checkpoint_stall").of(block, "gpus");
        Ok(figure.because(failures.reason("failures in 1000 node-days")))
    });
    put_known(figures, block, "goodput", goodput);
    let spares = saving::failures(model, job).map(|failures| {
        let at = |rate| saving::spare_nodes(nodes, rate) as f64;
        let formula = "the fewest nodes that more are in repair than in 5 % of the time";
        let figure = Figure::between(at(failures.bar.value), at(failures.bar.low), at(failures.bar.high), "", formula);
        let figure = figure.of(block, "gpus").because(failures.reason("failures in 1000 node-days"));
        figure.because(Reason::constant(
            "time until a broken node is back",
            Arc::from(readable::time_text(saving::REPAIR_DAYS * 86_400.0)),
            "assumption",
        ))
    });
    put_known(figures, block, "spare_nodes", spares);
}

/// What it reads: its datasets once in its tokens, where their size is known; else tokens as they are stored.
fn reading(model: &Model<'_>, job: &Job<'_>, rate: &Known<Bar>) -> Known<Figure> {
    let block = job.id.block();
    let rate = rate.clone()?;
    let plain = Bar {
        value: token_rate(rate.value, TOKEN_BYTES.value),
        low: token_rate(rate.low, TOKEN_BYTES.low),
        high: token_rate(rate.high, TOKEN_BYTES.high),
    };
    let mut sizes = Vec::new();
    for &dataset in &job.training.reads {
        match &model[dataset].size {
            Setting::Given(size) => sizes.push(size.bytes()),
            Setting::Tbd(_) => {
                load::setting(model, dataset, "size", &model[dataset].size)?;
            }
            Setting::Auto | Setting::Absent => {}
        }
    }
    let tokens = job.tokens.clone().ok().filter(|&tokens| tokens > 0.0);
    let known = !sizes.is_empty() && sizes.len() == job.training.reads.len();
    match (known, tokens) {
        (true, Some(tokens)) => {
            let each = sizes.iter().sum::<f64>() / tokens;
            let bar = Bar { value: rate.value * each, low: rate.low * each, high: rate.high * each };
            let formula = "tokens a second × size of what it reads ÷ tokens";
            let figure = bar.figure(readable::rate(bar.value), formula).of(block, "time").of(block, "reads");
            Ok(figure.note("every dataset is read once in the whole run"))
        }
        _ => {
            let formula = "tokens a second × bytes of a stored token";
            let figure = plain.figure(readable::rate(plain.value), formula).of(block, "time").basis(Basis::Assumed);
            Ok(figure.because(Reason::constant(
                "bytes of a stored token",
                Arc::from("4 (2 to 4)"),
                "Megatron-LM indexed data format",
            )))
        }
    }
}
