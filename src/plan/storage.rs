//! Storage: who keeps what on it, how fast, and what is bought for that.

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::{Place, Redundancy, Setting};
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Backup, Checkpoint, Dataprep, Dataset, Finetune, Kind, Retrieval, Storage, Training};
use crate::model::words::StorageKind;

use super::figure::{Basis, Figure, Reason};
use super::formula::{round, storage as formula};
use super::{Plan, StorageDemand, StoragePlan, readable};

/// Share of the time between checkpoints that training may stand still, when nobody says a number.
const STALL_SHARE: f64 = 0.05;

/// Sizes a storage.
pub fn size(plan: &mut Plan<'_>, id: Id<Storage>) {
    let model = Arc::clone(&plan.model);
    let storage = &model[id];
    let demands = demands(plan, &model, id);
    let sum = |what: fn(&StorageDemand) -> f64| demands.iter().map(what).sum::<f64>() + 0.0;
    let fill = storage.fill_target.fraction();
    let trail = trail(plan, &model, id);
    let nothing_else = demands.iter().all(|demand| demand.bytes == 0.0);
    let open = open_size(plan, &model, id).or_else(|| trail.clone().filter(|_| nothing_else));
    let needed = open.is_none().then(|| round::ratio(sum(|demand| demand.bytes), fill));
    let (read_needed, write_needed) = (sum(|demand| demand.read), sum(|demand| demand.write));
    let appliances = appliances(&model, storage, needed, (read_needed, write_needed));
    let local = local(plan, &model, storage);
    let mut row = StoragePlan {
        id,
        capacity: None,
        needed,
        read: None,
        read_needed: Some(read_needed),
        write: None,
        write_needed: Some(write_needed),
        appliances,
        demands,
    };
    row.capacity = capacity(plan, id, needed, appliances, local.map(|local| local.0));
    let product = storage.product.map(|product| &model[product]);
    let times = |rate: Option<f64>| rate.zip(appliances).map(|(rate, count)| rate * count as f64);
    let has_read = times(product.and_then(|product| product.read).map(|rate| rate.bytes_per_second()));
    let has_write = times(product.and_then(|product| product.write).map(|rate| rate.bytes_per_second()));
    row.read = rate(plan, id, "read", &storage.read, read_needed, has_read.or(local.and_then(|local| local.1)));
    row.write = rate(plan, id, "write", &storage.write, write_needed, has_write.or(local.and_then(|local| local.2)));
    put_figures(plan, &row, trail.filter(|_| open.is_none()));
    if let Some(why) = open {
        plan.figures.unknown(id.block(), "needed", why);
    }
    plan.storages.insert(id, row);
}

/// Something that is kept on it and whose size nobody knows.
fn open_size(plan: &Plan<'_>, model: &Model<'_>, id: Id<Storage>) -> Option<String> {
    plan.uses.of_block(id.block()).iter().find_map(|(by, through)| {
        let block = match (model.block(*by).kind, *through) {
            (Kind::Dataset, "lives_on" | "prefetch_to") => model.typed::<Dataset>(*by)?.size.given().is_none(),
            (Kind::Training, "to") => plan.trainings.get(&model.as_id::<Training>(*by)?)?.checkpoint_bytes.is_none(),
            _ => false,
        };
        block.then(|| format!("the size of what `{}` keeps on it is not known", model.address(*by)))
    })
}

/// An audit trail on it: nobody says how much that writes.
fn trail(plan: &Plan<'_>, model: &Model<'_>, id: Id<Storage>) -> Option<String> {
    let audit = plan.uses.through(id.block(), "to").find(|by| model.block(*by).kind == Kind::Audit)?;
    Some(format!("what `{}` writes is not known", model.address(audit)))
}

/// What each block asks of the storage, in source order.
fn demands(plan: &Plan<'_>, model: &Model<'_>, id: Id<Storage>) -> Vec<StorageDemand> {
    let uses = plan.uses.of_block(id.block());
    uses.iter().flat_map(|(by, through)| demand(plan, model, id, *by, through)).collect()
}

fn demand(plan: &Plan<'_>, model: &Model<'_>, id: Id<Storage>, by: BlockId, through: &str) -> Vec<StorageDemand> {
    match (model.block(by).kind, through) {
        (Kind::Dataset, "lives_on") => dataset(plan, model, by, true),
        (Kind::Dataset, "prefetch_to") => dataset(plan, model, by, false),
        (Kind::Training, "to") => checkpoints(plan, model, by).into_iter().collect(),
        (Kind::Finetune, "to") => adapters(plan, model, by).into_iter().collect(),
        (Kind::Retrieval, "on") => index(plan, model, by).into_iter().collect(),
        (Kind::Backup, "to") => backup(plan, model, id, by),
        _ => Vec::new(),
    }
}

/// A dataset where it lives keeps growing; a prefetched copy is what is read.
fn dataset(plan: &Plan<'_>, model: &Model<'_>, by: BlockId, lives: bool) -> Vec<StorageDemand> {
    let Some(dataset) = model.typed::<Dataset>(by) else { return Vec::new() };
    let lifetime = model.platform().map_or(0.0, |platform| platform.lifetime.seconds());
    let size = dataset.size.given().map_or(0.0, |size| size.bytes());
    let growth = dataset.growth.given().map_or(0.0, |growth| growth.bytes_per_second() * lifetime);
    let copy = StorageDemand {
        by,
        what: if lives { "the dataset, with what comes in over the lifetime" } else { "a copy to be read" },
        bytes: if lives { size + growth } else { size },
        read: 0.0,
        write: 0.0,
    };
    // A copy that is prefetched is what workloads read; without one they read where it lives.
    let read_here = !lives || dataset.prefetch_to.is_none();
    let mut demands = vec![copy];
    for (reader, through) in plan.uses.of_block(by) {
        demands.extend(reads(plan, model, *reader, through).filter(|_| read_here));
        demands.extend(writes(model, *reader, through, size).filter(|_| lives));
    }
    demands
}

fn reads(plan: &Plan<'_>, model: &Model<'_>, reader: BlockId, through: &str) -> Option<StorageDemand> {
    if through != "reads" {
        return None;
    }
    let read = match model.block(reader).kind {
        Kind::Training => plan.trainings.get(&model.as_id(reader)?)?.read_rate?,
        Kind::Dataprep => plan.datapreps.get(&model.as_id(reader)?)?.read_rate?,
        _ => return None,
    };
    Some(StorageDemand { by: reader, what: "reading", bytes: 0.0, read, write: 0.0 })
}

fn writes(model: &Model<'_>, writer: BlockId, through: &str, size: f64) -> Option<StorageDemand> {
    if through != "writes" {
        return None;
    }
    let within = model.typed::<Dataprep>(writer)?.within.given()?.seconds();
    Some(StorageDemand { by: writer, what: "writing", bytes: 0.0, read: 0.0, write: round::ratio(size, within) })
}

/// Checkpoints that are kept, and the rate that keeps the stall below its limit.
fn checkpoints(plan: &Plan<'_>, model: &Model<'_>, by: BlockId) -> Option<StorageDemand> {
    let row = plan.trainings.get(&model.as_id::<Training>(by)?)?;
    let bytes = row.checkpoint_bytes?;
    let checkpoint: &Checkpoint = &model[*model.typed::<Training>(by)?.checkpoint.first()?];
    let stall = match checkpoint.stall_below {
        Some(limit) => Some(limit.seconds()),
        None => row.checkpoint_every.map(|every| every * STALL_SHARE),
    };
    Some(StorageDemand {
        by,
        what: "checkpoints",
        bytes: bytes * checkpoint.keep as f64,
        read: 0.0,
        write: stall.map_or(0.0, |stall| round::ratio(bytes, stall)),
    })
}

/// Every adapter of the platform's lifetime is kept.
fn adapters(plan: &Plan<'_>, model: &Model<'_>, by: BlockId) -> Option<StorageDemand> {
    let finetune = model.typed::<Finetune>(by)?;
    let bytes = plan.finetunes.get(&finetune.id)?.result_bytes?;
    let lifetime = model.platform()?.lifetime.seconds();
    let runs = finetune.runs.given().map_or(1.0, |runs| runs.per_second() * lifetime);
    Some(StorageDemand { by, what: "results of all runs", bytes: bytes * runs, read: 0.0, write: 0.0 })
}

/// An index is written anew beside the old one.
fn index(plan: &Plan<'_>, model: &Model<'_>, by: BlockId) -> Option<StorageDemand> {
    let row = plan.retrievals.get(&model.as_id::<Retrieval>(by)?)?;
    let bytes = row.memory? * super::formula::vectors::REBUILD_FACTOR;
    Some(StorageDemand { by, what: "the index and its rebuild", bytes, read: 0.0, write: 0.0 })
}

/// Full copies of everything on the storages it is of; what is incremental needs less.
fn backup(plan: &Plan<'_>, model: &Model<'_>, id: Id<Storage>, by: BlockId) -> Vec<StorageDemand> {
    let Some(backup) = model.typed::<Backup>(by).filter(|backup| matches!(&backup.to, Place::Inside(to) if *to == id))
    else {
        return Vec::new();
    };
    let every = backup.every.seconds();
    let copies = backup.keep.map_or(1.0, |keep| round::ceil_units(round::ratio(keep.seconds(), every)) as f64);
    let stored =
        backup.of.iter().filter_map(|of| model.as_id::<Storage>(of.block)).filter_map(|of| plan.storages.get(&of));
    let bytes: f64 = stored.flat_map(|row| row.demands.iter()).map(|demand| demand.bytes).sum();
    let write = round::ratio(bytes, every);
    vec![StorageDemand { by, what: "full copies", bytes: bytes * copies, read: 0.0, write }]
}

/// Appliances for what is asked, and not fewer than the loads need.
fn appliances(model: &Model<'_>, storage: &Storage, needed: Option<f64>, rates: (f64, f64)) -> Option<u64> {
    let product = &model[storage.product?];
    let wanted = storage.capacity.given().map(|capacity| capacity.bytes()).or(needed)?;
    let read = storage.read.given().map_or(rates.0, |rate| rate.bytes_per_second());
    let write = storage.write.given().map_or(rates.1, |rate| rate.bytes_per_second());
    let by = |wanted: f64, one: Option<f64>| match one {
        Some(one) if one > 0.0 => round::ceil_units(wanted / one),
        _ => 0,
    };
    let count = by(wanted, Some(product.capacity.bytes()))
        .max(by(read, product.read.map(|rate| rate.bytes_per_second())))
        .max(by(write, product.write.map(|rate| rate.bytes_per_second())));
    Some(count.max(1))
}

/// Capacity, read and write of disks in the nodes, after protection.
fn local(plan: &Plan<'_>, model: &Model<'_>, storage: &Storage) -> Option<(f64, Option<f64>, Option<f64>)> {
    let pool = disks_of(model, storage)?;
    let row = plan.pools.get(&pool)?;
    let nodes = row.nodes.low as f64;
    let efficiency = efficiency(storage);
    let server = model[pool].server.map(|server| &model[server]);
    let disks = |rate: fn(&crate::model::kinds::Disk) -> Option<f64>| -> Option<f64> {
        let each: Option<Vec<f64>> =
            server?.disks.iter().map(|part| Some(rate(&model[part.item])? * part.count as f64)).collect();
        each.filter(|each| !each.is_empty()).map(|each| each.iter().sum::<f64>() * nodes)
    };
    let read = disks(|disk| disk.read.map(|rate| rate.bytes_per_second()));
    let write = disks(|disk| disk.write.map(|rate| rate.bytes_per_second())).map(|rate| rate * efficiency);
    Some((row.node.local_disk? * nodes * efficiency, read, write))
}

/// The pool whose disks a storage is made of; nothing for storage that stands elsewhere.
pub fn disks_of(model: &Model<'_>, storage: &Storage) -> Option<Id<crate::model::kinds::Pool>> {
    (storage.kind == StorageKind::LocalNvme).then(|| storage.pool.or_else(|| only_pool(model, storage)))?
}

/// Share of the disks that protection leaves.
pub fn efficiency(storage: &Storage) -> f64 {
    match storage.redundancy {
        None | Some(Redundancy::None) => formula::Redundancy::None,
        Some(Redundancy::Mirror) => formula::Redundancy::Copies(2),
        Some(Redundancy::Replicas(copies)) => formula::Redundancy::Copies(copies),
        Some(Redundancy::Erasure { data, parity }) => formula::Redundancy::Erasure { data, parity },
    }
    .efficiency()
}

fn only_pool(model: &Model<'_>, storage: &Storage) -> Option<Id<crate::model::kinds::Pool>> {
    let mut pools = model.tables.pools.iter().filter(|pool| pool.site == storage.site);
    match (pools.next(), pools.next()) {
        (Some(only), None) => Some(only.id),
        _ => None,
    }
}

/// The capacity as given, or what the disks, the appliances or the needs come to.
fn capacity(
    plan: &mut Plan<'_>,
    id: Id<Storage>,
    needed: Option<f64>,
    appliances: Option<u64>,
    local: Option<f64>,
) -> Option<f64> {
    let model = Arc::clone(&plan.model);
    let storage = &model[id];
    let block = id.block();
    match &storage.capacity {
        Setting::Given(capacity) => return Some(capacity.bytes()),
        Setting::Tbd(why) => {
            plan.figures.unknown(block, "capacity", Arc::clone(why));
            return None;
        }
        Setting::Auto | Setting::Absent => {}
    }
    let bought = storage.product.zip(appliances).map(|(product, count)| model[product].capacity.bytes() * count as f64);
    let (bytes, figure) = match (local, bought, needed) {
        (Some(local), ..) => {
            let figure = Figure::exact(local, readable::data(local), "disks of the nodes, after protection")
                .of(block, "redundancy");
            (local, storage.pool.map_or(figure.clone(), |pool| figure.of(pool.block(), "nodes")))
        }
        (None, Some(bought), _) => (
            bought,
            Figure::exact(bought, readable::data(bought), "appliances × capacity of one").of(block, "appliances"),
        ),
        (None, None, Some(needed)) if needed > 0.0 => {
            let whole = round_up(needed);
            (
                whole,
                Figure::exact(whole, readable::data(whole), "what is needed, rounded up to two digits")
                    .of(block, "needed"),
            )
        }
        (None, None, _) => {
            plan.figures.unknown(block, "capacity", "what is kept on it is not known");
            return None;
        }
    };
    plan.figures.put(block, "capacity", figure);
    Some(bytes)
}

/// Up to two significant digits, the way storage is asked for.
fn round_up(value: f64) -> f64 {
    let mut unit = 1.0;
    while value / unit >= 100.0 {
        unit *= 10.0;
    }
    round::ceil_units(value / unit) as f64 * unit
}

/// A rate as given, or what the disks or appliances have, or what is needed.
fn rate(
    plan: &mut Plan<'_>,
    id: Id<Storage>,
    attribute: &'static str,
    setting: &Setting<crate::base::quantity::Rate>,
    needed: f64,
    has: Option<f64>,
) -> Option<f64> {
    let block = id.block();
    match setting {
        Setting::Given(rate) => Some(rate.bytes_per_second()),
        Setting::Tbd(why) => {
            plan.figures.unknown(block, attribute, Arc::clone(why));
            None
        }
        Setting::Absent => has,
        Setting::Auto => {
            let needs = if attribute == "read" { "read_needed" } else { "write_needed" };
            match has.or((needed > 0.0).then(|| round_up(needed))) {
                Some(rate) => {
                    let figure = Figure::exact(
                        rate,
                        readable::rate(rate),
                        "what is bought for it, or what is needed, rounded up",
                    );
                    plan.figures.put(block, attribute, figure.of(block, needs));
                    Some(rate)
                }
                None => {
                    plan.figures.unknown(block, attribute, "no workload says how fast it must be");
                    None
                }
            }
        }
    }
}

/// A sum of what is asked; where it is not known, what replaces it says so.
fn sum(value: Option<f64>, unit: fn(f64) -> &'static str, formula: &'static str) -> Figure {
    let value = value.unwrap_or(0.0);
    Figure::exact(value, unit(value), formula)
}

fn put_figures(plan: &mut Plan<'_>, row: &StoragePlan, missing: Option<String>) {
    let block = row.id.block();
    let who = |figure: Figure, what: fn(&StorageDemand) -> f64| {
        row.demands
            .iter()
            .filter(|demand| what(demand) > 0.0)
            .fold(figure, |figure, demand| figure.because(Reason::Block(demand.by)).note(demand.what))
    };
    let mut needed =
        who(sum(row.needed, readable::data, "all that is kept ÷ share to be used"), |demand| demand.bytes);
    needed = needed.of(block, "fill_target");
    if let Some(missing) = missing {
        needed = needed.note(format!("{missing}, and not in it"));
    }
    if row.demands.iter().any(|demand| demand.what == "full copies") {
        needed = needed.basis(Basis::Assumed).note("backups are counted as full copies");
    }
    let read = who(sum(row.read_needed, readable::rate, "all who read at once"), |demand| demand.read);
    let write = who(sum(row.write_needed, readable::rate, "all who write at once"), |demand| demand.write);
    plan.figures.put(block, "needed", needed);
    plan.figures.put(block, "read_needed", read);
    plan.figures.put(block, "write_needed", write);
    if let Some(count) = row.appliances {
        let figure = Figure::exact(count as f64, "", "the most of capacity, read and write over those of one");
        plan.figures.put(block, "appliances", figure.of(block, "capacity").of(block, "read").of(block, "write"));
    }
}
