//! `aipc bom`: the bill of materials.

use crate::base::phrase;
use crate::base::quantity::Money;
use crate::plan::Plan;
use crate::plan::bill::{Line, Priced};

use super::args::{PackageArgs, TableFormat};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::sized;
use super::table::Table;

/// Show the bill of materials
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    /// How the table is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = TableFormat::Human)]
    format: TableFormat,
}

/// Prints the lines of the bill, and for people its sums.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |plan, _, console| {
        let mut table = Table::new(&[
            "category",
            "for",
            "description",
            "part number",
            "quantity",
            "unit",
            "each",
            "total",
            "paid",
            "price from",
            "source",
        ]);
        let whole = args.format != TableFormat::Human;
        plan.bill.lines.iter().for_each(|line| table.row(row(plan, line, whole)));
        console.answer(&table.print(args.format))?;
        if args.format == TableFormat::Human {
            console.answer(&sums(plan))?;
        }
        Ok(Exit::Fine)
    })
}

/// A line; people get the start of its source only, which can be long.
fn row(plan: &Plan<'_>, line: &Line, whole: bool) -> [String; 11] {
    let source = if whole { line.source.clone() } else { phrase::excerpt(&line.source, 48) };
    let (least, most) = line.quantity;
    let quantity = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let (each, total) = match &line.each {
        Priced::Known(money) => (money.to_string(), total(*money, line.quantity)),
        Priced::Foreign(money) => (money.to_string(), String::from("unknown: no rate converts it")),
        Priced::Tbd(why) => (format!("tbd: {why}"), String::from("unknown")),
        Priced::Unknown => (String::from("unknown"), String::from("unknown")),
    };
    let quote = line.quote.map(|quote| plan.model.address(quote));
    let from = quote.or_else(|| line.price_source.clone()).unwrap_or_default();
    [
        line.category.word().to_string(),
        plan.model.address(line.of),
        line.description.clone(),
        line.part_number.as_deref().unwrap_or_default().to_string(),
        quantity,
        line.unit.to_string(),
        each,
        total,
        line.paid.word().to_string(),
        line.price_date.map_or_else(|| from.clone(), |date| format!("{from} {date}").trim().to_string()),
        source,
    ]
}

/// A price times a quantity, from the least to the most.
fn total(each: Money, (least, most): (u64, u64)) -> String {
    let times = |count: u64| {
        let amount = each.amount.times(crate::base::number::Number::whole(count))?;
        Some(Money { amount, currency: each.currency }.to_string())
    };
    match (times(least), times(most)) {
        (Some(low), Some(high)) if low == high => high,
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(_) | None, None) | (None, Some(_)) => String::from("unknown: too large"),
    }
}

fn sums(plan: &Plan<'_>) -> String {
    let open = plan.bill.lines.iter().filter(|line| !matches!(line.each, Priced::Known(_))).count();
    let capex = plan.bill.capex.map_or_else(|| String::from("unknown"), |money| money.to_string());
    let opex = plan.bill.opex.map_or_else(
        || String::from("unknown"),
        |(low, high)| if low == high { high.to_string() } else { format!("{low} to {high}") },
    );
    let without = if open == 0 { String::new() } else { format!("; {open} lines have no price and are not in it") };
    format!("\nto buy: {capex}, a year: {opex}{without}\n")
}
