//! The smallest change that takes a finding away, tried on the whole chain.
//!
//! A finding of a code in `CURES` has knobs: an attribute, or a few that go together, with the sizes of a change, the
//! smallest first. [`suggest`] sets each size in turn, compiles the package again, and names the first with which the
//! finding is gone and no other error has come. So a repair that is named has been tried, and so has every smaller one.

mod deadline;
mod knob;
mod memory;
mod replicas;
mod service_level;
mod trial;

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Repair, Severity};
use crate::catalog::Catalogue;
use crate::compile::{Compiled, Options, Package};
use crate::plan::Plan;

use knob::Knob;
use trial::Trial;

/// What turns at a finding.
struct Cure {
    /// The code of the finding.
    code: Code,
    /// The knobs of the load at an address; none when it does not have the problem.
    knobs: fn(&Plan<'_>, &str) -> Vec<Knob>,
}

/// Findings that a change of size can take away.
const CURES: &[Cure] = &[
    Cure { code: Code(3001), knobs: memory::knobs },
    Cure { code: Code(3003), knobs: deadline::knobs },
    Cure { code: Code(3014), knobs: replicas::knobs },
    Cure { code: Code(3015), knobs: service_level::knobs },
];

/// Blocks that all trials of a run may compile together: about a second of work.
const EFFORT: usize = 60_000;

/// Writes the smallest repairs that were found into the findings.
pub fn suggest(package: &Package, options: &Options, catalogue: &Catalogue, compiled: &mut Compiled<'_>) {
    let Some(plan) = &compiled.plan else { return };
    let wanted: Vec<(usize, &Cure)> = compiled
        .problems
        .iter()
        .enumerate()
        .filter_map(|(position, problem)| Some((position, CURES.iter().find(|cure| cure.code == problem.code)?)))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let errors = errors(compiled.problems.iter());
    let blocks = plan.model.all_blocks().count().max(1);
    let mut trial = Trial::of(package, options, catalogue, errors, EFFORT / blocks);
    let mut found = Vec::new();
    for (position, cure) in wanted {
        let Some(address) = compiled.problems.get(position).and_then(|problem| problem.address.clone()) else {
            continue;
        };
        for knob in (cure.knobs)(plan, &address) {
            if let Some(settings) = smallest(&mut trial, cure, &address, &knob) {
                found.push((position, Repair { title: knob.title, settings }));
            }
        }
    }
    for (position, repair) in found {
        if let Some(problem) = compiled.problems.get_mut(position) {
            problem.repairs.push(repair);
        }
    }
}

/// The settings of the smallest size that cures; nothing when none does, or when there was no time to try.
fn smallest(trial: &mut Trial<'_>, cure: &Cure, address: &str, knob: &Knob) -> Option<Vec<String>> {
    for size in knob.sizes() {
        let settings = knob.settings(size);
        if trial.cures(&settings, |plan| (cure.knobs)(plan, address).is_empty())? {
            return Some(settings);
        }
    }
    None
}

/// Errors by code and address.
fn errors<'d>(problems: impl Iterator<Item = &'d Diagnostic>) -> BTreeSet<(Code, Option<String>)> {
    problems
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| (problem.code, problem.address.clone()))
        .collect()
}
