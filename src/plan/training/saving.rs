//! Checkpoints of a training run: size, interval, stall, and what failures cost.

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::kinds::Checkpoint;

use crate::plan::assumption::{self, Assumed, Key};
use crate::plan::formula::checkpoint::{self, FULL};
use crate::plan::formula::constants::Name;
use crate::plan::formula::spares;
use crate::plan::load::{self, Bar, Known};

use super::job::Job;

/// Seconds to notice a failure, start again and read the checkpoint back. Assumption: ten minutes.
pub const RESTART: f64 = 600.0;
/// Days until a broken node is back. Assumption: three days, a part on site and a technician the next working day.
pub const REPAIR_DAYS: f64 = 3.0;
/// How often more nodes may be broken than there are spares.
const SHORT_OF_SPARES: f64 = 0.05;

/// Bytes of a checkpoint: 14 a parameter, less where the optimizer is kept in fewer bits.
pub fn size(model: &Model<'_>, job: &Job<'_>) -> Known<Bar> {
    let (_, parameters) = job.shape.as_ref().map_err(Arc::clone)?;
    let total = parameters.total() as f64;
    let each = match constant(model, job, Name::CheckpointBytes) {
        Some(found) if found.is_given() => found.bar,
        found => Bar { value: FULL, low: found.map_or(FULL, |found| found.bar.low), high: FULL },
    };
    let at = |bytes| checkpoint::size(total, bytes);
    Ok(Bar { value: at(each.value), low: at(each.low), high: at(each.high) })
}

/// A constant as it holds for a job.
pub fn constant(model: &Model<'_>, job: &Job<'_>, name: Name) -> Option<Assumed> {
    assumption::find(model, name, Key::of(&job.seat.card, job.precision.word()))
}

/// The checkpoint of a run.
pub fn block<'m>(model: &'m Model<'_>, job: &Job<'m>) -> Option<&'m Checkpoint> {
    job.training.checkpoint.first().map(|&id| &model[id])
}

/// Seconds that training stands still for one: its size over the rate of the storage, or as long as it may.
pub fn stall(model: &Model<'_>, job: &Job<'_>) -> Known<f64> {
    let saving = block(model, job).ok_or_else(|| none(model, job))?;
    let storage = &model[saving.to];
    match (&storage.write, saving.stall_below) {
        (Setting::Given(rate), _) => Ok(checkpoint::stall(size(model, job)?.value, rate.bytes_per_second())),
        (Setting::Auto, Some(longest)) => Ok(longest.seconds()),
        (Setting::Absent, Some(longest)) => Ok(longest.seconds()),
        (Setting::Tbd(_), _) => {
            load::setting(model, saving.to, "write", &storage.write).map(|rate| rate.bytes_per_second())
        }
        (Setting::Auto | Setting::Absent, None) => Err(Arc::from(format!(
            "neither `{}.write` nor `{}.stall_below` says how long a checkpoint may take",
            model.address(saving.to.block()),
            model.address(saving.id.block()),
        ))),
    }
}

fn none(model: &Model<'_>, job: &Job<'_>) -> Arc<str> {
    Arc::from(format!("`{}` saves no checkpoint", model.address(job.id.block())))
}

/// Seconds of work between checkpoints: as written, or by Daly from the stall and the failures of so many nodes.
pub fn every(model: &Model<'_>, job: &Job<'_>, nodes: u64) -> Known<Bar> {
    let saving = block(model, job).ok_or_else(|| none(model, job))?;
    if !saving.every.is_auto() {
        let every = load::setting(model, saving.id, "every", &saving.every)?.seconds();
        return Ok(Bar::around(every, 1.0, 1.0));
    }
    let stall = stall(model, job)?;
    let failures = failures(model, job)?.bar;
    let at = |rate: f64| checkpoint::daly(stall, checkpoint::mtbf(nodes as f64, rate));
    Ok(Bar { value: at(failures.value), low: at(failures.high), high: at(failures.low) })
}

/// Failures in 1000 node-days.
pub fn failures(model: &Model<'_>, job: &Job<'_>) -> Known<Assumed> {
    constant(model, job, Name::Failures).ok_or_else(|| Arc::from("no failure rate is known"))
}

/// Share of the time that becomes kept work; nothing where a checkpoint or its stall is not known.
pub fn kept(model: &Model<'_>, job: &Job<'_>, nodes: u64) -> Option<Bar> {
    let (every, stall, failures) =
        (every(model, job, nodes).ok()?, stall(model, job).ok()?, failures(model, job).ok()?);
    let at = |rate: f64| checkpoint::goodput(every.value, stall, checkpoint::mtbf(nodes as f64, rate), RESTART);
    let bar = Bar { value: at(failures.bar.value), low: at(failures.bar.high), high: at(failures.bar.low) };
    (bar.low > 0.0).then_some(bar)
}

/// Spare nodes that cover repairs in all but 5 % of the time.
pub fn spare_nodes(nodes: u64, failures: f64) -> u64 {
    spares::spares(spares::nodes_in_repair(nodes, failures, REPAIR_DAYS), SHORT_OF_SPARES)
}
