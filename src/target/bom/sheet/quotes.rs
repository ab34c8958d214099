//! Quotes: every price that a supplier gave, and every one still to come.

use std::collections::BTreeMap;

use crate::base::number::Number;
use crate::base::quantity::Share;
use crate::model::decode::{Price, Setting};
use crate::model::ids::BlockId;
use crate::model::kinds::{Kind, PriceLine, Quote};
use crate::plan::Plan;
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{Cell, Form, Sheet};

use super::{date, maybe, measure, text};

const SECONDS_PER_YEAR_WHOLE: u64 = 31_536_000;
const SECONDS_PER_HOUR: u64 = 3_600;
const SECONDS_PER_WEEK: f64 = 604_800.0;
const SECONDS_PER_YEAR: f64 = 31_536_000.0;

/// The sheet.
pub fn sheet(plan: &Plan<'_>, rows: &[Row<'_>]) -> Sheet {
    let columns = [
        ("Address", 24.0),
        ("Vendor", 20.0),
        ("Reference", 18.0),
        ("Date", 11.0),
        ("Valid until", 11.0),
        ("Valid", 22.0),
        ("Of", 36.0),
        ("Supplier's number", 14.0),
        ("Price", 14.0),
        ("Currency", 9.0),
        ("Per", 8.0),
        ("Discount", 10.0),
        ("Support a year", 10.0),
        ("Lead time, weeks", 10.0),
        ("Warranty, years", 10.0),
        ("Origin", 8.0),
        ("Customs tariff", 12.0),
        ("May be instead", 30.0),
        ("Counts for lines", 18.0),
        ("Open", 40.0),
    ];
    let mut quotes: Vec<&Quote> = plan.model.tables.quotes.iter().collect();
    quotes.sort_by_key(|quote| plan.model.name(quote.id));
    let counts = counts(rows);
    let mut body = Vec::new();
    for quote in quotes {
        let prices = quote.price.iter().map(|price| &plan.model[*price]);
        let mut prices: Vec<(String, &PriceLine)> =
            prices.map(|price| (plan.model.address(price.of.block), price)).collect();
        prices.sort_by(|a, b| a.0.cmp(&b.0));
        let lines = |price: &PriceLine| counts.get(&(quote.id.block(), price.of.block)).cloned().unwrap_or_default();
        body.extend(prices.into_iter().map(|(of, price)| row(plan, quote, of, price, lines(price))));
    }
    Sheet { kept: 1, ..Sheet::new("Prices and quotes", &columns, body) }
}

/// The lines that a price of a quote counts for.
fn counts(rows: &[Row<'_>]) -> BTreeMap<(BlockId, BlockId), String> {
    let mut counts: BTreeMap<(BlockId, BlockId), Vec<&str>> = BTreeMap::new();
    for (row, line) in rows.iter().filter_map(|row| Some((row, row.own()?))) {
        if let Some(quote) = line.quote {
            counts.entry((quote, line.product.unwrap_or(line.of))).or_default().push(&row.number);
        }
    }
    counts.into_iter().map(|(key, lines)| (key, lines.join(", "))).collect()
}

/// Whether a quote holds on the day of the run.
fn validity(plan: &Plan<'_>, quote: &Quote) -> String {
    match (plan.as_of, quote.valid_until) {
        (Some(today), Some(until)) if until < today => format!("no: ended before {today}"),
        (Some(today), Some(_)) => format!("yes, on {today}"),
        (Some(_), None) => String::from("it does not say"),
        (None, Some(_)) => String::from("no day to hold it against"),
        (None, None) => String::new(),
    }
}

fn row(plan: &Plan<'_>, quote: &Quote, of: String, price: &PriceLine, lines: String) -> Vec<Cell> {
    let (money, per) = match &price.each {
        Setting::Given(Price::Once(money)) => (Some((money.amount, money.currency)), "one"),
        Setting::Given(Price::PerSecond(money)) => {
            let (seconds, per) = match plan.model.block(price.of.block).kind {
                Kind::License | Kind::Service | Kind::Storage => (SECONDS_PER_YEAR_WHOLE, "year"),
                _ => (SECONDS_PER_HOUR, "hour"),
            };
            let amount = money.amount.times(Number::whole(seconds)).map(|amount| amount.round(6));
            (amount.map(|amount| (amount, money.currency)), per)
        }
        Setting::Tbd(_) | Setting::Auto | Setting::Absent => (None, ""),
    };
    let open = match &price.each {
        Setting::Tbd(why) => format!("to be decided: {why}"),
        Setting::Auto | Setting::Absent => String::from("no price"),
        Setting::Given(_) => String::new(),
    };
    let share = |share: Option<Share>| share.map_or(Cell::Empty, |share| Cell::Number(share.fraction(), Form::Share));
    let alternates: Vec<String> = price.alternates.iter().map(|other| plan.model.address(other.block)).collect();
    vec![
        text(plan.model.address(quote.id.block())),
        text(&*quote.vendor),
        maybe(quote.reference.as_deref()),
        date(quote.date),
        date(quote.valid_until),
        text(validity(plan, quote)),
        text(of),
        maybe(price.sku.as_deref()),
        money.map_or(Cell::Empty, |(amount, _)| Cell::Number(amount.to_f64(), Form::Money)),
        maybe(money.map(|(_, currency)| currency)),
        text(per),
        share(price.discount),
        share(price.support),
        price.lead_time.map_or(Cell::Empty, |time| measure(time.seconds() / SECONDS_PER_WEEK)),
        price.warranty.map_or(Cell::Empty, |time| measure(time.seconds() / SECONDS_PER_YEAR)),
        maybe(price.origin.map(|origin| origin.code().to_string())),
        maybe(price.hs_code.as_deref()),
        text(alternates.join("; or ")),
        text(lines),
        text(open),
    ]
}
