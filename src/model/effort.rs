//! How much evaluating a package may do. Text can say a lot in a few bytes, loops in loops and strings that double,
//! so what is evaluated is counted in steps, and the steps that a package may take grow with its size.

use std::cell::Cell;

use crate::base::source::Sources;

use super::value::Value;

/// The steps that the smallest package may take; each byte of a package is worth another one.
const BASE: u64 = 2_000_000;

/// Bytes of text that are written or copied in a step.
const BYTES_A_STEP: usize = 64;

/// Names of the package that are held against misspelt ones. Beyond that a wrong name gets no suggestion: with names
/// and mistakes by the thousand the search would take longer than everything else.
const COMPARISONS: u64 = 1_000_000;

/// The steps that are left. Everything that evaluates a package in one go draws on the same ones.
#[derive(Debug)]
pub struct Effort {
    total: u64,
    left: Cell<u64>,
    said: Cell<bool>,
    comparisons: Cell<u64>,
}

/// What became of a request for steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granted {
    /// There were enough.
    Yes,
    /// There were not, for the first time; it carries how many there were in all.
    NoMore(u64),
    /// There were not, which has been said.
    No,
}

impl Effort {
    /// The steps of a package.
    pub fn of(sources: &Sources) -> Effort {
        let bytes: usize = sources.iter().map(|(_, source)| source.text.len()).sum();
        let total = BASE.saturating_add(bytes as u64);
        Effort { total, left: Cell::new(total), said: Cell::new(false), comparisons: Cell::new(COMPARISONS) }
    }

    /// Whether something has been refused.
    pub fn is_spent(&self) -> bool {
        self.said.get()
    }

    /// The names to search for the one that was meant, as long as searching is worth its time.
    pub fn suggested<N>(&self, names: impl FnOnce() -> Vec<N>) -> Vec<N> {
        if self.comparisons.get() == 0 {
            return Vec::new();
        }
        let names = names();
        self.comparisons.set(self.comparisons.get().saturating_sub(1 + names.len() as u64));
        names
    }

    /// Takes steps.
    pub fn take(&self, steps: u64) -> Granted {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                Granted::Yes
            }
            None => {
                self.left.set(0);
                if self.said.replace(true) { Granted::No } else { Granted::NoMore(self.total) }
            }
        }
    }
}

/// The steps that it takes to copy a value.
pub fn weight(value: &Value) -> u64 {
    match value {
        Value::Text(text) | Value::Tbd(text) => 1 + (text.len() / BYTES_A_STEP) as u64,
        Value::List(items) | Value::Tagged(_, items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Map(entries) => 1 + entries.iter().map(|(_, value)| weight(value)).sum::<u64>(),
        Value::Null
        | Value::Auto
        | Value::Poison
        | Value::Bool(_)
        | Value::Quantity(_)
        | Value::Word(_)
        | Value::Range(_)
        | Value::Ratio(..)
        | Value::Date(_)
        | Value::Block(_)
        | Value::Part(..) => 1,
    }
}
