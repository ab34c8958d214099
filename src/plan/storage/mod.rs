//! Storage: who keeps what on it, how fast, and what is bought for that.

mod demands;

use std::sync::Arc;

use crate::base::quantity::Rate;
use crate::model::Model;
use crate::model::decode::{Redundancy, Setting};
use crate::model::ids::Id;
use crate::model::kinds::{Dataset, Disk, Kind, Pool, Storage, Training};
use crate::model::words::StorageKind;

use super::figure::{Basis, Figure, Reason};
use super::formula::{round, storage as formula};
use super::{Plan, readable};

pub use demands::StorageDemand;

/// Storage, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct StoragePlan {
    /// Which.
    pub id: Id<Storage>,
    /// Usable bytes it has.
    pub capacity: Option<f64>,
    /// Usable bytes it needs, growth over the lifetime included.
    pub needed: Option<f64>,
    /// Bytes a second it reads.
    pub read: Option<f64>,
    /// Bytes a second it must read.
    pub read_needed: Option<f64>,
    /// Bytes a second it writes.
    pub write: Option<f64>,
    /// Bytes a second it must write.
    pub write_needed: Option<f64>,
    /// Random reads a second it gives.
    pub iops: Option<u64>,
    /// Random reads a second it must give.
    pub iops_needed: u64,
    /// Appliances bought for it.
    pub appliances: Option<u64>,
    /// Who asks for what, in words, the largest first.
    pub demands: Vec<StorageDemand>,
}

/// Sizes a storage.
pub fn size(plan: &mut Plan<'_>, id: Id<Storage>) {
    let model = Arc::clone(&plan.model);
    let storage = &model[id];
    let demands = demands::of(plan, &model, id);
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
        iops: None,
        iops_needed: demands.iter().map(|demand| demand.iops).fold(0, u64::saturating_add),
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
    row.iops = iops(plan, id, row.iops_needed, local_iops(plan, &model, storage));
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
    let disks = |rate: fn(&Disk) -> Option<f64>| -> Option<f64> {
        let each: Option<Vec<f64>> =
            server?.disks.iter().map(|part| Some(rate(&model[part.item])? * part.count as f64)).collect();
        each.filter(|each| !each.is_empty()).map(|each| each.iter().sum::<f64>() * nodes)
    };
    let read = disks(|disk| disk.read.map(|rate| rate.bytes_per_second()));
    let write = disks(|disk| disk.write.map(|rate| rate.bytes_per_second())).map(|rate| rate * efficiency);
    Some((row.node.local_disk? * nodes * efficiency, read, write))
}

/// The pool whose disks a storage is made of; nothing for storage that stands elsewhere.
pub fn disks_of(model: &Model<'_>, storage: &Storage) -> Option<Id<Pool>> {
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

fn only_pool(model: &Model<'_>, storage: &Storage) -> Option<Id<Pool>> {
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
    setting: &Setting<Rate>,
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

/// Random reads a second as given, or what the disks have, or what is needed.
fn iops(plan: &mut Plan<'_>, id: Id<Storage>, needed: u64, has: Option<u64>) -> Option<u64> {
    let block = id.block();
    match &plan.model[id].iops {
        Setting::Given(count) => Some(*count),
        Setting::Absent => has,
        Setting::Tbd(why) => {
            let why = Arc::clone(why);
            plan.figures.unknown(block, "iops", why);
            None
        }
        Setting::Auto => {
            let count = has.unwrap_or(needed);
            let figure = Figure::exact(count as f64, "", "what its disks give, or what is needed");
            plan.figures.put(block, "iops", figure.of(block, "iops_needed"));
            Some(count)
        }
    }
}

/// Random reads a second of disks in the nodes.
fn local_iops(plan: &Plan<'_>, model: &Model<'_>, storage: &Storage) -> Option<u64> {
    if storage.kind != StorageKind::LocalNvme {
        return None;
    }
    let pool = storage.pool.or_else(|| only_pool(model, storage))?;
    let nodes = plan.pools.get(&pool)?.nodes.low;
    let disks = &model[model[pool].server?].disks;
    let each: Option<Vec<u64>> =
        disks.iter().map(|part| Some(model[part.item].read_iops?.saturating_mul(part.count))).collect();
    let node = each.filter(|each| !each.is_empty())?.into_iter().fold(0, u64::saturating_add);
    Some(node.saturating_mul(nodes))
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
    if row.demands.iter().any(|demand| demand.what == demands::FULL_COPIES) {
        needed = needed.basis(Basis::Assumed).note("backups are counted as full copies");
    }
    let read = who(sum(row.read_needed, readable::rate, "all who read at once"), |demand| demand.read);
    let write = who(sum(row.write_needed, readable::rate, "all who write at once"), |demand| demand.write);
    plan.figures.put(block, "needed", needed);
    plan.figures.put(block, "read_needed", read);
    plan.figures.put(block, "write_needed", write);
    let mut iops = Figure::exact(row.iops_needed as f64, "", "random reads of all who rescore at once");
    for demand in row.demands.iter().filter(|demand| demand.iops > 0) {
        iops = iops.because(Reason::Block(demand.by)).note(demand.what);
    }
    plan.figures.put(block, "iops_needed", iops);
    if let Some(count) = row.appliances {
        let figure = Figure::exact(count as f64, "", "the most of capacity, read and write over those of one");
        plan.figures.put(block, "appliances", figure.of(block, "capacity").of(block, "read").of(block, "write"));
    }
}
