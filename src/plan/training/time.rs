//! How long a training run takes.

use std::sync::Arc;

use crate::model::Model;

use crate::plan::formula::round::{div_ceil, ratio};
use crate::plan::load::{Bar, Known};
use crate::plan::pace::Pace;

use super::job::Job;
use super::layout::{self, Layout};
use super::saving;

/// Tokens a second, in-run.
pub fn rate(job: &Job<'_>, layout: &Layout, pace: &Pace) -> Bar {
    pace.rate(layout.gpus, layout::filled(job, layout, pace))
}

/// Seconds, with what checkpoints and failures cost where that is known.
pub fn of(model: &Model<'_>, job: &Job<'_>, layout: &Layout) -> Known<Bar> {
    let tokens = job.tokens.clone()?;
    let pace = job.pace(model, layout.gpus)?;
    let time = Pace::seconds(tokens, rate(job, layout, &pace));
    if !time.high.is_finite() {
        return Err(Arc::from("its GPUs get through no tokens"));
    }
    let nodes = div_ceil(layout.gpus, job.seat.node.gpus);
    Ok(match saving::kept(model, job, nodes) {
        Some(kept) => Bar {
            value: ratio(time.value, kept.value),
            low: ratio(time.low, kept.high),
            high: ratio(time.high, kept.low),
        },
        None => time,
    })
}
