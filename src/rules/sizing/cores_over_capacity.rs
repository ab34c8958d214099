//! # Data preparation needs more cores than its pool has
//!
//! To be done within its time it needs more cores at the measured rate of one core than the nodes have. The data come late,
//! and what reads them waits.
//!
//! ```aip
//! dataprep d { input = 8 TB, rate = 0.5 MB/s, within = 1 h }   # wrong: 4,445 cores
//! dataprep d { input = 8 TB, rate = 0.5 MB/s, within = 48 h }  # right: 93 cores
//! ```
//!
//! Source: arithmetic.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3010),
    levels: Levels::always(Severity::Error),
    text: include_str!("cores_over_capacity.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.pools.values().filter_map(|pool| {
        let cores = pool.node.cores.filter(|cores| *cores > 0)?;
        let nodes = pool.nodes.high.saturating_sub(pool.spare);
        let there = round::product([nodes, cores]);
        if pool.used_cores <= there || context.unknown(pool.id.block(), "nodes").is_some() {
            return None;
        }
        let message = format!(
            "the workloads on `{}` need {} at once, its nodes have {there}",
            model.address(pool.id.block()),
            phrase::count(pool.used_cores, "core")
        );
        let needed = round::div_ceil(pool.used_cores, cores).saturating_add(pool.spare);
        let finding = Finding::on(model, pool.id.block(), "nodes", message);
        let finding = finding.saying(format!("{} × {cores} cores", phrase::count(nodes, "node")));
        Some(finding.help(format!("raise `nodes` to {needed}, or give data preparation more time (`within`)")))
    });
    judged.collect()
}
