//! # One node controls a cluster
//!
//! When it fails nothing is scheduled, started or seen. Slurm wants two controllers; Kubernetes wants three, because its
//! store needs a majority, and of two neither may fail.
//!
//! ```aip
//! pool control { nodes = 1 }  # wrong
//! pool control { nodes = 2 }  # right for Slurm, 3 for Kubernetes
//! ```
//!
//! Source: SchedMD, high availability with `SlurmctldHost`; etcd documentation, fault tolerance table.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::decode::Control;
use crate::model::kinds::Cluster;
use crate::model::words::Scheduler;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8005),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::ScaleOut, Severity::Warning), (Stage::Production, Severity::Error)]),
    text: include_str!("control_alone.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.model().tables.clusters.iter().filter_map(|cluster| judge(context, cluster)).collect()
}

fn judge(context: &Context<'_>, cluster: &Cluster) -> Option<Finding> {
    let model = context.model();
    let Some(Control::Pool(pool)) = cluster.control else { return None };
    let nodes = context.plan.pools.get(&pool)?.nodes.low;
    let wanted = match cluster.scheduler {
        Scheduler::Slurm => 2,
        Scheduler::Kubernetes => 3,
    };
    // No node at all means that their number is not known.
    if nodes == 0 || nodes >= wanted {
        return None;
    }
    let message = format!(
        "`{}` is controlled by {}, {wanted} survive the loss of one",
        model.address(cluster.id.block()),
        phrase::count(nodes, "node")
    );
    let finding = Finding::on(model, cluster.id.block(), "control", message);
    let finding = finding.see(model.place_of(pool, "nodes"), "the pool");
    let finding = finding.help(format!("set `{}.nodes` to {wanted}", model.address(pool.block())));
    Some(if nodes > 1 { finding.softened() } else { finding })
}
