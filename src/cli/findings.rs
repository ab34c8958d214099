//! What a run found, over one environment or all of them, and how it is shown.

use std::collections::HashMap;
use std::fmt::Write;

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::judged::Waived;
use crate::base::phrase;
use crate::base::source::Sources;
use crate::base::span::Span;

use super::args::{Format, ReportArgs};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::places::Places;
use super::{json, report};

/// A problem with the environments it occurs in.
pub struct Found {
    /// The problem.
    pub problem: Diagnostic,
    /// Their names; empty when only one was asked for.
    pub environments: Vec<String>,
}

impl Found {
    /// Says in which environments it occurs, when these are not all that were looked at.
    fn only(&self, looked_at: usize) -> Option<String> {
        let some = !self.environments.is_empty() && self.environments.len() < looked_at;
        some.then(|| format!("in environment {}", phrase::all_of(&self.environments)))
    }
}

/// Everything that a run found.
#[derive(Default)]
pub struct Findings {
    /// Sorted by place, each once.
    pub problems: Vec<Found>,
    /// What waivers take away, each once.
    pub waived: Vec<Waived>,
    /// How many environments were looked at.
    looked_at: usize,
    /// Positions of problems by code, place and message, where there are several environments.
    by_place: HashMap<(Code, Span, String), Vec<usize>>,
}

/// How many of each severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
}

impl Findings {
    /// Adds what was found in an environment: the only one that was asked for, or one of several with its name. What
    /// was found before is only marked.
    pub fn add(
        &mut self,
        environment: Option<&str>,
        problems: impl IntoIterator<Item = Diagnostic>,
        waived: Vec<Waived>,
    ) {
        self.looked_at += 1;
        for problem in problems {
            let names = environment.map(str::to_string);
            match self.found_before(environment, &problem) {
                Some(position) => self.problems[position].environments.extend(names),
                None => self.problems.push(Found { problem, environments: names.into_iter().collect() }),
            }
        }
        for waiver in waived {
            if self.waived.iter().all(|known| known.finding != waiver.finding) {
                self.waived.push(waiver);
            }
        }
    }

    /// Where a problem stands that an earlier environment had, too.
    fn found_before(&mut self, environment: Option<&str>, problem: &Diagnostic) -> Option<usize> {
        environment?;
        let next = self.problems.len();
        let key = (problem.code, problem.primary(), problem.message.clone());
        let positions = self.by_place.entry(key).or_default();
        let known = positions.iter().copied().find(|position| self.problems[*position].problem == *problem);
        if known.is_none() {
            positions.push(next);
        }
        known
    }

    /// True when something is at least as bad as the threshold.
    pub fn reaches(&self, threshold: Severity) -> bool {
        self.problems.iter().any(|found| found.problem.severity >= threshold)
    }

    /// How many of each severity.
    pub fn summary(&self) -> Summary {
        let count = |severity| self.problems.iter().filter(|found| found.problem.severity == severity).count() as u64;
        Summary { errors: count(Severity::Error), warnings: count(Severity::Warning), notes: count(Severity::Note) }
    }

    /// Shows everything in the format asked for, and says how the run ends.
    pub fn show(self, args: &ReportArgs, sources: &Sources, console: &mut Console) -> Result<Exit, Failure> {
        let findings = self.marked();
        match args.format {
            Format::Human => console.tell(&report::human(&findings, sources, console)),
            Format::Short => console.tell(&short(&findings, sources)),
            Format::Json => console.answer(&json::findings(&findings, sources))?,
        }
        Ok(Exit::unless(findings.reaches(args.fail_on.severity())))
    }

    /// With a note on every problem that occurs in some environments only.
    fn marked(mut self) -> Findings {
        let all = self.looked_at;
        for found in &mut self.problems {
            let only = found.only(all);
            found.problem.notes.extend(only);
        }
        self
    }
}

impl Summary {
    /// `2 errors, 1 warning`; nothing when nothing was found.
    pub fn words(self) -> Option<String> {
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let some: Vec<String> = counts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, noun)| phrase::count(*number, noun))
            .collect();
        (!some.is_empty()).then(|| some.join(", "))
    }
}

/// `error[AIP1002]`.
pub fn head(problem: &Diagnostic) -> String {
    format!("{}[{}]", problem.severity.word(), problem.code)
}

/// One line a problem.
fn short(findings: &Findings, sources: &Sources) -> String {
    let mut places = Places::new(sources);
    let mut text = String::new();
    for found in &findings.problems {
        let problem = &found.problem;
        let only = found.only(findings.looked_at).map_or(String::new(), |only| format!(" ({only})"));
        let at = places
            .of(problem.primary())
            .map_or(String::new(), |place| format!("{}:{}:{}: ", place.path, place.start.line, place.start.column));
        let _ = writeln!(text, "{at}{}: {}{only}", head(problem), problem.message);
    }
    text
}
