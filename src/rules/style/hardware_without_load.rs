//! # A pool has no workload
//!
//! Its nodes are bought or rented and nothing runs on them. Pools that control a cluster, hold the disks of a storage, or
//! are the nodes without GPUs of a cluster need none. GPUs for work that is not planned, such as interactive sessions, are a
//! decision that wants a reason.
//!
//! ```aip
//! pool spare-gpus { nodes = 4 }  # wrong: no workload has `runs_on = pool.spare-gpus`
//!
//! @allow(AIP7002, reason = "interactive sessions of students")
//! pool notebooks { nodes = 4 }   # right
//! ```
//!
//! Source: the load comes first, the hardware follows.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::kinds::Kind;
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
        finding.help("add the workload it is for, remove it, or say with `@allow(AIP7002, reason = …)` what it is for")
    })
    .collect()
}

fn has_another_use(context: &Context<'_>, pool: &PoolPlan) -> bool {
    let controls = context.users_of(pool.id.block(), Kind::Cluster, "control").next().is_some();
    let disks = context.users_of(pool.id.block(), Kind::Storage, "pool").next().is_some();
    controls || disks || (pool.node.gpus == 0 && !context.clusters(pool.id).is_empty())
}
