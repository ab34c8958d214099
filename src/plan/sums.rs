//! What the loads of a pool ask of its nodes and what these have: GPU memory, cores, main memory, disks, network.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Kind, Pool, Storage};

use super::figure::{Basis, Figure, Reason};
use super::formula::dataprep::{host_bytes, node_cores};
use super::formula::round::{div_ceil, ratio};
use super::gpu::Card;
use super::load::{self, Bar, Known, put_known};
use super::{Plan, PoolPlan, pool, readable, storage};

/// Workers of a data loader for each GPU: 2 for text, 4 for images. Source: ml-engineering.
const WORKERS: (u64, u64) = (2, 4);
/// Cores of a node that the system keeps. Source: ml-engineering.
const SYSTEM_CORES: u64 = 4;
/// Main memory over the memory of the GPUs in use: 1 at least, 2 by preference. Source: ml-engineering.
const HOST_FACTOR: (f64, f64) = (1.0, 2.0);

/// What is needed and what there is.
#[derive(Debug, Clone)]
pub struct Sum {
    /// What the loads that run at the same time need.
    pub needed: Known<Bar>,
    /// What the nodes have, spare ones left out.
    pub present: Known<f64>,
}

/// The sums of a pool.
#[derive(Debug, Clone)]
pub struct Sums {
    /// Bytes of GPU memory that runtimes see.
    pub gpu_memory: Sum,
    /// Cores.
    pub cores: Sum,
    /// Bytes of main memory.
    pub memory: Sum,
    /// Bytes of local disks, before protection.
    pub local_disk: Sum,
    /// Bytes a second of one node to storage.
    pub network: Sum,
}

impl Sums {
    /// Adds up. Everything on the pool is sized.
    pub fn of(plan: &Plan<'_>, id: Id<Pool>) -> Sums {
        let model = &*plan.model;
        let row = plan.pool(id);
        let nodes = match load::reason(&plan.figures, id.block(), "nodes") {
            Some(why) => Err(why),
            None => Ok(row.nodes.high.saturating_sub(row.spare)),
        };
        let each = |fact: Option<f64>, attribute: &str| {
            let nodes = nodes.clone()? as f64;
            fact.map(|fact| fact * nodes).ok_or_else(|| silent(model, row, attribute))
        };
        let card = row.node.gpu.map(|gpu| Card::of(model, gpu));
        let gpu_bytes = card.map_or(0.0, |card| card.memory());
        Sums {
            gpu_memory: Sum {
                needed: gpu_memory(plan, model, row),
                present: each(row.node.product.map(|_| gpu_bytes * row.node.gpus as f64), "gpus"),
            },
            cores: Sum { needed: cores(row), present: each(row.node.cores.map(|cores| cores as f64), "cpus") },
            memory: Sum { needed: memory(row, gpu_bytes), present: each(row.node.memory, "memory") },
            local_disk: Sum {
                needed: local_disk(plan, model, id),
                present: each(row.node.local_disk, if row.node.rented { "local_disk" } else { "disks" }),
            },
            network: Sum {
                needed: nodes.clone().and_then(|nodes| network(plan, model, row, nodes)),
                present: pool::network(model, id).ok_or_else(|| silent(model, row, "storage_ports")),
            },
        }
    }

    /// Puts them in their places.
    pub fn put(&self, plan: &mut Plan<'_>, id: Id<Pool>) {
        let row = plan.pool(id);
        let (block, product, loads) = (id.block(), row.node.product, row.loads.clone());
        let busy = row.used_gpus > 0;
        let present = |sum: &Sum, unit: fn(f64) -> &'static str, formula, attribute: &'static str| {
            sum.present.clone().map(|value| {
                let figure = Figure::exact(value, unit(value), formula).of(block, "nodes").of(block, "spare");
                product.map_or(figure.clone(), |product| figure.of(product, attribute))
            })
        };
        let needed = |sum: &Sum, unit: fn(f64) -> &'static str, formula| {
            sum.needed.clone().map(|bar| {
                let figure = bar.figure(unit(bar.value), formula);
                loads.iter().fold(figure, |figure, load| figure.because(Reason::Block(*load)))
            })
        };
        let plain: fn(f64) -> &'static str = |_| "";
        let of_nodes = "(nodes − spare) × what one has";
        let assumed = |figure: Known<Figure>, name, value: &str| {
            let constant = Reason::constant(name, value, "ml-engineering");
            // Without GPUs in use nothing is assumed.
            figure.map(|figure| match busy {
                true => figure.basis(Basis::Assumed).of(block, "used_gpus").because(constant),
                false => figure,
            })
        };
        let rows = [
            (
                "gpu_memory",
                present(&self.gpu_memory, readable::memory, "usable GPUs × memory that a runtime sees", "gpus"),
            ),
            (
                "gpu_memory_needed",
                needed(
                    &self.gpu_memory,
                    readable::memory,
                    "memory of a GPU × GPUs, of the loads that run at the same time",
                ),
            ),
            ("cores", present(&self.cores, plain, of_nodes, if row.node.rented { "vcpus" } else { "cpus" })),
            (
                "cores_needed",
                assumed(
                    needed(
                        &self.cores,
                        plain,
                        "GPUs × (workers + 1) + 4 × nodes with GPUs in use + cores of data preparation",
                    ),
                    "workers of a data loader for each GPU",
                    "2 (text) to 4 (images)",
                ),
            ),
            ("memory", present(&self.memory, readable::memory, of_nodes, "memory")),
            (
                "memory_needed",
                assumed(
                    needed(&self.memory, readable::memory, "memory of the GPUs in use × 1 + memory of the other loads"),
                    "main memory over GPU memory",
                    "1 at least, 2 by preference",
                ),
            ),
            (
                "local_disk",
                present(
                    &self.local_disk,
                    readable::data,
                    of_nodes,
                    if row.node.rented { "local_disk" } else { "disks" },
                ),
            ),
            (
                "local_disk_needed",
                needed(&self.local_disk, readable::data, "storage on the nodes' disks ÷ share that protection leaves"),
            ),
            (
                "network",
                self.network.present.clone().map(|rate| {
                    let figure =
                        Figure::exact(rate, "Gbps", "all ports of a node for storage × speed, else all of its cards");
                    product.map_or(figure.clone(), |product| {
                        figure.of(product, if row.node.rented { "network" } else { "storage_ports" })
                    })
                }),
            ),
            (
                "network_needed",
                needed(&self.network, |_| "Gbps", "reads and writes of its loads on storage ÷ nodes")
                    .map(|figure| figure.note("traffic between GPUs and of users is not in it")),
            ),
        ];
        for (name, figure) in rows {
            put_known(&mut plan.figures, block, name, figure);
        }
    }
}

/// Why the nodes' part is not known.
fn silent(model: &Model<'_>, row: &PoolPlan, attribute: &str) -> Arc<str> {
    match row.node.product {
        Some(product) => Arc::from(format!("`{}` does not say its `{attribute}`", model.address(product))),
        None => Arc::from(format!("`{}` names no server or instance", model.address(row.id.block()))),
    }
}

/// Bytes that a load needs on all its GPUs; nothing for loads without.
fn gpu_memory_of(plan: &Plan<'_>, model: &Model<'_>, load: BlockId) -> Option<(Option<f64>, Option<f64>)> {
    let times = |memory: &Option<super::Memory>, gpus: u64| {
        let by = |bytes: f64| bytes * gpus as f64;
        (memory.as_ref().map(|memory| by(memory.need)), memory.as_ref().map(|memory| by(memory.high)))
    };
    match model.block(load).kind {
        Kind::Training => {
            let row = model.as_id(load).and_then(|id| plan.trainings.get(&id));
            Some(row.map_or((None, None), |row| times(&row.memory, row.gpus)))
        }
        Kind::Finetune => {
            let row = model.as_id(load).and_then(|id| plan.finetunes.get(&id));
            Some(row.map_or((None, None), |row| times(&row.memory, row.gpus)))
        }
        Kind::Inference => {
            let row = model.as_id(load).and_then(|id| plan.inferences.get(&id));
            let gpus = |row: &super::InferencePlan| Some(row.gpus_per_replica.saturating_mul(row.replicas?.high));
            let known = row.and_then(|row| Some((row, gpus(row)?)));
            Some(known.map_or((None, None), |(row, gpus)| times(&row.memory, gpus)))
        }
        _ => None,
    }
}

fn gpu_memory(plan: &Plan<'_>, model: &Model<'_>, row: &PoolPlan) -> Known<Bar> {
    let (mut values, mut highs) = (Vec::new(), Vec::new());
    for &load in &row.loads {
        let unknown = || Arc::from(format!("the GPU memory that `{}` needs is not known", model.address(load)));
        let (value, high) = gpu_memory_of(plan, model, load).unwrap_or((Some(0.0), Some(0.0)));
        values.push(value.ok_or_else(unknown)?);
        highs.push(high.ok_or_else(unknown)?);
    }
    let value = pool::at_once(model, &row.loads, &values);
    Ok(Bar { value, low: value, high: pool::at_once(model, &row.loads, &highs) })
}

/// Cores by the rule of thumb for loaders, and those of data preparation.
fn cores(row: &PoolPlan) -> Known<Bar> {
    open(row)?;
    let with = |workers: u64| {
        let busy = div_ceil(row.used_gpus, row.node.gpus.max(1));
        let loaders = node_cores(row.used_gpus, workers, SYSTEM_CORES.saturating_mul(busy));
        loaders.saturating_add(row.used_cores) as f64
    };
    let value = with(WORKERS.0);
    Ok(Bar { value, low: row.used_cores as f64, high: with(WORKERS.1) })
}

/// Main memory by the rule of thumb for GPUs, and that of the loads that say it.
fn memory(row: &PoolPlan, gpu_bytes: f64) -> Known<Bar> {
    open(row)?;
    let with = |factor| host_bytes(row.used_gpus, gpu_bytes, factor) + row.used_memory;
    Ok(Bar { value: with(HOST_FACTOR.0), low: row.used_memory, high: with(HOST_FACTOR.1) })
}

/// What is used is not known when the size of a load is not.
fn open(row: &PoolPlan) -> Known<()> {
    row.open.as_ref().map_or(Ok(()), |why| Err(Arc::clone(why)))
}

/// Storage on the disks of the pool's nodes.
fn storages<'m>(model: &'m Model<'_>, id: Id<Pool>) -> impl Iterator<Item = &'m Storage> {
    model.tables.storages.iter().filter(move |storage| storage::disks_of(model, storage) == Some(id))
}

fn local_disk(plan: &Plan<'_>, model: &Model<'_>, id: Id<Pool>) -> Known<Bar> {
    let mut sum = 0.0;
    for storage in storages(model, id) {
        let block = storage.id.block();
        if let Some(why) = load::reason(&plan.figures, block, "needed") {
            return Err(why);
        }
        let needed = plan.storages.get(&storage.id).and_then(|row| row.needed);
        let needed = needed.ok_or_else(|| Arc::from(format!("what `{}` keeps is not known", model.address(block))))?;
        sum += ratio(needed, storage::efficiency(storage));
    }
    Ok(Bar { value: sum, low: sum, high: sum })
}

/// What the loads read from and write to storage elsewhere, for each node.
fn network(plan: &Plan<'_>, model: &Model<'_>, row: &PoolPlan, nodes: u64) -> Known<Bar> {
    for &load in &row.loads {
        if silent_on_data(plan, model, load) {
            return Err(Arc::from(format!("how fast `{}` reads and writes is not known", model.address(load))));
        }
    }
    let elsewhere = plan.storages.values().filter(|storage| storage::disks_of(model, &model[storage.id]).is_none());
    let demands = elsewhere.flat_map(|storage| &storage.demands).filter(|demand| row.loads.contains(&demand.by));
    let total = demands.map(|demand| demand.read + demand.write).sum::<f64>() + 0.0;
    let each = ratio(total, nodes.max(1) as f64);
    Ok(Bar { value: each, low: each, high: each })
}

/// True when a load has data whose rate nobody knows.
fn silent_on_data(plan: &Plan<'_>, model: &Model<'_>, load: BlockId) -> bool {
    match model.block(load).kind {
        Kind::Training => {
            let Some(id) = model.as_id(load) else { return false };
            let training: &crate::model::kinds::Training = &model[id];
            let row = plan.trainings.get(&id);
            let reads = !training.reads.is_empty() && row.and_then(|row| row.read_rate).is_none();
            let saves = !training.checkpoint.is_empty() && row.and_then(|row| row.checkpoint_bytes).is_none();
            reads || saves
        }
        Kind::Dataprep => {
            model.as_id(load).and_then(|id| plan.datapreps.get(&id)).is_none_or(|row| row.read_rate.is_none())
        }
        _ => false,
    }
}
