//! # A partition gives way, and no other goes before it
//!
//! `preempt` says what becomes of a partition's own jobs when those of a partition with a higher `priority` need the
//! nodes. On the partition that goes first it does nothing; nor does `grace` on one that never gives way.
//!
//! ```aip
//! cluster hpc {
//!   partition train { priority = 100, preempt = requeue }  # wrong: nothing goes before it
//!   partition spare { priority = 1 }
//! }
//! ```
//!
//! Source: `slurm.conf` on `PriorityTier` and `PreemptType`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Partition};
use crate::model::words::{Preempt, PreemptBy};
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8023),
    levels: Levels::always(Severity::Warning),
    text: include_str!("gives_way_to_nobody.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let by_partition = model.tables.clusters.iter().filter(|cluster| cluster.preempt_by == PreemptBy::Partition);
    let judged = by_partition.flat_map(|cluster| cluster.partition.iter().map(move |&partition| (cluster, partition)));
    judged.filter_map(|(cluster, partition)| judge(context, cluster, partition)).collect()
}

fn judge(context: &Context<'_>, cluster: &Cluster, partition: Id<Partition>) -> Option<Finding> {
    let model = context.model();
    let facts = &model[partition];
    let gives_way = facts.preempt.is_some_and(|preempt| preempt != Preempt::Off);
    if !gives_way && facts.grace.is_some() {
        let message = format!("`{}` has a `grace`, and its jobs never give way", model.address(partition.block()));
        let finding = Finding::on(model, partition.block(), "grace", message);
        return Some(finding.help("write `preempt = requeue` beside it, or take `grace` out"));
    }
    let priority = |id: Id<Partition>| model[id].priority.unwrap_or(1);
    let own = context.held(cluster, partition);
    let beside = |other: Id<Partition>| context.held(cluster, other).iter().any(|pool| own.contains(pool));
    let above = |other: Id<Partition>| priority(other) > priority(partition) && beside(other);
    if !gives_way || cluster.partition.iter().any(|&other| above(other)) {
        return None;
    }
    let message = format!(
        "`{}` gives way, and no partition on its nodes has a higher priority",
        model.address(partition.block())
    );
    let finding = Finding::on(model, partition.block(), "preempt", message);
    Some(finding.help("take `preempt` out here, and write it on the partitions of lower `priority` that have to give way"))
}
