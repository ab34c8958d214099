//! `aipc completions`: what a shell has to know.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use super::console::Console;
use super::failure::{Exit, Failure};

/// Print the completions of a shell
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "aipc", &mut script);
    console.answer(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
