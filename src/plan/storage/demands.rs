//! Who asks what of a storage.

use crate::model::Model;
use crate::model::decode::Place;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Backup, Checkpoint, Dataprep, Dataset, Finetune, Kind, Retrieval, Storage, Training};
use crate::plan::Plan;
use crate::plan::formula::round;
use crate::plan::formula::vectors::REBUILD_FACTOR;

/// Share of the time between checkpoints that training may stand still, when nobody says a number.
const STALL_SHARE: f64 = 0.05;
/// Seconds that reading a checkpoint back may take when a run starts again. Assumption: half of the ten minutes that a
/// failure is taken to cost.
pub const RESTART_READ: f64 = 300.0;
/// What a backup asks for.
pub const FULL_COPIES: &str = "full copies";

/// What one block asks of a storage.
#[derive(Debug, Clone, PartialEq)]
pub struct StorageDemand {
    /// Who asks.
    pub by: BlockId,
    /// For what.
    pub what: &'static str,
    /// Bytes to be kept.
    pub bytes: f64,
    /// Bytes a second to be read.
    pub read: f64,
    /// Bytes a second to be written.
    pub write: f64,
    /// Random reads a second.
    pub iops: u64,
}

/// A demand for nothing yet.
fn nothing(by: BlockId, what: &'static str) -> StorageDemand {
    StorageDemand { by, what, bytes: 0.0, read: 0.0, write: 0.0, iops: 0 }
}

/// What each block asks of the storage, in source order.
pub fn of(plan: &Plan<'_>, model: &Model<'_>, id: Id<Storage>) -> Vec<StorageDemand> {
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
        bytes: if lives { size + growth } else { size },
        ..nothing(by, if lives { "the dataset, with what comes in over the lifetime" } else { "a copy to be read" })
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
    Some(StorageDemand { read, ..nothing(reader, "reading") })
}

fn writes(model: &Model<'_>, writer: BlockId, through: &str, size: f64) -> Option<StorageDemand> {
    if through != "writes" {
        return None;
    }
    let within = model.typed::<Dataprep>(writer)?.within.given()?.seconds();
    Some(StorageDemand { write: round::ratio(size, within), ..nothing(writer, "writing") })
}

/// Checkpoints that are kept, the rate that keeps the stall below its limit, and the one that starts a run again.
fn checkpoints(plan: &Plan<'_>, model: &Model<'_>, by: BlockId) -> Option<StorageDemand> {
    let row = plan.trainings.get(&model.as_id::<Training>(by)?)?;
    let bytes = row.checkpoint_bytes?;
    let checkpoint: &Checkpoint = &model[*model.typed::<Training>(by)?.checkpoint.first()?];
    let stall = match checkpoint.stall_below {
        Some(limit) => Some(limit.seconds()),
        None => row.checkpoint_every.map(|every| every * STALL_SHARE),
    };
    Some(StorageDemand {
        bytes: bytes * checkpoint.keep as f64,
        read: bytes / RESTART_READ,
        write: stall.map_or(0.0, |stall| round::ratio(bytes, stall)),
        ..nothing(by, "checkpoints, and one read back to start again")
    })
}

/// Every adapter of the platform's lifetime is kept.
fn adapters(plan: &Plan<'_>, model: &Model<'_>, by: BlockId) -> Option<StorageDemand> {
    let finetune = model.typed::<Finetune>(by)?;
    let bytes = plan.finetunes.get(&finetune.id)?.result_bytes?;
    let lifetime = model.platform()?.lifetime.seconds();
    let runs = finetune.runs.given().map_or(1.0, |runs| runs.per_second() * lifetime);
    Some(StorageDemand { bytes: bytes * runs, ..nothing(by, "results of all runs") })
}

/// An index is written anew beside the old one; full vectors lie beside it where candidates are rescored.
fn index(plan: &Plan<'_>, model: &Model<'_>, by: BlockId) -> Option<StorageDemand> {
    let row = plan.retrievals.get(&model.as_id::<Retrieval>(by)?)?;
    let bytes = row.memory? * REBUILD_FACTOR + row.disk.unwrap_or(0.0);
    Some(StorageDemand { bytes, iops: row.iops.unwrap_or(0), ..nothing(by, "the index and its rebuild") })
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
    vec![StorageDemand { bytes: bytes * copies, write, ..nothing(by, FULL_COPIES) }]
}
