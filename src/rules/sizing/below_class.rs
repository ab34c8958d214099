//! # A pool is below its reference class in something that its loads need
//!
//! The usual configurations of the field say what nodes for such loads mostly have. This pool has less of something, and
//! what its own loads need of it is, at the upper end of its bar, more than there is.
//!
//! ```aip
//! server s { gpus = 4 * catalog.gpu.l40s, memory = 128 GiB }  # wrong for serving: 178 to 355 GiB are asked for
//! server s { gpus = 4 * catalog.gpu.l40s, memory = 512 GiB }  # right
//! ```
//!
//! `aipc size` shows every pool against its class.
//!
//! Source: planning guides of 2026; rules of thumb for cores and main memory beside GPUs (ml-engineering).

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::plan::class;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3060),
    levels: Levels::always(Severity::Note),
    text: include_str!("below_class.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let (plan, model) = (context.plan, context.model());
    let mut findings = Vec::new();
    for (id, pool) in &plan.pools {
        let Some(found) = class::of(plan, *id) else { continue };
        let attribute = if pool.node.rented { "instance" } else { "server" };
        for point in found.points.iter().filter(|point| point.short) {
            let message = format!(
                "nodes of `{}` have less than is usual for {}: {} {}, usual are {}",
                model.address(id.block()),
                found.class.title,
                point.word,
                point.has,
                point.range
            );
            let finding = Finding::on(model, id.block(), attribute, message).saying(point.because.clone());
            findings.push(finding.help(format!("take nodes with more {}", point.word)));
        }
    }
    findings
}
