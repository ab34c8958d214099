//! The counts that follow from a machine, so that they are left to the compiler while machines are compared.

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Finetune, Inference, Kind, Pool, Training};
use crate::model::value::Value;
use crate::plan::Plan;

/// An attribute that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// `training.pretrain.gpus`.
    pub path: String,
    /// What it is.
    pub value: String,
}

/// What becomes of the counts of a pool and its loads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// `auto` in the comparison.
    pub freed: Vec<Written>,
    /// As written, because nothing else decides them, or because they are locked.
    pub kept: Vec<Written>,
}

/// Sorts the counts: the pool's nodes are freed; of its loads, what a demand of theirs decides again.
///
/// GPUs of a run are freed where a deadline decides them, copies where a demand does: without one, the number written is
/// all that the load says.
pub fn of(plan: &Plan<'_>, id: Id<Pool>) -> Counts {
    let model = &*plan.model;
    let mut counts = Counts::default();
    counts.sort(model, id.block(), "nodes", true);
    for &load in &plan.pool(id).loads {
        match model.block(load).kind {
            Kind::Training => {
                let decided = model.typed::<Training>(load).is_some_and(|run| run.deadline.given().is_some());
                counts.sort(model, load, "gpus", decided);
                for way in ["tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel"] {
                    counts.sort(model, load, way, true);
                }
            }
            Kind::Finetune => {
                let decided = model.typed::<Finetune>(load).is_some_and(|run| run.deadline.given().is_some());
                counts.sort(model, load, "gpus", decided);
            }
            Kind::Inference => {
                let demand = model.typed::<Inference>(load).and_then(|inference| inference.demand.first().copied());
                let decided = demand.is_some_and(|demand| model[demand].requests.given().is_some());
                counts.sort(model, load, "gpus_per_replica", true);
                counts.sort(model, load, "replicas", decided);
            }
            _ => {}
        }
    }
    counts
}

impl Counts {
    fn sort(&mut self, model: &Model<'_>, block: BlockId, attribute: &'static str, decided: bool) {
        let value = model.value(block, attribute);
        if matches!(value, Value::Auto | Value::Null) {
            return;
        }
        let written = Written { path: format!("{}.{attribute}", model.address(block)), value: model.show(&value) };
        let free = decided && !is_locked(model, block, attribute);
        if free { self.freed.push(written) } else { self.kept.push(written) }
    }
}

fn is_locked(model: &Model<'_>, block: BlockId, attribute: &str) -> bool {
    let block = model.block(block);
    let position = block.kind.schema().attribute(attribute).map(|(position, _)| position);
    position.and_then(|position| block.slot(position)).is_some_and(|slot| slot.locked)
}
