//! Commands that look at a sized platform: they share how it is read and what happens when it cannot be sized.

use crate::base::diagnostic::{Diagnostics, Severity};
use crate::base::source::Sources;
use crate::catalog::Catalogue;
use crate::compile::{self, Compiled};
use crate::plan::Plan;

use super::args::{Format, PackageArgs, ReportArgs, Threshold};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::findings::Findings;
use super::package::{self, Loaded};

/// Sizes a package and hands the plan on; errors are shown, and make the exit code 1 also where there is a plan.
pub fn with_plan(
    args: &PackageArgs,
    console: &mut Console,
    show: impl FnOnce(&Plan<'_>, &Compiled<'_>, &mut Console) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let Loaded { package, options } = package::load(args)?;
    let catalogue = Catalogue::new();
    let mut compiled = compile::check(&package, &options, &catalogue);
    let verdict = errors(std::mem::take(&mut compiled.problems), &package.sources, console)?;
    let Some(plan) = &compiled.plan else { return Ok(verdict) };
    let exit = show(plan, &compiled, console)?;
    Ok(if exit == Exit::Fine { verdict } else { exit })
}

/// Shows the errors among problems, and says how a run with them ends.
pub fn errors(problems: Diagnostics, sources: &Sources, console: &mut Console) -> Result<Exit, Failure> {
    let mut findings = Findings::default();
    findings.add(None, problems.into_iter().filter(|found| found.severity == Severity::Error), Vec::new());
    let report = ReportArgs { format: Format::Human, fail_on: Threshold::Error };
    findings.show(&report, sources, console)
}
