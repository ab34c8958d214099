//! One JSON document: everything that differs, numbers in base units, what is not known as an object that says so.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::json::pretty;
use crate::diff::{Cause, Change, Diff, FigureChange, LineChange, Side, delta_text};

use super::Report;

#[derive(Serialize)]
struct Document<'d> {
    platform: &'d str,
    old: &'d str,
    new: &'d str,
    differs: bool,
    classes: BTreeMap<&'static str, usize>,
    changes: Vec<ChangeJson<'d>>,
    figures: Vec<FigureJson<'d>>,
    bill: Vec<LineJson<'d>>,
    unpriced: Pair<usize>,
}

#[derive(Serialize)]
struct Pair<T> {
    old: T,
    new: T,
}

#[derive(Serialize)]
struct ChangeJson<'d> {
    class: &'static str,
    why: &'static str,
    what: &'static str,
    address: &'d str,
    old: Option<&'d str>,
    new: Option<&'d str>,
    delta: Option<f64>,
    old_at: Option<&'d str>,
    new_at: Option<&'d str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    through: &'d [String],
    because: Vec<CauseJson<'d>>,
}

#[derive(Serialize)]
struct CauseJson<'d> {
    address: &'d str,
    what: &'static str,
    old: Option<&'d str>,
    new: Option<&'d str>,
    at: Option<&'d str>,
}

#[derive(Serialize)]
struct FigureJson<'d> {
    group: &'static str,
    address: &'d str,
    old: SideJson,
    new: SideJson,
    delta: Option<f64>,
    text: String,
    because: Vec<CauseJson<'d>>,
}

#[derive(Serialize)]
struct LineJson<'d> {
    of: &'d str,
    category: &'static str,
    description: &'d str,
    was: Option<&'d str>,
    unit: &'static str,
    paid: &'static str,
    quantity: Pair<SideJson>,
    each: Pair<SideJson>,
    extended: Pair<SideJson>,
    delta: Option<f64>,
    because: Vec<CauseJson<'d>>,
}

/// A side: absent, unknown with the reason, or known.
#[derive(Serialize)]
#[serde(untagged)]
enum SideJson {
    Absent,
    Unknown { unknown: String },
    Known { value: f64, low: f64, high: f64, unit: String, basis: Option<&'static str>, text: String },
}

/// The document.
pub fn print(report: &Report<'_>) -> String {
    let Report { old, new, platform, diff } = report;
    let Diff { changes, figures, lines, unpriced } = diff;
    pretty(&Document {
        platform,
        old,
        new,
        differs: !diff.is_empty(),
        classes: super::counts(diff),
        changes: changes.iter().map(change).collect(),
        figures: figures.iter().map(figure).collect(),
        bill: lines.iter().map(line).collect(),
        unpriced: Pair { old: unpriced.0, new: unpriced.1 },
    })
}

fn change(change: &Change) -> ChangeJson<'_> {
    ChangeJson {
        class: change.class.words(),
        why: change.why,
        what: change.what.word(),
        address: &change.address,
        old: change.old.as_deref(),
        new: change.new.as_deref(),
        delta: change.delta.map(rounded),
        old_at: change.old_at.as_deref(),
        new_at: change.new_at.as_deref(),
        through: &change.through,
        because: causes(&change.because),
    }
}

fn causes(causes: &[Cause]) -> Vec<CauseJson<'_>> {
    causes
        .iter()
        .map(|cause| CauseJson {
            address: &cause.address,
            what: cause.what.word(),
            old: cause.old.as_deref(),
            new: cause.new.as_deref(),
            at: cause.at.as_deref(),
        })
        .collect()
}

fn figure(figure: &FigureChange) -> FigureJson<'_> {
    FigureJson {
        group: figure.group.title().0,
        address: &figure.address,
        old: side(&figure.old),
        new: side(&figure.new),
        delta: figure.delta.map(rounded),
        text: delta_text(&figure.old, &figure.new),
        because: causes(&figure.because),
    }
}

fn line(line: &LineChange) -> LineJson<'_> {
    let pair = |sides: &(Side, Side)| Pair { old: side(&sides.0), new: side(&sides.1) };
    LineJson {
        of: &line.of,
        category: line.category,
        description: &line.description,
        was: line.was.as_deref(),
        unit: line.unit,
        paid: if line.yearly { "yearly" } else { "once" },
        quantity: pair(&line.quantity),
        each: pair(&line.each),
        extended: pair(&line.extended),
        delta: crate::diff::delta_of(&line.extended.0, &line.extended.1).map(rounded),
        because: causes(&line.because),
    }
}

fn side(side: &Side) -> SideJson {
    match side {
        Side::Absent => SideJson::Absent,
        Side::Unknown(why) => SideJson::Unknown { unknown: why.clone() },
        Side::Known(amount) => SideJson::Known {
            value: rounded(amount.value),
            low: rounded(amount.low),
            high: rounded(amount.high),
            unit: amount.unit.clone(),
            basis: amount.basis,
            text: amount.show(),
        },
    }
}

/// Without the noise of binary fractions.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}
