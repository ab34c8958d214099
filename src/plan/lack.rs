//! What a sum lacks: a sum with a part that nobody knows is not known itself, and says what it is at least.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::phrase;
use crate::model::Model;
use crate::model::ids::BlockId;

use super::figure::{Figure, Figures, show};
use super::load::Known;

/// Things named of those that a sum lacks; more are counted.
const NAMED: usize = 4;

/// The parts of a sum that are not known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lack {
    /// By what is not known of them, the names of the things.
    facts: BTreeMap<&'static str, BTreeSet<String>>,
    /// Everything else, in words.
    others: BTreeSet<String>,
}

impl Lack {
    /// A fact of some blocks: their power.
    pub fn of(model: &Model<'_>, fact: &'static str, blocks: impl IntoIterator<Item = BlockId>) -> Lack {
        let names: BTreeSet<String> = blocks.into_iter().map(|block| format!("`{}`", model.address(block))).collect();
        let facts = if names.is_empty() { BTreeMap::new() } else { BTreeMap::from([(fact, names)]) };
        Lack { facts, others: BTreeSet::new() }
    }

    /// Something else, in words.
    pub fn and(mut self, why: impl Into<String>) -> Lack {
        self.others.insert(why.into());
        self
    }

    /// What both lack.
    pub fn plus(mut self, other: &Lack) -> Lack {
        for (fact, names) in &other.facts {
            self.facts.entry(fact).or_default().extend(names.iter().cloned());
        }
        self.others.extend(other.others.iter().cloned());
        self
    }

    /// True when nothing is missing.
    pub fn is_whole(&self) -> bool {
        self.facts.is_empty() && self.others.is_empty()
    }

    /// Puts a sum in its place: as a figure when nothing of it is missing, else what it is at least.
    pub fn put(&self, figures: &mut Figures, block: BlockId, attribute: &'static str, sum: Figure) {
        if self.is_whole() {
            figures.put(block, attribute, sum);
        } else {
            figures.part(block, attribute, self.why(sum.low, sum.unit), sum);
        }
    }

    /// The same for a sum that may be unknown for another reason.
    pub fn put_known(&self, figures: &mut Figures, block: BlockId, attribute: &'static str, sum: Known<Figure>) {
        match sum {
            Ok(sum) => self.put(figures, block, attribute, sum),
            Err(why) => figures.unknown(block, attribute, why),
        }
    }

    /// Why a sum is not known, and what it is at least: `at least 20 kW: the power of …`.
    pub fn why(&self, least: f64, unit: &str) -> Arc<str> {
        let words = self.words();
        Arc::from(if least > 0.0 { format!("at least {}: {words}", show(least, unit)) } else { words })
    }

    /// What is missing: ``the power of `storage.x` is not known``.
    pub fn words(&self) -> String {
        let of_fact =
            |(fact, names): (&&str, &BTreeSet<String>)| format!("the {fact} of {} is not known", listed(names));
        let facts = self.facts.iter().map(of_fact);
        facts.chain(self.others.iter().cloned()).collect::<Vec<_>>().join("; ")
    }
}

/// The first names, and how many more there are.
fn listed(names: &BTreeSet<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named = names.iter().take(NAMED).cloned();
    phrase::together(named.chain((more > 0).then(|| format!("{more} more"))))
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, BTreeSet, Lack};

    #[test]
    fn a_sum_says_what_it_is_at_least() {
        let names = |count: usize| (0..count).map(|number| format!("`storage.{number}`")).collect::<BTreeSet<_>>();
        let lack = |count| Lack { facts: BTreeMap::from([("power", names(count))]), others: BTreeSet::new() };
        assert_eq!(&*lack(1).why(20_000.0, "kW"), "at least 20 kW: the power of `storage.0` is not known");
        assert_eq!(&*lack(1).why(0.0, "kW"), "the power of `storage.0` is not known");
        let many = lack(6).and("`site.x` does not say its `pue`").words();
        assert_eq!(
            many,
            "the power of `storage.0`, `storage.1`, `storage.2`, `storage.3` and 2 more is not known; \
             `site.x` does not say its `pue`"
        );
        assert!(Lack::default().is_whole() && !lack(1).plus(&Lack::default()).is_whole());
    }
}
