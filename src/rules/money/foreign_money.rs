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
use crate::base::quantity::{Currency, Money};
use crate::model::Model;
use crate::model::ids::BlockId;
use crate::plan::bill::Priced;
use crate::plan::bill::price::converted;
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
    for (block, attribute, money) in limits(model) {
        if converted(model, own, money).is_none() {
            let address = model.address(block);
            let message = format!("`{address}.{attribute}` is in {}, the bill is in {own}", money.currency);
            found.push(Finding::on(model, block, attribute, message).help(repair(money.currency, own)));
        }
    }
    found
}

/// Everything that money is held against.
fn limits<'m>(model: &'m Model<'_>) -> impl Iterator<Item = (BlockId, &'static str, Money)> + 'm {
    let budgets = model.tables.budgets.iter().flat_map(|budget| {
        let capex = budget.capex.given().map(|money| (budget.id.block(), "capex", *money));
        let opex = budget.opex.given().map(|money| (budget.id.block(), "opex", money.0));
        capex.into_iter().chain(opex)
    });
    let tenants = model.tables.tenants.iter();
    budgets.chain(tenants.filter_map(|tenant| Some((tenant.id.block(), "budget", tenant.budget.given()?.0))))
}

fn repair(from: Currency, to: Currency) -> String {
    format!("add `rate … {{ from = {from}, to = {to}, value = …, date = … }}`")
}
