//! # A compute fabric is oversubscribed
//!
//! Training sends as much through the spines as through the leaves, from all GPUs at once. Fewer uplinks than downlinks slow
//! down every step that crosses leaves.
//!
//! ```aip
//! fabric compute { oversubscription = 2:1, connects = [pool.train] }  # wrong for training
//! fabric compute { oversubscription = 1:1, connects = [pool.train] }  # right
//! ```
//!
//! Source: NVIDIA DGX SuperPOD reference architectures build compute fabrics without oversubscription.

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::plan::fabric::{Role, role};
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3108),
    levels: Levels::always(Severity::Warning),
    text: include_str!("oversubscribed.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let several = context.plan.trainings.values().filter(|training| training.nodes > 1);
    let pools: BTreeSet<Id<Pool>> = several.map(|training| model[training.id].runs_on).collect();
    let judged = context.plan.fabrics.values().filter_map(|row| {
        let fabric = &model[row.id];
        let ratio = fabric.oversubscription;
        let spines = row.count.as_ref().is_some_and(|count| count.spines > 0);
        let trains = row.pools.iter().any(|pool| pools.contains(&pool.pool));
        if role(model, fabric) != Role::Compute || ratio.over <= ratio.under || !spines || !trains {
            return None;
        }
        let message = format!(
            "`{}` carries training and has {} of bandwidth down for {} up",
            model.address(row.id.block()),
            ratio.over,
            ratio.under
        );
        Some(Finding::on(model, row.id.block(), "oversubscription", message).help("set `oversubscription = 1:1`"))
    });
    judged.collect()
}
