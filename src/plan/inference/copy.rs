//! One copy of a served model: its GPUs, its weights, what is left for the cache.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::{Demand, Inference, Slo};
use crate::model::words::Precision;

use crate::plan::assumption::{self, Assumed, Key};
use crate::plan::figure::Reason;
use crate::plan::formula::constants::Name;
use crate::plan::formula::round::{ceil_units, div_ceil, exceeds, product, ratio};
use crate::plan::formula::shape::{Parameters, Shape};
use crate::plan::formula::weights::{ClassPrecision, cache_budget, expert_bytes, weight_bytes, weight_bytes_per_gpu};
use crate::plan::formula::{self, engine, kv};
use crate::plan::load::{self, Bar, Known, Seat};
use crate::plan::{readable, shape};

/// Tokens of a block of the cache, as vLLM has them.
const BLOCK: u64 = 16;
/// Nodes that the compiler divides a copy over, at most. Assumption: beyond, each token waits for too many stages.
const MOST_STAGES: u64 = 4;
/// Most bytes that one GPU without neighbours keeps outside the allocator. Source: vLLM memory profiling logs.
const ALONE: f64 = 0.4 * 1_073_741_824.0;

/// A serving workload with the facts that its sizes stand on.
pub struct Service<'m> {
    /// Which.
    pub id: Id<Inference>,
    /// What it says.
    pub inference: &'m Inference,
    /// Where it runs.
    pub seat: Seat<'m>,
    /// What comes in.
    pub demand: Option<&'m Demand>,
    /// What is promised.
    pub slo: Option<&'m Slo>,
    /// Its model.
    pub shape: Known<(Shape, Parameters)>,
    /// The format of the weights.
    pub precision: Precision,
    /// The format of the attention weights, where the checkpoint keeps them apart.
    attention: Option<formula::weights::Precision>,
    /// Parameters of towers for images and sound.
    towers: u64,
    cache_bytes: f64,
    /// Tokens of a full context, at least 1.
    pub context: u64,
    /// What the engine keeps outside its allocator.
    outside: Option<Assumed>,
}

impl<'m> Service<'m> {
    /// Reads one.
    pub fn of(model: &'m Model<'_>, id: Id<Inference>, seat: Seat<'m>) -> Service<'m> {
        let inference = &model[id];
        let missing = |what| load::absent(model, inference.model, what);
        let cache = inference.kv_precision.or_else(|| shape::kv_precision(model, inference.model));
        let precision = inference.precision.unwrap_or_else(|| shape::precision(model, inference.model));
        let key = Key { card: Some(&seat.card), precision: precision.word(), engine: inference.engine.word() };
        let outside = assumption::find(model, Name::NonTorch, key);
        Service {
            id,
            inference,
            seat,
            demand: inference.demand.first().map(|&id| &model[id]),
            slo: inference.slo.first().map(|&id| &model[id]),
            shape: shape::of(model, inference.model).map_err(missing).map(|shape| {
                let parameters = shape.parameters();
                (shape, parameters)
            }),
            precision,
            attention: shape::attention_precision(model, inference.model).map(shape::for_formula),
            towers: shape::towers(model, inference.model),
            cache_bytes: shape::for_formula(cache.unwrap_or(Precision::Bf16)).bytes(),
            context: ceil_units(inference.context.tokens()).max(1),
            outside,
        }
    }

    /// Bytes of a GPU that the engine takes.
    pub fn available(&self) -> f64 {
        self.seat.card.memory() * self.inference.memory_share.fraction()
    }

    /// GPUs of a copy: as written, or the smallest power of two in a node on which it fits, or the fewest whole nodes
    /// that the pool may have; where all that are tried are too few, the largest within a node.
    pub fn gpus(&self, model: &Model<'_>) -> Known<u64> {
        if !self.inference.gpus_per_replica.is_auto() {
            return load::setting(model, self.id, "gpus_per_replica", &self.inference.gpus_per_replica);
        }
        let (shape, _) = self.shape.as_ref().map_err(Arc::clone)?;
        // Parts of GPUs have no links between them, so a copy gets one.
        let limit = if self.seat.card.part().is_part() { 1 } else { self.seat.node.gpus };
        let powers = (0..u64::BITS).map(|power| 1u64 << power).take_while(|&gpus| gpus <= limit);
        let mut most = 1;
        for gpus in powers.filter(|&gpus| shape.heads.is_multiple_of(gpus)) {
            most = gpus;
            if self.fits(gpus)? {
                return Ok(most);
            }
        }
        // Only whole nodes are divided into stages, and only such as are built for large models.
        if most == self.seat.node.gpus && most > 1 && self.seat.card.is_linked() {
            for gpus in (2..=self.most_nodes(model)).map(|nodes| product([nodes, most])) {
                if self.fits(gpus)? {
                    return Ok(gpus);
                }
            }
        }
        Ok(most)
    }

    fn fits(&self, gpus: u64) -> Known<bool> {
        Ok(!exceeds(self.copy(gpus)?.need().high, self.available()))
    }

    /// Nodes that a copy may have: those of the pool, as far as a chain of stages is worth trying.
    fn most_nodes(&self, model: &Model<'_>) -> u64 {
        let pool = &model[self.inference.runs_on];
        let spare = pool.spare.given().copied().unwrap_or(0);
        pool.nodes.given().map_or(MOST_STAGES, |span| span.high.saturating_sub(spare)).min(MOST_STAGES)
    }

    /// A copy on so many GPUs.
    pub fn copy(&self, gpus: u64) -> Known<Copy> {
        let (shape, parameters) = self.shape.as_ref().map_err(Arc::clone)?;
        let gpus = gpus.max(1);
        let node = self.seat.node.gpus;
        // Beyond a node the layers are divided into stages, one a node.
        let stages = if node > 0 && gpus > node && gpus.is_multiple_of(node) { gpus / node } else { 1 };
        let tensor = gpus / stages;
        let mut class = ClassPrecision::of(shape::for_formula(self.precision), shape);
        class.attention = self.attention.unwrap_or(class.attention);
        // Quantisers leave towers in 16 bits.
        let towers = self.towers as f64 * formula::weights::Precision::Bf16.bytes() / tensor as f64;
        // The longest stage decides, where layers do not divide.
        let stage = ratio(div_ceil(shape.layers, stages) as f64, shape.layers as f64);
        let weights = weight_bytes_per_gpu(parameters, &class, tensor) * stage + towers;
        let cached = kv::sequence_bytes(shape, self.context, self.cache_bytes, tensor) * stage;
        let (sequences, overhead) = self.admitted(shape, tensor, weights + cached);
        let share = self.inference.memory_share.fraction();
        let left = |overhead| cache_budget(self.seat.card.memory(), share, weights, overhead, 0.0);
        Ok(Copy {
            gpus,
            stages,
            tensor,
            weights,
            dense_bytes: weight_bytes(parameters, &class) - expert_bytes(parameters, &class),
            expert_bytes: expert_bytes(parameters, &class),
            overhead,
            cache: Bar { value: left(overhead.value), low: left(overhead.high), high: left(overhead.low) },
            per_token: kv::bytes_per_token(shape, self.cache_bytes, tensor) / stages as f64,
            full_context: cached,
            sequences,
        })
    }

    /// Requests at once, and what the engine keeps for them: as written, or the engine's default, or fewer where the copy
    /// only fits with fewer.
    fn admitted(&self, shape: &Shape, tensor: u64, rest: f64) -> (u64, Bar) {
        let card = &self.seat.card;
        let (word, memory, architecture) = (self.inference.engine.word(), card.device_memory(), card.architecture());
        let sampled = engine::sampled(word, memory, architecture);
        if let Some(&written) = self.inference.max_sequences.given() {
            let written = written.max(1);
            return (written, self.overhead(shape, tensor, sampled.min(written)));
        }
        let (usual, overhead) = (engine::sequences(word, memory, architecture), self.overhead(shape, tensor, sampled));
        if usual <= engine::SEQUENCES || !exceeds(rest + overhead.high, self.available()) {
            return (usual, overhead);
        }
        (engine::SEQUENCES, self.overhead(shape, tensor, engine::SEQUENCES))
    }

    /// What the engine keeps besides weights and cache.
    fn overhead(&self, shape: &Shape, tensor: u64, sequences: u64) -> Bar {
        let peak = engine::activation_peak(shape, tensor, self.context, sequences);
        let peak = if self.towers > 0 { engine::with_images(peak) } else { peak };
        let Some(outside) = self.outside.map(|outside| outside.bar) else {
            return Bar { value: peak.value, low: peak.low, high: peak.high };
        };
        let most = if tensor > 1 { outside.high } else { ALONE };
        Bar { value: outside.value + peak.value, low: outside.low + peak.low, high: most + peak.high }
    }

    /// Bytes of cache of a request of so many tokens, over all GPUs of a copy.
    pub fn request_bytes(&self, copy: &Copy, tokens: u64) -> Known<f64> {
        let (shape, _) = self.shape.as_ref().map_err(Arc::clone)?;
        Ok(kv::sequence_bytes(shape, tokens, self.cache_bytes, copy.tensor) * copy.tensor as f64)
    }
}

/// A copy on its GPUs; bytes are of one GPU unless said otherwise.
#[derive(Debug, Clone)]
pub struct Copy {
    /// GPUs.
    pub gpus: u64,
    /// Stages its layers are divided into.
    pub stages: u64,
    /// GPUs that share a layer.
    pub tensor: u64,
    /// Weights.
    pub weights: f64,
    /// Weights that every step reads, of the whole copy.
    pub dense_bytes: f64,
    /// Routed experts, of the whole copy.
    pub expert_bytes: f64,
    overhead: Bar,
    /// What is left for the cache; negative when the weights do not fit.
    pub cache: Bar,
    per_token: f64,
    full_context: f64,
    /// Requests that the engine admits at once.
    pub sequences: u64,
}

impl Copy {
    /// Weights, the engine's own memory and one request of full context.
    pub fn need(&self) -> Bar {
        let with = |overhead: f64| self.weights + self.full_context + overhead;
        Bar { value: with(self.overhead.value), low: with(self.overhead.low), high: with(self.overhead.high) }
    }

    /// Bytes left for the cache on each GPU.
    pub fn cache_per_gpu(&self) -> f64 {
        self.cache.value
    }

    /// Bytes left for the cache, over all GPUs.
    pub fn cache_of_copy(&self) -> f64 {
        self.cache.value * self.gpus as f64
    }

    /// Bytes of cache of one more token, over all GPUs.
    pub fn per_token_of_copy(&self) -> f64 {
        self.per_token * self.gpus as f64
    }

    /// Requests of full context that fit at once; nothing when a request takes no cache.
    pub fn concurrency(&self, service: &Service<'_>) -> Option<u64> {
        let (shape, _) = service.shape.as_ref().ok()?;
        let budget = self.cache.value * self.stages as f64;
        let requests = kv::capacity_sequences(shape, budget, service.context, service.cache_bytes, self.tensor, BLOCK);
        (requests < u64::MAX).then_some(requests)
    }

    /// The engine's own memory, as reasons.
    pub fn overheads(&self) -> Vec<Reason> {
        let [low, high] = [self.overhead.low, self.overhead.high].map(readable::memory_text);
        vec![Reason::constant(
            "activations and memory outside the allocator",
            Arc::from(format!("{} ({low} to {high})", readable::memory_text(self.overhead.value))),
            "vLLM memory profiling logs",
        )]
    }
}
