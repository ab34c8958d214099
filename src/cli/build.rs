//! `aipc build`: the files of a package, into a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::base::diagnostic::{Diagnostics, Severity};
use crate::base::phrase;
use crate::catalog::Catalogue;
use crate::compile;
use crate::plan::json;
use crate::repair;
use crate::target::TARGETS;
use crate::target::template::Templates;

use super::args::{PackageArgs, ReportArgs};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::findings::Findings;
use super::package::{self, Loaded};
use super::store::{self, Done, Wanted};

/// Build a package: Terraform, Kubernetes, Slurm, the bill of materials, a report
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    package: PackageArgs,
    #[command(flatten)]
    report: ReportArgs,
    /// Build every environment, each into a folder of its own
    #[arg(long, conflicts_with = "env")]
    all_envs: bool,
    /// The folder to build into
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Build this target only; may be given several times
    #[arg(long = "target", value_name = "NAME", value_parser = target)]
    targets: Vec<String>,
    /// Templates that replace the shipped ones, by path: `slurm/slurm.conf.j2`
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// Overwrite generated files that were edited, and files in the way
    #[arg(long)]
    force: bool,
}

/// Builds, unless there are errors.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let Loaded { package, options } = package::load(&args.package)?;
    let templates = templates(args.templates.as_deref())?;
    let catalogue = Catalogue::new();
    let mut findings = Findings::default();
    let mut wanted = Wanted::new(&args.targets);
    for environment in package::wanted_environments(&package, args.all_envs) {
        let options = options.in_environment(environment.as_deref());
        let mut compiled = compile::check(&package, &options, &catalogue);
        repair::suggest(&package, &options, &catalogue, &mut compiled);
        let mut more = Diagnostics::new();
        if let Some(plan) = compiled.plan.as_ref().filter(|_| !compiled.problems.has_errors()) {
            let ((files, found), plan) = thread::scope(|scope| {
                let written = scope.spawn(|| json::to_string(plan));
                let emitted = compile::emit(plan, compiled.judged(), &args.targets, &templates);
                (emitted, written.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            });
            more = found;
            wanted.add(environment.as_deref(), files, plan);
        }
        let mut problems = compiled.problems;
        problems.extend(more);
        findings.add(environment.as_deref(), problems, compiled.waived);
    }
    let mut done = None;
    if !findings.reaches(args.report.fail_on.severity()) && !findings.reaches(Severity::Error) {
        match store::write(&args.out, wanted, args.force)? {
            Ok(written) => done = Some(written),
            Err(problems) => findings.add(None, problems, Vec::new()),
        }
    }
    let exit = findings.show(&args.report, &package.sources, console)?;
    console.tell(&summary(done.as_ref(), &package::shown(&args.out)));
    Ok(exit)
}

/// `out: 12 files written, 3 unchanged, 1 removed`.
fn summary(done: Option<&Done>, out: &str) -> String {
    let Some(done) = done else { return String::from("nothing was written\n") };
    let counts = [(done.written, "written"), (done.unchanged, "unchanged"), (done.removed, "removed")];
    let mut parts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if done.recovered {
        parts.push(String::from("an interrupted build was brought to its end first"));
    }
    format!("{out}: {}\n", parts.join(", "))
}

/// The shipped templates, or with some of them replaced.
fn templates(folder: Option<&Path>) -> Result<Templates, Failure> {
    let Some(folder) = folder else { return Ok(Templates::shipped()) };
    let mut replaced = BTreeMap::new();
    collect(folder, folder, &mut replaced)?;
    if let Some(stray) = replaced.keys().find(|path| Templates::paths().all(|shipped| shipped != path.as_str())) {
        let near = phrase::nearest(stray, Templates::paths());
        let failure = Failure::new(format!("`{}` replaces no shipped template", folder.join(stray).display()));
        return Err(match near {
            Some(near) => failure.help(format!("perhaps `{near}`")),
            None => failure.help("a template has the path of the shipped one below `targets/`"),
        });
    }
    Ok(Templates::replace(replaced))
}

fn collect(root: &Path, folder: &Path, replaced: &mut BTreeMap<String, String>) -> Result<(), Failure> {
    let unreadable = |error| Failure::path("read", folder, error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(root, &path, replaced)?;
        } else if path.extension().is_some_and(|end| end == "j2") {
            let name = path.strip_prefix(root).map_or_else(|_| package::shown(&path), package::shown);
            replaced.insert(name, package::text(&path)?);
        }
    }
    Ok(())
}

fn target(name: &str) -> Result<String, String> {
    let known = || TARGETS.iter().map(|target| target.name);
    if known().any(|target| target == name) {
        return Ok(name.to_string());
    }
    Err(format!("there are {}", phrase::all_of(known())))
}
