//! Low-rank adapters: their parameters, the memory of a frozen base, and the arithmetic that freezing saves.

use super::compute::{Mask, attention_flops_per_token};
use super::states::StateBytes;

/// A linear layer that gets an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Input width.
    pub inputs: u64,
    /// Output width.
    pub outputs: u64,
}

/// How the frozen base is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// 4 B: what a loader does when nobody says otherwise.
    Fp32,
    /// 2 B.
    Half,
    /// 1 B.
    Int8,
    /// 4-bit NormalFloat with double quantisation, 4.127 bits.
    Nf4,
}

impl Base {
    /// Bytes a parameter of a linear layer. NF4: 4 bits + 8/64 + 32/(64 * 256). Source: QLoRA, Dettmers et al. 2023;
    /// PEFT README (fp32).
    pub fn bytes(self) -> f64 {
        match self {
            Self::Fp32 => 4.0,
            Self::Half => 2.0,
            Self::Int8 => 1.0,
            Self::Nf4 => (4.0 + 8.0 / 64.0 + 32.0 / (64.0 * 256.0)) / 8.0,
        }
    }

    /// Bytes a parameter of embeddings and head: 16 bits unless the base is in fp32. Source: bitsandbytes leaves them
    /// unquantised.
    pub fn embedding_bytes(self) -> f64 {
        match self {
            Self::Fp32 => 4.0,
            Self::Half | Self::Int8 | Self::Nf4 => 2.0,
        }
    }
}

/// Parameters of the adapters: `layers * sum r (inputs + outputs)`.
///
/// `targets` are those of one layer. Source: LoRA, Hu et al. 2021, section 4.
pub fn adapter_parameters(layers: u64, rank: u64, targets: &[Target]) -> u64 {
    let widths =
        targets.iter().fold(0_u64, |sum, target| sum.saturating_add(target.inputs).saturating_add(target.outputs));
    layers.saturating_mul(rank).saturating_mul(widths)
}

/// Bytes of training states of the adapters, `bytes.total()` a parameter (16 to 18). Source: LoRA, Hu et al. 2021; ZeRO
/// for the 16.
pub fn adapter_states(adapter_parameters: u64, bytes: &StateBytes) -> f64 {
    adapter_parameters as f64 * bytes.total()
}

/// Bytes of an adapter checkpoint in 16 bits, 2 B a parameter. Source: LoRA, Hu et al. 2021, section 4.2 (35 MB for
/// GPT-3 at r = 4).
pub fn adapter_checkpoint(adapter_parameters: u64) -> f64 {
    2.0 * adapter_parameters as f64
}

/// Bytes of the frozen base: linear layers at the base's precision, embeddings at 16 bits or more.
///
/// No gradients, no optimizer. Activations are not smaller than in full training except inside frozen layers; take them
/// from `activations` with full recomputation. Source: LoRA, Hu et al. 2021; QLoRA, Dettmers et al. 2023.
pub fn base_bytes(linear_parameters: f64, embedding_parameters: f64, base: Base) -> f64 {
    linear_parameters * base.bytes() + embedding_parameters * base.embedding_bytes()
}

/// FLOP per trained token with a frozen base: `4 N` (forward and input gradients) plus attention as in full training,
/// plus `2 N` and the attention's forward with full recomputation.
///
/// N is the base's active parameters; the adapters' own work is left out (below 1 %). Against MLPerf LoRA 70B the
/// attention term is between the published 8 L h s and this 12 L h s, 1 % of the total. Source: LoRA, Hu et al. 2021;
/// MLPerf Training 4.0 logs.
pub fn flops_per_token(parameters: f64, layers: u64, width: u64, sequence: u64, mask: Mask, recompute: bool) -> f64 {
    let forward_attention = attention_flops_per_token(layers, width, sequence, mask);
    let again = if recompute { 2.0 * parameters + forward_attention } else { 0.0 };
    4.0 * parameters + 3.0 * forward_attention + again
}

#[cfg(test)]
mod tests {
    use super::super::compute::Mask;
    use super::super::states::StateBytes;
    use super::{Base, Target, adapter_checkpoint, adapter_parameters, adapter_states, base_bytes, flops_per_token};

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn gpt3_adapter() {
        // LoRA paper, section 4.2: 35 MB of checkpoint and 350 GB of memory for GPT-3 at r = 4 on query and value.
        let square = Target { inputs: 12288, outputs: 12288 };
        let parameters = adapter_parameters(96, 4, &[square, square]);
        assert_eq!(parameters, 18_874_368);
        near(adapter_checkpoint(parameters) / 1_048_576.0, 35.0, 0.03);
        near((base_bytes(175e9, 0.0, Base::Half) + adapter_states(parameters, &StateBytes::MIXED)) / 1e9, 350.0, 0.01);
    }

    #[test]
    fn four_bit_base_on_one_card() {
        // QLoRA: 4.127 bits a parameter, 65 B on one 48 GB card.
        near(Base::Nf4.bytes() * 8.0, 4.127, 1e-4);
        let base = base_bytes(65.2e9 - 0.52e9, 0.52e9, Base::Nf4);
        assert!(base / 1e9 > 33.0 && base / 1e9 < 48.0 * 0.9, "{base}");
    }

    #[test]
    fn base_left_in_fp32() {
        // PEFT README on an A100-80GB with about 2.5 GB of activations: mt0-xxl 56 GB, bloomz-7b1 32 GB.
        near(base_bytes(12.9e9, 0.0, Base::Fp32) / 1e9 + 2.5, 56.0, 0.05);
        near(base_bytes(7.07e9, 0.0, Base::Fp32) / 1e9 + 2.5, 32.0, 0.05);
    }

    #[test]
    fn frozen_weights_save_a_third() {
        // MLPerf Training 4.0, Llama-2-70B LoRA on 8 H100: 2.138 samples/s of 8192 tokens at about 35 % of the FP8
        // peak.
        let flops = flops_per_token(68.98e9, 80, 8192, 8192, Mask::Causal, false);
        near(2.138 * 8192.0 * flops / (8.0 * 1979e12), 0.35, 0.04);
        near(flops_per_token(1.0, 0, 0, 0, Mask::Full, true), 6.0, 1e-12);
    }
}
