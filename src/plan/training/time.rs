//! How long a training run takes.

use std::sync::Arc;

use crate::model::Model;

use crate::plan::formula::constants::Name;
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
    Ok(match useful(model, job, layout, &pace) {
        Some(useful) => Bar {
            value: ratio(time.value, useful.value),
            low: ratio(time.low, useful.high),
            high: ratio(time.high, useful.low),
        },
        None => time,
    })
}

/// Share of the time that becomes kept work: what failures and checkpoints leave, where that is known. Published
/// utilisations are those of undisturbed stretches, so over a whole run no more counts than whole runs have shown.
pub fn useful(model: &Model<'_>, job: &Job<'_>, layout: &Layout, pace: &Pace) -> Option<Bar> {
    let nodes = div_ceil(layout.gpus, job.seat.node.gpus);
    let kept = saving::kept(model, job, nodes);
    let shown = pace.is_published().then(|| saving::constant(model, job, Name::EndToEnd)).flatten();
    match (kept, shown) {
        (kept, None) => kept,
        (None, Some(shown)) => Some(shown.bar),
        (Some(kept), Some(shown)) => Some(Bar {
            value: kept.value.min(shown.bar.value),
            low: kept.low.min(shown.bar.low),
            high: kept.high.min(shown.bar.high),
        }),
    }
}
