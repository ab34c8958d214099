//! # A cluster has no pools
//!
//! ```aip
//! cluster hpc { pools = [] }            # wrong
//! cluster hpc { pools = [pool.train] }  # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8006),
    levels: Levels::always(Severity::Error),
    text: include_str!("cluster_without_pools.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let empty = model.tables.clusters.iter().filter(|cluster| cluster.pools.is_empty());
    empty
        .map(|cluster| {
            let message = format!("`{}` has no pools", model.address(cluster.id.block()));
            Finding::on(model, cluster.id.block(), "pools", message).help("name its pools in `pools`")
        })
        .collect()
}
