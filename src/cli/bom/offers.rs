//! What every quote asks for every line: a table, from which nothing is chosen.

use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::model::kinds::Quote;
use crate::plan::Plan;
use crate::plan::bill::price::{Market, Offer, known};
use crate::plan::bill::{self, Priced};
use crate::target::bom::rows::Row;

use super::super::args::TableFormat;
use super::super::table::Table;

/// The table; for people also by which rule a price counts.
pub fn print(plan: &Plan<'_>, rows: &[Row<'_>], format: TableFormat) -> String {
    let mut table = Table::new(&[
        "line",
        "description",
        "quantity",
        "quote",
        "vendor",
        "each",
        "total",
        "discount",
        "lead time",
        "valid until",
        "counts",
    ]);
    if let Some(platform) = plan.model.platform() {
        let market = Market::new(&plan.model, platform.currency);
        for (row, line) in rows.iter().filter_map(|row| Some((row, row.own()?))) {
            bill::offers(&market, line).iter().for_each(|offer| table.row(cells(plan, row, offer)));
        }
    }
    if format != TableFormat::Human {
        return table.print(format);
    }
    if table.is_empty() {
        return String::from("no quote prices any line\n");
    }
    format!(
        "{}\nof several quotes the lowest known price counts, whether or not it is still valid; `--quote NAME` takes \
         another one first\n",
        table.print(format)
    )
}

fn cells(plan: &Plan<'_>, row: &Row<'_>, offer: &Offer) -> [String; 11] {
    let quote = offer.quote.and_then(|quote| plan.model.typed::<Quote>(quote));
    let total = known(&offer.each).and_then(|each| {
        let amount = each.amount.times(Number::whole(row.quantity.1))?;
        Some(Money { amount, ..each }.to_string())
    });
    let each = match &offer.each {
        Priced::Known(money) => money.to_string(),
        Priced::Foreign(money) => format!("{money}, no rate converts it"),
        Priced::Tbd(why) => format!("tbd: {why}"),
        Priced::Unknown => String::from("unknown"),
    };
    let percent = |share: Number| share.times(Number::whole(100)).map(|percent| format!("{percent}%"));
    let until = quote.and_then(|quote| quote.valid_until).map(|until| match plan.as_of {
        Some(today) if until < today => format!("{until}, which is over"),
        Some(_) | None => until.to_string(),
    });
    let counts = row.line.quote == offer.quote && row.line.each == offer.each;
    [
        row.number.clone(),
        row.description().to_string(),
        row.quantity.1.to_string(),
        offer.quote.map(|quote| plan.model.address(quote)).unwrap_or_default(),
        quote.map(|quote| quote.vendor.to_string()).unwrap_or_default(),
        each,
        total.unwrap_or_default(),
        offer.discount.and_then(percent).unwrap_or_default(),
        offer.lead_weeks.map(|weeks| format!("{weeks:.1} weeks")).unwrap_or_default(),
        until.unwrap_or_default(),
        String::from(if counts { "yes" } else { "" }),
    ]
}
