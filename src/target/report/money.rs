//! The bill: sums by category, every line, quotes and who costs what.

use serde::Serialize;

use crate::base::quantity::Money as Amount;
use crate::model::kinds::Quote;
use crate::plan::Plan;
use crate::plan::bill::Paid;
use crate::target::bom::rows::Row;
use crate::target::bom::totals;

use super::capped::Capped;
use super::shown::{Shown, share};
use super::summary::weeks;
use super::words::{self, Cash, cash};

/// Lines of the bill that are shown; `bom.csv` has all.
const LINES: usize = 150;
/// Quotes and tenants that are shown.
const SHOWN: usize = 40;
/// The length that the largest sum is drawn at.
const LONGEST: f64 = 100.0;

/// Everything about money.
#[derive(Serialize)]
pub struct Money {
    currency: String,
    capex: Option<Cash>,
    opex_least: Option<Cash>,
    opex_most: Option<Cash>,
    sums: Vec<Sum>,
    lines: Capped<Line>,
    quotes: Capped<Quoted>,
    tenants: Capped<Tenant>,
}

/// What a category comes to.
#[derive(Serialize)]
pub struct Sum {
    category: &'static str,
    paid: &'static str,
    lines: usize,
    unpriced: usize,
    least: Option<Cash>,
    most: Option<Cash>,
    varies: bool,
    /// Its length beside the largest one that is paid alike.
    drawn: u64,
}

/// A line of the bill.
#[derive(Serialize)]
struct Line {
    number: String,
    below: bool,
    address: String,
    description: String,
    maker: String,
    quantity: String,
    unit: &'static str,
    paid: &'static str,
    each: Option<Cash>,
    sum: Option<Cash>,
    quote: String,
    lead: String,
    open: String,
}

/// A quote.
#[derive(Serialize)]
struct Quoted {
    address: String,
    vendor: String,
    reference: String,
    date: String,
    valid_until: String,
    expired: bool,
    lines: usize,
}

/// What a tenant costs.
#[derive(Serialize)]
struct Tenant {
    address: String,
    cost: Shown,
}

/// The money of a plan.
pub fn view(plan: &Plan<'_>, rows: &[Row<'_>]) -> Money {
    let model = &plan.model;
    let own = rows.iter().filter(|row| row.own().is_some());
    let tenants = plan.ledger.tenants.keys();
    Money {
        currency: model.platform().map(|platform| platform.currency.to_string()).unwrap_or_default(),
        capex: plan.bill.capex.map(cash),
        opex_least: plan.bill.opex.map(|year| cash(year.least)),
        opex_most: plan.bill.opex.map(|year| cash(year.most)),
        sums: sums(plan, rows),
        lines: Capped::of(own, LINES, |row| line(plan, row)),
        quotes: Capped::of(&model.tables.quotes, SHOWN, |quote| quoted(plan, rows, quote)),
        tenants: Capped::of(
            tenants.filter_map(|block| Some((*block, Shown::of(plan, *block, "cost")?))),
            SHOWN,
            |(block, cost)| Tenant { address: model.address(block), cost },
        ),
    }
}

/// Categories that have a sum and are paid so, the largest first.
pub fn known(plan: &Plan<'_>, rows: &[Row<'_>], paid: Paid) -> Vec<Sum> {
    let mut sums = sums(plan, rows);
    sums.retain(|sum| sum.most.is_some() && sum.paid == paid.word());
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.drawn));
    sums
}

fn sums(plan: &Plan<'_>, rows: &[Row<'_>]) -> Vec<Sum> {
    let Some(currency) = plan.model.platform().map(|platform| platform.currency) else { return Vec::new() };
    let sums = totals::of(rows);
    let largest = |paid: Paid| {
        let alike = sums.iter().filter(|sum| sum.paid == paid);
        alike.filter_map(|sum| sum.most).map(|most| most.to_f64()).fold(0.0, f64::max)
    };
    let of = |sum: &totals::CategorySum| {
        let priced = |amount: Option<_>| amount.filter(|_| sum.unpriced < sum.lines);
        let money = |amount: Option<_>| priced(amount).map(|amount| cash(Amount { amount, currency }));
        Sum {
            category: sum.category.word(),
            paid: sum.paid.word(),
            lines: sum.lines,
            unpriced: sum.unpriced,
            least: money(sum.least),
            most: money(sum.most),
            varies: sum.least != sum.most,
            drawn: priced(sum.most).map_or(0, |most| share(most.to_f64(), largest(sum.paid), LONGEST)),
        }
    };
    sums.iter().map(of).collect()
}

fn line(plan: &Plan<'_>, row: &Row<'_>) -> Line {
    let money = |amount: Option<_>| amount.map(|amount| cash(Amount { amount, currency: row.currency }));
    let maker = [row.manufacturer(), row.part_number()].into_iter().flatten().collect::<Vec<_>>().join(", ");
    Line {
        number: row.number.clone(),
        below: row.parent.is_some(),
        address: row.address.clone(),
        description: row.description().to_string(),
        maker,
        quantity: if row.is_counted() { words::range(row.quantity.0, row.quantity.1) } else { String::from("unknown") },
        unit: row.unit(),
        paid: row.paid(),
        each: money(row.each()),
        sum: money(row.extended(row.quantity.1)),
        quote: row.quote.map(|quote| plan.model.name(quote.id).to_string()).unwrap_or_default(),
        lead: row.line.lead_weeks.map(weeks).unwrap_or_default(),
        open: row.open.clone(),
    }
}

fn quoted(plan: &Plan<'_>, rows: &[Row<'_>], quote: &Quote) -> Quoted {
    let date = |date: Option<crate::base::date::Date>| date.map(|date| date.to_string()).unwrap_or_default();
    Quoted {
        address: plan.model.address(quote.id.block()),
        vendor: quote.vendor.to_string(),
        reference: quote.reference.as_deref().unwrap_or_default().to_string(),
        date: date(quote.date),
        valid_until: date(quote.valid_until),
        expired: plan.as_of.zip(quote.valid_until).is_some_and(|(today, until)| today > until),
        lines: rows.iter().filter(|row| row.quote.is_some_and(|other| other.id == quote.id)).count(),
    }
}
