//! Which machine? A platform compiled once for every machine that a pool could be made of, and what became of each.
//!
//! What the loads promise (deadlines, service levels, demand) stays as written; counts that follow from the machine are
//! set to `auto`. Nothing is written to any file.

mod candidate;
mod freed;
mod outcome;

use crate::base::diagnostic::Diagnostics;
use crate::catalog::Catalogue;
use crate::compile::{self, Compiled, Options, Package};
use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::{Kind, Pool};
use crate::plan::Plan;

pub use freed::{Counts, Written};
pub use outcome::{Outcome, Price};

/// What came of every machine.
pub struct Comparison {
    /// The pool.
    pub pool: String,
    /// Which counts were set to `auto`, and which were not.
    pub counts: Counts,
    /// The machines, those that do first.
    pub outcomes: Vec<Outcome>,
}

/// Why there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// No such pool; the pools that there are.
    NoPool(Vec<String>),
    /// No load of it needs a GPU.
    NoGpuLoad,
    /// The catalogue and the package have nothing of the pool's kind.
    NoMachine,
    /// So many machines of a platform with so many blocks are too much work.
    TooLarge {
        /// Machines.
        machines: usize,
        /// Blocks of the platform.
        blocks: usize,
    },
}

/// Blocks that all machines together may compile: some ten seconds of work.
const EFFORT: usize = 500_000;

/// Compares machines for a pool of a platform that has a plan.
pub fn compare(
    package: &Package,
    options: &Options,
    catalogue: &Catalogue,
    plan: &Plan<'_>,
    problems: &Diagnostics,
    pool: &str,
) -> Result<Comparison, Refusal> {
    let model = &*plan.model;
    let id = find(model, pool)?;
    let row = plan.pool(id);
    let serving = |kind| matches!(kind, Kind::Training | Kind::Finetune | Kind::Inference);
    if !row.loads.iter().any(|load| serving(model.block(*load).kind)) {
        return Err(Refusal::NoGpuLoad);
    }
    let address = model.address(id.block());
    let machines = candidate::all(model, id);
    if machines.is_empty() {
        return Err(Refusal::NoMachine);
    }
    let blocks = model.all_blocks().count();
    if machines.len().saturating_mul(blocks) > EFFORT {
        return Err(Refusal::TooLarge { machines: machines.len(), blocks });
    }
    let counts = freed::of(plan, id);
    let before = outcome::errors(problems);
    let mut outcomes: Vec<Outcome> = machines
        .into_iter()
        .map(|machine| {
            let set = |path: &str, value: &str| format!("{path} = {value}");
            let mut settings = vec![set(&format!("{address}.{}", machine.attribute), &machine.address)];
            settings.extend(counts.freed.iter().map(|freed| set(&freed.path, "auto")));
            let changed = package.with(&settings);
            let compiled: Compiled<'_> = compile::check(&changed, options, catalogue);
            outcome::of(&compiled, &address, machine, &before)
        })
        .collect();
    outcomes.sort_by(Outcome::order);
    Ok(Comparison { pool: address, counts, outcomes })
}

/// The pool of an address, `pool.train` or only its name.
fn find(model: &Model<'_>, pool: &str) -> Result<Id<Pool>, Refusal> {
    let name = pool.strip_prefix("pool.").unwrap_or(pool);
    let found = model.find(Kind::Pool, name).and_then(|block| model.as_id(block));
    found
        .ok_or_else(|| Refusal::NoPool(model.blocks_of(Kind::Pool).iter().map(|block| model.address(*block)).collect()))
}
