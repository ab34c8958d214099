//! # A sample run is more than a year old
//!
//! Drivers, engines and models have changed since; its figures describe another platform.
//!
//! ```aip
//! baseline b { date = 2025-03-01 }  # wrong on 2026-12-01
//! ```
//!
//! Needs `--as-of` or `platform.as_of`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8011),
    levels: Levels::always(Severity::Warning),
    text: include_str!("stale_baseline.rs"),
    dated: true,
    check,
};

/// Days after which a measurement is old.
const YEAR: i64 = 366;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(today) = context.as_of else { return Vec::new() };
    let judged = model.tables.baselines.iter().filter_map(|baseline| {
        let date = baseline.date?;
        let age = today.days() - date.days();
        if age <= YEAR {
            return None;
        }
        let message = format!("`{}` was measured {age} days ago", model.address(baseline.id.block()));
        Some(Finding::on(model, baseline.id.block(), "date", message).help("measure again"))
    });
    judged.collect()
}
