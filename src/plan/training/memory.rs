//! GPU memory of a training run.

use crate::model::words::{Precision, Recompute as RecomputeWord, States};

use crate::plan::formula::activations::{
    ActivationInput, FIXED, Margin, Recompute, TRAINING_MARGIN, gpu_bytes, in_flight, logits_bytes, stage_bytes,
};
use crate::plan::formula::round::{div_ceil, product};
use crate::plan::formula::shape::{Parameters, Shape};
use crate::plan::formula::states::{
    Parallel, Shard, Sharding, StateBytes, fullest_stage, gathered_layer, stage_layers, stage_states,
};
use crate::plan::load::Bar;

use super::job::Job;

/// Copies of the logits at once: the logits, their softmax and their gradient.
const LOGITS: u64 = 3;

/// What decides the memory of a GPU, whatever trains on it.
pub struct Need<'s> {
    /// The model.
    pub shape: &'s Shape,
    /// Its parameters by class.
    pub parameters: &'s Parameters,
    /// How its GPUs are divided.
    pub parallel: Parallel,
    /// How states are spread.
    pub sharding: Sharding,
    /// Bytes of the states of a parameter.
    pub bytes: StateBytes,
    /// Tokens of a sequence.
    pub sequence: u64,
    /// Sequences that a GPU takes at once.
    pub micro_batch: u64,
    /// Micro-batches of a step; as many as stages when nothing is known.
    pub micro_batches: Option<u64>,
    /// What is computed again.
    pub recompute: Recompute,
}

impl Need<'_> {
    /// Parameters on the fullest stage.
    pub fn shard(&self) -> Shard {
        fullest_stage(self.parameters, self.shape.layers, self.shape.tied_embeddings, &self.parallel, false)
    }
}

/// Bytes on the fullest GPU. The value has the margin in it that measured runs need, the low end has none and the high
/// end the largest margin that was seen: what fits at the high end fits.
pub fn per_gpu(need: &Need<'_>) -> Bar {
    let states = stage_states(&need.shard(), &need.parallel, need.sharding, &need.bytes).total() + gathered(need);
    bar(states, kept(need))
}

/// Memory of states and activations with the margin.
pub fn bar(states: f64, activations: f64) -> Bar {
    let with = |factor: f64| gpu_bytes(states, activations, &Margin { factor, ..TRAINING_MARGIN }, &FIXED);
    Bar { value: with(TRAINING_MARGIN.factor), low: with(1.0), high: with(TRAINING_MARGIN.high) }
}

/// What one micro-batch keeps on a GPU, in the words of the formula.
pub fn activation_input(need: &Need<'_>) -> ActivationInput {
    let visited = need
        .shape
        .experts
        .map_or(0, |experts| product([experts.per_token.saturating_add(experts.shared), experts.ffn]));
    ActivationInput {
        hidden: need.shape.hidden,
        heads: need.shape.heads,
        ffn: if need.shape.expert_layers() == need.shape.layers { visited } else { visited.max(need.shape.ffn) },
        sequence: div_ceil(need.sequence, need.parallel.context.max(1)),
        micro_batch: need.micro_batch,
        tensor: need.parallel.tensor,
        sequence_parallel: need.parallel.tensor > 1,
        recompute: need.recompute,
    }
}

/// Activations of the first stage, which holds the most micro-batches, or of the last, which holds the logits.
pub fn kept(need: &Need<'_>) -> f64 {
    let input = activation_input(need);
    let layers = stage_layers(need.shape.layers, need.parallel.pipeline, false);
    let stages = need.parallel.pipeline.max(1);
    let held = in_flight(stages, need.micro_batches.unwrap_or(stages), 1);
    let logits = logits_bytes(input.sequence, input.micro_batch, need.shape.vocab, need.parallel.tensor, LOGITS);
    let last = stage_bytes(&input, layers, 1.0) + logits;
    stage_bytes(&input, layers, held).max(last)
}

/// The largest piece that fully sharded states are put together for: a layer or an embedding.
pub fn gathered(need: &Need<'_>) -> f64 {
    match need.sharding {
        Sharding::Fsdp | Sharding::Zero3 => {
            let parameters = need.parameters;
            let experts = parameters.experts as f64 / need.parallel.expert.max(1) as f64;
            let layers = need.shape.layers.max(1) as f64;
            let layer =
                (parameters.attention as f64 + parameters.latent as f64 + parameters.mlp as f64 + experts) / layers;
            let embedding = need.shape.vocab as f64 * need.shape.hidden as f64;
            gathered_layer(layer.max(embedding)) / need.parallel.tensor.max(1) as f64
        }
        Sharding::None | Sharding::Zero1 | Sharding::Zero2 | Sharding::MegatronDistributed => 0.0,
    }
}

/// What decides the memory of a job on GPUs divided so.
pub fn need<'s>(
    job: &Job<'_>,
    (shape, parameters): (&'s Shape, &'s Parameters),
    parallel: Parallel,
    micro_batches: Option<u64>,
) -> Need<'s> {
    let sharding = sharding(job.training.states);
    Need {
        shape,
        parameters,
        parallel,
        sharding,
        bytes: if job.precision == Precision::Fp32 { StateBytes::FP32 } else { sharding.usual_bytes() },
        sequence: job.sequence,
        micro_batch: job.micro_batch,
        micro_batches,
        recompute: recompute(job.training.recompute),
    }
}

/// The word for the formula.
pub fn sharding(states: States) -> Sharding {
    match states {
        States::Fsdp => Sharding::Fsdp,
        States::Zero1 => Sharding::Zero1,
        States::Zero2 => Sharding::Zero2,
        States::Zero3 => Sharding::Zero3,
        States::Megatron => Sharding::MegatronDistributed,
        States::Replicated => Sharding::None,
    }
}

/// The word for the formula.
pub fn recompute(word: RecomputeWord) -> Recompute {
    match word {
        RecomputeWord::None => Recompute::None,
        RecomputeWord::Selective => Recompute::Selective,
        RecomputeWord::Full => Recompute::Full,
    }
}
