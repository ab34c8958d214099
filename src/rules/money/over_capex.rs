//! # Buying costs more than the budget
//!
//! ```aip
//! budget b { capex = 40_000 EUR }  # wrong: two servers at 31,500 EUR
//! budget b { capex = 70_000 EUR }  # right
//! ```
//!
//! Lines without a price are not in the sum: what is over the budget already only grows.
//!
//! Source: arithmetic over the bill.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::base::quantity::Money;
use crate::model::words::Stage;
use crate::plan::bill::Priced;
use crate::plan::bill::price::converted;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5001),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("over_capex.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(total) = context.plan.bill.capex else { return Vec::new() };
    let judged = model.tables.budgets.iter().filter_map(|budget| {
        // A currency that nothing converts is another rule's finding.
        let limit = converted(model, total.currency, *budget.capex.given()?)?;
        if total.amount <= limit.amount {
            return None;
        }
        let unpriced = context.plan.bill.lines.iter().filter(|line| !matches!(line.each, Priced::Known(_))).count();
        let message = format!("buying costs {total}, the budget is {limit}");
        let finding = Finding::on(model, budget.id.block(), "capex", message).saying("limit set here");
        let finding = match unpriced {
            0 => finding,
            count => finding.fact(format!("{} without a price come on top", phrase::count(count as u64, "line"))),
        };
        let over = total.amount.minus(limit.amount).map(|amount| Money { amount, ..total });
        Some(finding.help(match over {
            Some(over) => format!("{over} too much: buy less, rent, or raise `capex`"),
            None => "buy less, rent, or raise `capex`".to_string(),
        }))
    });
    judged.collect()
}
