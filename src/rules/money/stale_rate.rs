//! # An exchange rate is old
//!
//! ```aip
//! rate usd { date = 2026-01-31 }  # wrong on 2026-12-01
//! ```
//!
//! Needs `--as-of` or `platform.as_of`.
//!
//! Source: a quarter; the dollar moved by more than 10% within half of 2025.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5008),
    levels: Levels::always(Severity::Warning),
    text: include_str!("stale_rate.rs"),
    dated: true,
    check,
};

/// Days after which a rate is old.
const QUARTER: i64 = 92;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(today) = context.as_of else { return Vec::new() };
    let judged = model.tables.rates.iter().filter_map(|rate| {
        let date = rate.date?;
        let age = today.days() - date.days();
        if age <= QUARTER {
            return None;
        }
        let message = format!("`{}` is {age} days old", model.address(rate.id.block()));
        Some(Finding::on(model, rate.id.block(), "date", message).help("write the present rate with its date"))
    });
    judged.collect()
}
