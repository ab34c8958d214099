//! `aipc bom`: the bill of materials, for people, for suppliers, and against what suppliers send back.

mod amount;
mod comparison;
mod delimited;
mod grid;
mod listing;
mod offers;
mod reading;
mod request;
mod workbook;

use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::base::phrase;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::plan::Plan;
use crate::plan::bill::{self, Bill};
use crate::target::bom as target;

use super::args::{PackageArgs, TableFormat};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::sized;

/// Show the bill of materials, ask suppliers for prices, and compare what they answer
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    /// How it is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    format: Format,
    /// Show also what is in a line at no further price
    #[arg(long)]
    parts: bool,
    /// Take the prices of this quote before all others
    #[arg(long, value_name = "NAME")]
    quote: Option<String>,
    /// Show what every quote asks for every line
    #[arg(long, conflicts_with_all = ["rfq", "compare", "parts", "quote"])]
    quotes: bool,
    /// Show what suppliers are asked for: the lines without prices, in lots
    #[arg(long, conflicts_with = "compare")]
    rfq: bool,
    /// Hold a supplier's quote (CSV or XLSX) against the bill; a difference makes the exit code 1
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A way to print a bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns
    Human,
    /// One JSON document
    Json,
    /// A Markdown table
    Markdown,
    /// Comma-separated values: every column of `bom.csv`, every amount a number
    Csv,
    /// A workbook with live formulas
    Xlsx,
}

impl Format {
    /// The same as a table; nothing for a workbook.
    fn table(self) -> Option<TableFormat> {
        match self {
            Format::Human => Some(TableFormat::Human),
            Format::Json => Some(TableFormat::Json),
            Format::Markdown => Some(TableFormat::Markdown),
            Format::Csv => Some(TableFormat::Csv),
            Format::Xlsx => None,
        }
    }
}

/// What a command prints.
enum Answer {
    Text(String),
    Bytes(Vec<u8>),
}

/// Prints the bill, a request or a comparison.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |plan, _, console| {
        let quote = args.quote.as_deref().map(|name| quote(plan, name)).transpose()?;
        let preferred = quote.map(|quote| bill::with_quote(plan, quote));
        let bill = preferred.as_ref().unwrap_or(&plan.bill);
        let (answer, exit) = answer(args, plan, bill, quote)?;
        give(args, &answer, console)?;
        Ok(exit)
    })
}

fn answer(args: &Args, plan: &Plan<'_>, bill: &Bill, quote: Option<BlockId>) -> Result<(Answer, Exit), Failure> {
    if let Some(path) = &args.compare {
        let format = args.format.table().ok_or_else(|| no_workbook("--compare"))?;
        let (text, exit) = comparison::of(plan, bill, path, quote, format)?;
        return Ok((Answer::Text(text), exit));
    }
    let rows = target::rows::of(plan, bill);
    let answer = match (args.format.table(), args.rfq, args.quotes) {
        (Some(format), true, _) => Answer::Text(request::print(&rows, format)),
        (None, true, _) => Answer::Bytes(request::workbook(plan, &rows).map_err(unwritten)?),
        (Some(format), false, true) => Answer::Text(offers::print(plan, &rows, format)),
        (None, false, true) => return Err(no_workbook("--quotes")),
        (Some(TableFormat::Csv), false, false) => Answer::Text(
            target::csv_of(plan, bill)
                .map_err(|problem| Failure::new(format!("the bill cannot be written: {}", problem.message)))?,
        ),
        (Some(format), false, false) => {
            Answer::Text(listing::print(plan, bill, &rows, listing::Show { format, parts: args.parts, quote }))
        }
        (None, false, false) => Answer::Bytes(target::workbook_of(plan, bill).map_err(unwritten)?),
    };
    Ok((answer, Exit::Fine))
}

fn unwritten(why: String) -> Failure {
    Failure::new(format!("the workbook cannot be written: {why}"))
}

fn no_workbook(option: &str) -> Failure {
    let failure = Failure::new(format!("`{option}` does not write a workbook"));
    failure.help("take another `--format`; the sheet `Comparison` of `bom.xlsx` has the quotes side by side")
}

/// The quote of a name, or the names there are.
fn quote(plan: &Plan<'_>, name: &str) -> Result<BlockId, Failure> {
    let plain = name.strip_prefix("quote.").unwrap_or(name);
    if let Some(found) = plan.model.find(Kind::Quote, plain) {
        return Ok(found);
    }
    let failure = Failure::new(format!("there is no quote `{plain}`"));
    let mut names: Vec<&str> = plan.model.tables.quotes.iter().map(|quote| plan.model.name(quote.id)).collect();
    names.sort_unstable();
    Err(match names.as_slice() {
        [] => failure.help("the package has no `quote` block"),
        names => failure.help(format!("the package has {}", phrase::all_of(names))),
    })
}

/// To the file that was asked for, else to the standard output.
fn give(args: &Args, answer: &Answer, console: &mut Console) -> Result<(), Failure> {
    let bytes = match answer {
        Answer::Text(text) => text.as_bytes(),
        Answer::Bytes(bytes) => bytes,
    };
    match (&args.out, answer) {
        (Some(path), _) => fs::write(path, bytes).map_err(|error| Failure::path("write", path, error)),
        (None, Answer::Text(text)) => console.answer(text),
        (None, Answer::Bytes(_)) if console.is_read_by_people() => {
            Err(Failure::new("a workbook is nothing for a terminal").help("name a file: `--out bom.xlsx`"))
        }
        (None, Answer::Bytes(bytes)) => console.answer_bytes(bytes),
    }
}
