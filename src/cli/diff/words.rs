//! The words that all printed forms share.

use crate::base::phrase;
use crate::diff::{Change, Class, Diff, FigureChange, LineChange, Side, What, delta_text};

use super::Report;

/// How many causes are named before the rest is counted.
const NAMED: usize = 3;

/// What differs, in one line.
pub fn summary(report: &Report<'_>) -> String {
    let diff = &report.diff;
    if diff.is_empty() {
        return String::from("nothing differs");
    }
    let mut parts = Vec::new();
    let classes: Vec<String> = Class::WORST_FIRST
        .into_iter()
        .map(|class| (diff.count(class), class))
        .filter(|(count, _)| *count > 0)
        .map(|(count, class)| format!("{count} {}", class_words(class, count)))
        .collect();
    let written = diff.changes.iter().filter(|change| change.what != What::Follows).count() as u64;
    let follow = diff.changes.len() as u64 - written;
    let mut changes = phrase::count(written, "change");
    if follow > 0 {
        changes.push_str(&format!(" and {}", phrase::count(follow, "consequence")));
    }
    if !classes.is_empty() {
        parts.push(format!("{changes}: {}", classes.join(", ")));
    }
    parts.extend(totals(diff));
    parts.join("; ")
}

/// `2 need drain`, `1 needs drain`.
fn class_words(class: Class, count: usize) -> &'static str {
    match (class, count) {
        (Class::Safe, _) => "safe",
        (Class::NeedsDrain, 1) => "needs drain",
        (Class::NeedsDrain, _) => "need drain",
        (Class::Replace, 1) => "replaces",
        (Class::Replace, _) => "replace",
        (Class::LosesData, 1) => "loses data",
        (Class::LosesData, _) => "lose data",
    }
}

/// The figures that everybody asks for first.
fn totals(diff: &Diff) -> Vec<String> {
    let named = [("gpus", "GPUs"), ("capex", "to buy"), ("opex", "to run"), ("power", "power")];
    let one = |(name, word): (&str, &str)| {
        let is = |figure: &&FigureChange| figure.address.starts_with("platform.") && last(&figure.address) == name;
        let figure = diff.figures.iter().find(is)?;
        let short = |side: &Side| side.known().map_or_else(|| side.show(), |amount| amount.show_value());
        Some(format!("{word} {} → {}", short(&figure.old), short(&figure.new)))
    };
    named.into_iter().filter_map(one).collect()
}

fn last(address: &str) -> &str {
    address.rsplit('.').next().unwrap_or_default()
}

/// A value on a side of a change: an attribute that nobody wrote is none.
pub fn value(change: &Change, side: &Option<String>) -> String {
    match (side, change.what) {
        (Some(text), _) => text.clone(),
        (None, What::Changed) => String::from("none"),
        (None, What::Added | What::Removed | What::Renamed | What::Follows) => String::new(),
    }
}

/// Where a change is written, or what it follows from.
pub fn from(change: &Change, cause: impl Fn(&crate::diff::Cause) -> String) -> String {
    if change.what == What::Follows {
        return because(&change.because, cause);
    }
    let place = match (&change.old_at, &change.new_at) {
        (Some(old), Some(new)) if old == new => old.clone(),
        (Some(old), Some(new)) => format!("{old} → {}", after(old, new)),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => String::new(),
    };
    if change.through.is_empty() { place } else { format!("`{}`, {place}", change.through.join("`, `")) }
}

/// A place of the same file as another, without the file.
fn after<'t>(old: &str, new: &'t str) -> &'t str {
    match (old.rsplit_once(':'), new.rsplit_once(':')) {
        (Some((file, _)), Some((other, _))) if file == other => &new[other.len()..],
        _ => new,
    }
}

/// The nearest causes, and how many more there are.
pub fn because(causes: &[crate::diff::Cause], cause: impl Fn(&crate::diff::Cause) -> String) -> String {
    // "And 1 more" is as long as the one.
    let shown = if causes.len() == NAMED + 1 { causes.len() } else { NAMED.min(causes.len()) };
    let mut named: Vec<String> = causes.iter().take(shown).map(cause).collect();
    if causes.len() > shown {
        named.push(format!("and {} more", causes.len() - shown));
    }
    named.join(", ")
}

/// A change of basis is part of why a figure changed.
pub fn basis(figure: &FigureChange) -> Option<String> {
    let basis = |side: &Side| side.known().and_then(|amount| amount.basis);
    let (old, new) = (basis(&figure.old)?, basis(&figure.new)?);
    (old != new).then(|| format!("{old} → {new}"))
}

/// What a line is: its description, and what it was called.
pub fn description(line: &LineChange) -> String {
    let yearly = if line.yearly && !line.description.contains("a year") { ", a year" } else { "" };
    match &line.was {
        Some(was) => format!("{was} → {}{yearly}", line.description),
        None => format!("{}{yearly}", line.description),
    }
}

/// Both sides of something in one cell, once when they are the same.
pub fn both((old, new): &(Side, Side), unit: &str) -> String {
    let unit = if unit == "ea" { String::new() } else { format!(" {unit}") };
    match (old, new) {
        (old, new) if old.same(new, 0.0) => format!("{}{unit}", old.show()),
        (Side::Absent, one) | (one, Side::Absent) => format!("{}{unit}", one.show()),
        (old, new) => format!("{} → {}{unit}", old.show(), new.show()),
    }
}

/// What lies between the sums of a line.
pub fn extended(line: &LineChange) -> String {
    delta_text(&line.extended.0, &line.extended.1)
}

/// What is in no sum.
pub fn unpriced(diff: &Diff) -> Option<String> {
    let (old, new) = diff.unpriced;
    match (old, new) {
        (0, 0) => None,
        (old, new) if old == new => {
            Some(format!("on either side {} without a price, in no sum", phrase::count(new as u64, "line")))
        }
        (old, new) => Some(format!("without a price and in no sum: {old} lines on the old side, {new} on the new one")),
    }
}
