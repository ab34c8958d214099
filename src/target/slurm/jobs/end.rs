//! The end of a job: its limit, and what it does when its time is up or others go first.

use serde::Serialize;

use crate::base::quantity::Time;
use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Partition, Tenant};
use crate::model::words::{Preempt, PreemptBy, Priority};
use crate::plan::formula::round::{ceil_units, floor_units};

use super::super::{accounts, partitions, time};

/// Time limits are whole hours.
const HOUR: f64 = 3_600.0;
/// Seconds before its end that a job is told so, where it goes on in another.
const LEAD: u64 = 600;
/// The same where it only has to know that it must give way; Slurm looks once a minute.
const LEAST_LEAD: u64 = 60;
/// Seconds between the signal to end and the kill: `KillWait`.
const KILL_WAIT: u64 = 60;

/// When a job ends, and what comes before that.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct End {
    /// The limit of one run.
    pub time: Option<String>,
    /// True when the work is longer than a job may be, so that it goes on in further ones.
    pub chained: bool,
    /// True when the job goes back to the queue where others go first.
    pub yields: bool,
    /// Seconds before its end that a job is told so, when it does something about it.
    pub lead: Option<u64>,
    /// Seconds that the program has to save and end, once told.
    pub patience: u64,
    /// The variable of the place where the program finds a file that tells it to.
    pub stop: Option<&'static str>,
    /// Seconds from which on the end is near that no further job follows.
    pub last: Option<u64>,
}

/// Where a job queues, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct Queued {
    /// The cluster.
    pub cluster: Id<Cluster>,
    /// The partition.
    pub partition: Option<Id<Partition>>,
    /// The tenant.
    pub tenant: Option<Id<Tenant>>,
}

impl End {
    /// The limit is what a run of `needed` seconds needs, in whole hours, and not more than its partition allows.
    pub fn of(model: &Model<'_>, queued: Queued, needed: Option<f64>) -> End {
        let allowed = queued.partition.and_then(|partition| model[partition].max_time).map(Time::seconds);
        let wished = needed.map(|seconds| ceil_units(seconds / HOUR).max(1) as f64 * HOUR);
        let limit = match (wished, allowed) {
            (Some(wished), Some(allowed)) => Some(wished.min(allowed)),
            (wished, allowed) => wished.or(allowed),
        };
        let chained = allowed.zip(needed).is_some_and(|(allowed, needed)| needed > allowed);
        let seconds = limit.map(floor_units);
        // A short job is over before it has to give way.
        let yields = yields(model, queued) && seconds.is_none_or(|seconds| seconds > 2 * LEAD);
        let (lead, patience) = match (chained, grace(model, queued).filter(|_| yields)) {
            (true, _) => {
                let lead = seconds.map(|seconds| (seconds / 4).clamp(1, LEAD));
                (lead, lead.unwrap_or(0).saturating_sub(KILL_WAIT))
            }
            (false, Some(grace)) => (Some(LEAST_LEAD), grace),
            // Without grace Slurm ends and requeues the job at once, and nothing can be done about it.
            (false, None) => (None, 0),
        };
        End {
            time: limit.and_then(time::limit),
            chained,
            yields,
            lead,
            patience,
            stop: None,
            last: seconds.filter(|_| lead.is_some() && !chained).map(|seconds| seconds.saturating_sub(3 * LEAST_LEAD)),
        }
    }

    /// Where the program finds the file that tells it to save and end. Without a place nobody tells it, and nothing is
    /// waited for.
    pub fn tell_through(&mut self, place: Option<&'static str>) {
        self.stop = place.filter(|_| self.patience > 0);
        self.patience = if self.stop.is_some() { self.patience } else { 0 };
    }
}

/// True when a job goes back to the queue to make room for others.
fn yields(model: &Model<'_>, queued: Queued) -> bool {
    match model[queued.cluster].preempt_by {
        PreemptBy::Partition => {
            queued.partition.is_some_and(|partition| model[partition].preempt == Some(Preempt::Requeue))
        }
        PreemptBy::Tenant => {
            let first = queued.tenant.is_some_and(|tenant| model[tenant].priority == Priority::High);
            !first && partitions::mode(model, queued.cluster).is_none_or(|mode| mode == "REQUEUE")
        }
    }
}

/// Seconds that a job has between being told to give way and its end.
fn grace(model: &Model<'_>, queued: Queued) -> Option<u64> {
    let grace = match model[queued.cluster].preempt_by {
        PreemptBy::Partition => {
            queued.partition.and_then(|partition| model[partition].grace).map(|grace| floor_units(grace.seconds()))
        }
        PreemptBy::Tenant => accounts::grace(model, queued.cluster),
    };
    grace.filter(|&grace| grace > 0)
}
