//! # A pool is in two clusters
//!
//! Two schedulers place work on the same nodes, and neither knows of the other.
//!
//! ```aip
//! cluster hpc { pools = [pool.train] }
//! cluster k8s { pools = [pool.train] }  # wrong
//! ```
//!
//! Split the pool.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8007),
    levels: Levels::always(Severity::Error),
    text: include_str!("pool_in_two_clusters.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.pools.iter().filter_map(|pool| {
        let [first, second, ..] = context.clusters(pool.id) else { return None };
        let message = format!(
            "`{}` is in `{}` and `{}`",
            model.address(pool.id.block()),
            model.address(first.block()),
            model.address(second.block())
        );
        let finding = Finding::on(model, second.block(), "pools", message);
        Some(finding.see(model.place_of(*first, "pools"), "first listed here").help("split the pool in two"))
    });
    judged.collect()
}
