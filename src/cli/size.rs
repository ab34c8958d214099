//! `aipc size`: every figure of a platform.

use crate::plan::figure::Estimate;

use super::args::{PackageArgs, TableFormat};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::sized;
use super::table::Table;

/// Show every figure: GPUs, memory, time, power, with error bars and what they stand on
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    /// How the table is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = TableFormat::Human)]
    format: TableFormat,
}

/// Prints the figures by address.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |plan, _, console| {
        let mut rows: Vec<[String; 4]> = plan
            .figures
            .iter()
            .map(|(block, attribute, estimate)| {
                let address = format!("{}.{attribute}", plan.model.address(block));
                match estimate {
                    Estimate::Known(figure) => {
                        let bar = figure.bar().unwrap_or_default();
                        [address, figure.show(), bar, figure.basis.word().to_string()]
                    }
                    Estimate::Unknown(why) => [address, String::from("unknown"), why.to_string(), String::new()],
                }
            })
            .collect();
        rows.sort();
        let mut table = Table::new(&["figure", "value", "low to high", "basis"]);
        rows.into_iter().for_each(|row| table.row(row));
        console.answer(&table.print(args.format))?;
        Ok(Exit::Fine)
    })
}
