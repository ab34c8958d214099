//! Findings that stand, the worst first, and those that are waived.

use std::cmp::Reverse;

use serde::Serialize;

use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::judged::{Judged, Waived};

use super::capped::Capped;
use super::words::counted;

/// Findings and waivers that are shown.
const SHOWN: usize = 100;

/// What was found.
#[derive(Serialize)]
pub struct Findings {
    /// All of it in a sentence.
    sentence: String,
    /// How many stand, by severity.
    pub errors: usize,
    /// Worth mending.
    pub warnings: usize,
    /// Worth knowing.
    pub notes: usize,
    /// Those that stand.
    pub standing: Capped<Finding>,
    /// How many are waived.
    pub waived: usize,
    /// Those that are.
    pub waivers: Capped<Waiver>,
}

/// One finding. It leads to an address and not to a place in a file, so that moving a block changes no report.
#[derive(Serialize)]
pub struct Finding {
    severity: &'static str,
    code: String,
    address: String,
    message: String,
    help: String,
    repairs: Vec<String>,
}

/// One that is waived.
#[derive(Serialize)]
pub struct Waiver {
    finding: Finding,
    reason: String,
    until: String,
}

/// The findings, sorted by what they are and not by where they were written.
pub fn view(judged: Judged<'_>) -> Findings {
    let of = |severity| judged.problems.iter().filter(|problem| problem.severity == severity).count();
    let mut standing: Vec<&Diagnostic> = judged.problems.iter().collect();
    standing.sort_by(|a, b| key(a).cmp(&key(b)));
    let mut waived: Vec<&Waived> = judged.waived.iter().collect();
    waived.sort_by(|a, b| key(&a.finding).cmp(&key(&b.finding)));
    let (errors, warnings, notes) = (of(Severity::Error), of(Severity::Warning), of(Severity::Note));
    Findings {
        sentence: format!(
            "{}, {} and {} stand; {} waived.",
            counted(errors as u64, "error"),
            counted(warnings as u64, "warning"),
            counted(notes as u64, "note"),
            if waived.len() == 1 { String::from("1 is") } else { format!("{} are", waived.len()) }
        ),
        errors,
        warnings,
        notes,
        standing: Capped::of(standing, SHOWN, finding),
        waived: waived.len(),
        waivers: Capped::of(waived, SHOWN, waiver),
    }
}

/// Texts come last: those of the source decide nothing while anything else differs.
fn key(problem: &Diagnostic) -> impl Ord + use<'_> {
    (Reverse(problem.severity), problem.code, &problem.address, &problem.message)
}

fn finding(problem: &Diagnostic) -> Finding {
    Finding {
        severity: problem.severity.word(),
        code: problem.code.to_string(),
        address: problem.address.clone().unwrap_or_default(),
        message: problem.message.clone(),
        help: problem.help.clone().unwrap_or_default(),
        repairs: problem
            .repairs
            .iter()
            .map(|repair| format!("{}: {}", repair.title, repair.settings.join(", ")))
            .collect(),
    }
}

fn waiver(waived: &Waived) -> Waiver {
    Waiver {
        finding: finding(&waived.finding),
        reason: waived.reason.to_string(),
        until: waived.until.map(|date| date.to_string()).unwrap_or_default(),
    }
}
