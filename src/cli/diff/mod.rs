//! `aipc diff`: what became of a platform between two folders, environments or revisions.

mod git;
mod json;
mod markdown;
mod side;
mod text;
mod words;

use std::collections::BTreeMap;

use clap::ValueEnum;

use crate::base::date::Date;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::phrase;
use crate::catalog::Catalogue;
use crate::compile::{self, Compiled};
use crate::diff::{self, Diff};

use super::args::{Format, ReportArgs, Threshold};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::findings::Findings;
use super::package::Loaded;
use side::Source;

/// Show what differs between two platforms: model, counts, power, racks, bill, and how much each change hurts
#[derive(clap::Args)]
#[command(after_long_help = classes())]
pub struct Args {
    /// The old side: `PATH[@ENV]`, or `git:REV[:PATH][@ENV]` with PATH as from the working folder
    old: String,
    /// The new side, in the same form
    new: String,
    /// How it is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = DiffFormat::Human)]
    format: DiffFormat,
    /// End with 1 when something differs
    #[arg(long)]
    exit_code: bool,
    /// The day that quotes, waivers and support dates are held against
    #[arg(long, value_name = "DATE", value_parser = super::args::date)]
    as_of: Option<Date>,
}

/// How a difference is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Aligned tables
    Human,
    /// A comment for a review
    Markdown,
    /// One JSON document
    Json,
}

/// What is printed, with the names of both sides.
struct Report<'d> {
    old: &'d str,
    new: &'d str,
    platform: String,
    diff: Diff,
}

/// Compiles both sides and prints what differs.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let load = |text: &str| Source::parse(text).and_then(|source| source.load(args.as_of));
    let (old, new) = (load(&args.old)?, load(&args.new)?);
    let catalogue = Catalogue::new();
    let mut before = compile::check(&old.package, &old.options, &catalogue);
    let mut after = compile::check(&new.package, &new.options, &catalogue);
    let errors = (errors(&mut before), errors(&mut after));
    let (Some(one), Some(other)) = (&before.plan, &after.plan) else {
        let sides =
            [(&args.old, &old, before.plan.is_some(), errors.0), (&args.new, &new, after.plan.is_some(), errors.1)];
        for (name, loaded, _, errors) in sides.into_iter().filter(|(_, _, planned, _)| !planned) {
            refuse(name, loaded, errors, console)?;
        }
        return Ok(Exit::Findings);
    };
    for (name, found) in [(&args.old, errors.0.len()), (&args.new, errors.1.len())] {
        if found > 0 {
            let count = phrase::count(found as u64, "error");
            console.tell(&format!("note: `{}` has {count}; `aipc check` shows them\n", phrase::excerpt(name, 80)));
        }
    }
    let platform = other.model.platform().map(|platform| other.model.name(platform.id).to_string());
    let diff = diff::diff(one, other);
    let differs = !diff.is_empty();
    let report = Report { old: &args.old, new: &args.new, platform: platform.unwrap_or_default(), diff };
    console.answer(&match args.format {
        DiffFormat::Human => text::print(&report),
        DiffFormat::Markdown => markdown::print(&report),
        DiffFormat::Json => json::print(&report),
    })?;
    Ok(Exit::unless(differs && args.exit_code))
}

/// The classes of changes, as the long help shows them.
fn classes() -> String {
    let rows = diff::Class::WORST_FIRST.iter().map(|class| format!("  {:<13}{}\n", class.words(), class.meaning()));
    format!("Classes of changes, the worst first:\n{}", rows.collect::<String>())
}

fn errors(compiled: &mut Compiled<'_>) -> Vec<Diagnostic> {
    let found = std::mem::take(&mut compiled.problems);
    found.into_iter().filter(|problem| problem.severity == Severity::Error).collect()
}

/// Shows why a side has no plan.
fn refuse(name: &str, loaded: &Loaded, errors: Vec<Diagnostic>, console: &mut Console) -> Result<(), Failure> {
    console.tell(&format!("`{}` cannot be sized:\n\n", phrase::excerpt(name, 80)));
    let mut findings = Findings::default();
    findings.add(None, errors, Vec::new());
    let report = ReportArgs { format: Format::Human, fail_on: Threshold::Error };
    findings.show(&report, &loaded.package.sources, console).map(|_| ())
}

/// How many changes of each class, by its words.
fn counts(diff: &Diff) -> BTreeMap<&'static str, usize> {
    diff::Class::WORST_FIRST.into_iter().map(|class| (class.words(), diff.count(class))).collect()
}
