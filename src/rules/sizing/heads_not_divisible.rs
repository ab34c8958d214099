//! # The heads of a model do not divide among the GPUs of a replica
//!
//! Serving engines share a layer by whole attention heads. A number of GPUs that does not divide them is refused at the
//! start, unless the layers are shared out instead.
//!
//! ```aip
//! inference i { gpus_per_replica = 3 }  # wrong: 32 heads
//! inference i { gpus_per_replica = 4 }  # right: 8 heads a GPU
//! ```
//!
//! Source: vLLM and SGLang check `num_attention_heads % tensor_parallel_size` when they start.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::ids::BlockId;
use crate::plan::InferencePlan;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3012),
    levels: Levels::always(Severity::Warning),
    text: include_str!("heads_not_divisible.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.inferences.values().filter_map(|inference| judge(context, inference)).collect()
}

fn judge(context: &Context<'_>, inference: &InferencePlan) -> Option<Finding> {
    let model = context.model();
    let heads = heads(context, model[inference.id].model.block())?;
    let gpus = inference.gpus_per_replica;
    if gpus == 0 || heads.is_multiple_of(gpus) {
        return None;
    }
    let message = format!(
        "a replica of `{}` has {}, which do not share {heads} heads evenly",
        model.address(inference.id.block()),
        phrase::count(gpus, "GPU")
    );
    let next = (gpus..=heads).find(|count| heads.is_multiple_of(*count))?;
    let help = format!("use {next} GPUs a replica");
    Some(Finding::on(model, inference.id.block(), "gpus_per_replica", message).help(help))
}

/// The heads of a model, or of the one it is based on.
fn heads(context: &Context<'_>, mut block: BlockId) -> Option<u64> {
    let model = context.model();
    // A chain of bases is short, and a circle would have been refused.
    for _ in 0..16 {
        let written = model.typed::<crate::model::kinds::Model>(block)?;
        match (written.heads, written.base) {
            (Some(heads), _) => return Some(heads),
            (None, Some(base)) => block = base.block(),
            (None, None) => return None,
        }
    }
    None
}
