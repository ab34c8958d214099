//! What a training run says of itself, read once.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Training;
use crate::model::words::Precision;

use crate::plan::assumption::{self, Assumed, Key};
use crate::plan::baseline;
use crate::plan::formula::compute::{Mask, SCALING_GPT3, SCALING_LLAMA, train_flops_per_token};
use crate::plan::formula::constants::Name;
use crate::plan::formula::round::ceil_units;
use crate::plan::formula::shape::{Parameters, Shape};
use crate::plan::load::{self, Known, Seat};
use crate::plan::pace::{Pace, Work};
use crate::plan::shape;

/// From so many GPUs on, published utilisations are those of large runs.
const LARGE: u64 = 4096;
/// From so many tokens on, a sequence is long.
const LONG: u64 = 32_768;

/// A training run with the facts that its sizes stand on.
pub struct Job<'m> {
    /// Which.
    pub id: Id<Training>,
    /// What it says.
    pub training: &'m Training,
    /// Where it runs.
    pub seat: Seat<'m>,
    /// Its model.
    pub shape: Known<(Shape, Parameters)>,
    /// The format of the arithmetic.
    pub precision: Precision,
    /// Tokens of a sequence, at least 1.
    pub sequence: u64,
    /// Sequences that a GPU takes at once, at least 1.
    pub micro_batch: u64,
    /// Tokens of an optimizer step.
    pub batch: Known<u64>,
    /// Tokens in all.
    pub tokens: Known<f64>,
}

impl<'m> Job<'m> {
    /// Reads one.
    pub fn of(model: &'m Model<'_>, id: Id<Training>, seat: Seat<'m>) -> Job<'m> {
        let training = &model[id];
        let missing = |what| load::absent(model, training.model, what);
        Job {
            id,
            training,
            seat,
            shape: shape::of(model, training.model).map_err(missing).map(|shape| {
                let parameters = shape.parameters();
                (shape, parameters)
            }),
            precision: training.precision.unwrap_or_else(|| shape::precision(model, training.model)),
            sequence: ceil_units(training.sequence.tokens()).max(1),
            micro_batch: training.micro_batch.max(1),
            batch: load::setting(model, id, "batch", &training.batch).map(|batch| ceil_units(batch.tokens())),
            tokens: load::setting(model, id, "tokens", &training.tokens).map(|tokens| tokens.tokens()),
        }
    }

    /// How fast it goes. Utilisations of large runs differ, so it depends on the GPUs.
    pub fn pace(&self, model: &Model<'_>, gpus: u64) -> Known<Pace> {
        let work = Work {
            load: self.id.block(),
            flops_per_token: self.shape.as_ref().map_err(Arc::clone).map(|(shape, _)| {
                let active = shape.active_parameters().total() as f64;
                train_flops_per_token(active, shape.layers, shape.attention_width(), self.sequence, Mask::Full)
            }),
            again: 1.0,
            precision: self.precision,
            card: &self.seat.card,
            mfu: self.written_mfu(model),
            published: self.published(model, gpus),
            scaling: [SCALING_LLAMA, SCALING_GPT3],
        };
        Pace::of(model, &work, &baseline::of(model, self.id.block(), self.seat.card.id))
    }

    fn written_mfu(&self, model: &Model<'_>) -> Known<Option<f64>> {
        if self.training.mfu.tbd().is_some() {
            return load::setting(model, self.id, "mfu", &self.training.mfu).map(|share| Some(share.fraction()));
        }
        Ok(self.training.mfu.given().map(|share| share.fraction()))
    }

    fn published(&self, model: &Model<'_>, gpus: u64) -> Option<Assumed> {
        let name = if self.sequence >= LONG {
            Name::TrainingUtilisationLong
        } else if gpus >= LARGE {
            Name::TrainingUtilisationLarge
        } else {
            Name::TrainingUtilisation
        };
        assumption::find(model, name, Key::of(&self.seat.card, self.precision.word()))
    }
}
