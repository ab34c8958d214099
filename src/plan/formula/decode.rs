//! Time of one decode step: one token for every sequence of the batch.

use super::constants::Constants;
use super::replica::Replica;
use super::round::{div_ceil, ratio};

/// Parts of a decode step, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Reading weights and cache.
    pub memory: f64,
    /// Matrix products.
    pub compute: f64,
    /// All-reduces of tensor parallelism.
    pub communication: f64,
    /// Host work.
    pub host: f64,
    /// Factor on the sum, from the derate.
    pub stretch: f64,
}

impl Step {
    /// Seconds of the step: `sqrt(memory^2 + compute^2)`, which overlap in part, then the rest.
    ///
    /// Added up, small batches come out too slow and large ones too fast; neither hides the other in whole. Source: fit
    /// to the TensorRT-LLM performance overview.
    pub fn seconds(&self) -> f64 {
        let both = (self.memory * self.memory + self.compute * self.compute).sqrt();
        (both + self.communication + self.host) * self.stretch
    }
}

/// Time of a step of `batch` sequences that each hold `cache` bytes of keys and values on average.
///
/// Formula: the root of the squares of `(W + B KV)/(n BW eta)` and `2 N B/(n peak eta_c)`, `+ 2 L (latency + ring/link) +
/// host`, the ring only from two GPUs on, all over the derate. W are the weights read ([`Replica::weights_read`]); `cache` sums over the GPUs, so
/// it counts copies. With S stages the batch passes them in S parts, one after the other: `(S W + B KV)/(n BW eta)`, the
/// products as before, all-reduces and host for each part, never less than one sequence a stage; what goes from stage to
/// stage is small and left out. Error 5.4 % at batch 1 (A100), 5 % tuned and 5.5 % held-out at saturation (Hopper FP8); +40 % on
/// Blackwell FP4 without its derate. Source: roofline after Pope et al. 2022;
/// all-reduce latency from gpt-fast.
pub fn step(replica: &Replica, constants: &Constants, batch: u64, cache: f64) -> Step {
    let (gpus, sequences, stages) = (replica.gpus as f64, batch as f64, replica.stages.max(1));
    let in_flight = div_ceil(batch, stages);
    let bytes = stages as f64 * replica.weights_read(in_flight) + sequences.max(stages as f64) * cache;
    let flops = 2.0 * replica.active_parameters * sequences.max(stages as f64);
    let reduce = constants.latency + ratio(replica.ring_bytes(in_flight as f64), constants.link);
    Step {
        memory: ratio(bytes, gpus * replica.bandwidth * constants.bandwidth),
        compute: ratio(flops, gpus * replica.peak * constants.decode),
        communication: if replica.tensor() > 1.0 { replica.all_reduces() * reduce } else { 0.0 },
        host: constants.host * stages as f64,
        stretch: ratio(1.0, constants.derate),
    }
}

/// Tokens a second of all sequences of a batch: `B / t_step`. Source: arithmetic.
pub fn tokens_per_second(replica: &Replica, constants: &Constants, batch: u64, cache: f64) -> f64 {
    ratio(batch as f64, step(replica, constants, batch, cache).seconds())
}

#[cfg(test)]
mod tests {
    use super::super::constants::{Constants, serving};
    use super::super::replica::Replica;
    use super::{step, tokens_per_second};

    fn dense(gpus: u64, layers: u64, hidden: u64, bytes: f64, bandwidth: f64) -> Replica {
        Replica {
            gpus,
            stages: 1,
            layers,
            hidden,
            attention_width: hidden,
            active_parameters: bytes / 2.0,
            dense_bytes: bytes,
            expert_bytes: 0.0,
            experts: 0,
            experts_per_token: 0,
            bandwidth,
            peak: 312e12,
        }
    }

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn gpt_fast_at_batch_one() {
        // gpt-fast README, A100-80GB bf16, tokens/s by tensor size.
        let (constants, _) = serving(&["a100", "ampere"], "bf16", "gpt-fast");
        let llama2_7b = [(1, 104.9), (2, 168.84), (4, 254.02), (8, 328.43)];
        let llama2_70b = [(2, 21.32), (4, 38.01), (8, 62.5)];
        for (gpus, published) in llama2_7b {
            near(
                tokens_per_second(&dense(gpus, 32, 4096, 13_214_687_232.0, 2.039e12), &constants, 1, 0.0),
                published,
                0.15,
            );
        }
        for (gpus, published) in llama2_70b {
            near(
                tokens_per_second(&dense(gpus, 80, 8192, 137_429_008_384.0, 2.039e12), &constants, 1, 0.0),
                published,
                0.15,
            );
        }
    }

    #[test]
    fn kipply_thirteen_billion() {
        // kipply's transformer inference arithmetic, A100-40GB: 22.0 ms on one GPU, 13.5 ms on two.
        let constants = Constants {
            bandwidth: 0.75,
            decode: 0.7,
            prefill: 0.7,
            link: 240e9,
            latency: 25e-6,
            host: 0.0,
            derate: 1.0,
        };
        for (gpus, published) in [(1, 22.0), (2, 13.5)] {
            near(step(&dense(gpus, 40, 5120, 25.7e9, 1.555e12), &constants, 1, 0.0).seconds() * 1e3, published, 0.05);
        }
    }

    #[test]
    fn stages_share_the_batch_and_not_the_time_of_a_token() {
        let (constants, _) = serving(&["h100", "hopper"], "fp8", "vllm");
        let node = dense(8, 80, 8192, 70e9, 3.35e12);
        let nodes = Replica { gpus: 16, stages: 2, ..node };
        let alone = |replica: &Replica| step(replica, &constants, 1, 1e6).seconds();
        // A token passes all layers, however many nodes these are on.
        assert!(alone(&nodes) >= alone(&node));
        // Twice the GPUs are at best twice as fast.
        let rate = |replica: &Replica, batch| tokens_per_second(replica, &constants, batch, 1e6);
        assert!(rate(&nodes, 128) <= 2.0 * rate(&node, 64) * 1.000_001);
    }

    #[test]
    fn no_gpus_take_for_ever() {
        let (constants, _) = serving(&[], "bf16", "");
        assert_eq!(step(&dense(0, 32, 4096, 1e9, 1e12), &constants, 1, 0.0).seconds(), f64::INFINITY);
    }
}
