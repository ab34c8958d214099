//! One serving replica as the roofline sees it: a model on the GPUs that hold one copy of it.

use super::round::{power, ratio};

/// A model on `gpus` GPUs, all figures of the whole replica unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replica {
    /// GPUs that hold one copy, n.
    pub gpus: u64,
    /// Stages that its layers are divided into, S: 1 within a node.
    pub stages: u64,
    /// Layers, L.
    pub layers: u64,
    /// Width of the residual stream, h.
    pub hidden: u64,
    /// Width of the attention core, heads times head width.
    pub attention_width: u64,
    /// Parameters a token uses.
    pub active_parameters: f64,
    /// Bytes of weights every step reads: all but routed experts.
    pub dense_bytes: f64,
    /// Bytes of all routed experts.
    pub expert_bytes: f64,
    /// Routed experts of a layer, E; 0 for a dense model.
    pub experts: u64,
    /// Routed experts a token visits, k.
    pub experts_per_token: u64,
    /// Memory bandwidth of one GPU, bytes/s.
    pub bandwidth: f64,
    /// Dense arithmetic of one GPU at the precision of the matrix products, FLOP/s.
    pub peak: f64,
}

impl Replica {
    /// GPUs that share a layer, those of a stage: `n / S`. Source: arithmetic.
    pub fn tensor(&self) -> f64 {
        ratio(self.gpus as f64, self.stages.max(1) as f64)
    }

    /// Bytes of weights a decode step of `batch` tokens reads: dense ones plus the experts touched.
    ///
    /// Formula: share of experts touched `1 - (1 - k/E)^B`, exact for uniform routing. At B = 1 this is the active
    /// weights, at large B all. Source: expectation of uniform draws; gpt-fast reads active weights at batch 1
    /// (Mixtral).
    pub fn weights_read(&self, batch: u64) -> f64 {
        let missed = (1.0 - ratio(self.experts_per_token as f64, self.experts as f64)).clamp(0.0, 1.0);
        if self.experts == 0 {
            self.dense_bytes + self.expert_bytes
        } else {
            self.dense_bytes + self.expert_bytes * (1.0 - power(missed, batch))
        }
    }

    /// Bytes of all weights. Source: arithmetic.
    pub fn weight_bytes(&self) -> f64 {
        self.dense_bytes + self.expert_bytes
    }

    /// Bytes a GPU sends and receives in one ring all-reduce of `tokens` 16-bit activations: `2 (t-1)/t * 2 h tokens`
    /// among the t GPUs that share a layer; 0 on one. Source: NCCL tests, PERFORMANCE.md.
    pub fn ring_bytes(&self, tokens: f64) -> f64 {
        let gpus = self.tensor().max(1.0);
        2.0 * (gpus - 1.0) / gpus * 2.0 * self.hidden as f64 * tokens
    }

    /// All-reduces of one pass through the layers: two a layer, none where one GPU has it. Source: Megatron-LM, Shoeybi et al.
    /// 2019.
    pub fn all_reduces(&self) -> f64 {
        if self.tensor() > 1.0 { 2.0 * self.layers as f64 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Replica;

    fn mixtral() -> Replica {
        Replica {
            gpus: 1,
            stages: 1,
            layers: 32,
            hidden: 4096,
            attention_width: 4096,
            active_parameters: 12.88e9,
            dense_bytes: 1.6e9,
            expert_bytes: 45.1e9,
            experts: 8,
            experts_per_token: 2,
            bandwidth: 2.039e12,
            peak: 312e12,
        }
    }

    #[test]
    fn experts_are_read_as_they_are_touched() {
        // gpt-fast, Mixtral in int8: active weights (12.9 GB) at batch 1; all 46.7 GB at a large batch.
        assert!((mixtral().weights_read(1) / 12.88e9 - 1.0).abs() < 0.002);
        assert!((mixtral().weights_read(64) / 46.7e9 - 1.0).abs() < 1e-6);
        assert!(mixtral().weights_read(4) < mixtral().weights_read(8));
    }

    #[test]
    fn one_gpu_does_not_reduce() {
        assert_eq!((mixtral().ring_bytes(64.0), mixtral().all_reduces()), (0.0, 0.0));
        assert_eq!(Replica { gpus: 2, ..mixtral() }.ring_bytes(1.0), 2.0 * 4096.0);
        assert_eq!(Replica { experts: 0, ..mixtral() }.weights_read(1), 46.7e9);
    }
}
