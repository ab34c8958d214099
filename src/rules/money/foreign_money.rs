//! # A price is in a currency that nothing converts
//!
//! It is not in the sums. A budget in another currency is not held against anything.
//!
//! ```aip
//! price server.box { each = 31_500 USD }                                # wrong on a platform in EUR
//! rate usd { from = USD, to = EUR, value = 0.92, date = 2026-11-30 }    # right, with this
//! ```

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::quantity::Currency;
use crate::plan::bill::Priced;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5006),
    levels: Levels::always(Severity::Warning),
    text: include_str!("foreign_money.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(platform) = model.platform() else { return Vec::new() };
    let own = platform.currency;
    let known: BTreeSet<Currency> = model.tables.rates.iter().filter(|rate| rate.to == own).map(|rate| rate.from).collect();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for line in &context.plan.bill.lines {
        let Priced::Foreign(price) = line.each else { continue };
        // One quote may price many lines.
        if seen.insert((line.quote.unwrap_or(line.of), price.currency)) {
            let message = format!("{} costs {price}, nothing converts {} to {own}", line.description, price.currency);
            let block = line.quote.unwrap_or(line.of);
            found.push(Finding::about(model, block, message).help(repair(price.currency, own)));
        }
    }
    for budget in &model.tables.budgets {
        let capex = budget.capex.given().map(|money| ("capex", *money));
        let opex = budget.opex.given().map(|money| ("opex", money.0));
        for (attribute, money) in capex.into_iter().chain(opex) {
            if money.currency != own && !known.contains(&money.currency) {
                let address = model.address(budget.id.block());
                let message = format!("`{address}` is in {}, the bill is in {own}", money.currency);
                found.push(Finding::on(model, budget.id.block(), attribute, message).help(repair(money.currency, own)));
            }
        }
    }
    found
}

fn repair(from: Currency, to: Currency) -> String {
    format!("add `rate … {{ from = {from}, to = {to}, value = …, date = … }}`")
}
