//! `aipc size`: every figure of a platform, then what the figures say together, section by section.

mod bottlenecks;
mod classes;
mod figures;
mod section;
mod tenure;
mod whatif;

use crate::plan::Plan;

use super::args::{PackageArgs, TableFormat};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::sized;
use section::Section;

/// Show every figure: GPUs, memory, time, power, with error bars and what they stand on
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    /// How the sections are printed; `csv` has the figures alone
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = TableFormat::Human)]
    format: TableFormat,
    /// Compares the machines that a pool could be made of, instead
    #[arg(long, value_name = "POOL")]
    what_if: Option<String>,
}

/// The sections in their order. One that has nothing to say of a platform is left out.
const SECTIONS: &[fn(&Plan<'_>) -> Section] =
    &[figures::section, bottlenecks::section, classes::section, tenure::section];

/// Prints the sections.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    if let Some(pool) = &args.what_if {
        return whatif::run(&args.package, pool, args.format, console);
    }
    sized::with_plan(&args.package, console, |plan, _, console| {
        let sections: Vec<Section> = SECTIONS.iter().map(|section| section(plan)).collect();
        console.answer(&section::print(&sections, args.format))?;
        Ok(Exit::Fine)
    })
}
