//! A line of a generated file: the keys that stand on it first, then what is written in the block that it comes from.

use std::collections::BTreeSet;

use crate::base::phrase;
use crate::plan::Plan;
use crate::target::TARGETS;
use crate::target::trace::Trace;

use super::address::{Walk, block_at};

/// Explains a line by its text and the address that it comes from; nothing when the platform has no such block.
///
/// A key whose value on the line is not the one that follows from the package now is named as such, never explained.
pub fn line(plan: &Plan<'_>, address: &str, text: &str) -> Option<String> {
    let block = block_at(plan, address)?;
    let traces: Vec<Trace> = TARGETS
        .iter()
        .flat_map(|target| (target.traced)(plan))
        .filter(|trace| trace.address == address && trace.has_key(text))
        .collect();
    let mut standing: Vec<(usize, &Trace)> =
        traces.iter().filter_map(|trace| Some((trace.stands(text)?, trace))).collect();
    standing.sort_by_key(|(at, _)| *at);
    standing.dedup_by_key(|(at, _)| *at);
    let mut walk = Walk::new(plan);
    // What several keys came from is said once.
    let mut seen = BTreeSet::new();
    for (_, trace) in &standing {
        walk.line(0, &format!("{}: {}", trace.written(), trace.how));
        for of in trace.of.iter().filter(|of| seen.insert(of.as_str())) {
            walk.shortly_at(of, 1);
        }
    }
    let mut others: Vec<&Trace> =
        traces.iter().filter(|trace| standing.iter().all(|(_, known)| known.key != trace.key)).collect();
    others.dedup_by_key(|trace| &trace.key);
    for trace in others {
        let key = trace.key.trim_end_matches('=');
        walk.line(
            0,
            &format!(
                "{key}: another value than the package leads to, which is {}: a patch, other options, \
            or a change after the build",
                trace.value
            ),
        );
    }
    if !traces.is_empty() {
        walk.line(0, "");
    }
    walk.written(block);
    let figures: Vec<&'static str> = plan.figures.of(block).map(|(name, _)| name).collect();
    if traces.is_empty() {
        figures.iter().for_each(|name| walk.shortly(block, name, 1));
    }
    if !figures.is_empty() {
        let figures = phrase::count(figures.len() as u64, "figure");
        walk.line(0, &format!("`aipc explain {address}` follows its {figures}"));
    }
    Some(walk.text())
}
