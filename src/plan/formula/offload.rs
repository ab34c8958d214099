//! Training states of DeepSpeed with parts in host memory.

use super::round::ratio;
use super::states::{StateBytes, gathered_layer};

/// What lives in host memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offload {
    /// Nothing.
    None,
    /// Gradients and optimizer.
    Optimizer,
    /// The parameters too, which only ZeRO-3 can.
    All,
}

/// Host bytes over those of the states: copies on their way. Source: DeepSpeed memory documentation.
pub const BUFFERS: f64 = 1.5;

/// Bytes of ZeRO-2 states on one GPU: `2 N + 16 N/n`, with gradients in 32 bits; `2 N` when gradients and optimizer are
/// on the host.
///
/// DeepSpeed's own estimator counts the gradient of a parameter whole as well: 4 N in place of 2 N without offload.
/// Source: DeepSpeed memory documentation.
pub fn zero2_device(params: f64, gpus: u64, offload: Offload) -> f64 {
    let bytes = StateBytes::MIXED_FP32_GRADIENTS;
    match offload {
        Offload::None => {
            2.0 * bytes.weights * params + ratio((bytes.gradients + bytes.optimizer) * params, gpus as f64)
        }
        Offload::Optimizer | Offload::All => bytes.weights * params,
    }
}

/// Bytes of ZeRO-3 states on one GPU, with the largest layer put together: `18 N/n`, `2 N/n` with the optimizer on the
/// host, none of them with all there. Source: DeepSpeed memory documentation.
pub fn zero3_device(params: f64, largest_layer: f64, gpus: u64, offload: Offload) -> f64 {
    let bytes = match offload {
        Offload::None => StateBytes::MIXED_FP32_GRADIENTS.total(),
        Offload::Optimizer => StateBytes::MIXED_FP32_GRADIENTS.weights,
        Offload::All => 0.0,
    };
    gathered_layer(largest_layer) + ratio(bytes * params, gpus as f64)
}

/// Host bytes of a node for ZeRO-2: `N max(4 n, 16) * 1.5` with the optimizer there, else what loading takes, `4 N` for
/// each GPU of the node. Source: DeepSpeed memory documentation.
pub fn zero2_host(params: f64, gpus_per_node: u64, nodes: u64, offload: Offload) -> f64 {
    let own = 4.0 * gpus_per_node as f64;
    let bytes = match offload {
        Offload::None => own,
        Offload::Optimizer | Offload::All => (own * nodes.max(1) as f64).max(16.0),
    };
    params * bytes * BUFFERS
}

/// Host bytes of a node for ZeRO-3, each GPU's process loading a whole copy first unless the parameters are made in
/// pieces: `N max(4 g, 18/k) * 1.5` with all there, `16/k` with the optimizer, `4 g` with nothing; in pieces `18/k`,
/// `16/k` and four bytes of the largest layer for each of the g GPUs.
///
/// k nodes. Source: DeepSpeed memory documentation.
pub fn zero3_host(
    params: f64,
    largest_layer: f64,
    gpus_per_node: u64,
    nodes: u64,
    offload: Offload,
    pieces: bool,
) -> f64 {
    let (own, share) = (4.0 * gpus_per_node as f64, 1.0 / nodes.max(1) as f64);
    let kept = match offload {
        Offload::None => 0.0,
        Offload::Optimizer => 16.0 * share,
        Offload::All => 18.0 * share,
    };
    match (pieces, offload) {
        (true, Offload::None) => largest_layer * own * BUFFERS,
        (true, Offload::Optimizer | Offload::All) => params * kept * BUFFERS,
        (false, _) => params * own.max(kept) * BUFFERS,
    }
}

#[cfg(test)]
mod tests {
    use super::{Offload, zero2_device, zero2_host, zero3_device, zero3_host};

    const GIB: f64 = 1_073_741_824.0;

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn deepspeed_documentation() {
        // T5-3B on one node of eight: 2851 million parameters, 32 million in the largest layer.
        near(zero2_device(2851e6, 8, Offload::Optimizer) / GIB, 5.31, 0.001);
        near(zero2_host(2851e6, 8, 1, Offload::Optimizer) / GIB, 127.45, 0.001);
        near(zero3_device(2851e6, 32e6, 8, Offload::Optimizer) / GIB, 0.78, 0.005);
        near(zero3_device(737.67e6, 32.9e6, 4, Offload::None) / 1_048_576.0, 3291.0, 0.001);
        near(zero3_host(2851e6, 32e6, 8, 1, Offload::All, true), 2851e6 * 27.0, 1e-12);
        assert!(zero3_device(2851e6, 32e6, 8, Offload::All) < zero3_device(2851e6, 32e6, 8, Offload::Optimizer));
    }
}
