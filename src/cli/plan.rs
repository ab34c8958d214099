//! `aipc plan`: the whole plan as data.

use clap::ValueEnum;

use crate::plan::json;

use super::args::PackageArgs;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::sized;

/// Show the whole plan: every block, default and figure
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    /// How it is printed; `aipc schema plan` describes it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlanFormat::Json)]
    format: PlanFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// One JSON document
    Json,
}

/// Prints the plan.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |plan, _, console| {
        match args.format {
            PlanFormat::Json => console.answer(&json::to_string(plan))?,
        }
        Ok(Exit::Fine)
    })
}
