//! `aipc size`: every figure of a platform, then what the figures say together, section by section.

mod bottlenecks;
mod classes;
mod figures;
mod section;

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
}

/// The sections in their order. One that has nothing to say of a platform is left out.
const SECTIONS: &[fn(&Plan<'_>) -> Section] = &[figures::section, bottlenecks::section, classes::section];

/// Prints the sections.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |plan, _, console| {
        let sections: Vec<Section> = SECTIONS.iter().map(|section| section(plan)).collect();
        console.answer(&section::print(&sections, args.format))?;
        Ok(Exit::Fine)
    })
}
