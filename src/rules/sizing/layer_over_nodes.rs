//! # A layer is shared by GPUs of several nodes
//!
//! GPUs that share a layer exchange activations several times a layer. Inside a node that runs at NVLink speed; between
//! nodes it is ten to twenty times slower and sets the pace.
//!
//! ```aip
//! training t { tensor_parallel = 16 }                        # wrong on nodes of 8 GPUs
//! training t { tensor_parallel = 8, pipeline_parallel = 2 }  # right
//! ```
//!
//! Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", SC21, section 3.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3006),
    levels: Levels::always(Severity::Warning),
    text: include_str!("layer_over_nodes.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let (plan, model) = (context.plan, context.model());
    let trainings = plan.trainings.values().map(|one| {
        (one.id.block(), model[one.id].runs_on, one.parallelism.tensor, "tensor_parallel")
    });
    let inferences = plan
        .inferences
        .values()
        .map(|one| (one.id.block(), model[one.id].runs_on, one.gpus_per_replica, "gpus_per_replica"));
    trainings.chain(inferences).filter_map(|(block, pool, gpus, name)| judge(context, block, pool, gpus, name)).collect()
}

fn judge(context: &Context<'_>, block: BlockId, pool: Id<Pool>, gpus: u64, attribute: &'static str) -> Option<Finding> {
    let model = context.model();
    let node = context.plan.pools.get(&pool)?.node.gpus;
    // Whole nodes of a served copy are stages: its layers are shared within each.
    if node == 0 || gpus <= node || (attribute == "gpus_per_replica" && gpus.is_multiple_of(node)) {
        return None;
    }
    let message = format!(
        "`{}` shares a layer among {gpus} GPUs, a node of `{}` has {node}",
        model.address(block),
        model.address(pool.block())
    );
    let help = match attribute {
        "tensor_parallel" => format!("lower `tensor_parallel` to {node} and use `pipeline_parallel` between nodes"),
        _ => format!("use at most {node} GPUs a replica, or whole nodes, a node with more GPUs, or fewer bits a weight"),
    };
    Some(Finding::on(model, block, attribute, message).help(help))
}
