//! Sizing of `inference`: GPUs of a copy, what fits on them, how fast a copy answers, how many copies it takes.

mod copy;
mod replicas;
mod speed;

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Span;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Inference;

use super::figure::{Basis, Figure};
use super::formula::constants::Fit as ConstantFit;
use super::load::{self, Bar, Known, put, put_known};
use super::pace::Disagreement;
use super::training::{against, held};
use super::{Memory, Plan, readable};

use copy::{Copy, Service};
use speed::{Speed, Spoken};

/// Serving, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct InferencePlan {
    /// Which.
    pub id: Id<Inference>,
    /// GPUs of a replica; parts of them where its pool divides them.
    pub gpus_per_replica: u64,
    /// Replicas: the least and the most; nothing when they are left to the compiler and nothing says how many.
    pub replicas: Option<Span<u64>>,
    /// Replicas that the demand needs, when it is known.
    pub needed: Option<u64>,
    /// Memory on each GPU: weights and one request of full context against the engine's share.
    pub memory: Option<Memory>,
    /// Bytes of cache that are left on each GPU.
    pub cache_per_gpu: Option<f64>,
    /// Requests that the engine admits at once.
    pub sequences: Option<u64>,
    /// Requests of full context that fit into a replica at once.
    pub concurrency: Option<u64>,
    /// Requests that run at once at the speed that the service level allows.
    pub batch: Option<u64>,
    /// Seconds to the first token: value, low, high.
    pub first_token: Option<(f64, f64, f64)>,
    /// Seconds to the first token that 95 of 100 requests keep at the peak, with what they wait for.
    pub first_token_at_peak: Option<f64>,
    /// Seconds for each further token: value, low, high.
    pub per_token: Option<(f64, f64, f64)>,
    /// Tokens a second that a replica generates within its service level.
    pub throughput: Option<f64>,
    /// Why the service level cannot be met by any batch, in words.
    pub missed: Option<String>,
    /// The baseline that it stands on.
    pub baseline: Option<BlockId>,
    /// Where that baseline and the formula do not agree.
    pub disagreement: Option<Disagreement>,
}

/// Sizes one. Without a known number of GPUs it has figures, but no plan.
pub fn size(plan: &mut Plan<'_>, id: Id<Inference>) {
    let model = Arc::clone(&plan.model);
    let why = match load::part(&model, model[id].runs_on) {
        Ok(seat) => sized(plan, &model, &Service::of(&model, id, seat)).err(),
        Err(why) => Some(why),
    };
    load::finish(plan, id.block(), why.as_ref());
}

fn sized(plan: &mut Plan<'_>, model: &Model<'_>, service: &Service<'_>) -> Known<()> {
    let block = service.id.block();
    let gpus = service.gpus(model)?;
    if service.inference.gpus_per_replica.is_auto() {
        let note = format!(
            "the smallest power of two in a node, or the fewest whole nodes, on which weights and one request of full context fit {}",
            readable::memory_text(service.available())
        );
        let figure = Figure::exact(gpus as f64, "", "smallest that fits").of(block, "weights_per_gpu");
        put(&mut plan.figures, block, "gpus_per_replica", figure.of(block, "context").note(note));
    }
    let copy = service.copy(gpus);
    if service.inference.max_sequences.is_auto() {
        put_known(&mut plan.figures, block, "max_sequences", copy.clone().map(|copy| admitted(service, &copy)));
    }
    let memory = memory(plan, service, &copy);
    let speed = Speed::of(model, service, &copy, gpus);
    spoken(plan, service, &speed);
    let needed = replicas::needed(model, service, &speed.spoken);
    put_known(&mut plan.figures, block, "replicas_needed", needed.clone().map(|needed| needed.figure(service)));
    let known = needed.as_ref().ok().map(|needed| needed.copies);
    let replicas = replicas::chosen(model, service, &needed);
    if service.inference.replicas.is_auto() {
        let figure = replicas.clone().map(|replicas| replicas::figure(model, service, &needed, replicas));
        put_known(&mut plan.figures, block, "replicas", figure);
    }
    let spoken = speed.spoken.as_ref().ok();
    plan.inferences.insert(
        service.id,
        InferencePlan {
            id: service.id,
            gpus_per_replica: gpus,
            replicas: replicas.as_ref().ok().copied(),
            needed: known,
            memory,
            cache_per_gpu: copy.as_ref().ok().map(|copy| copy.cache_per_gpu()).filter(|&bytes| bytes >= 0.0),
            sequences: copy.as_ref().ok().map(|copy| copy.sequences),
            concurrency: copy.as_ref().ok().and_then(|copy| copy.concurrency(service)),
            batch: spoken.map(|spoken| spoken.batch),
            first_token: spoken.map(|spoken| spoken.first_token.triple()),
            first_token_at_peak: spoken
                .and_then(|spoken| replicas::first_token_at_peak(model, service, spoken, known?)),
            per_token: spoken.and_then(|spoken| spoken.per_token).map(Bar::triple),
            throughput: spoken.map(|spoken| spoken.throughput.value),
            missed: speed.missed.clone(),
            baseline: spoken.and_then(|spoken| spoken.baseline),
            disagreement: speed.disagreement,
        },
    );
    Ok(())
}

/// Requests at once, where the compiler chose.
fn admitted(service: &Service<'_>, copy: &Copy) -> Figure {
    let block = service.id.block();
    let formula = "the engine's default, or 256 where a copy only fits with so many";
    Figure::exact(copy.sequences as f64, "", formula).of(block, "gpus_per_replica").of(block, "memory_share")
}

/// Weights, cache and what fits.
fn memory(plan: &mut Plan<'_>, service: &Service<'_>, copy: &Known<Copy>) -> Option<Memory> {
    let (block, figures) = (service.id.block(), &mut plan.figures);
    let model_block = service.inference.model.block();
    let (gpu, attribute) = (service.seat.card.id.block(), service.seat.card.memory_attribute());
    let weights = copy.clone().map(|copy| {
        let formula = "parameters of each class × bytes of its format ÷ GPUs of a copy";
        let figure = Figure::exact(copy.weights, "GiB", formula);
        let of = if service.inference.precision.is_some() { block } else { model_block };
        figure.of(model_block, "total_parameters").of(of, "precision").of(block, "gpus_per_replica")
    });
    put_known(figures, block, "weights_per_gpu", weights);
    let per_token = copy.clone().map(|copy| {
        let bytes = copy.per_token_of_copy();
        let formula = "2 × layers × key-value heads × width of a head × bytes of a number, copies of heads counted";
        let figure = Figure::exact(bytes, readable::memory(bytes), formula).of(model_block, "layers");
        let of = if service.inference.kv_precision.is_some() { block } else { model_block };
        figure.of(model_block, "kv_heads").of(of, "kv_precision").of(block, "gpus_per_replica")
    });
    put_known(figures, block, "kv_per_token", per_token);
    let cache = copy.clone().and_then(|copy| {
        if copy.cache.value < 0.0 {
            let short = readable::memory_text(-copy.cache.value);
            return Err(Arc::from(format!("the weights leave no room for a cache: {short} are missing on each GPU")));
        }
        let formula = "usable memory × share of the engine − weights − engine's own memory";
        let figure = copy.cache.figure("GiB", formula).of(block, "memory_share").of(block, "weights_per_gpu");
        let figure = match service.seat.card.part().attribute() {
            Some(cut) => against(figure, gpu, attribute).of(service.inference.runs_on.block(), cut),
            None => against(figure, gpu, attribute),
        };
        Ok(copy.overheads().into_iter().fold(figure, Figure::because))
    });
    put_known(figures, block, "kv_per_gpu", cache);
    let concurrency = copy.clone().and_then(|copy| {
        let requests = copy.concurrency(service).ok_or_else(|| Arc::from("a request takes no cache"))?;
        let formula = "cache of a copy ÷ cache of a request of full context, rounded down";
        Ok(Figure::exact(requests as f64, "", formula).of(block, "kv_per_gpu").of(block, "context"))
    });
    put_known(figures, block, "concurrency", concurrency);
    let copy = copy.as_ref().ok()?;
    Some(held(copy.need(), service.available()))
}

/// Times and throughput.
fn spoken(plan: &mut Plan<'_>, service: &Service<'_>, speed: &Speed) {
    let (block, figures) = (service.id.block(), &mut plan.figures);
    let with = |figure: Figure| {
        let figure = figure.of(block, "gpus_per_replica").basis(match speed.fit {
            ConstantFit::Exact | ConstantFit::Near => Basis::Published,
            ConstantFit::General => Basis::Assumed,
        });
        speed.constants.iter().cloned().fold(figure, Figure::because)
    };
    let demand = service.demand.map(|demand| demand.id.block());
    let of_demand = |figure: Figure, attribute| match demand {
        Some(demand) => figure.of(demand, attribute),
        None => figure,
    };
    let first = speed.spoken.clone().map(|spoken: Spoken| {
        let formula = "FLOP of the prompt ÷ (GPUs × peak × share reached) + all-reduces of its layers";
        let bar = spoken.first_token;
        of_demand(with(bar.figure(readable::time(bar.value), formula)), "prompt").note("on a copy that is idle")
    });
    put_known(figures, block, "first_token", first);
    let each = speed.spoken.clone().and_then(|spoken| {
        let bar = spoken.per_token.ok_or_else(|| Arc::from("an answer has no tokens"))?;
        let formula =
            "step of the batch (weights and cache read, products, all-reduces) + prompts of others in between";
        let figure = of_demand(with(bar.figure(readable::time(bar.value), formula)), "answer");
        Ok(figure.note(format!("with {} requests at once", spoken.batch)))
    });
    put_known(figures, block, "per_token", each);
    let throughput = speed.spoken.clone().map(|spoken| {
        let bar = spoken.throughput;
        match spoken.baseline {
            Some(baseline) => {
                let formula = "measured tokens a second ÷ GPUs of the sample × GPUs of a copy";
                let figure = bar.figure("tok/s", formula).basis(Basis::Measured);
                let figure = figure.of(baseline, "throughput").of(baseline, "gpus");
                figure.of(block, "gpus_per_replica")
            }
            None => {
                let formula =
                    "tokens of an answer ÷ (its prompt + its share of the steps), largest batch in the service level";
                let figure = of_demand(with(bar.figure("tok/s", formula)), "prompt");
                of_demand(figure, "answer").note(format!("with {} requests at once", spoken.batch))
            }
        }
    });
    let throughput = throughput.map(|figure| speed.notes.iter().fold(figure, |f, note| f.note(Arc::clone(note))));
    put_known(figures, block, "throughput", throughput);
}
