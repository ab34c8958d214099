//! `aipc check`: what is wrong with a package.

use clap::ValueEnum;

use crate::base::diagnostic::Diagnostic;
use crate::catalog::Catalogue;
use crate::compile::{self, Compiled};
use crate::repair;
use crate::rules::gate;

use super::args::{PackageArgs, ReportArgs};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::findings::Findings;
use super::package::{self, Loaded};

/// Check a package: syntax, names, types, sizes, rules
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    #[command(flatten)]
    report: ReportArgs,
    /// Check every environment
    #[arg(long, conflicts_with = "env")]
    all_envs: bool,
    /// Also list what has to be settled before this gate
    #[arg(long, value_enum, value_name = "GATE")]
    gate: Option<Gate>,
}

/// A point after which nothing may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Gate {
    /// Every price is known, nothing is `tbd`
    Production,
}

/// Checks.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let Loaded { package, options } = package::load(&args.package)?;
    let catalogue = Catalogue::new();
    let mut findings = Findings::default();
    for environment in package::wanted_environments(&package, args.all_envs) {
        let options = options.in_environment(environment.as_deref());
        let mut compiled = compile::check(&package, &options, &catalogue);
        repair::suggest(&package, &options, &catalogue, &mut compiled);
        let open = open(args.gate, &compiled);
        let tried = compiled.plan.as_ref().map(|plan| compile::try_targets(plan, compiled.judged()));
        let found = compiled.problems.into_iter().chain(tried.into_iter().flatten()).chain(open);
        findings.add(environment.as_deref(), found, compiled.waived);
    }
    findings.show(&args.report, &package.sources, console)
}

/// What has to be settled before the gate.
fn open(gate: Option<Gate>, compiled: &Compiled<'_>) -> Vec<Diagnostic> {
    match (gate, &compiled.plan) {
        (Some(Gate::Production), Some(plan)) => gate::production(plan),
        (Some(Gate::Production), None) | (None, _) => Vec::new(),
    }
}
