//! How much of its pool each workload takes over a year: what costs and energy are shared by.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Dataprep, Finetune, Inference, Kind, Retrieval, Training};

use super::figure::{Basis, Reason};
use super::formula::round::ratio;
use super::load::{self, Bar, Known};
use super::{Plan, PoolPlan};

/// Seconds of a year.
pub const YEAR: f64 = 31_536_000.0;

/// Shares of the pool's capacity over a year, all its nodes counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupancy {
    /// What is kept for the workload, at most.
    pub held: Bar,
    /// What it is expected to be busy on.
    pub busy: Bar,
    /// What one run takes; nothing for what runs all the time.
    pub run: Option<Bar>,
    /// Assumed where nobody says how many runs there are.
    pub basis: Basis,
    /// What the shares came from.
    pub because: Vec<Reason>,
}

/// The workloads of all pools; for one that is not sized, why.
pub type Occupancies = BTreeMap<BlockId, Known<Occupancy>>;

/// Reads the sizes of every workload.
pub fn all(plan: &Plan<'_>) -> Occupancies {
    let of_pool = |row: &PoolPlan| {
        let loads = row.loads.clone();
        loads.into_iter().map(|load| (load, of(plan, &plan.model, row, load))).collect::<Vec<_>>()
    };
    plan.pools.values().flat_map(of_pool).collect()
}

fn of(plan: &Plan<'_>, model: &Model<'_>, pool: &PoolPlan, load: BlockId) -> Known<Occupancy> {
    if pool.nodes.high == 0 {
        return Err(Arc::from(format!("the nodes of `{}` are not known", model.address(pool.id.block()))));
    }
    let other = || -> Arc<str> { Arc::from(format!("`{}` is no workload", model.address(load))) };
    match model.block(load).kind {
        Kind::Training => training(plan, model, pool, model.as_id(load).ok_or_else(other)?),
        Kind::Finetune => finetune(plan, model, pool, model.as_id(load).ok_or_else(other)?),
        Kind::Inference => inference(plan, model, pool, model.as_id(load).ok_or_else(other)?),
        Kind::Dataprep => dataprep(plan, model, pool, model.as_id(load).ok_or_else(other)?),
        Kind::Retrieval => retrieval(plan, model, pool, model.as_id(load).ok_or_else(other)?),
        _ => Err(other()),
    }
}

fn triple((value, low, high): (f64, f64, f64)) -> Bar {
    Bar { value, low, high }
}

fn not_sized(model: &Model<'_>, load: BlockId, what: &str) -> Arc<str> {
    Arc::from(format!("the {what} of `{}` is not known", model.address(load)))
}

fn gpu_share(pool: &PoolPlan, gpus: u64) -> f64 {
    ratio(gpus as f64, pool.gpus as f64)
}

/// One run a year when nobody says how many: from one over the lifetime to one after the other.
fn training(plan: &Plan<'_>, model: &Model<'_>, pool: &PoolPlan, id: Id<Training>) -> Known<Occupancy> {
    let block = id.block();
    let row = plan.trainings.get(&id).ok_or_else(|| not_sized(model, block, "number of GPUs"))?;
    let time = row
        .time
        .map(triple)
        .ok_or_else(|| load::reason(&plan.figures, block, "time").unwrap_or_else(|| not_sized(model, block, "time")))?;
    let share = gpu_share(pool, row.gpus);
    let run = time.times(share / YEAR);
    let of_time = vec![Reason::Of(block, "gpus"), Reason::Of(block, "time")];
    let (year, basis, mut because) = match &model[id].runs {
        Setting::Absent => {
            let lifetime = model.platform().map_or(YEAR, |platform| platform.lifetime.seconds());
            let part = |seconds: f64, every: f64| ratio(seconds, every).min(1.0);
            let busy = Bar { value: part(time.value, YEAR), low: part(time.low, lifetime.max(YEAR)), high: 1.0 };
            let note = "assumption: one run a year, from one over the lifetime to one after the other; \
                        `runs` says how many there are";
            (busy.times(share), Basis::Assumed, vec![Reason::Note(Arc::from(note))])
        }
        Setting::Given(_) | Setting::Auto | Setting::Tbd(_) => {
            let runs = load::setting(model, id, "runs", &model[id].runs)?.per_second();
            (run.times(runs * YEAR), Basis::Formula, vec![Reason::Of(block, "runs")])
        }
    };
    because.splice(0..0, of_time);
    Ok(Occupancy { held: year, busy: year, run: Some(run), basis, because })
}

fn finetune(plan: &Plan<'_>, model: &Model<'_>, pool: &PoolPlan, id: Id<Finetune>) -> Known<Occupancy> {
    let block = id.block();
    let row = plan.finetunes.get(&id).ok_or_else(|| not_sized(model, block, "number of GPUs"))?;
    let time = row
        .time
        .map(triple)
        .ok_or_else(|| load::reason(&plan.figures, block, "time").unwrap_or_else(|| not_sized(model, block, "time")))?;
    let runs = load::setting(model, id, "runs", &model[id].runs)?.per_second();
    let run = time.times(gpu_share(pool, row.gpus) / YEAR);
    let year = run.times(runs * YEAR);
    let because = ["gpus", "time", "runs"].map(|attribute| Reason::Of(block, attribute)).to_vec();
    Ok(Occupancy { held: year, busy: year, run: Some(run), basis: Basis::Formula, because })
}

/// Held for the most copies; busy with those that the demand needs.
fn inference(plan: &Plan<'_>, model: &Model<'_>, pool: &PoolPlan, id: Id<Inference>) -> Known<Occupancy> {
    let block = id.block();
    let row = plan.inferences.get(&id).ok_or_else(|| not_sized(model, block, "number of copies"))?;
    let replicas = row.replicas.ok_or_else(|| not_sized(model, block, "number of copies"))?;
    let share = |copies: u64| ratio(row.gpus_per_replica.saturating_mul(copies) as f64, pool.all_parts() as f64);
    let (low, high) = (share(replicas.low), share(replicas.high));
    let expected = row.needed.map_or(replicas.low, |needed| needed.clamp(replicas.low, replicas.high));
    Ok(Occupancy {
        held: Bar { value: high, low, high },
        busy: Bar { value: share(expected), low, high },
        run: None,
        basis: Basis::Formula,
        because: ["replicas", "gpus_per_replica"].map(|attribute| Reason::Of(block, attribute)).to_vec(),
    })
}

/// Cores or memory, whichever is the larger share, while a run lasts.
fn dataprep(plan: &Plan<'_>, model: &Model<'_>, pool: &PoolPlan, id: Id<Dataprep>) -> Known<Occupancy> {
    let block = id.block();
    let row = plan.datapreps.get(&id).ok_or_else(|| not_sized(model, block, "number of cores"))?;
    let cores = row.cores.ok_or_else(|| {
        load::reason(&plan.figures, block, "cores").unwrap_or_else(|| not_sized(model, block, "number of cores"))
    })?;
    let nodes = pool.nodes.high as f64;
    let node_cores = pool.node.cores.ok_or_else(|| not_sized(model, pool.id.block(), "number of cores"))?;
    let by_cores = ratio(cores as f64, node_cores as f64 * nodes);
    let by_memory = row.memory.zip(pool.node.memory).map_or(0.0, |(need, has)| ratio(need, has * nodes));
    let within = load::setting(model, id, "within", &model[id].within)?.seconds();
    let every = model[id].every.ok_or_else(|| load::absent(model, id, "every"))?.seconds();
    let run = Bar::exact(by_cores.max(by_memory) * within / YEAR);
    let year = run.times(ratio(YEAR, every));
    let because = ["cores", "memory", "within", "every"].map(|attribute| Reason::Of(block, attribute)).to_vec();
    Ok(Occupancy { held: year, busy: year, run: Some(run), basis: Basis::Formula, because })
}

/// Memory or cores, whichever is the larger share, all the time.
fn retrieval(plan: &Plan<'_>, model: &Model<'_>, pool: &PoolPlan, id: Id<Retrieval>) -> Known<Occupancy> {
    let block = id.block();
    let figure = plan.figures.known(block, "memory").ok_or_else(|| {
        load::reason(&plan.figures, block, "memory").unwrap_or_else(|| not_sized(model, block, "memory"))
    })?;
    let has = pool.node.memory.ok_or_else(|| not_sized(model, pool.id.block(), "memory"))?;
    let nodes = pool.nodes.high as f64;
    let cores = plan.retrievals.get(&id).and_then(|row| row.cores).zip(pool.node.cores);
    let by_cores = cores.map_or(0.0, |(need, has)| ratio(need as f64, has as f64 * nodes));
    let share = |bytes: f64| ratio(bytes, has * nodes).max(by_cores);
    let held = Bar { value: share(figure.value), low: share(figure.low), high: share(figure.high) };
    let because = ["memory", "cores"].map(|attribute| Reason::Of(block, attribute)).to_vec();
    Ok(Occupancy { held, busy: held, run: None, basis: Basis::Formula, because })
}

/// What the workloads of a pool are busy on together, no more than all of it; or whose share is not known.
pub fn busy(pool: &PoolPlan, occupancies: &Occupancies) -> Known<Bar> {
    let sum = total(pool, occupancies, |one| one.busy)?;
    Ok(Bar { value: sum.value.min(1.0), low: sum.low.min(1.0), high: sum.high.min(1.0) })
}

/// What the sums of these workloads stand on.
pub fn basis(loads: &[BlockId], occupancies: &Occupancies) -> Basis {
    let known = loads.iter().filter_map(|load| occupancies.get(load)?.as_ref().ok());
    known.map(|one| one.basis).max().unwrap_or(Basis::Formula)
}

/// What is held for the workloads of a pool together; above 1 when they are more than it has.
pub fn held(pool: &PoolPlan, occupancies: &Occupancies) -> Known<Bar> {
    total(pool, occupancies, |one| one.held)
}

fn total(pool: &PoolPlan, occupancies: &Occupancies, what: fn(&Occupancy) -> Bar) -> Known<Bar> {
    pool.loads.iter().try_fold(Bar::exact(0.0), |sum, load| match occupancies.get(load) {
        Some(Ok(one)) => Ok(sum.plus(what(one))),
        Some(Err(why)) => Err(Arc::clone(why)),
        None => Ok(sum),
    })
}
