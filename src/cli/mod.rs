//! The command line: one file a command, each a struct of arguments and a `run`. The only floor that touches disk,
//! terminal and process.

mod args;
mod bom;
mod build;
mod catalog;
mod check;
mod completions;
mod config;
mod console;
mod diff;
mod explain;
mod failure;
mod findings;
mod fmt;
mod graph;
mod guard;
mod json;
mod new;
mod package;
mod places;
mod plan;
mod report;
mod schema;
mod size;
mod sized;
mod store;
mod table;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use console::{Colour, Console};
use failure::{Exit, Failure};

/// The AI Platform Compiler: one declarative source into Terraform, Kubernetes, Slurm and a bill of materials.
#[derive(Parser)]
#[command(name = "aipc", version, disable_help_subcommand = true)]
struct Cli {
    /// When to colour messages; `NO_COLOR` is obeyed
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    color: Colour,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Args),
    Build(build::Args),
    Fmt(fmt::Args),
    Size(size::Args),
    Bom(bom::Args),
    Plan(plan::Args),
    Explain(explain::Args),
    Diff(diff::Args),
    Graph(graph::Args),
    Catalog(catalog::Args),
    Schema(schema::Args),
    New(new::Args),
    Completions(completions::Args),
}

/// Runs the command that the process was called with.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(std::env::args_os().collect::<Vec<OsString>>()) {
        Ok(cli) => cli,
        Err(refusal) => return refused(&refusal),
    };
    guard::run(move || {
        let mut console = Console::new(cli.color);
        match dispatch(&cli.command, &mut console) {
            Ok(exit) => exit,
            Err(failure) => console.fail(&failure),
        }
    })
    .into()
}

fn dispatch(command: &Command, console: &mut Console) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => check::run(args, console),
        Command::Build(args) => build::run(args, console),
        Command::Fmt(args) => fmt::run(args, console),
        Command::Size(args) => size::run(args, console),
        Command::Bom(args) => bom::run(args, console),
        Command::Plan(args) => plan::run(args, console),
        Command::Explain(args) => explain::run(args, console),
        Command::Diff(args) => diff::run(args, console),
        Command::Graph(args) => graph::run(args, console),
        Command::Catalog(args) => catalog::run(args, console),
        Command::Schema(args) => schema::run(args, console),
        Command::New(args) => new::run(args, console),
        Command::Completions(args) => completions::run(args, console),
    }
}

/// Help and version are answers, everything else that clap refuses is wrong use.
fn refused(refusal: &clap::Error) -> ExitCode {
    // A terminal that does not take the message takes no other either.
    let _ = refusal.print();
    if refusal.use_stderr() { Exit::Misuse.into() } else { Exit::Fine.into() }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
