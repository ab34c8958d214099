//! # A training over several nodes has no fast path between them
//!
//! Every optimizer step adds up gradients over all GPUs. Without a fabric that reads and writes memory directly (InfiniBand,
//! RoCE between compute ports, EFA in the cloud) that goes through the CPU's network stack, and GPUs wait for most of a step.
//!
//! ```aip
//! training t { gpus = 16 }  # wrong on two nodes that no fabric connects
//! fabric compute { technology = infiniband, connects = [pool.train] }  # right
//! ```
//!
//! An Ethernet fabric that also carries storage may do, so it is a warning.
//!
//! Source: NVIDIA DGX SuperPOD reference architectures keep a compute fabric apart; AWS asks for EFA between GPU nodes.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::kinds::Fabric;
use crate::model::words::Provider;
use crate::model::words::Stage;
use crate::model::words::Technology;
use crate::plan::TrainingPlan;
use crate::plan::fabric::{Role, role};
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3101),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("no_rdma.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let several = context.plan.trainings.values().filter(|training| training.nodes > 1);
    several.filter_map(|training| judge(context, training)).collect()
}

fn judge(context: &Context<'_>, training: &TrainingPlan) -> Option<Finding> {
    let model = context.model();
    let pool = &model[model[training.id].runs_on];
    let message = format!(
        "`{}` runs over {} without a fast path between them",
        model.address(training.id.block()),
        phrase::count(training.nodes, "node")
    );
    let finding = Finding::on(model, training.id.block(), "runs_on", message);
    if let Some(instance) = pool.instance {
        // Other providers' networks are not in the catalogue: nothing is claimed of them.
        let slow = model[instance].provider == Provider::Aws && model[instance].efa.unwrap_or(0) == 0;
        let help = "rent an instance with EFA, or use one node";
        return slow.then(|| finding.see(model.place_of(pool.id, "instance"), "no EFA interface").help(help));
    }
    let fabrics = context.fabrics(pool.id.block());
    let fast = |fabric: &Fabric| {
        fabric.technology == Technology::Infiniband || role(model, fabric) == Role::Compute
    };
    if fabrics.iter().any(|fabric| fast(&model[*fabric])) {
        return None;
    }
    let help = format!("connect `{}` with a fabric of its compute ports", model.address(pool.id.block()));
    match fabrics.first() {
        Some(shared) => {
            let place = model.place(*shared);
            Some(finding.softened().see(place, "this fabric carries storage too").help(help))
        }
        None => Some(finding.see(model.place(pool.id), "no fabric connects it").help(help)),
    }
}
