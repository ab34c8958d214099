//! # A fabric cannot be built
//!
//! The switch has too few ports for so many nodes, the ratio leaves no port up or down, or the nodes have no port for it.
//!
//! ```aip
//! fabric f { speed = 800 Gbps, switch = catalog.switch.qm9700 }  # wrong: its ports carry 400 Gbps
//! fabric f { speed = 400 Gbps, switch = catalog.switch.qm9700 }  # right
//! ```
//!
//! Source: the counting rules of `aipc explain fabric.NAME.leaf_switches`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3103),
    levels: Levels::always(Severity::Error),
    text: include_str!("refused.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.fabrics.values().filter_map(|row| {
        let why = row.refusal.as_deref()?;
        let message = format!("`{}` cannot be built: {why}", model.address(row.id.block()));
        let finding = Finding::on(model, row.id.block(), "switch", message);
        let finding = match row.radix {
            0 => finding,
            radix => finding.saying(format!("{radix} ports at the fabric's speed")),
        };
        Some(finding.help("choose a switch with more ports or of the right speed, or another topology"))
    });
    judged.collect()
}
