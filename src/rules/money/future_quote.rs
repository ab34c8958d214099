//! # A quote or rate is from the future
//!
//! Its date is after the day of the run: a slip of the pen, or the wrong `as_of`.
//!
//! ```aip
//! quote q { date = 2027-11-20 }  # wrong on 2026-12-01
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
    code: Code(5005),
    levels: Levels::always(Severity::Warning),
    text: include_str!("future_quote.rs"),
    dated: true,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(today) = context.as_of else { return Vec::new() };
    let quotes = model.tables.quotes.iter().filter_map(|quote| Some((quote.id.block(), quote.date?)));
    let rates = model.tables.rates.iter().filter_map(|rate| Some((rate.id.block(), rate.date?)));
    let baselines = model.tables.baselines.iter().filter_map(|one| Some((one.id.block(), one.date?)));
    let future = quotes.chain(rates).chain(baselines).filter(|(_, date)| *date > today);
    future
        .map(|(block, date)| {
            let message = format!("`{}` is dated {date}, today is {today}", model.address(block));
            Finding::on(model, block, "date", message).help("correct the date or `as_of`")
        })
        .collect()
}
