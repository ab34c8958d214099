//! Arithmetic of a training run: FLOP per token, utilisation, time, pipeline bubble and strong scaling.

use super::round::ratio;

/// Which pairs of tokens the attention kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mask {
    /// All pairs, as many published utilisations count.
    Full,
    /// Only earlier tokens: half of the pairs.
    Causal,
}

/// What the quoted FLOP of an iteration include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Forward and backward pass only.
    Model,
    /// One more forward pass: full recomputation.
    Hardware,
}

/// FLOP of the attention core for one token, forward: `4 L w s` (full) or `2 L w s` (causal).
///
/// w is heads times head width. Source: Kaplan et al. 2020; PaLM, Chowdhery et al. 2022, appendix B.
pub fn attention_flops_per_token(layers: u64, width: u64, sequence: u64, mask: Mask) -> f64 {
    let pairs = match mask {
        Mask::Full => 4.0,
        Mask::Causal => 2.0,
    };
    pairs * layers as f64 * width as f64 * sequence as f64
}

/// FLOP per token forward: `2 N` plus [`attention_flops_per_token`]. N is the active parameters. Source: Kaplan et al.
/// 2020.
pub fn forward_flops_per_token(parameters: f64, layers: u64, width: u64, sequence: u64, mask: Mask) -> f64 {
    2.0 * parameters + attention_flops_per_token(layers, width, sequence, mask)
}

/// FLOP per trained token: three forward passes, so `6 N + 12 L w s` (full) or `6 N + 6 L w s` (causal).
///
/// N is the active parameters of a mixture of experts. Say which mask was counted: the attention term differs by two.
/// Reproduces published MFU within 0.5 %; 6 to 15 % low for mixtures with few active parameters. Source: PaLM,
/// Chowdhery et al. 2022, appendix B.
pub fn train_flops_per_token(parameters: f64, layers: u64, width: u64, sequence: u64, mask: Mask) -> f64 {
    3.0 * forward_flops_per_token(parameters, layers, width, sequence, mask)
}

/// FLOP of one iteration of a GPT with f = 4h: `72 B s L h^2 (1 + s/(6h) + V/(12 L h))`; 96 and `V/(16 L h)` with full
/// recomputation.
///
/// B is the global batch in sequences; full attention is counted; 0 when a size is 0. Source: Narayanan et al. 2021
/// (SC21), equation 3.
pub fn iteration_flops(batch: u64, sequence: u64, layers: u64, hidden: u64, vocab: u64, counted: Counted) -> f64 {
    let (layers, hidden, sequence) = (layers as f64, hidden as f64, sequence as f64);
    if layers == 0.0 || hidden == 0.0 {
        return 0.0;
    }
    let (factor, head) = match counted {
        Counted::Model => (72.0, 12.0),
        Counted::Hardware => (96.0, 16.0),
    };
    let relative = 1.0 + sequence / (6.0 * hidden) + vocab as f64 / (head * layers * hidden);
    factor * batch as f64 * sequence * layers * hidden * hidden * relative
}

/// Hardware FLOP over model FLOP under selective recomputation: `(1 + s/(3h) + V/(12 L h)) / (1 + s/(6h) + V/(12 L
/// h))`.
///
/// 1 when a size is 0. Within 0.15 % of the published pairs. Source: Korthikanti et al. 2022, appendix A.
pub fn selective_hardware_ratio(sequence: u64, layers: u64, hidden: u64, vocab: u64) -> f64 {
    let (layers, hidden, sequence) = (layers as f64, hidden as f64, sequence as f64);
    if layers == 0.0 || hidden == 0.0 {
        return 1.0;
    }
    let head = vocab as f64 / (12.0 * layers * hidden);
    (1.0 + sequence / (3.0 * hidden) + head) / (1.0 + sequence / (6.0 * hidden) + head)
}

/// Model FLOP utilisation: `flops_per_token * tokens_per_s / (n * peak)`.
///
/// `tokens_per_s` is of all GPUs, `peak` the dense FLOP/s of one. Source: PaLM, Chowdhery et al. 2022, appendix B.
pub fn utilisation(flops_per_token: f64, tokens_per_s: f64, gpus: u64, peak: f64) -> f64 {
    ratio(flops_per_token * tokens_per_s, gpus as f64 * peak)
}

/// Tokens a second of all GPUs: `n * peak * MFU / flops_per_token`. Source: PaLM, Chowdhery et al. 2022, appendix B.
pub fn tokens_per_second(flops_per_token: f64, gpus: u64, peak: f64, mfu: f64) -> f64 {
    ratio(gpus as f64 * peak * mfu, flops_per_token)
}

/// Seconds for an amount of arithmetic: `flops / (n * peak * MFU)`; infinite on no GPUs.
///
/// Error 1.3 % with a measured rate, 11 % with an assumed MFU. Source: Narayanan et al. 2021 (SC21), equation 4.
pub fn seconds(flops: f64, gpus: u64, peak: f64, mfu: f64) -> f64 {
    ratio(flops, gpus as f64 * peak * mfu)
}

/// Share of the time a pipeline works: `m/(m + (p-1)/v)`.
///
/// m micro-batches of a replica, p stages, v chunks a GPU; 0 counts as 1. An upper bound: under-filled pipelines are
/// 35-40 % worse (BLOOM batch ramp-up). Source: Narayanan et al. 2021 (SC21), section 2.2.
pub fn pipeline_efficiency(micro_batches: u64, pipeline: u64, chunks: u64) -> f64 {
    let full = micro_batches.max(1) as f64;
    full / (full + (pipeline.max(1) as f64 - 1.0) / chunks.max(1) as f64)
}

/// A published pair of runs of one problem on few and on many GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalingPoint {
    /// The workload.
    pub workload: &'static str,
    /// GPUs of the small run.
    pub from: u64,
    /// GPUs of the large run.
    pub to: u64,
    /// Throughput per GPU of the large run over that of the small one.
    pub kept: f64,
    /// Where it is from.
    pub source: &'static str,
}

/// Pre-training of GPT-3 175B. Source: MLPerf Training 3.1 logs.
pub const SCALING_GPT3: ScalingPoint = ScalingPoint {
    workload: "GPT-3 175B pre-training",
    from: 512,
    to: 10752,
    kept: 0.71,
    source: "MLPerf Training 3.1 logs, H100 FP8",
};
/// Pre-training of Llama 3.1 405B. Source: MLPerf Training 5.0 logs.
pub const SCALING_LLAMA: ScalingPoint = ScalingPoint {
    workload: "Llama 3.1 405B pre-training",
    from: 512,
    to: 8192,
    kept: 0.87,
    source: "MLPerf Training 5.0 logs, H100 FP8",
};
/// LoRA fine-tuning of Llama 2 70B. Source: MLPerf Training 4.0 logs.
pub const SCALING_LORA: ScalingPoint = ScalingPoint {
    workload: "Llama 2 70B LoRA",
    from: 8,
    to: 1024,
    kept: 0.60,
    source: "MLPerf Training 4.0 logs, H100 FP8",
};

/// Share of the per-GPU throughput kept when one problem goes from `from` to `to` GPUs.
///
/// Formula: the loss of the published pair, in proportion to the doublings, at least 0; 1 when `to` is not larger. Weak
/// scaling (more data with more GPUs) loses less. Source: MLPerf Training logs, see the constants; the interpolation is
/// an assumption.
pub fn scaling_kept(from: u64, to: u64, point: &ScalingPoint) -> f64 {
    if to <= from || from == 0 {
        return 1.0;
    }
    let reference = doublings(ratio(point.to as f64, point.from as f64));
    let loss = ratio((1.0 - point.kept) * doublings(ratio(to as f64, from as f64)), reference);
    (1.0 - loss).max(0.0)
}

/// Logarithm to base 2 of a number from 1 on, straight lines between the powers of two (at most 0.086 low).
fn doublings(mut x: f64) -> f64 {
    let mut whole = 0.0;
    while x >= 2.0 && whole < 1024.0 {
        x /= 2.0;
        whole += 1.0;
    }
    whole + (x - 1.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::{
        Counted, Mask, SCALING_GPT3, SCALING_LLAMA, SCALING_LORA, iteration_flops, pipeline_efficiency, scaling_kept,
        seconds, selective_hardware_ratio, tokens_per_second, train_flops_per_token, utilisation,
    };

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn utilisation_of_llm_foundry() {
        // llm-foundry tables (full attention): parameters, layers, hidden, sequence, GPUs, tokens/s, peak, MFU.
        let rows = [
            (6_658_859_008.0, 32, 4096, 2048, 8, 85144.0, 989e12, 0.4644),
            (6_918_905_856.0, 32, 4096, 65536, 8, 15654.0, 989e12, 0.2859),
            (29_975_214_080.0, 48, 7168, 2048, 8, 7330.0, 312e12, 0.5530),
            (64_862_437_376.0, 80, 8192, 2048, 128, 135_490.0, 989e12, 0.4336),
        ];
        for (parameters, layers, hidden, sequence, gpus, rate, peak, mfu) in rows {
            let flops = train_flops_per_token(parameters, layers, hidden, sequence, Mask::Full);
            near(utilisation(flops, rate, gpus, peak), mfu, 0.001);
            near(tokens_per_second(flops, gpus, peak, mfu), rate, 0.001);
        }
    }

    #[test]
    fn iteration_of_bloom_and_mt_nlg() {
        // BLOOM: 149.02 TFLOP/s at 105.22 s. MT-NLG: 44.4 s on 3360 GPUs at 113 TFLOP/s.
        let bloom = iteration_flops(2048, 2048, 70, 14336, 250_880, Counted::Hardware);
        near(bloom / 105.22 / 384.0 / 1e12, 149.02, 0.001);
        let mtnlg = iteration_flops(1920, 2048, 105, 20480, 50272, Counted::Hardware);
        near(seconds(mtnlg, 3360, 113e12, 1.0), 44.4, 0.01);
        assert_eq!(iteration_flops(1, 1, 0, 1, 1, Counted::Model), 0.0);
    }

    #[test]
    fn hardware_over_model_utilisation() {
        // Korthikanti et al., table 5: 51.4/52.8, 56.0/57.0, 56.3/57.0.
        near(51.4 * selective_hardware_ratio(2048, 96, 12288, 51200), 52.8, 0.002);
        near(56.0 * selective_hardware_ratio(2048, 105, 20480, 51200), 57.0, 0.002);
        near(56.3 * selective_hardware_ratio(2048, 128, 25600, 51200), 57.0, 0.002);
    }

    #[test]
    fn days_of_sc21() {
        // Narayanan et al. 2021: 1 T on 3072 GPUs in 84 days, 175 B on 384 in 84, ZeRO-3 530 B on 2240 in 140 (8 T P /
        // n X).
        let days = |params: f64, tokens: f64, gpus, rate| seconds(8.0 * params * tokens, gpus, rate, 1.0) / 86400.0;
        near(days(1008e9, 450e9, 3072, 163e12), 84.0, 0.01);
        near(days(174.6e9, 300e9, 384, 153e12), 84.0, 0.02);
        near(days(529.6e9, 300e9, 2240, 48e12), 140.0, 0.03);
    }

    #[test]
    fn hours_of_llama() {
        // LLaMA 1 65B 1,022,362 GPU-hours at an assumed 45 %; Llama 3.1 405B 30.84 M at 35 %.
        near(seconds(6.0 * 65.2e9 * 1.4e12, 1, 312e12, 0.45) / 3600.0, 1_022_362.0, 0.07);
        near(seconds(6.0 * 405.85e9 * 15.6e12, 1, 989e12, 0.35) / 3600.0, 30.84e6, 0.02);
        assert_eq!(seconds(1.0, 0, 1.0, 1.0), f64::INFINITY);
    }

    #[test]
    fn bubble_is_an_upper_bound() {
        // BLOOM at global batch 16: 13.5 TFLOP/s computed from the full-speed 149, 8.04 measured.
        let computed = 149.0 * pipeline_efficiency(1, 12, 1) / pipeline_efficiency(128, 12, 1);
        near(computed, 13.48, 0.01);
        assert!(computed > 8.04);
        assert!(pipeline_efficiency(8, 4, 2) > pipeline_efficiency(8, 4, 1));
    }

    #[test]
    fn strong_scaling_meets_its_points() {
        for point in [SCALING_GPT3, SCALING_LLAMA, SCALING_LORA] {
            near(scaling_kept(point.from, point.to, &point), point.kept, 1e-12);
        }
        assert_eq!(scaling_kept(64, 64, &SCALING_GPT3), 1.0);
        assert!(scaling_kept(512, 2048, &SCALING_GPT3) > 0.85);
    }
}
