//! One run of a fine-tuning: its memory, its arithmetic, its result.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Finetune;
use crate::model::words::{Method, Precision};

use crate::plan::assumption::{self, Key};
use crate::plan::baseline;
use crate::plan::formula::activations::Recompute;
use crate::plan::formula::adapters::{
    self, Base, Target, adapter_checkpoint, adapter_parameters, adapter_states, base_bytes,
};
use crate::plan::formula::checkpoint::{WEIGHTS, size};
use crate::plan::formula::compute::{Mask, SCALING_GPT3, SCALING_LLAMA, SCALING_LORA, train_flops_per_token};
use crate::plan::formula::constants::Name;
use crate::plan::formula::round::{ceil_units, product, ratio, sum};
use crate::plan::formula::shape::{Attention, Parameters, Shape};
use crate::plan::formula::states::{Parallel, Sharding, StateBytes};
use crate::plan::load::{self, Bar, Known, Seat};
use crate::plan::pace::{Pace, Work};
use crate::plan::shape;
use crate::plan::training::memory::{self, Need};

/// Memory of frozen weights over their bytes: they are loaded once and never move, so the allocator loses little on them.
/// Source: PEFT and torchtune READMEs, 3 to 8 % over the computed sum.
const FROZEN: Bar = Bar { value: 1.05, low: 1.0, high: 1.08 };

/// A fine-tuning with the facts that its sizes stand on.
pub struct Run<'m> {
    /// Which.
    pub id: Id<Finetune>,
    /// What it says.
    pub finetune: &'m Finetune,
    /// Where it runs.
    pub seat: Seat<'m>,
    /// Tokens of a run.
    pub tokens: Known<f64>,
    shape: Known<(Shape, Parameters)>,
    rank: Known<u64>,
    precision: Precision,
    sequence: u64,
}

impl<'m> Run<'m> {
    /// Reads one.
    pub fn of(model: &'m Model<'_>, id: Id<Finetune>, seat: Seat<'m>) -> Run<'m> {
        let finetune = &model[id];
        let missing = |what| load::absent(model, finetune.model, what);
        // Weights that are kept in few bits are computed with in 16.
        let precision = match shape::precision(model, finetune.model) {
            Precision::Fp32 => Precision::Fp32,
            Precision::Fp16 => Precision::Fp16,
            Precision::Bf16
            | Precision::Fp8
            | Precision::Int8
            | Precision::Int4
            | Precision::Mxfp4
            | Precision::Nvfp4 => Precision::Bf16,
        };
        Run {
            id,
            finetune,
            seat,
            tokens: load::setting(model, id, "tokens", &finetune.tokens).map(|tokens| tokens.tokens()),
            shape: shape::of(model, finetune.model).map_err(missing).map(|shape| {
                let parameters = shape.parameters();
                (shape, parameters)
            }),
            rank: finetune.rank.ok_or_else(|| load::absent(model, id, "rank")),
            precision,
            sequence: ceil_units(finetune.sequence.tokens()).max(1),
        }
    }

    /// Bytes on one of so many GPUs.
    pub fn memory(&self, gpus: u64) -> Known<Bar> {
        let (shape, parameters) = self.shape.as_ref().map_err(Arc::clone)?;
        let bytes = if self.precision == Precision::Fp32 { StateBytes::FP32 } else { StateBytes::MIXED };
        let need = Need {
            shape,
            parameters,
            parallel: Parallel { tensor: 1, pipeline: 1, data: gpus, context: 1, expert: 1, expert_tensor: 1 },
            sharding: if gpus > 1 { Sharding::Fsdp } else { Sharding::None },
            bytes,
            sequence: self.sequence,
            micro_batch: self.finetune.micro_batch.max(1),
            micro_batches: None,
            recompute: Recompute::Full,
        };
        match self.frozen() {
            None => Ok(memory::per_gpu(&need)),
            Some(base) => {
                let linear = parameters.total().saturating_sub(parameters.embedding) as f64;
                let frozen = base_bytes(linear, parameters.embedding as f64, base);
                let adapters = adapter_states(self.adapters(shape)?, &StateBytes::MIXED);
                let each = |bytes: f64| bytes / gpus.max(1) as f64;
                let trained = memory::bar(each(adapters) + memory::gathered(&need), memory::kept(&need));
                let frozen = each(frozen);
                Ok(Bar {
                    value: trained.value + frozen * FROZEN.value,
                    low: trained.low + frozen * FROZEN.low,
                    high: trained.high + frozen * FROZEN.high,
                })
            }
        }
    }

    /// How fast it goes.
    pub fn pace(&self, model: &Model<'_>) -> Known<Pace> {
        let card = &self.seat.card;
        let lora = self.frozen().is_some();
        let published = assumption::find(model, Name::TrainingUtilisation, Key::of(card, self.precision.word()));
        let mfu = match self.finetune.mfu.tbd() {
            Some(_) => load::setting(model, self.id, "mfu", &self.finetune.mfu).map(|share| Some(share.fraction())),
            None => Ok(self.finetune.mfu.given().map(|share| share.fraction())),
        };
        let work = Work {
            load: self.id.block(),
            flops_per_token: self.shape.as_ref().map_err(Arc::clone).map(|(shape, _)| self.flops(shape, false)),
            again: self
                .shape
                .as_ref()
                .map_or(1.0, |(shape, _)| ratio(self.flops(shape, true), self.flops(shape, false)).max(1.0)),
            precision: self.precision,
            card,
            mfu,
            published,
            scaling: if lora { [SCALING_LORA, SCALING_LORA] } else { [SCALING_LLAMA, SCALING_GPT3] },
        };
        Pace::of(model, &work, &baseline::of(model, self.id.block(), card.id))
    }

    /// Bytes of what comes out: the adapters, or all weights in 16 bits.
    pub fn result(&self) -> Known<f64> {
        let (shape, parameters) = self.shape.as_ref().map_err(Arc::clone)?;
        match self.frozen() {
            None => Ok(size(parameters.total() as f64, WEIGHTS)),
            Some(_) => Ok(adapter_checkpoint(self.adapters(shape)?)),
        }
    }

    /// How the frozen weights are kept; nothing when all are trained.
    fn frozen(&self) -> Option<Base> {
        match self.finetune.method {
            Method::Full => None,
            Method::Lora if self.precision == Precision::Fp32 => Some(Base::Fp32),
            Method::Lora => Some(Base::Half),
            Method::Qlora => Some(Base::Nf4),
        }
    }

    /// FLOP of a token, without what is computed again or with it. Utilisations of full training never count it.
    fn flops(&self, shape: &Shape, again: bool) -> f64 {
        let active = shape.active_parameters().total() as f64;
        let width = shape.attention_width();
        match self.frozen() {
            None => train_flops_per_token(active, shape.layers, width, self.sequence, Mask::Full),
            Some(_) => adapters::flops_per_token(active, shape.layers, width, self.sequence, Mask::Full, again),
        }
    }

    fn adapters(&self, shape: &Shape) -> Known<u64> {
        let rank = self.rank.clone()?;
        Ok(adapter_parameters(shape.layers, rank, &targets(shape)))
    }
}

/// The linear layers of a transformer layer that get an adapter: all of them but routed experts.
fn targets(shape: &Shape) -> Vec<Target> {
    let hidden = shape.hidden;
    let mut targets = match shape.attention {
        Attention::Full | Attention::Sliding { .. } => {
            let query = product([shape.heads, shape.head_dim]);
            let key = product([shape.kv_heads, shape.head_dim]);
            vec![
                Target { inputs: hidden, outputs: query },
                Target { inputs: hidden, outputs: key },
                Target { inputs: hidden, outputs: key },
                Target { inputs: query, outputs: hidden },
            ]
        }
        Attention::Mla { q_rank, kv_rank, nope_dim, rope_dim, v_dim } => {
            let query = product([shape.heads, sum([nope_dim, rope_dim])]);
            vec![
                Target { inputs: if q_rank == 0 { hidden } else { q_rank }, outputs: query },
                Target { inputs: hidden, outputs: sum([kv_rank, rope_dim]) },
                Target { inputs: kv_rank, outputs: product([shape.heads, sum([nope_dim, v_dim])]) },
                Target { inputs: product([shape.heads, v_dim]), outputs: hidden },
            ]
        }
    };
    if shape.experts.is_none() {
        let matrices = if shape.gated { 3 } else { 2 };
        targets.extend(std::iter::repeat_n(Target { inputs: hidden, outputs: shape.ffn }, matrices));
    }
    targets
}
