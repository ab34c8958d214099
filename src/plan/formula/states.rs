//! Training memory that does not depend on the batch: weights, gradients and optimizer.

use super::round::{product, ratio};
use super::shape::Parameters;

/// Bytes one parameter needs in each state, before any sharding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StateBytes {
    /// Working copy of the weight.
    pub weights: f64,
    /// Gradient.
    pub gradients: f64,
    /// Optimizer: master copy and moments.
    pub optimizer: f64,
}

impl StateBytes {
    /// Mixed precision Adam, 2 + 2 + 12 = 16 B. Source: ZeRO, Rajbhandari et al. 2020.
    pub const MIXED: Self = Self { weights: 2.0, gradients: 2.0, optimizer: 12.0 };
    /// Mixed precision Adam with fp32 gradients, 2 + 4 + 12 = 18 B. Source: Megatron-LM; DeepSpeed memory estimators;
    /// BLOOM.
    pub const MIXED_FP32_GRADIENTS: Self = Self { weights: 2.0, gradients: 4.0, optimizer: 12.0 };
    /// 16-bit weights and gradients with fp32 moments and no master copy, 12 B. Source: QLoRA, Dettmers et al. 2023
    /// (780 GB at 65 B).
    pub const NO_MASTER: Self = Self { weights: 2.0, gradients: 2.0, optimizer: 8.0 };
    /// Everything in bf16, 8 B. Source: LLaMA-Factory hardware table.
    pub const PURE_BF16: Self = Self { weights: 2.0, gradients: 2.0, optimizer: 4.0 };
    /// Adam in fp32, 4 + 4 + 8 = 16 B. Source: PEFT README (T0-3B full fine-tuning).
    pub const FP32: Self = Self { weights: 4.0, gradients: 4.0, optimizer: 8.0 };
    /// BLOOM: bf16 weights and gradients, fp32 gradient accumulation kept whole, optimizer 12 B. Source: BigScience
    /// chronicles.
    pub const BLOOM: Self = Self { weights: 2.0, gradients: 6.0, optimizer: 12.0 };

    /// Bytes a parameter without sharding. Source: arithmetic.
    pub fn total(&self) -> f64 {
        self.weights + self.gradients + self.optimizer
    }
}

/// Which states the data-parallel ranks split among themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharding {
    /// Plain data parallelism: each rank holds everything.
    None,
    /// Optimizer split.
    Zero1,
    /// Optimizer and gradients split.
    Zero2,
    /// All three split.
    Zero3,
    /// All three split; the PyTorch name of it.
    Fsdp,
    /// Megatron's distributed optimizer: optimizer split, fp32 gradients whole.
    MegatronDistributed,
}

impl Sharding {
    /// The byte convention that usually goes with the scheme: 16 B for ZeRO and FSDP, 18 B for Megatron with or without
    /// its distributed optimizer. The higher one where in doubt. Source: ZeRO, Rajbhandari et al. 2020; Megatron-LM
    /// documentation.
    pub fn usual_bytes(self) -> StateBytes {
        match self {
            Self::Zero1 | Self::Zero2 | Self::Zero3 | Self::Fsdp => StateBytes::MIXED,
            Self::None | Self::MegatronDistributed => StateBytes::MIXED_FP32_GRADIENTS,
        }
    }
}

/// How a training job divides its GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parallel {
    /// Tensor parallel size, t.
    pub tensor: u64,
    /// Pipeline stages, p.
    pub pipeline: u64,
    /// Data parallel replicas, D.
    pub data: u64,
    /// Context parallel size, c.
    pub context: u64,
    /// Expert parallel size, e.
    pub expert: u64,
    /// Tensor parallel size inside an expert.
    pub expert_tensor: u64,
}

impl Parallel {
    /// GPUs of the job, `t p c D`. Source: Megatron-LM documentation.
    pub fn gpus(&self) -> u64 {
        product([self.tensor, self.pipeline, self.data, self.context])
    }

    /// Replicas of one expert, `t c D / (e et)`; at least 1. Source: Megatron-Core expert parallelism.
    pub fn expert_data(&self) -> f64 {
        let ranks = at_least_one(self.tensor) * at_least_one(self.context) * at_least_one(self.data);
        (ranks / (at_least_one(self.expert) * at_least_one(self.expert_tensor))).max(1.0)
    }
}

/// Parameters on the fullest GPU, before data-parallel sharding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shard {
    /// Everything but routed experts.
    pub dense: f64,
    /// Routed experts.
    pub experts: f64,
}

/// Bytes on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct States {
    /// Weights.
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Optimizer.
    pub optimizer: f64,
}

impl States {
    /// Sum of the three. Source: arithmetic.
    pub fn total(&self) -> f64 {
        self.weights + self.gradients + self.optimizer
    }

    /// States of two groups of parameters together. Source: arithmetic.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            weights: self.weights + other.weights,
            gradients: self.gradients + other.gradients,
            optimizer: self.optimizer + other.optimizer,
        }
    }
}

/// Bytes per GPU of `params` parameters over `tensor * pipeline` model shards and `data` replicas.
///
/// Formula for the 16 B convention: none `16`, ZeRO-1 `4 + 12/D`, ZeRO-2 `2 + 14/D`, ZeRO-3 and FSDP `16/D`, Megatron
/// distributed optimizer (18 B) `6 + 12/D`, each times `N/(t p)`. A size of 0 counts as 1. ZeRO-3 holds
/// [`gathered_layer`] on top. Error on published cases 0.3 %. Source: ZeRO, Rajbhandari et al. 2020, figure 1;
/// DeepSpeed memory documentation; Megatron-Bridge memory estimator.
pub fn states(params: f64, tensor: u64, pipeline: u64, data: u64, sharding: Sharding, bytes: &StateBytes) -> States {
    sharded(params / (at_least_one(tensor) * at_least_one(pipeline)), at_least_one(data), sharding, bytes)
}

/// Layers of a pipeline stage that also holds an end of the embeddings: `L/p`, or `(L + 2)/p - 1` when stages count
/// embeddings as layers.
///
/// All L on one stage; never below 0. A fraction where stages are uneven. Source: Megatron-LM; BLOOM for the balanced
/// form.
pub fn stage_layers(layers: u64, pipeline: u64, balanced: bool) -> f64 {
    let stages = at_least_one(pipeline);
    if balanced && pipeline > 1 { ((layers as f64 + 2.0) / stages - 1.0).max(0.0) } else { layers as f64 / stages }
}

/// Parameters on the fullest pipeline stage: [`stage_layers`] of the layers and one end of the embeddings (both when p
/// = 1).
///
/// With `balanced` stages a middle one has `(L + 2)/p` layers and no embedding; the larger counts. Norms and routers
/// are copied on every tensor rank, experts are divided by `e et`. Source: Megatron-LM `theoretical_memory_usage.py`;
/// Megatron-Bridge for experts.
pub fn fullest_stage(
    parameters: &Parameters,
    layers: u64,
    tied_embeddings: bool,
    parallel: &Parallel,
    balanced: bool,
) -> Shard {
    let share = |of: f64| ratio(of, layers as f64).min(1.0);
    let ends = if parallel.pipeline > 1 && !tied_embeddings { 2.0 } else { 1.0 };
    let embedding = parameters.embedding as f64 / (ends * at_least_one(parallel.tensor));
    let end = stage(parameters, share(stage_layers(layers, parallel.pipeline, balanced)), embedding, parallel);
    if !balanced || parallel.pipeline <= 2 {
        return end;
    }
    let middle = stage(parameters, share((layers as f64 + 2.0) / at_least_one(parallel.pipeline)), 0.0, parallel);
    if middle.dense + middle.experts > end.dense + end.experts { middle } else { end }
}

/// Bytes on the fullest GPU, experts sharded over the replicas of an expert and the rest over `D c`.
///
/// Source: Megatron-Bridge memory estimator; formula as [`states`].
pub fn stage_states(shard: &Shard, parallel: &Parallel, sharding: Sharding, bytes: &StateBytes) -> States {
    let replicas = at_least_one(parallel.data) * at_least_one(parallel.context);
    let dense = sharded(shard.dense, replicas, sharding, bytes);
    dense.plus(&sharded(shard.experts, parallel.expert_data(), sharding, bytes))
}

/// Bytes of the layer ZeRO-3 gathers to compute with: 4 B times its parameters (weight and gradient). Source: DeepSpeed
/// estimators.
pub fn gathered_layer(largest_layer: f64) -> f64 {
    4.0 * largest_layer
}

/// A stage with a share of all layers and some parameters of the embeddings.
fn stage(parameters: &Parameters, share: f64, embedding: f64, parallel: &Parallel) -> Shard {
    let split = (parameters.attention as f64 + parameters.mlp as f64) / at_least_one(parallel.tensor);
    let copied = parameters.norms as f64 + parameters.router as f64 + parameters.latent as f64;
    let per_expert_rank = at_least_one(parallel.expert) * at_least_one(parallel.expert_tensor);
    Shard { dense: (split + copied) * share + embedding, experts: parameters.experts as f64 * share / per_expert_rank }
}

fn sharded(params: f64, replicas: f64, sharding: Sharding, bytes: &StateBytes) -> States {
    let (weights, gradients, optimizer) = match sharding {
        Sharding::None => (1.0, 1.0, 1.0),
        Sharding::Zero1 | Sharding::MegatronDistributed => (1.0, 1.0, replicas),
        Sharding::Zero2 => (1.0, replicas, replicas),
        Sharding::Zero3 | Sharding::Fsdp => (replicas, replicas, replicas),
    };
    States {
        weights: params * bytes.weights / weights,
        gradients: params * bytes.gradients / gradients,
        optimizer: params * bytes.optimizer / optimizer,
    }
}

fn at_least_one(size: u64) -> f64 {
    size.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::shape::Parameters;
    use super::{Parallel, Sharding, StateBytes, fullest_stage, gathered_layer, stage_layers, stage_states, states};

    const GIB: f64 = 1_073_741_824.0;

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn zero_figure_one() {
        // ZeRO paper, figure 1: 7.5 B parameters on 64 GPUs.
        let gb = |sharding| states(7.5e9, 1, 1, 64, sharding, &StateBytes::MIXED).total() / 1e9;
        near(gb(Sharding::None), 120.0, 0.001);
        near(gb(Sharding::Zero1), 31.4, 0.01);
        near(gb(Sharding::Zero2), 16.6, 0.005);
        near(gb(Sharding::Zero3), 1.9, 0.02);
        near(gb(Sharding::Fsdp), 1.9, 0.02);
    }

    #[test]
    fn deepspeed_estimators() {
        // DeepSpeed documentation: T5-large on 4 GPUs, 3291 MiB; T5-3B with the optimizer on the host, 0.78 and 5.31
        // GiB.
        let t5_large = states(737.67e6, 1, 1, 4, Sharding::Zero3, &StateBytes::MIXED_FP32_GRADIENTS);
        near((t5_large.total() + gathered_layer(32.9e6)) / 1_048_576.0, 3291.0, 0.001);
        let weights_only = StateBytes { weights: 2.0, gradients: 0.0, optimizer: 0.0 };
        let t5_3b = states(2851e6, 1, 1, 8, Sharding::Zero3, &weights_only);
        near((t5_3b.total() + gathered_layer(32e6)) / GIB, 0.78, 0.01);
        near(states(2851e6, 1, 1, 8, Sharding::Zero2, &weights_only).total() / GIB, 5.31, 0.001);
    }

    #[test]
    fn other_conventions() {
        // QLoRA paper: 780 GB at 65.2 B. PEFT README: T0-3B 47.14 GB measured. torchtitan: 8 to 128 GPUs saves 15.4
        // GiB.
        near(65.2 * StateBytes::NO_MASTER.total(), 780.0, 0.01);
        near(2.85 * StateBytes::FP32.total(), 47.14, 0.04);
        let at = |gpus| states(8_030_261_248.0, 1, 1, gpus, Sharding::Fsdp, &StateBytes::MIXED).total() / GIB;
        near(at(8) - at(128), 15.4, 0.1);
    }

    #[test]
    fn megatron_stage_without_embedding() {
        // BigScience 104B: 64 layers of 11600 on 4 x 32 shards, about 14.5 GB of states at 18 B.
        let params = 64.0 * (12.0 * 11600.0 * 11600.0 + 13.0 * 11600.0);
        let bytes = Sharding::MegatronDistributed.usual_bytes();
        near(states(params, 4, 32, 1, Sharding::MegatronDistributed, &bytes).total() / 1e9, 14.5, 0.01);
    }

    #[test]
    fn experts_shard_over_their_own_replicas() {
        let parameters =
            Parameters { embedding: 80, attention: 400, latent: 0, mlp: 400, experts: 6400, router: 10, norms: 10 };
        let parallel = Parallel { tensor: 2, pipeline: 2, data: 8, context: 1, expert: 4, expert_tensor: 1 };
        let shard = fullest_stage(&parameters, 4, false, &parallel, false);
        assert_eq!((shard.dense, shard.experts), (200.0 + 10.0 + 20.0, 800.0));
        assert_eq!((parallel.gpus(), parallel.expert_data()), (32, 4.0));
        let total = stage_states(&shard, &parallel, Sharding::Zero1, &StateBytes::MIXED).total();
        near(total, 230.0 * (4.0 + 12.0 / 8.0) + 800.0 * (4.0 + 12.0 / 4.0), 1e-12);
    }

    #[test]
    fn balanced_stages() {
        // BLOOM: 70 layers and two embeddings on 12 stages: six a stage, five beside an embedding.
        assert_eq!(
            (stage_layers(70, 12, true), stage_layers(70, 1, true), stage_layers(70, 10, false)),
            (5.0, 70.0, 7.0)
        );
        let parallel = Parallel { tensor: 1, pipeline: 4, data: 1, context: 1, expert: 1, expert_tensor: 1 };
        let with = |embedding| {
            let parameters =
                Parameters { embedding, attention: 100, latent: 0, mlp: 0, experts: 0, router: 0, norms: 0 };
            fullest_stage(&parameters, 10, true, &parallel, true).dense
        };
        assert_eq!((with(5), with(50)), (30.0, 70.0));
    }

    #[test]
    fn sizes_of_zero_count_as_one() {
        assert_eq!(states(1.0, 0, 0, 0, Sharding::Zero3, &StateBytes::MIXED).total(), 16.0);
    }
}
