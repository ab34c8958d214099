//! What may be turned, and how far.

use std::ops::RangeInclusive;

use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::plan::Plan;
use crate::plan::formula::round;

/// Sizes of a change that are tried.
const TRIED: u64 = 64;

/// Attributes that change together, by sizes: the smallest change first.
pub struct Knob {
    /// What it is, for people: `more nodes`.
    pub title: &'static str,
    sizes: RangeInclusive<u64>,
    settings: Box<dyn Fn(u64) -> Vec<String>>,
}

impl Knob {
    /// With the sizes from `first` to `last`, as far as there is time to try them. `first` is a bound: nothing below it
    /// can be enough.
    pub fn new(title: &'static str, first: u64, last: u64, settings: impl Fn(u64) -> Vec<String> + 'static) -> Knob {
        Knob { title, sizes: first..=last.min(first.saturating_add(TRIED - 1)), settings: Box::new(settings) }
    }

    /// With one size only.
    pub fn one(title: &'static str, setting: String) -> Knob {
        Knob::new(title, 0, 0, move |_| vec![setting.clone()])
    }

    /// The sizes to try.
    pub fn sizes(&self) -> RangeInclusive<u64> {
        self.sizes.clone()
    }

    /// `PATH = VALUE` for a size.
    pub fn settings(&self, size: u64) -> Vec<String> {
        (self.settings)(size)
    }
}

/// How a pool grows with a load on it.
pub struct Growth {
    address: String,
    low: u64,
    high: u64,
    /// Nodes without a load.
    free: u64,
    gpus_per_node: u64,
    /// True when the compiler chooses the nodes, or they are not known.
    automatic: bool,
}

impl Growth {
    /// Of a pool.
    pub fn of(plan: &Plan<'_>, pool: Id<Pool>) -> Growth {
        let address = plan.model.address(pool.block());
        let Some(row) = plan.pools.get(&pool) else {
            return Growth { address, low: 0, high: 0, free: 0, gpus_per_node: 1, automatic: true };
        };
        let gpus_per_node = row.node.gpus.max(1);
        let free = row.usable_gpus.saturating_sub(row.used_gpus) / gpus_per_node;
        Growth { address, low: row.nodes.low, high: row.nodes.high, free, gpus_per_node, automatic: row.auto }
    }

    /// GPUs of a node, at least 1.
    pub fn gpus_per_node(&self) -> u64 {
        self.gpus_per_node
    }

    /// The setting that gives so many nodes, where there are fewer.
    pub fn at_least(&self, nodes: u64) -> Option<String> {
        (!self.automatic && nodes > self.high).then(|| format!("{}.nodes = {nodes}", self.address))
    }

    /// The setting that makes room for so many more GPUs, where one is needed.
    pub fn setting(&self, more_gpus: u64) -> Option<String> {
        let more = round::div_ceil(more_gpus, self.gpus_per_node).saturating_sub(self.free);
        if self.automatic || more == 0 {
            return None;
        }
        let (address, high) = (&self.address, self.high.saturating_add(more));
        Some(if self.low == self.high {
            format!("{address}.nodes = {high}")
        } else {
            format!("{address}.nodes = {}..{high}", self.low)
        })
    }
}
