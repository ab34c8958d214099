//! Collectives: bytes on the wire, time, and what a training step moves.

use super::round::ratio;

/// An operation all ranks take part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collective {
    /// Every rank ends with the sum.
    AllReduce,
    /// Every rank ends with a part of the sum.
    ReduceScatter,
    /// Every rank ends with everything.
    AllGather,
    /// Every rank has something for every other.
    AllToAll,
}

/// Bytes a rank moves over bytes of the operation: `2(n-1)/n` for all-reduce, `(n-1)/n` for the others; 0 up to one
/// rank.
///
/// Holds for every point-to-point algorithm; in-switch reduction moves about once the bytes. Source: NCCL tests,
/// PERFORMANCE.md.
pub fn wire_factor(collective: Collective, ranks: u64) -> f64 {
    let ranks = ranks.max(1) as f64;
    let share = (ranks - 1.0) / ranks;
    match collective {
        Collective::AllReduce => 2.0 * share,
        Collective::ReduceScatter | Collective::AllGather | Collective::AllToAll => share,
    }
}

/// Seconds of a ring among equals: `factor * S / rate + latency`.
///
/// `rate` is what a rank reaches in one direction, about 0.8 of its links. Error 3 % on five measurements. Source: NCCL
/// tests, PERFORMANCE.md.
pub fn seconds(collective: Collective, bytes: f64, ranks: u64, rate: f64, latency: f64) -> f64 {
    let moved = wire_factor(collective, ranks) * bytes;
    if moved == 0.0 { 0.0 } else { ratio(moved, rate) + latency }
}

/// GPUs in nodes, with rates of one GPU in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    /// GPUs of a node, g.
    pub gpus: u64,
    /// Nodes, k.
    pub nodes: u64,
    /// Bytes/s a GPU reaches inside the node.
    pub inside: f64,
    /// Bytes/s a GPU reaches through its NIC.
    pub outside: f64,
}

/// Seconds of a hierarchical all-reduce: inside `2(g-1)/g S / inside`, between nodes `2(k-1)/k S/g / outside`.
///
/// The larger of the two when they overlap (pipelined, as NCCL does on large messages), else their sum. Within 0.1 % of
/// a 4 GiB all-reduce on 4 x 8 B200 with 0.73 of the NIC rate. Source: nccl-tests results on B200; Thakur et al. 2005
/// for the scheme.
pub fn hierarchical_seconds(bytes: f64, domain: &Domain, overlap: bool) -> f64 {
    let inside = ratio(wire_factor(Collective::AllReduce, domain.gpus) * bytes, domain.inside);
    let shard = bytes / domain.gpus.max(1) as f64;
    let between = ratio(wire_factor(Collective::AllReduce, domain.nodes) * shard, domain.outside);
    if overlap { inside.max(between) } else { inside + between }
}

/// Seconds of one flat ring over all NICs of the nodes: `2(n-1)/n S / (g outside)`. Source: NCCL tests, PERFORMANCE.md.
pub fn flat_seconds(bytes: f64, domain: &Domain) -> f64 {
    let ranks = domain.gpus.saturating_mul(domain.nodes);
    ratio(wire_factor(Collective::AllReduce, ranks) * bytes, domain.gpus as f64 * domain.outside)
}

/// Bytes a GPU moves in a step for data parallelism: `2 (D-1)/D` times its gradients. Source: ZeRO, Rajbhandari et al.
/// 2020, section 7.
pub fn data_parallel_bytes(gradient_bytes: f64, data: u64) -> f64 {
    wire_factor(Collective::AllReduce, data) * gradient_bytes
}

/// Bytes a GPU moves in a step for ZeRO-3 or FSDP: two all-gathers and a reduce-scatter, 1.5 times data parallelism.
/// Source: ZeRO, Rajbhandari et al. 2020, section 7.
pub fn sharded_bytes(parameter_bytes: f64, data: u64) -> f64 {
    3.0 * wire_factor(Collective::AllGather, data) * parameter_bytes
}

/// Bytes a GPU moves in a step for tensor parallelism: four all-reduces of `2 s b h` bytes a layer and micro-batch,
/// forward and backward.
///
/// `tokens` are those of all micro-batches of the replica, `layers` those of the stage. The same with sequence
/// parallelism. Source: Shoeybi et al. 2019; Korthikanti et al. 2022.
pub fn tensor_parallel_bytes(tokens: f64, hidden: u64, layers: f64, tensor: u64) -> f64 {
    4.0 * wire_factor(Collective::AllReduce, tensor) * 2.0 * tokens * hidden as f64 * layers
}

/// Bytes that cross one pipeline boundary in a step: `2 s b h` forward and as much backward, for all tokens of the
/// replica. Source: Narayanan et al. 2021 (SC21), section 3.
pub fn pipeline_bytes(tokens: f64, hidden: u64) -> f64 {
    2.0 * 2.0 * tokens * hidden as f64
}

/// Bytes a GPU moves in a step for expert parallelism: two all-to-alls forward and two backward of `tokens k h` values
/// of two bytes a layer. Source: Megatron-Core mixture of experts documentation.
pub fn expert_parallel_bytes(tokens: f64, per_token: u64, hidden: u64, layers: f64, expert: u64) -> f64 {
    4.0 * wire_factor(Collective::AllToAll, expert) * 2.0 * tokens * per_token as f64 * hidden as f64 * layers
}

/// Bytes/s a GPU needs from its NIC: `exposed bytes / (step * overlap) / efficiency`.
///
/// `overlap` is the share of the step that may hide traffic, `efficiency` about 0.75. Infinite when either is 0.
/// Source: nccl-tests results on B200 for the efficiency; arithmetic.
pub fn nic_rate(bytes: f64, step_seconds: f64, overlap: f64, efficiency: f64) -> f64 {
    ratio(ratio(bytes, step_seconds * overlap), efficiency)
}

#[cfg(test)]
mod tests {
    use super::{
        Collective, Domain, data_parallel_bytes, expert_parallel_bytes, flat_seconds, hierarchical_seconds, nic_rate,
        pipeline_bytes, seconds, sharded_bytes, tensor_parallel_bytes, wire_factor,
    };

    const FOUR_GIB: f64 = 4_294_967_296.0;

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn one_node() {
        // nccl-tests on 8 B200: 4 GiB in 10.15 ms at 740.64 GB/s; ml-engineering: A100 235 GB/s of 300, B200 ring 682
        // of 900.
        near(seconds(Collective::AllReduce, FOUR_GIB, 8, 740.64e9, 0.0) * 1e3, 10.15, 0.001);
        near(0.8 * 300.0, 234.89, 0.03);
        near(0.8 * 900.0, 682.2, 0.06);
        assert_eq!(seconds(Collective::AllReduce, FOUR_GIB, 1, 1.0, 1.0), 0.0);
    }

    #[test]
    fn four_nodes() {
        // nccl-tests on 4 x 8 B200 with 400 Gb/s NICs: 4 GiB in 22.05 ms.
        let domain = Domain { gpus: 8, nodes: 4, inside: 720e9, outside: 0.73 * 50e9 };
        near(hierarchical_seconds(FOUR_GIB, &domain, true) * 1e3, 22.05, 0.001);
        assert!(hierarchical_seconds(FOUR_GIB, &domain, false) > 0.0225);
        near(flat_seconds(FOUR_GIB, &Domain { outside: 50e9, ..domain }) * 1e3, 20.8, 0.01);
    }

    #[test]
    fn volumes() {
        assert_eq!(wire_factor(Collective::AllToAll, 4), 0.75);
        // ZeRO paper: stage 3 moves 1.5 times what data parallelism moves.
        near(sharded_bytes(2.0, 64) / data_parallel_bytes(2.0, 64), 1.5, 1e-12);
        near(tensor_parallel_bytes(2048.0, 12288, 1.0, 8), 4.0 * 1.75 * 2.0 * 2048.0 * 12288.0, 1e-12);
        assert_eq!((tensor_parallel_bytes(1.0, 1, 1.0, 1), expert_parallel_bytes(1.0, 8, 1, 1.0, 1)), (0.0, 0.0));
        near(expert_parallel_bytes(1.0, 8, 10, 2.0, 2), 640.0, 1e-12);
        assert_eq!(pipeline_bytes(10.0, 2), 80.0);
        assert_eq!((nic_rate(75.0, 2.0, 0.5, 0.75), nic_rate(1.0, 0.0, 1.0, 1.0)), (100.0, f64::INFINITY));
    }
}
