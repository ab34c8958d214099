//! The shape of a model: its own facts over those of its base.

use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Model as ModelBlock;
use crate::model::words::{Attention as AttentionWord, Norm as NormWord, Precision};
use crate::model::{MAX_BASES, Model};

use super::Plan;
use super::figure::Figure;
use super::formula::shape::{Attention, Experts, Norm, Shape};
use super::formula::weights;

/// A model with its bases, nearest first.
fn lineage<'m>(model: &'m Model<'_>, id: Id<ModelBlock>) -> Vec<&'m ModelBlock> {
    let mut line = Vec::new();
    let mut next = Some(id);
    while let Some(id) = next.filter(|_| line.len() < MAX_BASES) {
        let block = &model[id];
        line.push(block);
        next = block.base;
    }
    line
}

/// The first in the lineage that says something.
fn first<T>(line: &[&ModelBlock], what: impl Fn(&ModelBlock) -> Option<T>) -> Option<T> {
    line.iter().find_map(|block| what(block))
}

/// The shape, or the attribute that is missing.
pub fn of(model: &Model<'_>, id: Id<ModelBlock>) -> Result<Shape, &'static str> {
    let line = lineage(model, id);
    let layers = first(&line, |block| block.layers).ok_or("layers")?;
    let hidden = first(&line, |block| block.hidden).ok_or("hidden")?;
    let heads = first(&line, |block| block.heads).filter(|&heads| heads > 0).ok_or("heads")?;
    let experts = first(&line, |block| block.experts).map(|count| {
        Ok::<Experts, &'static str>(Experts {
            count,
            per_token: first(&line, |block| block.experts_per_token).ok_or("experts_per_token")?,
            ffn: first(&line, |block| block.expert_ffn)
                .or_else(|| first(&line, |block| block.ffn))
                .ok_or("expert_ffn")?,
            shared: first(&line, |block| block.shared_experts).unwrap_or(0),
            dense_layers: first(&line, |block| block.dense_layers).unwrap_or(0),
        })
    });
    Ok(Shape {
        layers,
        hidden,
        heads,
        kv_heads: first(&line, |block| block.kv_heads).unwrap_or(heads),
        head_dim: first(&line, |block| block.head_dim).unwrap_or(hidden / heads),
        ffn: first(&line, |block| block.ffn).ok_or("ffn")?,
        vocab: first(&line, |block| block.vocab).ok_or("vocab")?,
        gated: first(&line, |block| block.gated).unwrap_or(true),
        tied_embeddings: first(&line, |block| block.tied_embeddings).unwrap_or(false),
        positions: first(&line, |block| block.positions).unwrap_or(0),
        biases: false,
        norm: match first(&line, |block| block.norm) {
            Some(NormWord::Layernorm) => Norm::Layer,
            Some(NormWord::Rmsnorm) | None => Norm::Rms,
        },
        experts: experts.transpose()?,
        attention: attention(&line)?,
    })
}

fn attention(line: &[&ModelBlock]) -> Result<Attention, &'static str> {
    Ok(match first(line, |block| block.attention) {
        Some(AttentionWord::Mla) => Attention::Mla {
            q_rank: first(line, |block| block.q_rank).unwrap_or(0),
            kv_rank: first(line, |block| block.kv_rank).ok_or("kv_rank")?,
            nope_dim: first(line, |block| block.nope_dim).ok_or("nope_dim")?,
            rope_dim: first(line, |block| block.rope_dim).ok_or("rope_dim")?,
            v_dim: first(line, |block| block.v_dim).ok_or("v_dim")?,
        },
        Some(AttentionWord::Sliding) => Attention::Sliding {
            window: first(line, |block| block.sliding_window).ok_or("sliding_window")?,
            layers: first(line, |block| block.sliding_layers).ok_or("sliding_layers")?,
        },
        // Layers without attention keep less cache than full attention does, so counting them as full errs upwards.
        Some(AttentionWord::Full | AttentionWord::Hybrid) | None => Attention::Full,
    })
}

/// Parameters of towers for images and sound.
pub fn towers(model: &Model<'_>, id: Id<ModelBlock>) -> u64 {
    first(&lineage(model, id), |block| block.tower_parameters).unwrap_or(0)
}

/// The format of the weights: the model's, else bf16.
pub fn precision(model: &Model<'_>, id: Id<ModelBlock>) -> Precision {
    first(&lineage(model, id), |block| block.precision).unwrap_or(Precision::Bf16)
}

/// The format of the cache, where the model says one.
pub fn kv_precision(model: &Model<'_>, id: Id<ModelBlock>) -> Option<Precision> {
    first(&lineage(model, id), |block| block.kv_precision)
}

/// The format of the attention weights, where it is kept apart.
pub fn attention_precision(model: &Model<'_>, id: Id<ModelBlock>) -> Option<Precision> {
    first(&lineage(model, id), |block| block.attention_precision)
}

/// The longest context it was made for, in tokens.
pub fn context(model: &Model<'_>, id: Id<ModelBlock>) -> Option<u64> {
    first(&lineage(model, id), |block| block.context)
}

/// The same precision for the formulas; 4-bit integers come in groups of 128.
pub fn for_formula(precision: Precision) -> weights::Precision {
    match precision {
        Precision::Fp32 => weights::Precision::Fp32,
        Precision::Bf16 => weights::Precision::Bf16,
        Precision::Fp16 => weights::Precision::Fp16,
        Precision::Fp8 => weights::Precision::Fp8,
        Precision::Int8 => weights::Precision::Int8,
        Precision::Mxfp4 => weights::Precision::Mxfp4,
        Precision::Nvfp4 => weights::Precision::Nvfp4,
        Precision::Int4 => weights::Precision::Int4 { group: 128 },
    }
}

/// Parameters, all of them and those that a token touches.
pub fn size(plan: &mut Plan<'_>, block: BlockId) {
    let model = std::sync::Arc::clone(&plan.model);
    let Some(id) = model.as_id::<ModelBlock>(block) else { return };
    match of(&model, id) {
        Ok(shape) => {
            let total = shape.parameters().total() as f64;
            let active = shape.active_parameters().total() as f64;
            let formula = "embeddings + layers × (attention + feed-forward + norms) + final norm";
            let figure =
                |value: f64| Figure::exact(value, "", formula).of(block, "layers").of(block, "hidden").of(block, "ffn");
            plan.figures.put(block, "total_parameters", figure(total));
            plan.figures.put(block, "active_parameters", figure(active));
        }
        Err(missing) => {
            let why = format!("`{}` does not say its `{missing}`", model.address(block));
            plan.figures.unknown(block, "total_parameters", why.as_str());
            plan.figures.unknown(block, "active_parameters", why);
        }
    }
}
