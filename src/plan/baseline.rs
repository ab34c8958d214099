//! Measured sample runs: which one a workload's speed stands on.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Baseline, Gpu};

/// A sample that makes sense.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The baseline.
    pub block: BlockId,
    /// On what it ran.
    pub gpu: Id<Gpu>,
    /// On how many.
    pub gpus: u64,
    /// Tokens a second of all of them together.
    pub throughput: f64,
}

impl Sample {
    /// Tokens a second of one GPU.
    pub fn per_gpu(&self) -> f64 {
        self.throughput / self.gpus as f64
    }
}

/// The samples of a workload.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// The one to stand on.
    pub best: Option<Sample>,
    /// Why others do not count, in words.
    pub ignored: Vec<Arc<str>>,
}

/// The sample of a workload that says most about GPUs of a kind: one on that GPU before others, then the one on most
/// GPUs, which leaves least to extrapolate.
pub fn of(model: &Model<'_>, load: BlockId, gpu: Id<Gpu>) -> Samples {
    let mut samples = Samples::default();
    for baseline in model.tables.baselines.iter().filter(|baseline| baseline.of.block == load) {
        match read(baseline) {
            Some(sample) => {
                let worth = |sample: &Sample| (sample.gpu == gpu, sample.gpus);
                if samples.best.as_ref().is_none_or(|best| worth(&sample) > worth(best)) {
                    samples.best = Some(sample);
                }
            }
            None => {
                let address = model.address(baseline.id.block());
                samples.ignored.push(Arc::from(format!("`{address}` does not count: it measured nothing")));
            }
        }
    }
    samples
}

fn read(baseline: &Baseline) -> Option<Sample> {
    let throughput = baseline.throughput.tokens_per_second();
    let block = baseline.id.block();
    (baseline.gpus > 0 && throughput > 0.0).then_some(Sample {
        block,
        gpu: baseline.gpu,
        gpus: baseline.gpus,
        throughput,
    })
}
