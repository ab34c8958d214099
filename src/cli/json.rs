//! Findings as one JSON document: lines and columns from 1, columns in characters.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::base::source::Sources;
use crate::base::span::Span;

use super::findings::{Findings, Found, Summary};
use super::places::Places;

#[derive(Serialize)]
struct Document<'a> {
    problems: Vec<Problem<'a>>,
    waived: Vec<Waiver<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Problem<'a> {
    code: String,
    severity: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
    labels: Vec<Label<'a>>,
    help: Option<&'a str>,
    notes: &'a [String],
    fixes: Vec<Fix<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Repair<'a>>,
    address: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    environments: &'a [String],
}

/// All of it is `null` for what no source wrote.
#[derive(Serialize)]
struct Place<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
}

#[derive(Serialize)]
struct Label<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct Repair<'a> {
    title: &'a str,
    settings: &'a [String],
}

#[derive(Serialize)]
struct Waiver<'a> {
    #[serde(flatten)]
    problem: Problem<'a>,
    reason: &'a str,
    until: Option<String>,
}

/// The document, with a newline at its end.
pub fn findings(findings: &Findings, sources: &Sources) -> String {
    let mut places = Places::new(sources);
    let problems = findings
        .problems
        .iter()
        .map(|Found { problem: found, environments }| problem(found, environments, &mut places));
    let problems = problems.collect();
    let waived = findings.waived.iter().map(|waived| Waiver {
        problem: problem(&waived.finding, &[], &mut places),
        reason: &waived.reason,
        until: waived.until.map(|date| date.to_string()),
    });
    let waived = waived.collect();
    pretty(&Document { problems, waived, summary: findings.summary() })
}

/// A value as indented JSON with a newline at its end.
pub fn pretty(value: &impl Serialize) -> String {
    // Maps with other keys than strings are the only values that serde_json refuses, and there are none here.
    let mut text = serde_json::to_string_pretty(value).expect("plain data is always JSON");
    text.push('\n');
    text
}

fn problem<'a>(found: &'a Diagnostic, environments: &'a [String], places: &mut Places<'a>) -> Problem<'a> {
    let labels = found.labels.iter().map(|label| Label { place: place(label.span, places), text: &label.text });
    let labels = labels.collect();
    let fixes =
        found.fixes.iter().map(|fix| Fix { title: &fix.title, place: place(fix.span, places), text: &fix.text });
    let fixes = fixes.collect();
    let repairs = found.repairs.iter().map(|repair| Repair { title: repair.title, settings: &repair.settings });
    let repairs = repairs.collect();
    Problem {
        code: found.code.to_string(),
        severity: found.severity.word(),
        message: &found.message,
        place: place(found.primary(), places),
        labels,
        help: found.help.as_deref(),
        notes: &found.notes,
        fixes,
        repairs,
        address: found.address.as_deref(),
        environments,
    }
}

fn place<'a>(span: Span, places: &mut Places<'a>) -> Place<'a> {
    let at = places.of(span);
    Place {
        file: at.map(|at| at.path),
        line: at.map(|at| at.start.line),
        column: at.map(|at| at.start.column),
        end_line: at.map(|at| at.end.line),
        end_column: at.map(|at| at.end.column),
    }
}
