//! # A quote has expired
//!
//! Its prices no longer bind the supplier.
//!
//! ```aip
//! quote q { valid_until = 2026-03-31 }  # wrong on 2026-12-01
//! ```
//!
//! Needs `--as-of` or `platform.as_of`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5004),
    levels: Levels::always(Severity::Warning),
    text: include_str!("expired_quote.rs"),
    dated: true,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(today) = context.as_of else { return Vec::new() };
    let judged = model.tables.quotes.iter().filter_map(|quote| {
        let until = quote.valid_until.filter(|until| *until < today)?;
        let message = format!("`{}` of {} ended on {until}", model.address(quote.id.block()), phrase::excerpt(&quote.vendor, 60));
        let finding = Finding::on(model, quote.id.block(), "valid_until", message);
        Some(finding.fact(format!("today is {today}")).help("ask for a new one"))
    });
    judged.collect()
}
