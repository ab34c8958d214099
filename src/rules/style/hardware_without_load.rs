//! # A pool has no workload
//!
//! Its nodes are bought or rented and nothing runs on them. Pools that control a cluster, hold the disks of a storage, or
//! carry the services of a Kubernetes cluster need none.
//!
//! ```aip
//! pool spare-gpus { nodes = 4 }  # wrong: no workload has `runs_on = pool.spare-gpus`
//! ```
//!
//! Source: the load comes first, the hardware follows.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::ids::Id;
use crate::model::kinds::Cluster;
use crate::model::kinds::Kind;
use crate::model::words::Scheduler;
use crate::plan::PoolPlan;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(7002),
    levels: Levels::always(Severity::Warning),
    text: include_str!("hardware_without_load.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let idle = context.plan.pools.values().filter(|pool| pool.loads.is_empty() && !has_another_use(context, pool));
    idle.map(|pool| {
        let message = format!("no workload runs on `{}`", model.address(pool.id.block()));
        let finding = Finding::about(model, pool.id.block(), message);
        let finding = finding.fact(match pool.gpus {
            0 => phrase::count(pool.nodes.high, "node"),
            gpus => format!("{} with {}", phrase::count(pool.nodes.high, "node"), phrase::count(gpus, "GPU")),
        });
        finding.help("add the workload it is for, or remove it")
    })
    .collect()
}

fn has_another_use(context: &Context<'_>, pool: &PoolPlan) -> bool {
    let model = context.model();
    let controls = context.users_of(pool.id.block(), Kind::Cluster, "control").next().is_some();
    let disks = context.users_of(pool.id.block(), Kind::Storage, "pool").next().is_some();
    let scheduler = |cluster: &Id<Cluster>| model[*cluster].scheduler;
    let kubernetes = context.clusters(pool.id).iter().any(|cluster| scheduler(cluster) == Scheduler::Kubernetes);
    controls || disks || (kubernetes && pool.node.gpus == 0)
}
