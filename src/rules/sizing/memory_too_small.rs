//! # A workload does not fit into GPU memory
//!
//! Weights, gradients, optimizer states and activations, or weights and the cache of one request of full context, take more
//! memory on each GPU than a runtime sees there. The program stops with an out-of-memory error, at the start or at the first
//! long sequence.
//!
//! ```aip
//! training t { gpus = 8, tensor_parallel = 1 }  # wrong: 70 billion parameters on 8 GPUs of 80 GB
//! training t { gpus = 32 }                      # right: the states are spread over more GPUs
//! ```
//!
//! When only the upper end of the error bar does not fit, it is a warning: measure before relying on it.
//!
//! Source: the memory formulas of `aipc explain training.NAME.memory_per_gpu`, held against the GPU's usable memory.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::plan::Fit;
use crate::plan::Memory;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3001),
    levels: Levels::always(Severity::Error),
    text: include_str!("memory_too_small.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let plan = context.plan;
    let trainings = plan.trainings.values().map(|one| (one.id.block(), &one.memory, Some(one.gpus)));
    let finetunes = plan.finetunes.values().map(|one| (one.id.block(), &one.memory, Some(one.gpus)));
    let inferences = plan.inferences.values().map(|one| (one.id.block(), &one.memory, None));
    let all = trainings.chain(finetunes).chain(inferences);
    all.filter_map(|(block, memory, gpus)| judge(context, block, memory.as_ref()?, gpus)).collect()
}

fn judge(context: &Context<'_>, block: BlockId, memory: &Memory, gpus: Option<u64>) -> Option<Finding> {
    let model = context.model();
    let attribute = if gpus.is_some() { "gpus" } else { "gpus_per_replica" };
    let (need, there) = (amount::memory(memory.need), amount::memory(memory.available));
    match memory.fit {
        Fit::Yes | Fit::Unknown => None,
        Fit::No => {
            let message =
                format!("`{}` needs {need} of memory on each GPU, there is {there}", model.address(block));
            Some(Finding::on(model, block, attribute, message).help(repair(memory, gpus)))
        }
        Fit::Tight => {
            let margin = amount::memory((memory.available - memory.need).max(0.0));
            let high = amount::memory(memory.high);
            let message = format!(
                "`{}` fits into GPU memory with {margin} to spare, less than the estimate is sure of",
                model.address(block)
            );
            let finding = Finding::on(model, block, attribute, message).softened();
            let finding = finding.fact(format!("{need} needed on each GPU, at most {high}; {there} there"));
            Some(finding.help("measure a short run and write a `baseline`, or use more GPUs"))
        }
    }
}

fn repair(memory: &Memory, gpus: Option<u64>) -> String {
    let short = amount::memory(memory.need - memory.available);
    let others = "a GPU with more memory or fewer bits a number";
    match gpus {
        Some(gpus) => {
            format!("{short} too much: spread it over more than {gpus} GPUs, recompute more, or take {others}")
        }
        None => format!("{short} too much: raise `gpus_per_replica`, shorten `context`, or take {others}"),
    }
}
