//! # The rails of a fabric do not match the GPUs of a node
//!
//! In a rail-optimised fabric, network port i of every node goes to leaf i, and each GPU has a rail or shares one evenly with
//! others. A number of rails that does not divide the GPUs leaves some GPUs without a near port.
//!
//! ```aip
//! server s { gpus = 8 * catalog.gpu.h100-sxm, compute_ports = 3 }  # wrong: 8 GPUs on 3 rails
//! server s { gpus = 8 * catalog.gpu.h100-sxm, compute_ports = 8 }  # right
//! ```
//!
//! Source: NVIDIA DGX SuperPOD reference architectures, rail-optimised compute fabric.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::words::Topology;
use crate::plan::FabricPlan;
use crate::plan::FabricPool;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3102),
    levels: Levels::always(Severity::Error),
    text: include_str!("rails.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let rails = context.plan.fabrics.values().filter(|row| model[row.id].topology == Topology::RailOptimized);
    rails.flat_map(|row| row.pools.iter().filter_map(|pool| judge(context, row, pool))).collect()
}

fn judge(context: &Context<'_>, row: &FabricPlan, pool: &FabricPool) -> Option<Finding> {
    let model = context.model();
    let gpus = context.plan.pools.get(&pool.pool)?.node.gpus;
    let rails = pool.ports_per_node;
    if gpus == 0 || rails == 0 || gpus.is_multiple_of(rails) || rails.is_multiple_of(gpus) {
        return None;
    }
    let message = format!(
        "a node of `{}` has {} on {} of `{}`",
        model.address(pool.pool.block()),
        phrase::count(gpus, "GPU"),
        phrase::count(rails, "rail"),
        model.address(row.id.block())
    );
    let finding = Finding::on(model, row.id.block(), "topology", message);
    let finding = finding.see(model.place_of(pool.pool, "server"), "the node");
    Some(finding.help("use a node whose compute ports divide its GPUs, or `topology = leaf-spine`"))
}
