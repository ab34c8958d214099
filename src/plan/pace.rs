//! How fast GPUs get through the tokens of a training or fine-tuning run, and what that stands on.
//!
//! A utilisation that is written wins, then a sample run, then published utilisations.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::words::Precision;

use super::assumption::Assumed;
use super::baseline::{Sample, Samples};
use super::figure::{Basis, Figure, Reason};
use super::formula::compute::{self, ScalingPoint};
use super::formula::round::{exceeds, ratio};
use super::gpu::Card;
use super::load::{Bar, Known};

/// A sample of 10 to 30 minutes against the mean of a run. Assumption; times from a measured rate are within 1.3 % in
/// the published cases.
const SAMPLE: f64 = 0.05;
/// A rate that is carried over to another GPU by its arithmetic. Assumption.
const OTHER_GPU: f64 = 0.20;

/// What is known about a workload's arithmetic.
pub struct Work<'m> {
    /// The load.
    pub load: BlockId,
    /// FLOP of a token, as utilisations count them.
    pub flops_per_token: Known<f64>,
    /// The same with what is computed again and published utilisations do not count, over the former; 1 or more.
    pub again: f64,
    /// The format of the arithmetic.
    pub precision: Precision,
    /// The GPU it runs on.
    pub card: &'m Card<'m>,
    /// The utilisation that is written.
    pub mfu: Known<Option<f64>>,
    /// The published one.
    pub published: Option<Assumed>,
    /// Strong scaling as expected, and at worst.
    pub scaling: [ScalingPoint; 2],
}

/// Shares of the time that a pipeline works: in this run, and in the sample.
#[derive(Debug, Clone, Copy)]
pub struct Filled {
    /// In this run.
    pub here: f64,
    /// In the sample.
    pub sample: f64,
}

impl Filled {
    /// Without a pipeline.
    pub const ALWAYS: Filled = Filled { here: 1.0, sample: 1.0 };
}

/// A sample that published runs do not explain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disagreement {
    /// The baseline.
    pub baseline: BlockId,
    /// Tokens a second of one GPU in the sample.
    pub measured: f64,
    /// The least that the formula expects of it.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl Disagreement {
    /// When what was measured lies outside the bar.
    pub fn of(baseline: BlockId, measured: f64, low: f64, high: f64) -> Option<Disagreement> {
        (exceeds(low, measured) || exceeds(measured, high)).then_some(Disagreement { baseline, measured, low, high })
    }
}

/// Tokens a second by number of GPUs.
#[derive(Debug, Clone)]
pub struct Pace {
    load: BlockId,
    basis: Basis,
    stands: Stands,
    /// FLOP of a token over the FLOP/s of a GPU.
    arithmetic: Known<f64>,
    again: f64,
    scaling: [ScalingPoint; 2],
    published: Option<Assumed>,
    notes: Vec<Arc<str>>,
}

#[derive(Debug, Clone, Copy)]
enum Stands {
    /// A sample, with what its GPU does over what that of the load does.
    Sample(Sample, Bar),
    /// A written utilisation.
    Given(f64),
    /// A published utilisation.
    Published(Assumed),
}

impl Pace {
    /// The surest that there is.
    pub fn of(model: &Model<'_>, work: &Work<'_>, samples: &Samples) -> Known<Pace> {
        let arithmetic = arithmetic(model, work);
        let mut notes = samples.ignored.clone();
        let written = work.mfu.clone()?;
        let sample = samples.best.and_then(|sample| match carried(model, work, &sample) {
            Some(bar) => Some((sample, bar)),
            None => {
                let gpu = model.address(sample.gpu.block());
                notes.push(Arc::from(format!("the sample ran on `{gpu}`, whose rate against this GPU is not known")));
                None
            }
        });
        let (stands, basis) = match (written, sample, work.published) {
            (Some(mfu), ..) => {
                arithmetic.clone()?;
                (Stands::Given(mfu), Basis::Given)
            }
            (None, Some((sample, bar)), _) => (Stands::Sample(sample, bar), Basis::Measured),
            (None, None, Some(constant)) => {
                arithmetic.clone()?;
                let basis = if constant.is_given() { Basis::Given } else { Basis::Published };
                (Stands::Published(constant), basis)
            }
            (None, None, None) => return Err(Arc::from("no published utilisation fits this GPU")),
        };
        Ok(Pace {
            load: work.load,
            basis,
            stands,
            arithmetic,
            again: work.again,
            scaling: work.scaling,
            published: work.published,
            notes,
        })
    }

    /// Tokens a second of `gpus` GPUs.
    pub fn rate(&self, gpus: u64, filled: Filled) -> Bar {
        let count = gpus as f64;
        match (&self.stands, &self.arithmetic) {
            (Stands::Sample(sample, carried), _) => {
                let [kept, worst] = self.scaling.map(|point| compute::scaling_kept(sample.gpus, gpus, &point));
                let plain = sample.per_gpu() * count * ratio(filled.here, filled.sample);
                Bar {
                    value: plain * carried.value * kept,
                    low: plain * carried.low * worst.min(kept) * (1.0 - SAMPLE),
                    high: plain * carried.high * (1.0 + SAMPLE),
                }
            }
            (Stands::Given(mfu), Ok(each)) => Bar::around(ratio(count * mfu, *each), 1.0 - SAMPLE, 1.0 + SAMPLE),
            (Stands::Published(constant), Ok(each)) => {
                let full = ratio(count, *each) * filled.here;
                // Whether the published runs computed layers again is not said, so the high end takes that they did.
                Bar {
                    value: full * constant.bar.value / self.again,
                    low: full * constant.bar.low / self.again,
                    high: full * constant.bar.high,
                }
            }
            (Stands::Given(_) | Stands::Published(_), Err(_)) => Bar { value: 0.0, low: 0.0, high: 0.0 },
        }
    }

    /// Seconds for an amount of tokens at a rate.
    pub fn seconds(tokens: f64, rate: Bar) -> Bar {
        Bar { value: ratio(tokens, rate.value), low: ratio(tokens, rate.high), high: ratio(tokens, rate.low) }
    }

    /// Model FLOP utilisation at a rate.
    pub fn utilisation(&self, gpus: u64, rate: Bar) -> Known<Bar> {
        let each = self.arithmetic.clone()?;
        let share = |rate: f64| ratio(rate * each, gpus as f64);
        Ok(Bar { value: share(rate.value), low: share(rate.low), high: share(rate.high) })
    }

    /// True when it stands on runs of others.
    pub fn is_published(&self) -> bool {
        matches!(self.stands, Stands::Published(_))
    }

    /// The baseline it stands on.
    pub fn baseline(&self) -> Option<BlockId> {
        match self.stands {
            Stands::Sample(sample, _) => Some(sample.block),
            Stands::Given(_) | Stands::Published(_) => None,
        }
    }

    /// Where the sample and published runs on the same GPU do not agree; `filled` is how full its pipeline was.
    pub fn disagreement(&self, filled: Filled) -> Option<Disagreement> {
        let (Stands::Sample(sample, carried), Ok(each), Some(published)) =
            (&self.stands, &self.arithmetic, self.published)
        else {
            return None;
        };
        if carried.low < carried.high {
            return None;
        }
        let full = ratio(filled.sample, *each);
        Disagreement::of(
            sample.block,
            sample.per_gpu(),
            full * published.bar.low / self.again,
            full * published.bar.high,
        )
    }

    /// GPUs of the sample it stands on.
    pub fn sample_gpus(&self) -> Option<u64> {
        match self.stands {
            Stands::Sample(sample, _) => Some(sample.gpus),
            Stands::Given(_) | Stands::Published(_) => None,
        }
    }

    /// Adds to a figure what the pace stands on.
    pub fn explain(&self, figure: Figure) -> Figure {
        let mut figure = figure.basis(self.basis);
        match &self.stands {
            Stands::Sample(sample, carried) => {
                figure = figure.of(sample.block, "throughput").of(sample.block, "gpus");
                let [point, worst] = &self.scaling;
                figure = figure.because(scaling(point));
                if worst != point {
                    figure = figure.because(scaling(worst));
                }
                if carried.low < carried.high {
                    figure = figure.note(format!(
                        "the sample ran on another GPU; its rate is carried over by arithmetic, times {:.2}",
                        carried.value
                    ));
                }
            }
            Stands::Given(_) => figure = figure.of(self.load, "mfu"),
            Stands::Published(constant) => {
                figure = constant.explain(figure, "model FLOP utilisation");
                if self.again > 1.0 {
                    figure = figure.note(format!(
                        "value and lower end ÷ {:.3}: layers are computed again, which a utilisation does not count; the \
                         upper end takes that the published runs did so too",
                        self.again
                    ));
                }
            }
        }
        self.notes.iter().fold(figure, |figure, note| figure.note(Arc::clone(note)))
    }
}

fn scaling(point: &ScalingPoint) -> Reason {
    Reason::constant(
        "throughput of a GPU kept when the same run has more of them",
        Arc::from(format!("{} from {} to {} GPUs, {}", point.kept, point.from, point.to, point.workload)),
        point.source,
    )
}

/// Seconds of one GPU at its peak for a token.
fn arithmetic(model: &Model<'_>, work: &Work<'_>) -> Known<f64> {
    let flops = work.flops_per_token.clone()?;
    let peak = work.card.training_peak(work.precision).ok_or_else(|| {
        let gpu = model.address(work.card.id.block());
        Arc::from(format!("the rate of `{gpu}` at training in {} is not known", work.precision))
    })?;
    Ok(flops / peak)
}

/// What a GPU of the load does over one of the sample.
fn carried(model: &Model<'_>, work: &Work<'_>, sample: &Sample) -> Option<Bar> {
    if sample.gpu == work.card.id {
        return Some(Bar::around(1.0, 1.0, 1.0));
    }
    let theirs = Card::of(model, sample.gpu).training_peak(work.precision)?;
    let ours = work.card.training_peak(work.precision)?;
    Some(Bar::around(ours / theirs, 1.0 - OTHER_GPU, 1.0 + OTHER_GPU))
}
