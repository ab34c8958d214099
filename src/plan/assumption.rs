//! Constants as the plan takes them: those of the package's `assumption` blocks before published ones.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::kinds::Assumption;

use super::figure::{Figure, Reason};
use super::formula::constants::{self, Constant, Constants, Fit, Name};
use super::gpu::Card;
use super::load::Bar;

/// What a constant is looked up for.
#[derive(Clone, Copy, Default)]
pub struct Key<'k> {
    /// The GPU, where it matters.
    pub card: Option<&'k Card<'k>>,
    /// The number format.
    pub precision: &'k str,
    /// The engine.
    pub engine: &'k str,
}

impl<'k> Key<'k> {
    /// For every GPU, format and engine.
    pub const ANY: Key<'static> = Key { card: None, precision: "", engine: "" };

    /// For a GPU and a number format.
    pub fn of(card: &'k Card<'k>, precision: &'k str) -> Key<'k> {
        Key { card: Some(card), precision, engine: "" }
    }
}

/// A constant with its bar and where it is from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumed {
    /// Value, low, high.
    pub bar: Bar,
    /// How well it fits what was asked for.
    pub fit: Fit,
    origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Origin {
    /// The table of published constants.
    Table(&'static Constant),
    /// A block of the package.
    Package(BlockId, &'static str),
}

impl Assumed {
    fn of_table(constant: &'static Constant, fit: Fit) -> Assumed {
        let bar = Bar { value: constant.value, low: constant.low, high: constant.high };
        Assumed { bar, fit, origin: Origin::Table(constant) }
    }

    /// As a reason: the published range with its source, or the line of the package.
    pub fn reason(&self, name: &'static str) -> Reason {
        match self.origin {
            Origin::Table(constant) => super::load::constant(name, constant),
            Origin::Package(block, attribute) => Reason::Of(block, attribute),
        }
    }

    /// The same for a constant that is read in another unit than the table's.
    pub fn reason_in(&self, name: &'static str, shown: impl Fn(f64) -> String) -> Reason {
        match self.origin {
            Origin::Table(constant) => {
                let Bar { value, low, high } = self.bar;
                let text = format!("{} ({} to {})", shown(value), shown(low), shown(high));
                Reason::constant(name, Arc::from(text), constant.source)
            }
            Origin::Package(block, attribute) => Reason::Of(block, attribute),
        }
    }

    /// Adds it to a figure.
    pub fn explain(&self, figure: Figure, name: &'static str) -> Figure {
        figure.because(self.reason(name))
    }

    /// True when the package says it.
    pub fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Package(..))
    }
}

/// The constant that holds: the package's where it has one that fits, the most specific first, else the published one.
pub fn find(model: &Model<'_>, name: Name, key: Key<'_>) -> Option<Assumed> {
    given(model, name, key).or_else(|| {
        let names = key.card.map(Card::names).unwrap_or_default();
        constants::find(name, &names, key.precision, key.engine).map(|(constant, fit)| Assumed::of_table(constant, fit))
    })
}

/// Serving constants, each the package's or the published one, and how well they fit.
pub fn serving(model: &Model<'_>, key: Key<'_>) -> (Constants, Fit) {
    let names = key.card.map(Card::names).unwrap_or_default();
    let (mut found, mut fit) = constants::serving(&names, key.precision, key.engine);
    let own = |name| given(model, name, key).map(|assumed| assumed.bar.value);
    let speeds = [own(Name::Bandwidth), own(Name::Decode), own(Name::Prefill)];
    if let [Some(bandwidth), Some(decode), Some(prefill)] = speeds {
        // Whoever says all of them says them for this engine, whatever others needed on top.
        found = Constants { bandwidth, decode, prefill, derate: 1.0, ..found };
        fit = Fit::Exact;
    }
    let or = |own: Option<f64>, published: f64| own.unwrap_or(published);
    let [bandwidth, decode, prefill] = speeds;
    let constants = Constants {
        bandwidth: or(bandwidth, found.bandwidth),
        decode: or(decode, found.decode),
        prefill: or(prefill, found.prefill),
        link: or(own(Name::Link), found.link),
        latency: or(own(Name::Latency), found.latency),
        host: or(own(Name::Host), found.host),
        derate: found.derate,
    };
    (constants, fit)
}

/// What the package says of a constant; the most specific block wins, then the first by name.
fn given(model: &Model<'_>, name: Name, key: Key<'_>) -> Option<Assumed> {
    let mut best: Option<(u32, Assumed)> = None;
    for block in &model.tables.assumptions {
        let (Some((attribute, value)), Some(score)) = (said(block, name), score(block, key)) else { continue };
        if best.is_none_or(|(other, _)| score > other) {
            let spread = block.spread.fraction().clamp(0.0, 1.0);
            let bar = Bar { value, low: value * (1.0 - spread), high: value * (1.0 + spread) };
            best =
                Some((score, Assumed { bar, fit: Fit::Exact, origin: Origin::Package(block.id.block(), attribute) }));
        }
    }
    best.map(|(_, assumed)| assumed)
}

/// How specific a block is; nothing when it is about something else.
fn score(block: &Assumption, key: Key<'_>) -> Option<u32> {
    let part = |said: bool, fits: bool, weight: u32| match (said, fits) {
        (false, _) => Some(0),
        (true, true) => Some(weight),
        (true, false) => None,
    };
    let gpu = part(block.gpu.is_some(), key.card.is_some_and(|card| block.gpu == Some(card.id)), 4)?;
    let precision = part(block.precision.is_some(), block.precision.is_some_and(|one| one.word() == key.precision), 2)?;
    let engine = part(block.engine.is_some(), block.engine.is_some_and(|one| one.word() == key.engine), 1)?;
    Some(gpu + precision + engine)
}

/// The attribute of a constant and its value in the unit of the formulas.
fn said(block: &Assumption, name: Name) -> Option<(&'static str, f64)> {
    let share = |attribute, value: Option<crate::base::quantity::Share>| Some((attribute, value?.fraction()));
    match name {
        Name::TrainingUtilisation | Name::TrainingUtilisationLarge => share("training_mfu", block.training_mfu),
        Name::TrainingUtilisationLong => share("long_training_mfu", block.long_training_mfu),
        Name::EndToEnd => share("useful_share", block.useful_share),
        Name::Bandwidth => share("decode_bandwidth", block.decode_bandwidth),
        Name::Decode => share("decode_compute", block.decode_compute),
        Name::Prefill => share("prefill_compute", block.prefill_compute),
        Name::Link => Some(("link_rate", block.link_rate?.bytes_per_second())),
        Name::Latency => Some(("reduce_latency", block.reduce_latency?.seconds())),
        Name::Host => Some(("step_overhead", block.step_overhead?.seconds())),
        Name::NonTorch => Some(("engine_overhead", block.engine_overhead?.bytes())),
        Name::NicEfficiency => share("network_efficiency", block.network_efficiency),
        Name::Failures => Some(("failures", block.failures? as f64)),
        Name::CheckpointBytes => Some(("checkpoint_bytes", block.checkpoint_bytes? as f64)),
        Name::Spares => share("spare_share", block.spare_share),
        // What hardware cannot exceed, and what attributes of their own say.
        Name::Derate
        | Name::MatmulCeiling
        | Name::LinkEfficiency
        | Name::MemoryUtilisation
        | Name::Graphs
        | Name::Pue
        | Name::NodeOverGpu
        | Name::UsableStorage
        | Name::TargetUtilisation => None,
    }
}
