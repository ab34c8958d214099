//! Bytes that a GPU of a training run exchanges with other nodes in an optimizer step.
//!
//! Ranks are placed as Megatron-LM places them: tensor innermost, then context, data, pipeline. What fits into a node stays
//! in it.

use super::collectives::{Collective, expert_parallel_bytes, pipeline_bytes, tensor_parallel_bytes, wire_factor};
use super::round::{ceil_units, div_ceil, product, ratio};
use super::states::{Parallel, Shard, Sharding, StateBytes};

/// What decides the traffic of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrafficInput {
    /// How the run is divided.
    pub parallel: Parallel,
    /// GPUs of a node.
    pub node: u64,
    /// Parameters on the fullest stage.
    pub shard: Shard,
    /// How states are spread.
    pub sharding: Sharding,
    /// Bytes of the states of a parameter.
    pub bytes: StateBytes,
    /// Tokens of an optimizer step.
    pub batch: f64,
    /// Micro-batches of a copy in a step.
    pub micro_batches: u64,
    /// Width of the residual stream.
    pub hidden: u64,
    /// Key-value heads times the width of a head.
    pub key_value_width: u64,
    /// Layers of a stage.
    pub layers: f64,
    /// Layers of a stage that have experts.
    pub expert_layers: f64,
    /// Experts that a token visits.
    pub experts_per_token: u64,
}

/// Bytes by what they are for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Gradients and weights among the copies of the model.
    pub data: f64,
    /// The same where weights are gathered once a step, not for every micro-batch.
    pub data_once: f64,
    /// Activations between stages.
    pub pipeline: f64,
    /// Activations within layers.
    pub tensor: f64,
    /// Keys and values of a sequence that several GPUs share.
    pub context: f64,
    /// Tokens to their experts and back.
    pub expert: f64,
}

impl Traffic {
    /// All of it. Source: arithmetic.
    pub fn total(&self) -> f64 {
        self.data + self.pipeline + self.tensor + self.context + self.expert
    }

    /// All of it, weights gathered once a step. Source: arithmetic.
    pub fn least(&self) -> f64 {
        self.total() - self.data + self.data_once
    }
}

/// Ranks of a kind inside a node, and how many nodes they are spread over.
#[derive(Debug, Clone, Copy)]
struct Spread {
    inside: u64,
    nodes: u64,
}

impl Spread {
    fn of(ranks: u64, room: u64) -> Spread {
        let inside = ranks.clamp(1, room.max(1));
        Spread { inside, nodes: div_ceil(ranks.max(1), inside) }
    }

    /// `(k-1)/k`: the share of an operation that leaves a node.
    fn outside(self) -> f64 {
        wire_factor(Collective::AllGather, self.nodes)
    }
}

/// Bytes one GPU sends to other nodes in a step (and receives as many).
///
/// Copies: gradients G and weights W of the shard, hierarchical over `r` replicas in a node and `k` nodes: plain data
/// parallelism `2 (k-1)/k G/r`; ZeRO-1, ZeRO-2 and Megatron's distributed optimizer `(k-1)/k (G + W)/r`; ZeRO-3 and FSDP
/// `(k-1)/k m (2 W + G)/r` with m micro-batches, because weights are gathered for each. Stages: `4 s b h / t` over the
/// batch of a copy. Tensor, context and expert parallelism count only as far as they reach beyond a node. All numbers of
/// two bytes but for gradients. Source: ZeRO, Rajbhandari et al. 2020, section 7; Narayanan et al. 2021 (SC21), section 3;
/// Megatron-Core documentation for context and expert parallelism.
pub fn per_step(input: &TrafficInput) -> Traffic {
    let by = &input.parallel;
    let [tensor, context, stages, expert] = [by.tensor, by.context, by.pipeline, by.expert].map(|ranks| ranks.max(1));
    let room = input.node.max(1) / tensor.min(input.node.max(1));
    let in_layer = Spread::of(tensor, input.node);
    let in_sequence = Spread::of(context, room);
    let in_experts = Spread::of(expert, input.node);
    let of_rank = ratio(input.batch, product([by.data.max(1), context]) as f64);
    let of_copy = of_rank * context as f64;
    let shared = tensor as f64;
    Traffic {
        data: copies(input, input.micro_batches.max(1) as f64),
        data_once: copies(input, 1.0),
        pipeline: if stages > 1 { pipeline_bytes(of_rank, input.hidden) / shared } else { 0.0 },
        tensor: tensor_parallel_bytes(of_rank, input.hidden, input.layers, in_layer.nodes) / in_layer.inside as f64,
        context: 3.0 * in_sequence.outside() * of_copy * 4.0 * input.key_value_width as f64 / shared * input.layers,
        expert: expert_parallel_bytes(
            of_rank / shared,
            input.experts_per_token,
            input.hidden,
            input.expert_layers,
            in_experts.nodes,
        ),
    }
}

/// Gradients and weights among the copies, weights gathered so often in a step.
fn copies(input: &TrafficInput, gathers: f64) -> f64 {
    let by = &input.parallel;
    let room = |inner: u64| input.node.max(1) / inner.clamp(1, input.node.max(1));
    let dense = Spread::of(product([by.data.max(1), by.context.max(1)]), room(by.tensor));
    let experts = Spread::of(ceil_units(by.expert_data()), room(by.expert));
    let of = |parameters: f64, spread: Spread| {
        let (weights, gradients) = (parameters * input.bytes.weights, parameters * input.bytes.gradients);
        let whole = match input.sharding {
            Sharding::None => 2.0 * gradients,
            Sharding::Zero1 | Sharding::Zero2 | Sharding::MegatronDistributed => gradients + weights,
            Sharding::Zero3 | Sharding::Fsdp => gathers * (2.0 * weights + gradients),
        };
        spread.outside() * whole / spread.inside as f64
    };
    of(input.shard.dense, dense) + of(input.shard.experts, experts)
}

#[cfg(test)]
mod tests {
    use super::super::states::{Parallel, Shard, Sharding, StateBytes};
    use super::{TrafficInput, per_step};

    fn input(parallel: Parallel, sharding: Sharding) -> TrafficInput {
        TrafficInput {
            parallel,
            node: 8,
            shard: Shard { dense: 1e9, experts: 0.0 },
            sharding,
            bytes: StateBytes::MIXED,
            batch: 4_194_304.0,
            micro_batches: 4,
            hidden: 4096,
            key_value_width: 1024,
            layers: 32.0,
            expert_layers: 0.0,
            experts_per_token: 0,
        }
    }

    fn plain(tensor: u64, pipeline: u64, data: u64) -> Parallel {
        Parallel { tensor, pipeline, data, context: 1, expert: 1, expert_tensor: 1 }
    }

    fn near(actual: f64, expected: f64) {
        assert!((actual / expected - 1.0).abs() < 1e-9, "{actual} against {expected}");
    }

    #[test]
    fn a_node_talks_to_nobody() {
        let traffic = per_step(&input(plain(2, 1, 4), Sharding::Fsdp));
        assert_eq!((traffic.total(), traffic.least()), (0.0, 0.0));
    }

    #[test]
    fn gradients_go_once_round_the_nodes() {
        // 4 nodes of 8 copies: a shard of an eighth goes 2 (4-1)/4 times over each NIC.
        near(per_step(&input(plain(1, 1, 32), Sharding::None)).data, 2.0 * 0.75 * 2e9 / 8.0);
        near(per_step(&input(plain(1, 1, 32), Sharding::Zero1)).data, 0.75 * 4e9 / 8.0);
        let sharded = per_step(&input(plain(1, 1, 32), Sharding::Fsdp));
        near(sharded.data, 4.0 * sharded.data_once);
        near(sharded.data_once, 0.75 * 6e9 / 8.0);
    }

    #[test]
    fn stages_pass_activations_on() {
        let traffic = per_step(&input(plain(8, 4, 2), Sharding::Zero1));
        near(traffic.pipeline, 4.0 * 4_194_304.0 / 2.0 * 4096.0 / 8.0);
        assert_eq!((traffic.tensor, traffic.context, traffic.expert), (0.0, 0.0, 0.0));
    }

    #[test]
    fn layers_over_two_nodes_are_dear() {
        let over = per_step(&input(plain(16, 1, 2), Sharding::Zero1));
        // Four all-reduces of 2 s b h bytes a layer, each 2 (k-1)/k over k = 2 nodes, shared by eight NICs.
        near(over.tensor, 4.0 * 2.0 * 0.5 * 2.0 * 2_097_152.0 * 4096.0 * 32.0 / 8.0);
        assert!(over.tensor > 10.0 * over.data);
    }

    #[test]
    fn sequences_and_experts_over_nodes() {
        let long = Parallel { tensor: 4, pipeline: 1, data: 1, context: 8, expert: 1, expert_tensor: 1 };
        // Two of eight pieces in a node: three quarters of the keys and values come from elsewhere, three times.
        near(per_step(&input(long, Sharding::Zero1)).context, 3.0 * 0.75 * 4_194_304.0 * 4.0 * 1024.0 / 4.0 * 32.0);
        let mixture = Parallel { tensor: 1, pipeline: 1, data: 64, context: 1, expert: 64, expert_tensor: 1 };
        let input = TrafficInput { expert_layers: 32.0, experts_per_token: 8, ..input(mixture, Sharding::Zero1) };
        // Seven of eight nodes are elsewhere; two all-to-alls forward and two backward of 2 k h bytes a token and layer.
        near(per_step(&input).expert, 0.875 * 4.0 * 2.0 * 65_536.0 * 8.0 * 4096.0 * 32.0);
    }
}
