//! How many parameters a model has.

use aipc::plan::formula::shape::{Attention, Experts, Norm, Shape};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Topic};

/// The shape that a row spells out.
pub fn shape(case: &Case) -> Result<Shape, String> {
    let hidden = case.need_whole(&["hidden", "hidden_size", "d_model"])?;
    let heads = case.whole(&["heads", "num_heads", "n_heads"]).unwrap_or(1).max(1);
    let biases = case.truth(&["bias", "biases"]).unwrap_or(false);
    let layernorm = case.text(&["norm"]).is_some_and(|norm| norm.to_lowercase().contains("layer"));
    let ffn = case.whole(&["ffn", "dense_ffn", "ffn_hidden", "intermediate"]);
    let expert_ffn = case.whole(&["moe_ffn", "expert_ffn", "moe_intermediate"]).or(ffn);
    let experts = case.whole(&["experts", "routed_experts", "num_experts"]).map(|count| {
        Ok::<Experts, String>(Experts {
            count,
            per_token: case.need_whole(&["top_k", "experts_per_token", "active_experts"])?,
            ffn: expert_ffn.ok_or("it does not say its `moe_ffn`")?,
            shared: case.whole(&["shared_experts"]).unwrap_or(0),
            dense_layers: case.whole(&["dense_layers"]).unwrap_or(0),
        })
    });
    Ok(Shape {
        layers: case.whole(&["layers", "num_layers"]).unwrap_or(1),
        hidden,
        heads,
        kv_heads: case.whole(&["kv_heads", "num_kv_heads"]).unwrap_or(heads),
        head_dim: case.whole(&["head_dim"]).unwrap_or(hidden / heads),
        ffn: ffn.or(expert_ffn).unwrap_or(4 * hidden),
        vocab: case.whole(&["vocab", "vocab_size"]).unwrap_or(0),
        // Without a width the layer is that of the first transformers: four times as wide, not gated.
        gated: case
            .truth(&["gated_mlp", "gated"])
            .unwrap_or(!biases && !layernorm && (ffn.is_some() || expert_ffn.is_some())),
        tied_embeddings: case.truth(&["tied_embeddings", "tied"]).unwrap_or(false),
        positions: case.whole(&["learned_positions", "positions"]).unwrap_or(0),
        biases,
        norm: if biases || layernorm { Norm::Layer } else { Norm::Rms },
        experts: experts.transpose()?,
        attention: attention(case)?,
    })
}

fn attention(case: &Case) -> Result<Attention, String> {
    let Some(kv_rank) = case.whole(&["kv_lora_rank", "kv_rank"]) else { return Ok(Attention::Full) };
    Ok(Attention::Mla {
        q_rank: case.whole(&["q_lora_rank", "q_rank"]).unwrap_or(0),
        kv_rank,
        nope_dim: case.whole(&["qk_nope", "qk_nope_head_dim", "nope_dim"]).unwrap_or(0),
        rope_dim: case.need_whole(&["qk_rope", "qk_rope_head_dim", "rope_dim"])?,
        v_dim: case.whole(&["v_head", "v_head_dim", "v_dim"]).unwrap_or(0),
    })
}

/// Totals, and those that a token uses.
pub fn predict(case: &Case) -> Outcome {
    let count = |shape: &Shape, active: bool| {
        let parameters = if active { shape.active_parameters() } else { shape.parameters() };
        parameters.total() as f64
    };
    let check = |value| Check::of(Topic::Parameters, Measure::Count, value);
    let mut shape = shape(case)?;
    if case.unit().contains("layer") {
        shape = Shape { layers: 1, vocab: 0, positions: 0, biases: true, norm: Norm::Layer, gated: false, ..shape };
        let with_end = count(&shape, false);
        let end = count(&Shape { layers: 0, ..shape }, false);
        return Ok(vec![check(with_end - end)]);
    }
    let mut checks =
        vec![check(count(&shape, case.unit().contains("active"))).note("cards differ on counting the input embedding")];
    if let Some(active) = case.also("active_billion") {
        checks.push(check(count(&shape, true)).against(active * 1e9).note("the card rounds to whole billions"));
    }
    Ok(checks)
}
