//! Money that may be part of a sum only.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::plan::figure::{self, Figure};
use crate::plan::load::{Bar, Known};

/// Things named when something has no price; more are counted.
const NAMED: usize = 4;

/// What is known of a sum of money, and what is missing of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// What has a price.
    pub known: Bar,
    /// What has none, in words.
    pub missing: BTreeSet<String>,
}

impl Amount {
    /// Nothing yet.
    pub fn zero() -> Amount {
        Amount::of(Bar::exact(0.0))
    }

    /// All of it known.
    pub fn of(known: Bar) -> Amount {
        Amount { known, missing: BTreeSet::new() }
    }

    /// Both together.
    pub fn plus(mut self, other: &Amount) -> Amount {
        self.known = self.known.plus(other.known);
        self.missing.extend(other.missing.iter().cloned());
        self
    }

    /// A share of it.
    pub fn by(&self, share: Bar) -> Amount {
        Amount { known: self.known.by(share), missing: self.missing.clone() }
    }

    /// So many times as much.
    pub fn times(&self, factor: f64) -> Amount {
        self.by(Bar::exact(factor))
    }

    /// True when nothing is missing.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    /// As a figure; a part of a sum is no figure, but the reason says how much it is at least.
    pub fn figure(&self, unit: &'static str, formula: &'static str) -> Known<Figure> {
        if self.is_whole() { Ok(self.known.figure(unit, formula)) } else { Err(self.why(unit)) }
    }

    /// Why it is not known: `at least 1.2 EUR/h: no price for …`.
    pub fn why(&self, unit: &str) -> Arc<str> {
        let more = self.missing.len().saturating_sub(NAMED);
        let mut named: Vec<String> = self.missing.iter().take(NAMED).cloned().collect();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let named = named.join(", ");
        if self.known.low > 0.0 {
            Arc::from(format!("at least {}: no price for {named}", figure::show(self.known.low, unit)))
        } else {
            Arc::from(format!("no price for {named}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, Bar};

    #[test]
    fn a_part_is_no_figure() {
        let mut amount = Amount::of(Bar { value: 3.0, low: 2.0, high: 4.0 });
        assert_eq!(amount.figure("EUR", "").map(|figure| figure.value), Ok(3.0));
        amount.missing.insert(String::from("`fabric.data`"));
        let why = amount.figure("EUR", "").expect_err("a part");
        assert_eq!(&*why, "at least 2 EUR: no price for `fabric.data`");
        assert_eq!(&*amount.times(0.0).why("EUR"), "no price for `fabric.data`");
    }
}
