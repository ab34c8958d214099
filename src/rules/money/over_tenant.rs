//! # A tenant costs more than its budget
//!
//! Its workloads by the share of their pools that is held for them, and what pools of its own leave idle. When only the
//! upper end is over the budget, it is a warning. What has no price is not in it: what is over the budget already only
//! grows.
//!
//! ```aip
//! tenant research { budget = 20_000 EUR/year }   # wrong: its training holds a node of 50,000 EUR a year
//! tenant research { budget = 60_000 EUR/year }   # right
//! ```
//!
//! Source: arithmetic over the bill.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::model::words::Stage;
use crate::plan::bill::price::converted;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5009),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("over_tenant.rs"),
    dated: false,
    check,
};

/// Seconds of a year.
const YEAR: u64 = 31_536_000;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(own) = model.platform().map(|platform| platform.currency) else { return Vec::new() };
    let judged = model.tables.tenants.iter().filter_map(|tenant| {
        let block = tenant.id.block();
        let written = tenant.budget.given()?.0;
        let amount = written.amount.times(Number::whole(YEAR)).map(|amount| amount.round(2))?;
        // A currency that nothing converts is another rule's finding.
        let limit = converted(model, own, Money { amount, ..written })?;
        let cost = context.plan.ledger.tenants.get(&block)?.as_ref().ok()?;
        let most = limit.amount.to_f64();
        if cost.known.high <= most {
            return None;
        }
        let sure = cost.known.low > most;
        let money = |amount: f64| Number::from_f64(amount).map(|amount| Money { amount: amount.round(0), currency: own });
        let (low, high) = (money(cost.known.low)?, money(cost.known.high)?);
        let sum = if low == high { format!("{high}") } else { format!("{low} to {high}") };
        let verb = if sure { "costs" } else { "may cost" };
        let message = format!("`{}` {verb} {sum} a year, its budget is {limit} a year", model.address(block));
        let finding = Finding::on(model, block, "budget", message).saying("limit set here");
        let finding = match cost.missing.len() {
            0 => finding,
            _ => finding.fact(format!(
                "without a price: {}",
                cost.missing.iter().cloned().collect::<Vec<_>>().join(", ")
            )),
        };
        let finding = finding.help("run less, hold fewer copies, or raise `budget`");
        Some(if sure { finding } else { finding.softened() })
    });
    judged.collect()
}
