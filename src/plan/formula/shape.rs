//! The shape of a transformer, and how many parameters it has of each class.

use super::round::{product, sum};

/// The published dimensions of a decoder.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Transformer layers, L.
    pub layers: u64,
    /// Width of the residual stream, h.
    pub hidden: u64,
    /// Query heads, a.
    pub heads: u64,
    /// Key-value heads, g; equal to `heads` without grouping.
    pub kv_heads: u64,
    /// Width of one head, d; `heads * head_dim` may differ from `hidden`.
    pub head_dim: u64,
    /// Width of the dense feed-forward layer, f.
    pub ffn: u64,
    /// Vocabulary, V, padded as it is stored.
    pub vocab: u64,
    /// True for gated feed-forward layers (SwiGLU, GeGLU): three matrices instead of two.
    pub gated: bool,
    /// True when input embedding and output head are one matrix.
    pub tied_embeddings: bool,
    /// Learned positions; 0 for rotary or ALiBi.
    pub positions: u64,
    /// True when every linear layer has a bias.
    pub biases: bool,
    /// Kind of the norms.
    pub norm: Norm,
    /// Mixture of experts, if any.
    pub experts: Option<Experts>,
    /// Kind of attention.
    pub attention: Attention,
}

/// Kind of a norm: how many vectors of `hidden` it stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// Scale only.
    Rms,
    /// Scale and shift.
    Layer,
}

/// Mixture of experts of the layers after the first dense ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Experts {
    /// Routed experts of a layer, E.
    pub count: u64,
    /// Routed experts a token visits, k.
    pub per_token: u64,
    /// Feed-forward width of one expert.
    pub ffn: u64,
    /// Experts every token visits.
    pub shared: u64,
    /// Leading layers that stay dense.
    pub dense_layers: u64,
}

/// Kind of attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Multi-head, grouped-query or multi-query over the whole context.
    Full,
    /// Multi-head latent attention: keys and values live in one compressed vector.
    Mla {
        /// Rank of the query compression; 0 when queries are not compressed.
        q_rank: u64,
        /// Rank of the key-value compression.
        kv_rank: u64,
        /// Head width without position.
        nope_dim: u64,
        /// Head width with rotary position.
        rope_dim: u64,
        /// Width of a value head.
        v_dim: u64,
    },
    /// Some layers see only the last `window` tokens.
    Sliding {
        /// Tokens such a layer sees.
        window: u64,
        /// Layers of that kind.
        layers: u64,
    },
}

/// Parameters by tensor class, the classes that quantisation and parallelism treat differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    /// Input embedding, output head if untied, learned positions.
    pub embedding: u64,
    /// Attention projections, but not those of `latent`.
    pub attention: u64,
    /// Projections into the compressed vectors of latent attention, which every GPU of a tensor group holds whole.
    pub latent: u64,
    /// Dense feed-forward layers and shared experts.
    pub mlp: u64,
    /// Routed experts.
    pub experts: u64,
    /// Routers, one row an expert.
    pub router: u64,
    /// Norms.
    pub norms: u64,
}

impl Parameters {
    /// All classes together; stops at `u64::MAX`. Source: arithmetic.
    pub fn total(&self) -> u64 {
        sum([self.embedding, self.attention, self.latent, self.mlp, self.experts, self.router, self.norms])
    }
}

impl Shape {
    /// All parameters.
    ///
    /// Formula per layer: attention `h a d + 2 h g d + a d h`; feed-forward `2 h f`, or `3 h f` gated; norms `2h` (RMS)
    /// or `4h` (layer norm); embeddings `V h`, twice if untied; expert layer `E` times the expert plus shared ones plus
    /// `h E` for the router. Unit: parameters. Valid for decoder-only models; multi-token-prediction heads and vision
    /// towers are extra. Within 0.2 % of 16 published counts, to the unit for MPT. Source: the terms of Megatron-LM
    /// `theoretical_memory_usage.py`; BLOOM README.
    pub fn parameters(&self) -> Parameters {
        self.count(self.experts.map_or(0, |experts| experts.count))
    }

    /// Parameters one token uses: as [`Shape::parameters`], with `k` routed experts instead of `E`.
    ///
    /// Both embeddings are counted, as in most model cards. Source: DeepSeek-V3 report (37 B of 671 B); Mixtral paper
    /// (12.9 B of 46.7 B).
    pub fn active_parameters(&self) -> Parameters {
        self.count(self.experts.map_or(0, |experts| experts.per_token.min(experts.count)))
    }

    /// Width of the attention core, `heads * head_dim`; for latent attention the mean of key and value width.
    ///
    /// The attention term of every FLOP formula uses it in place of h. Source: DeepSeek-V2 report for the latent case.
    pub fn attention_width(&self) -> u64 {
        match self.attention {
            Attention::Mla { nope_dim, rope_dim, v_dim, .. } => {
                product([self.heads, sum([nope_dim, rope_dim, v_dim])]) / 2
            }
            Attention::Full | Attention::Sliding { .. } => product([self.heads, self.head_dim]),
        }
    }

    /// Layers that hold routed experts. Source: arithmetic.
    pub fn expert_layers(&self) -> u64 {
        self.experts.map_or(0, |experts| self.layers.saturating_sub(experts.dense_layers))
    }

    fn count(&self, routed: u64) -> Parameters {
        let expert_layers = self.expert_layers();
        let (expert_ffn, shared, rows) = self.experts.map_or((0, 0, 0), |e| (e.ffn, e.shared, e.count));
        let dense = product([self.layers.saturating_sub(expert_layers), self.feed_forward(self.ffn)]);
        let shared = product([expert_layers, shared, self.feed_forward(expert_ffn)]);
        Parameters {
            embedding: self.embedding(),
            attention: product([self.layers, self.attention_layer()]),
            latent: product([self.layers, self.latent_layer()]),
            mlp: sum([dense, shared]),
            experts: product([expert_layers, routed, self.feed_forward(expert_ffn)]),
            router: product([expert_layers, self.hidden, rows]),
            norms: self.norms(),
        }
    }

    fn embedding(&self) -> u64 {
        let copies = if self.tied_embeddings { 1 } else { 2 };
        sum([product([copies, self.vocab, self.hidden]), product([self.positions, self.hidden])])
    }

    fn attention_layer(&self) -> u64 {
        match self.attention {
            Attention::Full | Attention::Sliding { .. } => self.grouped_attention(),
            Attention::Mla { q_rank, kv_rank, nope_dim, rope_dim, v_dim } => {
                let query_width = product([self.heads, sum([nope_dim, rope_dim])]);
                let query = product([if q_rank == 0 { self.hidden } else { q_rank }, query_width]);
                let expand = product([kv_rank, self.heads, sum([nope_dim, v_dim])]);
                sum([query, expand, product([self.heads, v_dim, self.hidden])])
            }
        }
    }

    fn latent_layer(&self) -> u64 {
        match self.attention {
            Attention::Full | Attention::Sliding { .. } => 0,
            Attention::Mla { q_rank, kv_rank, rope_dim, .. } => {
                product([self.hidden, sum([q_rank, kv_rank, rope_dim])])
            }
        }
    }

    fn grouped_attention(&self) -> u64 {
        let query = product([self.heads, self.head_dim]);
        let key_value = product([2, self.kv_heads, self.head_dim]);
        let biases = if self.biases { sum([query, key_value, self.hidden]) } else { 0 };
        sum([product([2, self.hidden, query]), product([self.hidden, key_value]), biases])
    }

    fn feed_forward(&self, width: u64) -> u64 {
        let inputs = if self.gated { 2 } else { 1 };
        let biases = if self.biases { sum([product([inputs, width]), self.hidden]) } else { 0 };
        sum([product([inputs + 1, self.hidden, width]), biases])
    }

    fn norms(&self) -> u64 {
        let vectors = match self.norm {
            Norm::Rms => 1,
            Norm::Layer => 2,
        };
        let latent = match self.attention {
            Attention::Mla { q_rank, kv_rank, .. } => product([self.layers, sum([q_rank, kv_rank])]),
            Attention::Full | Attention::Sliding { .. } => 0,
        };
        let stream = product([vectors, self.hidden, sum([product([2, self.layers]), 1])]);
        sum([stream, latent])
    }
}

#[cfg(test)]
mod tests {
    use super::{Attention, Experts, Norm, Shape};

    fn llama(layers: u64, hidden: u64, heads: u64, kv_heads: u64, ffn: u64, vocab: u64) -> Shape {
        Shape {
            layers,
            hidden,
            heads,
            kv_heads,
            head_dim: 128,
            ffn,
            vocab,
            gated: true,
            tied_embeddings: false,
            positions: 0,
            biases: false,
            norm: Norm::Rms,
            experts: None,
            attention: Attention::Full,
        }
    }

    fn mpt(layers: u64, hidden: u64, heads: u64) -> Shape {
        Shape {
            head_dim: hidden / heads,
            kv_heads: heads,
            gated: false,
            tied_embeddings: true,
            positions: 2048,
            biases: true,
            norm: Norm::Layer,
            ..llama(layers, hidden, heads, heads, 4 * hidden, 50368)
        }
    }

    fn routed(shape: Shape, count: u64, per_token: u64, ffn: u64, shared: u64, dense_layers: u64) -> Shape {
        Shape { experts: Some(Experts { count, per_token, ffn, shared, dense_layers }), ..shape }
    }

    fn near(actual: u64, published_billion: f64, tolerance: f64) {
        let error = actual as f64 / (published_billion * 1e9) - 1.0;
        assert!(error.abs() <= tolerance, "{actual} against {published_billion} B: {error}");
    }

    #[test]
    fn mpt_to_the_unit() {
        // llm-foundry throughput tables, MPT with biases, layer norm and 2048 learned positions.
        assert_eq!(mpt(32, 4096, 32).parameters().total(), 6_658_859_008);
        assert_eq!(mpt(48, 7168, 56).parameters().total(), 29_975_214_080);
        assert_eq!(mpt(80, 8192, 64).parameters().total(), 64_862_437_376);
    }

    #[test]
    fn bloom_layer_to_the_unit() {
        // BLOOM README: a layer is 12 h^2 + 13 h.
        let (one, two) = (mpt(1, 14336, 112), mpt(2, 14336, 112));
        let layer = two.parameters().total() - one.parameters().total();
        assert_eq!(layer, 12 * 14336 * 14336 + 13 * 14336);
    }

    #[test]
    fn llama_family() {
        // LLaMA paper table 2; Llama 3.1 model card.
        near(llama(60, 6656, 52, 52, 17920, 32000).parameters().total(), 32.5, 0.002);
        near(llama(80, 8192, 64, 64, 22016, 32000).parameters().total(), 65.2, 0.002);
        near(llama(80, 8192, 64, 8, 28672, 128_256).parameters().total(), 70.6, 0.001);
    }

    #[test]
    fn mixture_of_experts() {
        // Mixtral paper: 46.7 B, 12.9 B active. Qwen3 card: 235 B, 22 B active.
        let mixtral = routed(llama(32, 4096, 32, 8, 14336, 32000), 8, 2, 14336, 0, 0);
        near(mixtral.parameters().total(), 46.7, 0.001);
        near(mixtral.active_parameters().total(), 12.9, 0.005);
        let qwen = routed(llama(94, 4096, 64, 4, 0, 151_936), 128, 8, 1536, 0, 0);
        near(qwen.parameters().total(), 235.0, 0.001);
        near(qwen.active_parameters().total(), 22.0, 0.01);
    }

    #[test]
    fn latent_attention() {
        // DeepSeek-V3 report: 671 B, 37 B active.
        let attention = Attention::Mla { q_rank: 1536, kv_rank: 512, nope_dim: 128, rope_dim: 64, v_dim: 128 };
        let shape = Shape { attention, ..routed(llama(61, 7168, 128, 128, 18432, 129_280), 256, 8, 2048, 1, 3) };
        near(shape.parameters().total(), 671.0, 0.0005);
        near(shape.active_parameters().total(), 37.0, 0.02);
    }

    #[test]
    fn absurd_shapes_do_not_overflow() {
        let huge = llama(u64::MAX, u64::MAX, u64::MAX, 1, u64::MAX, u64::MAX);
        assert_eq!(huge.parameters().total(), u64::MAX);
    }
}
