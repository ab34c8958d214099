//! Serving at saturation and under a latency promise: batch, throughput, concurrency, replicas.

use super::constants::Constants;
use super::decode;
use super::prefill;
use super::replica::Replica;
use super::round::{ceil_units, exceeds, floor_units, ratio};

/// Requests of one kind on one replica.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServingInput {
    /// The model and its GPUs.
    pub replica: Replica,
    /// Bytes of cache a token costs, all GPUs of the replica together (copies count).
    pub cache_per_token: f64,
    /// Bytes for the cache, all GPUs of the replica together.
    pub cache_bytes: f64,
    /// Tokens of a prompt, ISL.
    pub input_tokens: u64,
    /// Tokens of an answer, OSL.
    pub output_tokens: u64,
    /// Most sequences the scheduler takes.
    pub max_batch: u64,
}

/// What a replica does at one batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throughput {
    /// Sequences at a time.
    pub batch: u64,
    /// Seconds of a decode step alone.
    pub step: f64,
    /// Seconds between two tokens of one sequence, prompts of others in between included.
    pub token: f64,
    /// Seconds to the first token on an idle replica.
    pub first_token: f64,
    /// Seconds of replica time one request takes.
    pub request: f64,
    /// Tokens generated a second, all sequences.
    pub tokens_per_s: f64,
    /// Requests finished a second.
    pub requests_per_s: f64,
}

/// A latency promise, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// Time to the first token.
    pub first_token: f64,
    /// Time of each further token.
    pub token: f64,
}

/// Which part of a promise one replica cannot keep even for one sequence at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Missed {
    /// No sequence of this length fits in the cache.
    Memory {
        /// Bytes one sequence needs.
        needed: f64,
        /// Bytes there are.
        available: f64,
    },
    /// The prompt takes longer than the first token may.
    FirstToken {
        /// Seconds of the prompt.
        seconds: f64,
    },
    /// A step of one sequence takes longer than a token may.
    Token {
        /// Seconds of the step.
        seconds: f64,
    },
}

/// Sequences whose whole cache fits: `floor(cache / (per token * (ISL + OSL)))`, at most what the scheduler takes.
///
/// No sequence is ever evicted. 0 if none fits. Source: TensorRT-LLM guaranteed-no-evict scheduling.
pub fn memory_batch(input: &ServingInput) -> u64 {
    if input.cache_bytes <= 0.0 {
        return 0;
    }
    floor_units(ratio(input.cache_bytes, input.cache_per_token * length(input))).min(input.max_batch)
}

/// Throughput at `batch`: a request takes `ISL * prefill + OSL * t_step / batch` seconds of the replica.
///
/// The cache is read at `ISL + OSL/2` tokens a sequence. A batch of 0 gives 0 tokens a second. Mean error 5 % on the 17
/// rows of the fit, 5.5 % on 27 others (Hopper FP8, and Blackwell NVFP4 with its derate), at most 18 %. Source:
/// TensorRT-LLM performance overview.
pub fn throughput(input: &ServingInput, constants: &Constants, batch: u64) -> Throughput {
    let outputs = input.output_tokens as f64;
    let cache = input.cache_per_token * (input.input_tokens as f64 + outputs / 2.0);
    let step = decode::step(&input.replica, constants, batch, cache).seconds();
    let prompt = prefill::seconds_per_token(&input.replica, constants) * input.input_tokens as f64;
    let request = prompt + outputs * ratio(step, batch as f64);
    let tokens_per_s = if batch == 0 { 0.0 } else { ratio(outputs, request) };
    Throughput {
        batch,
        step,
        token: ratio(batch as f64, tokens_per_s).max(step),
        first_token: prefill::seconds(&input.replica, constants, input.input_tokens),
        request,
        tokens_per_s,
        requests_per_s: if batch == 0 { 0.0 } else { ratio(1.0, request) },
    }
}

/// Throughput at the largest batch that keeps the promise, or what cannot be kept.
///
/// The token time is the one with prompts of other requests in between, which is what a user sees; the first token is
/// that of an idle replica, so plan with a utilisation below 0.8. Found by halving: the time of a token grows with the
/// batch. Source: DistServe, Zhong et al. 2024, for the two promises; arithmetic.
pub fn under_promise(input: &ServingInput, constants: &Constants, promise: &Promise) -> Result<Throughput, Missed> {
    let most = memory_batch(input);
    if most == 0 {
        return Err(Missed::Memory { needed: input.cache_per_token * length(input), available: input.cache_bytes });
    }
    let one = throughput(input, constants, 1);
    if exceeds(one.first_token, promise.first_token) {
        return Err(Missed::FirstToken { seconds: one.first_token });
    }
    if exceeds(one.token, promise.token) {
        return Err(Missed::Token { seconds: one.token });
    }
    let (mut kept, mut beyond) = (1, most.saturating_add(1));
    while beyond - kept > 1 {
        let middle = kept + (beyond - kept) / 2;
        if exceeds(throughput(input, constants, middle).token, promise.token) {
            beyond = middle;
        } else {
            kept = middle;
        }
    }
    Ok(throughput(input, constants, kept))
}

/// Replicas for a load: `ceil(load / (throughput * utilisation))`, both in the same unit a second.
///
/// `u64::MAX` when one replica does nothing and there is a load. Source: arithmetic; keep the utilisation at 0.7 to
/// 0.8.
pub fn replicas(load: f64, throughput: f64, utilisation: f64) -> u64 {
    ceil_units(ratio(load, throughput * utilisation))
}

/// Seconds of a request at its user: `TTFT + (OSL - 1) TPOT`. Reproduces the TensorRT-LLM sample to 0.1 %. Source:
/// TensorRT-LLM benchmark guide.
pub fn latency(first_token: f64, token: f64, output_tokens: u64) -> f64 {
    first_token + output_tokens.saturating_sub(1) as f64 * token
}

/// Seconds that 95 of 100 requests wait at most for the prompts before them: `3 u s/(2 (1 - u))` with u = rate * s, endless
/// from u = 1 on.
///
/// A queue with one server and equal services; its tail is near exponential, so 95 % wait at most ln 20 = 3 times the
/// mean. Source: Pollaczek-Khinchine.
pub fn wait(requests_per_s: f64, prompt: f64) -> f64 {
    let busy = requests_per_s * prompt;
    if busy < 1.0 { 3.0 * busy * prompt / (2.0 * (1.0 - busy)) } else { f64::INFINITY }
}

/// Requests in the system by Little's law: `rate * latency`. Size for the peak rate. Source: Little 1961.
pub fn in_system(requests_per_s: f64, latency: f64) -> f64 {
    requests_per_s * latency
}

/// Tokens of cache that `requests` at once hold on average, `L (ISL + OSL/2)`. Source: arithmetic.
pub fn cached_tokens(requests: f64, input_tokens: u64, output_tokens: u64) -> f64 {
    requests * (input_tokens as f64 + output_tokens as f64 / 2.0)
}

/// Tokens of cache to reserve for `requests` at once, `L (ISL + OSL)`. Source: TensorRT-LLM guaranteed-no-evict
/// scheduling.
pub fn reserved_tokens(requests: f64, input_tokens: u64, output_tokens: u64) -> f64 {
    requests * (input_tokens as f64 + output_tokens as f64)
}

fn length(input: &ServingInput) -> f64 {
    input.input_tokens as f64 + input.output_tokens as f64
}

#[cfg(test)]
mod tests {
    use super::super::constants::serving;
    use super::super::replica::Replica;
    use super::{
        Missed, Promise, ServingInput, cached_tokens, in_system, latency, memory_batch, replicas, reserved_tokens,
        throughput, under_promise,
    };

    /// A Llama 3 in FP8 on Hopper; memory: 0.95 of the nominal size less 3 GB.
    fn input(size: u64, gpus: u64, memory: f64, bandwidth: f64, tokens: (u64, u64)) -> ServingInput {
        let (parameters, layers, hidden, per_token) = match size {
            405 => (405_853_388_800.0, 126, 16384, 258_048.0),
            70 => (70_553_706_496.0, 80, 8192, 163_840.0),
            _ => (8_030_261_248.0, 32, 4096, 65536.0),
        };
        let replica = Replica {
            gpus,
            stages: 1,
            layers,
            hidden,
            attention_width: hidden,
            active_parameters: parameters,
            dense_bytes: parameters,
            expert_bytes: 0.0,
            experts: 0,
            experts_per_token: 0,
            bandwidth,
            peak: 1979e12,
        };
        let cache_bytes = gpus as f64 * (0.95 * memory - 3e9) - parameters;
        ServingInput {
            replica,
            cache_per_token: per_token,
            cache_bytes,
            input_tokens: tokens.0,
            output_tokens: tokens.1,
            max_batch: 1024,
        }
    }

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn tensorrt_llm_on_hopper() {
        // TensorRT-LLM performance overview, FP8: model, GPUs, memory, bandwidth, ISL and OSL, batch, tokens/s
        // published.
        let rows = [
            (8, 1, 80e9, 3.35e12, (1000, 1000), 495, 15220.0, 0.10),
            (8, 1, 80e9, 3.35e12, (128, 2048), 455, 22714.0, 0.10),
            (8, 1, 141e9, 4.8e12, (128, 2048), 861, 26221.0, 0.20),
            (70, 2, 80e9, 3.35e12, (128, 2048), 211, 6651.0, 0.16),
            (70, 1, 141e9, 4.8e12, (2048, 128), 169, 442.0, 0.10),
            (405, 8, 80e9, 3.35e12, (1000, 1000), 345, 2919.0, 0.10),
            (405, 8, 80e9, 3.35e12, (5000, 500), 125, 610.0, 0.10),
            (405, 8, 141e9, 4.8e12, (128, 2048), 1024, 5348.0, 0.10),
        ];
        let (constants, _) = serving(&["hopper"], "fp8", "tensorrt-llm");
        for (size, gpus, memory, bandwidth, tokens, batch, published, tolerance) in rows {
            let input = input(size, gpus, memory, bandwidth, tokens);
            assert_eq!(memory_batch(&input), batch);
            near(throughput(&input, &constants, batch).tokens_per_s, published, tolerance);
        }
    }

    #[test]
    fn blackwell_with_its_derate() {
        // TensorRT-LLM performance overview, NVFP4 on four B200: 5209 tokens/s at 1000/1000.
        let mut input = input(405, 4, 180e9, 8e12, (1000, 1000));
        input.replica.peak = 9e15;
        input.replica.dense_bytes *= 0.5625;
        input.cache_bytes += 0.4375 * 405_853_388_800.0;
        assert_eq!(memory_batch(&input), 859);
        let (constants, _) = serving(&["blackwell"], "nvfp4", "tensorrt-llm");
        near(throughput(&input, &constants, 859).tokens_per_s, 5209.0, 0.15);
    }

    #[test]
    fn littles_law() {
        // TensorRT-LLM benchmark sample: 75,903 ms a request at 43.2 requests/s.
        let each = latency(52.667_033_9, 0.182_963_9, 128);
        near(each, 75.903_445_6, 0.001);
        near(in_system(43.2089, each), 3279.7, 0.001);
        assert_eq!((cached_tokens(2.0, 100, 100), reserved_tokens(2.0, 100, 100)), (300.0, 400.0));
    }

    #[test]
    fn largest_batch_that_keeps_the_promise() {
        let (constants, _) = serving(&["hopper"], "fp8", "tensorrt-llm");
        let input = input(70, 2, 80e9, 3.35e12, (1000, 500));
        let promise = Promise { first_token: 1.0, token: 0.040 };
        let found = under_promise(&input, &constants, &promise);
        let batch = found.as_ref().map_or(0, |found| found.batch);
        assert!(batch > 1 && batch < memory_batch(&input), "{found:?}");
        assert!(throughput(&input, &constants, batch).token <= 0.040);
        assert!(throughput(&input, &constants, batch + 1).token > 0.040);
        let hasty = under_promise(&input, &constants, &Promise { first_token: 1.0, token: 0.001 });
        assert!(matches!(hasty, Err(Missed::Token { .. })));
        let long = under_promise(&ServingInput { cache_bytes: -1.0, ..input }, &constants, &promise);
        assert!(matches!(long, Err(Missed::Memory { .. })));
        let eager = under_promise(&input, &constants, &Promise { first_token: 0.001, token: 1.0 });
        assert!(matches!(eager, Err(Missed::FirstToken { .. })));
    }

    #[test]
    fn replicas_round_up() {
        assert_eq!((replicas(300.0, 100.0, 0.75), replicas(301.0, 100.0, 0.75)), (4, 5));
        assert_eq!((replicas(0.0, 0.0, 0.75), replicas(1.0, 0.0, 0.75)), (0, u64::MAX));
    }

    #[test]
    fn waits_grow_without_end() {
        use super::wait;
        assert_eq!(wait(0.0, 0.1), 0.0);
        assert!((wait(5.0, 0.1) - 3.0 * 0.5 * 0.1).abs() < 1e-12);
        assert!(wait(9.0, 0.1) > 5.0 * wait(5.0, 0.1));
        assert_eq!(wait(10.0, 0.1), f64::INFINITY);
    }
}
