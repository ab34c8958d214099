//! # A workload for GPUs runs on a pool without any
//!
//! Training, fine-tuning and serving of models need GPUs, and the nodes of this pool have none.
//!
//! ```aip
//! training t { runs_on = pool.cpu }  # wrong
//! training t { runs_on = pool.gpu }  # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Kind;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::context::Load;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3018),
    levels: Levels::always(Severity::Error),
    text: include_str!("pool_without_gpus.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let needs = |load: &&Load| {
        matches!(model.block(load.block).kind, Kind::Training | Kind::Finetune | Kind::Inference)
    };
    let judged = context.loads.iter().filter(needs).filter_map(|load| {
        let node = &context.plan.pools.get(&load.pool)?.node;
        // A node without a product is another rule's finding.
        (node.product.is_some() && node.gpus == 0).then(|| {
            let message = format!(
                "`{}` needs GPUs, the nodes of `{}` have none",
                model.address(load.block),
                model.address(load.pool.block())
            );
            Finding::on(model, load.block, "runs_on", message).help("name a pool whose nodes have GPUs")
        })
    });
    judged.collect()
}
