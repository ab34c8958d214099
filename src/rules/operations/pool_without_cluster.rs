//! # A workload runs on a pool that is in no cluster
//!
//! No scheduler knows the nodes: nothing is written that would start it.
//!
//! ```aip
//! cluster hpc { pools = [pool.train] }
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8017),
    levels: Levels::always(Severity::Warning),
    text: include_str!("pool_without_cluster.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let alone = context.plan.pools.values().filter(|pool| !pool.loads.is_empty() && context.clusters(pool.id).is_empty());
    alone
        .map(|pool| {
            let address = model.address(pool.id.block());
            let message = format!("workloads run on `{address}`, which is in no cluster");
            let finding = Finding::about(model, pool.id.block(), message);
            finding.help(format!("add `{address}` to the `pools` of a `cluster`"))
        })
        .collect()
}
