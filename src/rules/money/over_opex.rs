//! # Running costs more than the budget
//!
//! Rent, support and energy of a year. When only the upper end (a scaling pool at its most) is over it, it is a warning.
//!
//! ```aip
//! budget b { opex = 100_000 EUR/year }  # wrong: three instances at 47.5 EUR/h
//! ```
//!
//! Source: arithmetic over the bill.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::model::words::Stage;
use crate::plan::bill::Yearly;
use crate::plan::bill::price::converted;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5002),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("over_opex.rs"),
    dated: false,
    check,
};

/// Seconds of a year.
const YEAR: u64 = 31_536_000;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(Yearly { least: low, most: high, .. }) = context.plan.bill.opex else { return Vec::new() };
    let judged = model.tables.budgets.iter().filter_map(|budget| {
        let written = budget.opex.given()?.0;
        let amount = written.amount.times(Number::whole(YEAR)).map(|amount| amount.round(2))?;
        // A currency that nothing converts is another rule's finding.
        let limit = converted(model, high.currency, Money { amount, ..written })?;
        if high.amount <= limit.amount {
            return None;
        }
        let sure = low.amount > limit.amount;
        let sum = if low == high { format!("{high}") } else { format!("{low} to {high}") };
        let verb = if sure { "costs" } else { "may cost" };
        let message = format!("running {verb} {sum} a year, the budget is {limit} a year");
        let finding = Finding::on(model, budget.id.block(), "opex", message).saying("limit set here");
        let finding = finding.help("rent less or for a term, scale down sooner, or raise `opex`");
        Some(if sure { finding } else { finding.softened() })
    });
    judged.collect()
}
