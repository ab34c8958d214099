//! Time of a prompt: what stands between a request and its first token.

use super::compute::{Mask, forward_flops_per_token};
use super::constants::Constants;
use super::replica::Replica;
use super::round::ratio;

/// Seconds to process a prompt of `tokens` on an idle replica.
///
/// Formula: `(2 N s + 2 L w s^2)/(n peak eta)`, causal attention, plus two all-reduces a layer of `2 h s` bytes, over
/// the derate; n are the GPUs that share a layer, as a prompt passes stages one after the other. Error -5 % on one GPU, -34 % on two GPUs over PCIe: a lower bound with tensor parallelism. Source:
/// Kaplan et al. 2020; kipply's transformer inference arithmetic.
pub fn seconds(replica: &Replica, constants: &Constants, tokens: u64) -> f64 {
    let length = tokens as f64;
    let each = forward_flops_per_token(
        replica.active_parameters,
        replica.layers,
        replica.attention_width,
        tokens,
        Mask::Causal,
    );
    let arithmetic = ratio(each * length, replica.tensor() * replica.peak * constants.prefill);
    ratio(arithmetic + communication(replica, constants, length), constants.derate)
}

/// Seconds a prompt token takes from a replica that is always busy: `2 N/(n peak eta)` plus its bytes in the
/// all-reduces; stages work on different prompts at the same time.
///
/// Without attention, because the efficiency was fitted so; on prompts far above 20k tokens use [`seconds`] over the
/// length. Source: fit to the TensorRT-LLM performance overview.
pub fn seconds_per_token(replica: &Replica, constants: &Constants) -> f64 {
    let arithmetic = ratio(2.0 * replica.active_parameters, replica.gpus as f64 * replica.peak * constants.prefill);
    let bytes = ratio(bytes_time(replica, constants, 1.0), replica.stages.max(1) as f64);
    ratio(arithmetic + bytes, constants.derate)
}

fn communication(replica: &Replica, constants: &Constants, tokens: f64) -> f64 {
    replica.all_reduces() * constants.latency + bytes_time(replica, constants, tokens)
}

fn bytes_time(replica: &Replica, constants: &Constants, tokens: f64) -> f64 {
    if replica.tensor() > 1.0 { replica.all_reduces() * ratio(replica.ring_bytes(tokens), constants.link) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::constants::Constants;
    use super::super::replica::Replica;
    use super::{seconds, seconds_per_token};

    fn replica(gpus: u64) -> Replica {
        Replica {
            gpus,
            stages: 1,
            layers: 40,
            hidden: 5120,
            attention_width: 5120,
            active_parameters: 12.85e9,
            dense_bytes: 25.7e9,
            expert_bytes: 0.0,
            experts: 0,
            experts_per_token: 0,
            bandwidth: 1.555e12,
            peak: 312e12,
        }
    }

    #[test]
    fn two_gpus_are_a_lower_bound() {
        // kipply's transformer inference arithmetic, A100-40GB on two GPUs: 45.45 ms for 512 tokens (1.39 times faster
        // than one).
        let constants = Constants {
            bandwidth: 0.75,
            decode: 0.7,
            prefill: 0.7,
            link: 20e9,
            latency: 25e-6,
            host: 0.0,
            derate: 1.0,
        };
        let two = seconds(&replica(2), &constants, 512);
        assert!(two < 0.0556 && two > 0.030, "{two}");
        let one = seconds(&replica(1), &constants, 512);
        assert!((one / 0.0626 - 1.0).abs() < 0.05, "{one}");
    }

    #[test]
    fn long_prompts_grow_faster_than_their_length() {
        let constants = Constants {
            bandwidth: 0.75,
            decode: 0.7,
            prefill: 0.7,
            link: 240e9,
            latency: 25e-6,
            host: 0.0,
            derate: 1.0,
        };
        assert!(seconds(&replica(1), &constants, 32768) > 8.0 * seconds(&replica(1), &constants, 4096));
        let each = seconds_per_token(&replica(1), &constants);
        assert!((each / (2.0 * 12.85e9 / (312e12 * 0.7)) - 1.0).abs() < 1e-12);
        assert_eq!(seconds_per_token(&replica(0), &constants), f64::INFINITY);
    }
}
