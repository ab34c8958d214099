//! # A rack is heavier than it may be
//!
//! ```aip
//! rack gpu { weight_limit = 400 kg, count = 1 }  # wrong: four nodes of 130 kg
//! rack gpu { weight_limit = 1_000 kg }           # right
//! ```
//!
//! Source: the vendors' weights; cables, rails and the rack itself come on top.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::plan::FilledRack;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3043),
    levels: Levels::always(Severity::Error),
    text: include_str!("rack_weight.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.racks.iter().filter_map(|row| {
        let id = row.id?;
        let limit = model[id].weight_limit?.kilograms();
        let over = |rack: &&FilledRack| round::exceeds(rack.weight, limit);
        let heaviest = row.racks.iter().filter(over).max_by(|a, b| a.weight.total_cmp(&b.weight))?;
        let message = format!(
            "rack `{}` carries {}, its limit is {}",
            row.name,
            amount::mass(heaviest.weight),
            amount::mass(limit)
        );
        let finding = Finding::on(model, id.block(), "weight_limit", message).saying("limit set here");
        Some(finding.help("use more racks (`count = auto`), or raise `weight_limit` if floor and rack allow it"))
    });
    judged.collect()
}
