//! # A fabric has few spines
//!
//! With fewer than four spines, the loss of one takes a third or more of the bandwidth between leaves, and there are few ways to
//! spread packets over.
//!
//! ```aip
//! fabric compute { fill = exact, connects = [pool.train] }          # 9 nodes: two spines
//! fabric compute { fill = scalable-unit, connects = [pool.train] }  # four spines
//! ```
//!
//! Source: Juniper validated design for AI data centers, at least four spines; NVIDIA's smallest SuperPOD rows have four.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::words::Topology;
use crate::plan::fabric::{Role, role};
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3111),
    levels: Levels::always(Severity::Note),
    text: include_str!("few_spines.rs"),
    dated: false,
    check,
};

/// Spines that the validated designs have at least.
const ENOUGH: u64 = 4;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.fabrics.values().filter_map(|row| {
        let fabric = &model[row.id];
        let count = row.count.as_ref()?;
        // Planes stand in for each other, so all of their spines count.
        if role(model, fabric) != Role::Compute || count.spines == 0 || count.spines >= ENOUGH {
            return None;
        }
        let message =
            format!("`{}` has {}", model.address(row.id.block()), phrase::count(count.spines, "spine switch"));
        let more = match row.exact {
            None if fabric.topology == Topology::RailOptimized => "plan whole units with `fill = scalable-unit`",
            Some(_) | None => "plan for the loss of one, or take a switch with fewer ports",
        };
        Some(Finding::on(model, row.id.block(), "switch", message).help(more))
    });
    judged.collect()
}
