//! Sizing of `finetune`: memory, time of a run, and how much of its GPUs' time its runs take.

mod run;

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Finetune;
use crate::model::words::Method;

use super::figure::{Basis, Figure, Reason};
use super::formula::round::{div_ceil, exceeds, product};
use super::load::{self, Bar, Known, NO_NUMBER, put, put_known};
use super::pace::{Disagreement, Filled, Pace};
use super::training::{against, held, memory_figure};
use super::{Memory, Plan, readable};

use run::Run;

/// Numbers of nodes that are tried.
const NODES_TRIED: u64 = 1024;

/// Fine-tuning, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct FinetunePlan {
    /// Which.
    pub id: Id<Finetune>,
    /// GPUs of a run.
    pub gpus: u64,
    /// Whole nodes of a run.
    pub nodes: u64,
    /// Memory on each GPU.
    pub memory: Option<Memory>,
    /// Seconds of a run: value, low, high.
    pub time: Option<(f64, f64, f64)>,
    /// Share of the time that its GPUs are busy; above 1 its runs do not get done.
    pub busy: Option<f64>,
    /// Bytes of an adapter (or of the weights, for full fine-tuning).
    pub result_bytes: Option<f64>,
    /// The baseline that its time stands on.
    pub baseline: Option<BlockId>,
    /// Where that baseline and the formula do not agree.
    pub disagreement: Option<Disagreement>,
}

/// Sizes one. Without a known number of GPUs it has figures, but no plan.
pub fn size(plan: &mut Plan<'_>, id: Id<Finetune>) {
    let model = Arc::clone(&plan.model);
    let why = match load::seat(&model, model[id].runs_on) {
        Ok(seat) => sized(plan, &model, &Run::of(&model, id, seat)).err(),
        Err(why) => Some(why),
    };
    load::finish(plan, id.block(), why.as_ref());
}

fn sized(plan: &mut Plan<'_>, model: &Model<'_>, run: &Run<'_>) -> Known<()> {
    let block = run.id.block();
    let (gpus, because) = gpus(model, run)?;
    if let Some(because) = because {
        let figure = Figure::exact(gpus as f64, "", "the fewest that fit").of(block, "memory_per_gpu").note(because);
        put(&mut plan.figures, block, "gpus", figure);
    }
    let need = run.memory(gpus);
    put_known(&mut plan.figures, block, "memory_per_gpu", need.clone().map(|bar| memory(run, bar)));
    let pace = run.pace(model);
    if run.finetune.mfu.is_auto() {
        let figure = pace.as_ref().map_err(Arc::clone).and_then(|pace| {
            let bar = pace.utilisation(gpus, pace.rate(gpus, Filled::ALWAYS))?;
            let formula = "FLOP of a token × tokens a second ÷ (GPUs × dense peak)";
            Ok(pace.explain(bar.figure("%", formula).of(block, "gpus")))
        });
        put_known(&mut plan.figures, block, "mfu", figure);
    }
    let time = time(run, &pace, gpus);
    let figure = time.clone().and_then(|bar| {
        let figure = bar.figure(readable::time(bar.value), "tokens ÷ tokens a second").of(block, "tokens");
        let figure = pace.as_ref().map_err(Arc::clone)?.explain(figure.of(block, "gpus"));
        Ok(match run.finetune.method {
            Method::Full => figure,
            Method::Lora | Method::Qlora => figure.note(
                "a frozen weight needs no gradient: 4 FLOP of a parameter \
                and token, and 2 more where its layer is computed again",
            ),
        })
    });
    put_known(&mut plan.figures, block, "time", figure);
    let busy = busy(model, run, &time);
    put_known(&mut plan.figures, block, "busy", busy.clone().map(|bar| busy_figure(run, bar)));
    plan.finetunes.insert(
        run.id,
        FinetunePlan {
            id: run.id,
            gpus,
            nodes: div_ceil(gpus, run.seat.node.gpus),
            memory: need.ok().map(|bar| held(bar, run.seat.card.memory())),
            time: time.ok().map(Bar::triple),
            busy: busy.ok().map(|bar| bar.value),
            result_bytes: run.result().ok(),
            baseline: pace.as_ref().ok().and_then(Pace::baseline),
            disagreement: pace.ok().and_then(|pace| pace.disagreement(Filled::ALWAYS)),
        },
    );
    Ok(())
}

fn memory(run: &Run<'_>, bar: Bar) -> Figure {
    let block = run.id.block();
    let formula = match run.finetune.method {
        Method::Full => "(states + activations + logits) × margin + context, states over all GPUs",
        Method::Lora | Method::Qlora => {
            "(frozen weights + states of adapters + activations + logits) × margin + context, weights over all GPUs"
        }
    };
    let figure = memory_figure(bar, formula)
        .of(run.finetune.model.block(), "total_parameters")
        .of(block, "method")
        .of(block, "gpus")
        .of(block, "sequence")
        .of(block, "micro_batch")
        .because(Reason::constant(
            "spread",
            Arc::from("fully sharded, every layer computed again"),
            "assumption: what fine-tuning tools do on several GPUs",
        ));
    against(figure, run.seat.card.id.block(), run.seat.card.memory_attribute())
}

fn time(run: &Run<'_>, pace: &Known<Pace>, gpus: u64) -> Known<Bar> {
    let pace = pace.as_ref().map_err(Arc::clone)?;
    let time = Pace::seconds(run.tokens.clone()?, pace.rate(gpus, Filled::ALWAYS));
    if time.high.is_finite() { Ok(time) } else { Err(Arc::from("its GPUs get through no tokens")) }
}

fn busy(model: &Model<'_>, run: &Run<'_>, time: &Known<Bar>) -> Known<Bar> {
    let runs = load::setting(model, run.id, "runs", &run.finetune.runs)?.per_second();
    let time = time.clone()?;
    Ok(Bar { value: runs * time.value, low: runs * time.low, high: runs * time.high })
}

fn busy_figure(run: &Run<'_>, bar: Bar) -> Figure {
    let block = run.id.block();
    bar.figure("%", "runs a second × seconds of a run").basis(Basis::Formula).of(block, "runs").of(block, "time")
}

/// GPUs of a run, and why so many when the compiler chose them.
fn gpus(model: &Model<'_>, run: &Run<'_>) -> Known<(u64, Option<String>)> {
    if !run.finetune.gpus.is_auto() {
        return load::setting(model, run.id, "gpus", &run.finetune.gpus).map(|gpus| (gpus, None));
    }
    let deadline = match &run.finetune.deadline {
        Setting::Absent | Setting::Auto => None,
        Setting::Given(_) | Setting::Tbd(_) => {
            Some(load::setting(model, run.id, "deadline", &run.finetune.deadline)?.seconds())
        }
    };
    let pace = run.pace(model);
    let node = run.seat.node.gpus;
    let parts = (0..u64::BITS).map(|power| 1u64 << power).take_while(|&part| part < node);
    let whole = (1..=NODES_TRIED).map(|nodes| product([nodes, node]));
    for gpus in parts.chain(whole) {
        if exceeds(run.memory(gpus)?.high, run.seat.card.memory()) {
            continue;
        }
        let in_time = match deadline {
            Some(deadline) => !exceeds(time(run, &pace, gpus)?.high, deadline),
            None => true,
        };
        if in_time {
            let because = match deadline {
                Some(_) => "the fewest GPUs whose memory it fits, done by the deadline",
                None => "the fewest GPUs whose memory it fits",
            };
            return Ok((gpus, Some(String::from(because))));
        }
    }
    Err(Arc::from(format!("{NO_NUMBER} GPUs up to {NODES_TRIED} nodes is enough")))
}
