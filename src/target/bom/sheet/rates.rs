//! Rates: what a money is in the platform's. Prices look here, so that a buyer changes one cell.

use std::collections::BTreeMap;

use crate::base::number::Number;
use crate::base::quantity::Currency;
use crate::plan::Plan;
use crate::target::bom::rows::{Row, rate};
use crate::target::bom::workbook::{Cell, Form, Sheet, range};

use super::{maybe, text};

const NAME: &str = "Rates";

/// One money.
pub struct Rate {
    currency: Currency,
    /// Nothing where no `rate` block converts it.
    value: Option<Number>,
    source: String,
}

/// Every money that a line is priced in, the platform's first.
pub fn of(plan: &Plan<'_>, rows: &[Row<'_>]) -> Vec<Rate> {
    let Some(own) = plan.model.platform().map(|platform| platform.currency) else { return Vec::new() };
    let foreign = rows.iter().filter_map(Row::list).map(|money| money.currency).filter(|currency| *currency != own);
    let foreign: BTreeMap<String, Currency> = foreign.map(|currency| (currency.code().to_string(), currency)).collect();
    let platform = Rate { currency: own, value: Some(Number::ONE), source: String::from("the money of the platform") };
    let rates = foreign.into_values().map(|currency| Rate {
        currency,
        value: rate(&plan.model, own, currency),
        source: source(plan, own, currency),
    });
    std::iter::once(platform).chain(rates).collect()
}

fn source(plan: &Plan<'_>, own: Currency, currency: Currency) -> String {
    let joins = |from, to| (from == own && to == currency) || (from == currency && to == own);
    let Some(found) = plan.model.tables.rates.iter().find(|rate| joins(rate.from, rate.to)) else {
        return String::from("no `rate` block converts it: write one here");
    };
    let date = found.date.map_or(String::new(), |date| format!(", {date}"));
    let source = found.source.as_deref().map_or(String::new(), |source| format!(", {source}"));
    format!("{}{date}{source}", plan.model.address(found.id.block()))
}

/// The sheet.
pub fn sheet(rates: Vec<Rate>) -> Sheet {
    let columns = [("Currency", 10.0), ("One of it is", 14.0), ("From", 60.0)];
    let row = |rate: Rate| {
        let value = rate.value.map_or(Cell::Wanted(Form::Measure), |value| Cell::Number(value.to_f64(), Form::Measure));
        vec![maybe(Some(rate.currency.code())), value, text(rate.source)]
    };
    Sheet::new(NAME, &columns, rates.into_iter().map(row).collect())
}

/// A formula for the rate of the money that a cell names; `otherwise` where there is none.
pub fn look_up(cell: &str, rates: usize, otherwise: &str) -> String {
    let (names, values) = (range(NAME, 0, rates), range(NAME, 1, rates));
    let found = format!("INDEX({values},MATCH({cell},{names},0))");
    // A rate that nobody has written counts as 0 in a formula.
    format!("IFERROR(IF({found}>0,{found},\"{otherwise}\"),\"{otherwise}\")")
}
