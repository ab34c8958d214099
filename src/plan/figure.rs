//! A figure: a number that can be traced and trusted.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::quantity::{group, with_unit};
use crate::base::unit;
use crate::model::ids::BlockId;

/// Why a sum without an end is not known.
const ENDLESS: &str = "the sum has no end: something it is divided by is 0, or a number is too large";

/// What a figure stands on, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// Written in the package.
    Given,
    /// A sample run of this workload.
    Measured,
    /// Counting: no efficiency is assumed.
    Formula,
    /// What a vendor says.
    Vendor,
    /// Somebody else's published runs.
    Published,
    /// A rule of thumb.
    Assumed,
}

impl Basis {
    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            Basis::Given => "given",
            Basis::Measured => "measured",
            Basis::Formula => "formula",
            Basis::Vendor => "vendor",
            Basis::Published => "published",
            Basis::Assumed => "assumed",
        }
    }
}

/// Why a figure is what it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// An attribute or another figure of a block: `training.pretrain.gpus`.
    Of(BlockId, &'static str),
    /// A whole block: a baseline, a quote.
    Block(BlockId),
    /// A constant with its source.
    Constant(Box<Constant>),
    /// Something said in words: the binding constraint of an `auto`, a rounding.
    Note(Arc<str>),
}

/// A constant that a figure stands on.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// What it is.
    pub name: &'static str,
    /// As people write it: `0.40 (0.36 to 0.46)`.
    pub value: Arc<str>,
    /// Who says so.
    pub source: &'static str,
}

impl Reason {
    /// A constant with its source.
    pub fn constant(name: &'static str, value: impl Into<Arc<str>>, source: &'static str) -> Reason {
        Reason::Constant(Box::new(Constant { name, value: value.into(), source }))
    }
}

/// A number with its unit, its error bar, what it stands on and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// In base units.
    pub value: f64,
    /// Not below this.
    pub low: f64,
    /// Not above this.
    pub high: f64,
    /// The unit it is shown in: a unit of the language, or empty for counts and shares.
    pub unit: &'static str,
    /// What it stands on.
    pub basis: Basis,
    /// The formula in words, for `explain`.
    pub formula: &'static str,
    /// What it came from.
    pub because: Vec<Reason>,
}

impl Figure {
    /// A figure without a bar: counts and exact sums.
    pub fn exact(value: f64, unit: &'static str, formula: &'static str) -> Figure {
        Figure { value, low: value, high: value, unit, basis: Basis::Formula, formula, because: Vec::new() }
    }

    /// A figure with a bar.
    pub fn between(value: f64, low: f64, high: f64, unit: &'static str, formula: &'static str) -> Figure {
        Figure {
            value,
            low: low.min(value),
            high: high.max(value),
            unit,
            basis: Basis::Formula,
            formula,
            because: Vec::new(),
        }
    }

    /// Says what it stands on.
    pub fn basis(mut self, basis: Basis) -> Figure {
        self.basis = basis;
        self
    }

    /// Adds a reason.
    pub fn because(mut self, reason: Reason) -> Figure {
        self.because.push(reason);
        self
    }

    /// Adds an attribute or figure that it came from.
    pub fn of(self, block: BlockId, attribute: &'static str) -> Figure {
        self.because(Reason::Of(block, attribute))
    }

    /// The value in its unit, at three or four digits: `112 days`, `40.8 kW`, `32`.
    pub fn show(&self) -> String {
        show(self.value, self.unit)
    }

    /// The bar, when there is one: `98.1 to 126 days`.
    pub fn bar(&self) -> Option<String> {
        (self.low < self.high).then(|| format!("{} to {}", shown(self.low, self.unit), show(self.high, self.unit)))
    }

    /// Adds a reason in words.
    pub fn note(self, text: impl Into<Arc<str>>) -> Figure {
        self.because(Reason::Note(text.into()))
    }
}

/// A number of base units in a unit, as people read it.
pub fn show(value: f64, unit: &str) -> String {
    with_unit(&shown(value, unit), unit)
}

/// Without its unit: whole numbers whole, others at three digits.
fn shown(value: f64, unit: &str) -> String {
    let factor = unit::parse(unit).map_or(1.0, |unit| unit.factor.to_f64());
    // Sums of nothing are -0, which nobody wants to read.
    let number = value / factor + 0.0;
    let digits = match number.abs() {
        _ if number.fract() == 0.0 => 0,
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 1.0 => 3,
        size if size >= 0.1 => 4,
        // Three digits after the zeros: a price of a request is a fraction of a cent.
        size => [0.01, 1e-3, 1e-4, 1e-5, 1e-6].iter().position(|&power| size >= power).map_or(4, |zeros| zeros + 4),
    };
    let text = format!("{number:.digits$}");
    let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    group(trimmed)
}

/// A figure that is known, or why it is not.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimate {
    /// It is known.
    Known(Figure),
    /// It depends on something that is not: what, in words.
    Unknown(Arc<str>),
}

/// A block with its figures, sorted by attribute; no block where nothing was put.
type OfBlock = (Option<BlockId>, Vec<(&'static str, Estimate)>);

/// Every figure of a plan, by block and attribute.
///
/// The attribute is a derived row of the schema, or one that was left `auto`.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// By block, then sorted by attribute: a block has few, so they are found sooner than in one large map.
    blocks: Vec<OfBlock>,
    /// What is known of sums that are not.
    parts: BTreeMap<(BlockId, &'static str), Figure>,
}

impl Figures {
    /// Puts a figure in its place.
    pub fn put(&mut self, block: BlockId, attribute: &'static str, figure: Figure) {
        // A sum without an end is not known, whoever added it up.
        let estimate = match figure.value.is_finite() && figure.low.is_finite() && figure.high.is_finite() {
            true => Estimate::Known(figure),
            false => Estimate::Unknown(Arc::from(ENDLESS)),
        };
        self.insert(block, attribute, estimate);
    }

    /// Says that a figure is unknown, and why.
    pub fn unknown(&mut self, block: BlockId, attribute: &'static str, why: impl Into<Arc<str>>) {
        self.insert(block, attribute, Estimate::Unknown(why.into()));
    }

    /// Says that a sum is unknown, and keeps what is known of it for those who explain it.
    pub fn part(&mut self, block: BlockId, attribute: &'static str, why: impl Into<Arc<str>>, known: Figure) {
        self.unknown(block, attribute, why);
        self.parts.insert((block, attribute), known);
    }

    /// What is known of a sum that is not.
    pub fn part_of(&self, block: BlockId, attribute: &'static str) -> Option<&Figure> {
        self.parts.get(&(block, attribute))
    }

    fn insert(&mut self, block: BlockId, attribute: &'static str, estimate: Estimate) {
        let index = block.index();
        if self.blocks.len() <= index {
            self.blocks.resize_with(index + 1, || (None, Vec::new()));
        }
        let (id, figures) = &mut self.blocks[index];
        *id = Some(block);
        match figures.binary_search_by(|(name, _)| (*name).cmp(attribute)) {
            Ok(found) => figures[found].1 = estimate,
            Err(place) => figures.insert(place, (attribute, estimate)),
        }
    }

    /// A figure or why there is none; nothing when nobody computed it.
    pub fn get(&self, block: BlockId, attribute: &str) -> Option<&Estimate> {
        let (_, figures) = self.blocks.get(block.index())?;
        let found = figures.binary_search_by(|(name, _)| (*name).cmp(attribute)).ok()?;
        Some(&figures[found].1)
    }

    /// A known figure.
    pub fn known(&self, block: BlockId, attribute: &str) -> Option<&Figure> {
        match self.get(block, attribute)? {
            Estimate::Known(figure) => Some(figure),
            Estimate::Unknown(_) => None,
        }
    }

    /// The value of a known figure, in base units.
    pub fn value(&self, block: BlockId, attribute: &str) -> Option<f64> {
        self.known(block, attribute).map(|figure| figure.value)
    }

    /// The figures of a block, by attribute.
    pub fn of(&self, block: BlockId) -> impl Iterator<Item = (&'static str, &Estimate)> {
        let figures = self.blocks.get(block.index()).map_or(&[][..], |(_, figures)| figures.as_slice());
        figures.iter().map(|(name, estimate)| (*name, estimate))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (BlockId, &'static str, &Estimate)> {
        let with_figures = self.blocks.iter().filter_map(|(id, figures)| Some(((*id)?, figures)));
        with_figures.flat_map(|(id, figures)| figures.iter().map(move |(name, estimate)| (id, *name, estimate)))
    }
}
