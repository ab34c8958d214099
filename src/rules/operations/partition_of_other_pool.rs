//! # A partition has a pool that its cluster has not
//!
//! ```aip
//! cluster hpc {
//!   pools = [pool.train]
//!   partition prep { pools = [pool.cpu] }  # wrong
//! }
//! ```
//!
//! Source: `slurmctld` refuses a partition with nodes that it does not know.

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8008),
    levels: Levels::always(Severity::Error),
    text: include_str!("partition_of_other_pool.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut found = Vec::new();
    for cluster in &model.tables.clusters {
        let own: BTreeSet<Id<Pool>> = cluster.pools.iter().copied().collect();
        for partition in &cluster.partition {
            let strangers = model[*partition].pools.iter().filter(|pool| !own.contains(pool));
            found.extend(strangers.map(|pool| {
                let message = format!(
                    "`{}` has `{}`, which is not in `{}`",
                    model.address(partition.block()),
                    model.address(pool.block()),
                    model.address(cluster.id.block())
                );
                let finding = Finding::on(model, partition.block(), "pools", message);
                let finding = finding.see(model.place_of(cluster.id, "pools"), "pools of the cluster");
                finding.help("add the pool to the cluster, or take it out of the partition")
            }));
        }
    }
    found
}
