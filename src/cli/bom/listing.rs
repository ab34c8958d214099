//! The bill as a table.

use crate::base::number::Number;
use crate::base::phrase;
use crate::base::quantity::Money;
use crate::model::ids::BlockId;
use crate::plan::Plan;
use crate::plan::bill::{Bill, Priced, Yearly};
use crate::target::bom::rows::Row;

use super::super::args::TableFormat;
use super::super::table::Table;

/// How the bill is shown.
pub struct Show {
    /// As what.
    pub format: TableFormat,
    /// Also what is in a line at no further price.
    pub parts: bool,
    /// The quote whose prices go before all others.
    pub quote: Option<BlockId>,
}

/// The lines, and for people their sums.
pub fn print(plan: &Plan<'_>, bill: &Bill, rows: &[Row<'_>], show: Show) -> String {
    let mut table = Table::new(&[
        "line",
        "category",
        "for",
        "description",
        "part number",
        "quantity",
        "unit",
        "each",
        "total",
        "paid",
        "lead time",
        "price from",
        "why so many",
        "source",
    ]);
    let whole = show.format != TableFormat::Human;
    let shown = rows.iter().filter(|row| show.parts || row.part.is_none());
    shown.for_each(|row| table.row(cells(plan, row, whole)));
    let mut text = table.print(show.format);
    if show.format == TableFormat::Human {
        text.push_str(&sums(bill));
        text.extend(show.quote.map(|quote| preferred(plan, bill, quote)));
    }
    text
}

/// A line; people get the start of its source only, which can be long.
fn cells(plan: &Plan<'_>, row: &Row<'_>, whole: bool) -> [String; 14] {
    let short = |text: &str| if whole { text.to_string() } else { phrase::excerpt(text, 48) };
    let (least, most) = row.quantity;
    let quantity = match row.is_counted() {
        false => String::from("unknown"),
        true if least == most => most.to_string(),
        true => format!("{least} to {most}"),
    };
    let (each, total) = prices(row);
    let lead = row.own().and_then(|line| line.lead_weeks).map(|weeks| format!("{} weeks", tidy(weeks)));
    [
        row.number.clone(),
        row.category().word().to_string(),
        row.address.clone(),
        row.description().to_string(),
        row.part_number().unwrap_or_default().to_string(),
        quantity,
        row.unit().to_string(),
        each,
        total,
        row.paid().to_string(),
        lead.unwrap_or_default(),
        price_from(plan, row),
        row.own().map(|line| line.derivation.clone()).unwrap_or_default(),
        short(row.source()),
    ]
}

/// Weeks without more digits than a person reads.
fn tidy(weeks: f64) -> String {
    let text = format!("{weeks:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_string)
}

fn prices(row: &Row<'_>) -> (String, String) {
    let Some(line) = row.own() else {
        return (format!("in {}", row.parent.as_deref().unwrap_or_default()), String::new());
    };
    match &line.each {
        Priced::Known(money) => (money.to_string(), total(*money, row.quantity)),
        Priced::Foreign(money) => (money.to_string(), String::from("unknown: no rate converts it")),
        Priced::Tbd(why) => (format!("tbd: {why}"), String::from("unknown")),
        Priced::Unknown => (String::from("unknown"), String::from("unknown")),
    }
}

fn price_from(plan: &Plan<'_>, row: &Row<'_>) -> String {
    let Some(line) = row.own() else { return String::new() };
    let quote = line.quote.map(|quote| plan.model.address(quote));
    let from = quote.or_else(|| line.price_source.clone()).unwrap_or_default();
    line.price_date.map_or_else(|| from.clone(), |date| format!("{from} {date}").trim().to_string())
}

/// A price times a quantity, from the least to the most.
fn total(each: Money, (least, most): (u64, u64)) -> String {
    let times = |count: u64| {
        let amount = each.amount.times(Number::whole(count))?;
        Some(Money { amount, currency: each.currency }.to_string())
    };
    match (times(least), times(most)) {
        (Some(low), Some(high)) if low == high => high,
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(_) | None, None) | (None, Some(_)) => String::from("unknown: too large"),
    }
}

fn sums(bill: &Bill) -> String {
    let open = bill.lines.iter().filter(|line| !matches!(line.each, Priced::Known(_))).count();
    let capex = bill.capex.map_or_else(|| String::from("unknown"), |money| money.to_string());
    let opex = bill.opex.map_or_else(
        || String::from("unknown"),
        |Yearly { least, most, .. }| if least == most { most.to_string() } else { format!("{least} to {most}") },
    );
    let without = if open == 0 { String::new() } else { format!("; {open} lines have no price and are not in it") };
    format!("\nto buy: {capex}, a year: {opex}{without}\n")
}

/// What a quote that goes first came to, and by which rule the other prices count.
fn preferred(plan: &Plan<'_>, bill: &Bill, quote: BlockId) -> String {
    let own =
        bill.lines.iter().filter(|line| line.quote == Some(quote) && matches!(line.each, Priced::Known(_))).count();
    let name = plan.model.address(quote);
    let others = bill.lines.len().saturating_sub(own);
    let before = plan.bill.capex.map_or_else(|| String::from("unknown"), |money| money.to_string());
    format!(
        "{} priced by `{name}`; for the other {others} the lowest known price of the quotes counts, as without \
         `--quote`, where to buy comes to {before}\n",
        phrase::count(own as u64, "line"),
    )
}
