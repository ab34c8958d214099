//! Quotes: every price that a supplier gave, and every one still to come.

use crate::base::number::Number;
use crate::model::decode::{Price, Setting};
use crate::model::kinds::{PriceLine, Quote};
use crate::plan::Plan;
use crate::target::bom::workbook::{Cell, Form, Sheet};

use super::{maybe, measure, text};

const SECONDS_PER_HOUR: u64 = 3_600;
const SECONDS_PER_WEEK: f64 = 604_800.0;
const SECONDS_PER_YEAR: f64 = 31_536_000.0;

/// The sheet.
pub fn sheet(plan: &Plan<'_>) -> Sheet {
    let columns = vec![
        ("Address", 24.0),
        ("Vendor", 20.0),
        ("Reference", 18.0),
        ("Date", 11.0),
        ("Valid until", 11.0),
        ("Of", 36.0),
        ("Price", 14.0),
        ("Currency", 9.0),
        ("Per", 8.0),
        ("Discount", 10.0),
        ("Support a year", 10.0),
        ("Lead time, weeks", 10.0),
        ("Warranty, years", 10.0),
        ("Open", 40.0),
    ];
    let mut quotes: Vec<&Quote> = plan.model.tables.quotes.iter().collect();
    quotes.sort_by_key(|quote| plan.model.name(quote.id));
    let mut rows = Vec::new();
    for quote in quotes {
        let prices = quote.price.iter().map(|price| &plan.model[*price]);
        let mut prices: Vec<(String, &PriceLine)> =
            prices.map(|price| (plan.model.address(price.of.block), price)).collect();
        prices.sort_by(|a, b| a.0.cmp(&b.0));
        rows.extend(prices.into_iter().map(|(of, price)| row(plan, quote, of, price)));
    }
    Sheet { name: "Quotes", columns, rows }
}

fn row(plan: &Plan<'_>, quote: &Quote, of: String, price: &PriceLine) -> Vec<Cell> {
    let (money, per) = match &price.each {
        Setting::Given(Price::Once(money)) => (Some((money.amount, money.currency)), "one"),
        Setting::Given(Price::PerSecond(money)) => {
            let hourly = money.amount.times(Number::whole(SECONDS_PER_HOUR)).map(|amount| amount.round(6));
            (hourly.map(|amount| (amount, money.currency)), "hour")
        }
        Setting::Tbd(_) | Setting::Auto | Setting::Absent => (None, ""),
    };
    let open = match &price.each {
        Setting::Tbd(why) => format!("to be decided: {why}"),
        Setting::Auto | Setting::Absent => String::from("no price"),
        Setting::Given(_) => String::new(),
    };
    let share = |share: Option<crate::base::quantity::Share>| {
        share.map_or(Cell::Empty, |share| Cell::Number(share.fraction(), Form::Share))
    };
    vec![
        text(plan.model.address(quote.id.block())),
        text(&*quote.vendor),
        maybe(quote.reference.as_deref()),
        maybe(quote.date),
        maybe(quote.valid_until),
        text(of),
        money.map_or(Cell::Empty, |(amount, _)| Cell::Number(amount.to_f64(), Form::Money)),
        maybe(money.map(|(_, currency)| currency)),
        text(per),
        share(price.discount),
        share(price.support),
        price.lead_time.map_or(Cell::Empty, |time| measure(time.seconds() / SECONDS_PER_WEEK)),
        price.warranty.map_or(Cell::Empty, |time| measure(time.seconds() / SECONDS_PER_YEAR)),
        text(open),
    ]
}
