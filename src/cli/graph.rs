//! `aipc graph`: who refers to whom.

use clap::ValueEnum;

use crate::graph::text;

use super::args::PackageArgs;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::sized;

/// Show which block refers to which
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    /// The language of the picture
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Picture::Dot)]
    format: Picture,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Picture {
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
}

/// Prints the graph.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |_, compiled, console| {
        if let Some(graph) = &compiled.graph {
            console.answer(&match args.format {
                Picture::Dot => text::dot(&compiled.model, graph),
                Picture::Mermaid => text::mermaid(&compiled.model, graph),
            })?;
        }
        Ok(Exit::Fine)
    })
}
