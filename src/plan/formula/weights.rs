//! Bytes of weights: precisions, a precision per tensor class, and what is left for the cache.

use super::round::{div_ceil, product, ratio};
use super::shape::{Parameters, Shape};

/// How a tensor is stored, scales included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 4 B.
    Fp32,
    /// 2 B.
    Bf16,
    /// 2 B.
    Fp16,
    /// 1 B; block scales are below 0.1 %.
    Fp8,
    /// 1 B.
    Int8,
    /// 4 bits with an 8-bit scale for 32 values.
    Mxfp4,
    /// 4 bits with an fp8 scale for 16 values.
    Nvfp4,
    /// 4 bits with a 16-bit scale and a 4-bit zero for each group.
    Int4 {
        /// Values that share a scale; 0 counts as no scales.
        group: u64,
    },
}

impl Precision {
    /// Bytes a parameter: 4, 2, 2, 1, 1, 0.53125, 0.5625 and `0.5 + 2.5/group` (0.5195 at 128).
    ///
    /// Kernel layouts may pad, see [`ClassPrecision::of`]. Source: OCP Microscaling specification; NVIDIA NVFP4
    /// description; AutoAWQ and GPTQ file layouts.
    pub fn bytes(self) -> f64 {
        match self {
            Self::Fp32 => 4.0,
            Self::Bf16 | Self::Fp16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Mxfp4 => 0.5 + 1.0 / 32.0,
            Self::Nvfp4 => 0.5 + 1.0 / 16.0,
            Self::Int4 { group: 0 } => 0.5,
            Self::Int4 { group } => 0.5 + 2.5 / group as f64,
        }
    }
}

/// Values that the kernels of MXFP4 experts take at once: the width of their input is filled up to a multiple. Source:
/// vLLM load logs of gpt-oss-120b on H100 (64.4 GiB, width 2880).
const MXFP4_TILE: u64 = 256;

/// Precision of each tensor class; published checkpoints are mixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassPrecision {
    /// Embeddings and output head.
    pub embedding: Precision,
    /// Attention projections.
    pub attention: Precision,
    /// Dense feed-forward layers and shared experts.
    pub mlp: Precision,
    /// Routed experts.
    pub experts: Precision,
    /// Routers and norms.
    pub small: Precision,
    /// Bytes of routed experts as the kernels lay them out over those in the file, at least 1.
    pub padding: f64,
}

impl ClassPrecision {
    /// Every class alike. Source: arithmetic.
    pub fn uniform(precision: Precision) -> Self {
        Self {
            embedding: precision,
            attention: precision,
            mlp: precision,
            experts: precision,
            small: precision,
            padding: 1.0,
        }
    }

    /// What an engine loads of a model in a format: 16 and 32 bits are uniform; quantisers leave embeddings, head,
    /// routers and norms in 16 bits; those that make MXFP4 of a mixture leave all but its experts, whose rows the
    /// kernels fill up to 256 values.
    ///
    /// Source: vLLM load logs.
    pub fn of(precision: Precision, shape: &Shape) -> Self {
        match precision {
            Precision::Fp32 | Precision::Bf16 | Precision::Fp16 => Self::uniform(precision),
            Precision::Mxfp4 if shape.experts.is_some() => {
                let filled = product([div_ceil(shape.hidden, MXFP4_TILE), MXFP4_TILE]);
                let padding = if shape.hidden == 0 { 1.0 } else { ratio(filled as f64, shape.hidden as f64) };
                Self { padding, ..Self::experts_only(precision) }
            }
            Precision::Fp8 | Precision::Int8 | Precision::Int4 { .. } | Precision::Mxfp4 | Precision::Nvfp4 => {
                Self::linears(precision)
            }
        }
    }

    /// Linear layers quantised; embeddings, head, routers and norms in 16 bits, as quantisers leave them by default.
    /// Source: vLLM load logs of 4-bit and FP8 checkpoints (one byte for all of Llama-405B-FP8 is 18 % low).
    pub fn linears(precision: Precision) -> Self {
        Self { embedding: Precision::Bf16, small: Precision::Bf16, ..Self::uniform(precision) }
    }

    /// Only routed experts quantised, as in gpt-oss. Source: gpt-oss model card.
    pub fn experts_only(precision: Precision) -> Self {
        Self { experts: precision, ..Self::uniform(Precision::Bf16) }
    }
}

/// Bytes of all weights: sum over the classes of parameters times bytes.
///
/// Error 1.2 % on ten engine logs. Source: vLLM "model weights take" lines.
pub fn weight_bytes(parameters: &Parameters, precision: &ClassPrecision) -> f64 {
    split_bytes(parameters, precision) + copied_bytes(parameters, precision)
}

/// Bytes of weights on one GPU of a tensor-parallel group: `split/t + copied`; routers, norms and the projections into
/// the vectors of latent attention are copied.
///
/// A size of 0 counts as 1. Source: vLLM load logs.
pub fn weight_bytes_per_gpu(parameters: &Parameters, precision: &ClassPrecision, tensor: u64) -> f64 {
    split_bytes(parameters, precision) / tensor.max(1) as f64 + copied_bytes(parameters, precision)
}

/// Bytes of the routed experts alone, of which a decode step reads only some. Source: arithmetic.
pub fn expert_bytes(parameters: &Parameters, precision: &ClassPrecision) -> f64 {
    parameters.experts as f64 * precision.experts.bytes() * precision.padding
}

/// Bytes left for the key-value cache on one GPU: `total * utilisation - weights - non_torch - activation peak`.
///
/// Negative when the model does not fit; never round that up to 0. CUDA graphs (0.3 to 2.5 GiB) come out of what
/// `utilisation` leaves. Any one unit of bytes. Error below 1 % on five logs. Source: vLLM memory profiling log.
pub fn cache_budget(total: f64, utilisation: f64, weights: f64, non_torch: f64, activation: f64) -> f64 {
    total * utilisation - weights - non_torch - activation
}

/// Memory by the common rule of thumb, `parameters * bytes * 1.2`: no cache term, for comparison only. Source: vLLM
/// recipes.
pub fn rule_of_thumb(parameters: f64, precision: Precision) -> f64 {
    parameters * precision.bytes() * 1.2
}

fn split_bytes(parameters: &Parameters, precision: &ClassPrecision) -> f64 {
    parameters.embedding as f64 * precision.embedding.bytes()
        + parameters.attention as f64 * precision.attention.bytes()
        + parameters.mlp as f64 * precision.mlp.bytes()
        + expert_bytes(parameters, precision)
}

fn copied_bytes(parameters: &Parameters, precision: &ClassPrecision) -> f64 {
    (parameters.router as f64 + parameters.norms as f64) * precision.small.bytes()
        + parameters.latent as f64 * precision.attention.bytes()
}

#[cfg(test)]
mod tests {
    use super::super::shape::Parameters;
    use super::{ClassPrecision, Precision, cache_budget, rule_of_thumb, weight_bytes, weight_bytes_per_gpu};

    const GIB: f64 = 1_073_741_824.0;

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    fn parameters(embedding: u64, linear: u64, experts: u64) -> Parameters {
        Parameters { embedding, attention: 0, latent: 0, mlp: linear, experts, router: 0, norms: 0 }
    }

    #[test]
    fn bytes_of_the_precisions() {
        assert_eq!((Precision::Mxfp4.bytes(), Precision::Nvfp4.bytes()), (0.53125, 0.5625));
        near(Precision::Int4 { group: 128 }.bytes(), 0.5195, 0.0001);
        assert_eq!(Precision::Int4 { group: 0 }.bytes(), 0.5);
    }

    #[test]
    fn engine_logs() {
        // vLLM logs: Qwen2.5-32B on two GPUs 30.71 GiB; Qwen2.5-7B in 4 bits 5.20 GiB; gpt-oss-120b 64.38 GiB (padded
        // layouts).
        let qwen32 = parameters(1_557_135_360, 32_763_876_352 - 1_557_135_360, 0);
        near(weight_bytes_per_gpu(&qwen32, &ClassPrecision::uniform(Precision::Bf16), 2) / GIB, 30.71, 0.015);
        let qwen7 = parameters(2 * 152_064 * 3584, 7_615_616_512 - 2 * 152_064 * 3584, 0);
        near(weight_bytes(&qwen7, &ClassPrecision::linears(Precision::Int4 { group: 128 })) / GIB, 5.2032, 0.02);
        let oss = parameters(1_158_266_880, 1_000_000_000, 114_630_781_760);
        near(weight_bytes(&oss, &ClassPrecision::experts_only(Precision::Mxfp4)) / GIB, 64.38, 0.08);
        near(
            weight_bytes(&parameters(0, 108_310_000, 0), &ClassPrecision::uniform(Precision::Fp32)) / 1_048_576.0,
            413.18,
            0.001,
        );
    }

    #[test]
    fn ledger_of_the_engine() {
        // vLLM logs: 7.71 GiB on L40S, 3.06 on a 12 GB card, 0.13 on A100-40 (that start failed), and a refusal on 8
        // GB.
        near(cache_budget(44.42, 0.9, 30.71, 0.3, 1.26), 7.71, 0.01);
        near(cache_budget(12.0, 0.95, 7.56, 0.04, 0.74), 3.06, 0.01);
        near(cache_budget(39.38, 0.95, 34.43, 0.34, 2.51), 0.13, 0.02);
        assert!(cache_budget(8.0, 0.70, 5.2032, 0.03, 1.42) < 0.0);
        // vLLM recipes: Seed-OSS-36B, 86 GB.
        near(rule_of_thumb(36.0, Precision::Bf16), 86.0, 0.01);
    }
}
