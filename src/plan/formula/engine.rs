//! What a serving engine needs besides weights and cache, and how it takes prompts.

use super::round::product;
use super::shape::Shape;

/// Longest context whose prompts an engine takes whole. Source: vLLM, chunked prefill is on from 32k of context.
pub const WHOLE_PROMPTS: u64 = 32_768;
/// Tokens of a pass where longer prompts are taken in pieces. Source: vLLM, `max_num_batched_tokens` of large GPUs.
pub const PIECE: u64 = 8192;
/// Tokens of a pass of an engine that always takes pieces, on small GPUs. Source: vLLM 1, `max_num_batched_tokens`.
pub const SMALL_PIECE: u64 = 2048;
/// Sequences an engine takes at once by default. Source: vLLM, `max_num_seqs`.
pub const SEQUENCES: u64 = 256;
/// The same on large GPUs. Source: vLLM 1, defaults for GPUs of 70 GiB or more other than A100.
const MANY_SEQUENCES: u64 = 1024;
/// Memory from which a GPU is a large one. Source: vLLM 1.
const LARGE: f64 = 70.0 * 1_073_741_824.0;
/// Least peak of a model with a tower for images: one pass over the largest image. Source: a vLLM log of a 72B model on
/// four A100-40GB.
const IMAGE: f64 = 2.5 * 1_073_741_824.0;
/// Sequences TensorRT-LLM takes at once by default. Source: TensorRT-LLM, `max_batch_size`.
const TENSORRT_SEQUENCES: u64 = 2048;
/// Bytes for each entry of the vocabulary and sequence while tokens are drawn: logits, sorted copies, indices. Source:
/// vLLM memory profiling logs of Llama 3 8B (41) and Qwen2.5 (35 to 39) with 256 sequences.
const SAMPLER: f64 = 40.0;
/// The same without sorting.
const SAMPLER_PLAIN: f64 = 12.0;
/// Highest over computed peak. Source: vLLM memory profiling logs.
const HIGHEST: f64 = 1.15;
/// Tokens that the kernels of experts take at once. Source: vLLM, fused mixture kernels.
const EXPERT_TOKENS: u64 = 32_768;

/// Bytes of the highest point of a pass, on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// As computed, prompts taken whole up to 32k of context.
    pub value: f64,
    /// With prompts in small pieces and a plain sampler.
    pub low: f64,
    /// Where the allocator rounds up.
    pub high: f64,
}

/// Tokens of the largest pass: the whole context up to 32k of it, pieces of 8k beyond.
///
/// A longer context may therefore need less. Source: vLLM; an engine log with 29k on 24 GB that needs more than one with
/// 35k.
pub fn pass_tokens(context: u64) -> u64 {
    if context > WHOLE_PROMPTS { PIECE } else { context.max(SMALL_PIECE) }
}

/// Sequences that an engine takes at once by default on a GPU of so much memory.
///
/// vLLM's default explains what it keeps on large GPUs beside weights and cache: 7 to 9 GiB for gpt-oss-120b, Qwen3-235B
/// and Kimi-K2. Source: the engines' documentation; vLLM load logs.
pub fn sequences(engine: &str, memory: f64, architecture: Option<&str>) -> u64 {
    match engine {
        "tensorrt-llm" => TENSORRT_SEQUENCES,
        "vllm" if memory >= LARGE && architecture != Some("ampere") => MANY_SEQUENCES,
        _ => SEQUENCES,
    }
}

/// Sequences that the sampler has memory for: TensorRT-LLM samples in place. Source: as [`sequences`].
pub fn sampled(engine: &str, memory: f64, architecture: Option<&str>) -> u64 {
    if engine == "tensorrt-llm" { SEQUENCES } else { sequences(engine, memory, architecture) }
}

/// The larger of a layer's widest point for all tokens of a pass and the sampler's for all sequences.
///
/// The widest point of 16-bit values is three times the stream (it, its sum, the layer's input) and the feed-forward
/// layer before and after its gate, `3 f/t`; experts hold `k` rows of `max(2 f/t, h) + f/t`. The sampler has the whole
/// vocabulary on each GPU. Llama 3.1 8B: 2.99 GiB at 29k, 1.26 at 8k. Source: vLLM memory profiling logs.
pub fn activation_peak(shape: &Shape, tensor: u64, context: u64, sequences: u64) -> Peak {
    let sampler = |bytes: f64, sequences: u64| sequences as f64 * shape.vocab as f64 * bytes;
    let value = layer(shape, tensor, pass_tokens(context)).max(sampler(SAMPLER, sequences));
    Peak {
        value,
        low: layer(shape, tensor, SMALL_PIECE).max(sampler(SAMPLER_PLAIN, sequences.min(SEQUENCES))).min(value),
        high: value * HIGHEST,
    }
}

/// The peak of a model that also reads images. Source: vLLM memory profiling logs.
pub fn with_images(peak: Peak) -> Peak {
    Peak { value: peak.value.max(IMAGE), low: peak.low, high: peak.high.max(IMAGE * HIGHEST) }
}

fn layer(shape: &Shape, tensor: u64, tokens: u64) -> f64 {
    let (tensor, hidden) = (tensor.max(1) as f64, shape.hidden as f64);
    let stream = product([3, shape.hidden]) as f64;
    let dense = if shape.expert_layers() < shape.layers || shape.experts.is_none() {
        let matrices = if shape.gated { 3.0 } else { 2.0 };
        tokens as f64 * matrices * shape.ffn as f64 / tensor
    } else {
        0.0
    };
    let mixture = shape.experts.map_or(0.0, |experts| {
        let (rows, ffn) = (tokens.min(EXPERT_TOKENS) as f64 * experts.per_token as f64, experts.ffn as f64 / tensor);
        rows * ((2.0 * ffn).max(hidden) + ffn)
    });
    2.0 * (tokens as f64 * stream + dense.max(mixture))
}

#[cfg(test)]
mod tests {
    use super::super::shape::{Attention, Norm, Shape};
    use super::{activation_peak, pass_tokens, sequences};

    const GIB: f64 = 1_073_741_824.0;

    fn llama_8b() -> Shape {
        Shape {
            layers: 32,
            hidden: 4096,
            heads: 32,
            kv_heads: 8,
            head_dim: 128,
            ffn: 14336,
            vocab: 128_256,
            gated: true,
            tied_embeddings: false,
            positions: 0,
            biases: false,
            norm: Norm::Rms,
            experts: None,
            attention: Attention::Full,
        }
    }

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn engine_logs_of_llama() {
        // vLLM: 1.26 GiB with 8k on one and on two GPUs; 2.99 GiB with 29k; 0.92 GiB less with 20k.
        let peak = |tensor, context| activation_peak(&llama_8b(), tensor, context, 256).value / GIB;
        near(peak(1, 8192), 1.26, 0.04);
        near(peak(2, 8192), 1.26, 0.04);
        near(peak(1, 29_000), 2.99, 0.01);
        near(peak(1, 29_000) - peak(1, 20_000), 0.92, 0.02);
        assert!(peak(1, 35_000) < peak(1, 29_000));
    }

    #[test]
    fn bars_hold_the_value() {
        for context in [1, 2048, 32_768, 32_769, 1_000_000] {
            let peak = activation_peak(&llama_8b(), 1, context, 256);
            assert!(peak.low <= peak.value && peak.value <= peak.high, "{peak:?}");
        }
        assert_eq!((pass_tokens(100), pass_tokens(20_000), pass_tokens(40_000)), (2048, 20_000, 8192));
        let on = |engine, memory: f64, architecture| sequences(engine, memory * GIB, Some(architecture));
        assert_eq!((on("vllm", 24.0, "ada"), on("vllm", 79.1, "hopper"), on("vllm", 79.1, "ampere")), (256, 1024, 256));
        assert_eq!((on("tensorrt-llm", 79.1, "hopper"), on("tgi", 79.1, "hopper")), (2048, 256));
        let peak = activation_peak(&llama_8b(), 1, 4096, 256);
        assert!(super::with_images(peak).value > 2.0 * peak.value);
    }
}
