//! What the sizing of every load has in common: facts that may be open, the GPUs of a pool, figures without an end.

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Pool;
use crate::model::schema::Mode;
use crate::model::value::Value;

use super::Plan;
use super::cut::Cut;
use super::figure::{Estimate, Figure, Figures};
use super::formula::constants::Constant;
use super::gpu::Card;
use super::node::Node;

/// Something, or in words why it is not known.
pub type Known<T> = Result<T, Arc<str>>;

/// How every search begins its words that looked at all numbers and found none: what is asked for cannot be, whatever is
/// bought.
pub const NO_NUMBER: &str = "no number of";

/// A value with the ends of its bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// The value itself.
    pub value: f64,
    /// Not below this.
    pub low: f64,
    /// Not above this.
    pub high: f64,
}

impl Bar {
    /// A value between shares of itself: `Bar::around(10.0, 0.9, 1.2)` is 10 between 9 and 12.
    pub fn around(value: f64, low: f64, high: f64) -> Bar {
        Bar { value, low: value * low, high: value * high }
    }

    /// A value without a bar.
    pub fn exact(value: f64) -> Bar {
        Bar { value, low: value, high: value }
    }

    /// So many times as much.
    pub fn times(self, factor: f64) -> Bar {
        Bar { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// The product of two that are not negative.
    pub fn by(self, other: Bar) -> Bar {
        Bar { value: self.value * other.value, low: self.low * other.low, high: self.high * other.high }
    }

    /// Both together.
    pub fn plus(self, other: Bar) -> Bar {
        Bar { value: self.value + other.value, low: self.low + other.low, high: self.high + other.high }
    }

    /// The three numbers, as plans keep them.
    pub fn triple(self) -> (f64, f64, f64) {
        (self.value, self.low, self.high)
    }

    /// As a figure.
    pub fn figure(self, unit: &'static str, formula: &'static str) -> Figure {
        Figure::between(self.value, self.low, self.high, unit, formula)
    }
}

/// The value of a setting, or who leaves it open.
pub fn setting<T: Copy, K>(model: &Model<'_>, id: Id<K>, attribute: &'static str, setting: &Setting<T>) -> Known<T> {
    let address = model.address(id.block());
    match setting {
        Setting::Given(value) => Ok(*value),
        Setting::Tbd(why) => Err(Arc::from(format!("`{address}.{attribute}` is open: {why}"))),
        Setting::Auto => Err(Arc::from(format!("`{address}.{attribute}` is `auto`, and nothing decides it"))),
        Setting::Absent => Err(absent(model, id, attribute)),
    }
}

/// What to say of an attribute that is left out.
pub fn absent<K>(model: &Model<'_>, id: Id<K>, attribute: &str) -> Arc<str> {
    Arc::from(format!("`{}` does not say its `{attribute}`", model.address(id.block())))
}

/// A node of a load's pool and its GPU, or why the load finds no GPU there.
pub struct Seat<'m> {
    /// What a node is.
    pub node: Node,
    /// Its GPU.
    pub card: Card<'m>,
}

/// The GPUs that a load runs on, which takes whole ones.
pub fn seat<'m>(model: &'m Model<'_>, pool: Id<Pool>) -> Known<Seat<'m>> {
    let seat = part(model, pool)?;
    if seat.card.part().is_part() {
        let address = model.address(pool.block());
        return Err(Arc::from(format!("GPUs of `{address}` are divided, and it takes whole ones")));
    }
    Ok(seat)
}

/// The GPUs, or the parts of them, that a load runs on.
pub fn part<'m>(model: &'m Model<'_>, pool: Id<Pool>) -> Known<Seat<'m>> {
    let node = Node::of(model, &model[pool]);
    match node.gpu.filter(|_| node.gpus > 0) {
        Some(gpu) => Ok(Seat { card: Card::of(model, gpu).cut(Cut::of(model, pool)?), node }),
        None => Err(Arc::from(format!("nodes of `{}` have no GPU", model.address(pool.block())))),
    }
}

/// Puts a figure in its place; one without an end is not known.
pub fn put(figures: &mut Figures, block: BlockId, attribute: &'static str, figure: Figure) {
    figures.put(block, attribute, figure);
}

/// Puts a figure in its place, or why there is none.
pub fn put_known(figures: &mut Figures, block: BlockId, attribute: &'static str, figure: Known<Figure>) {
    match figure {
        Ok(figure) => put(figures, block, attribute, figure),
        Err(why) => figures.unknown(block, attribute, why),
    }
}

/// Says of everything that a block should have and nobody computed that it is unknown: derived figures for the reason
/// given, attributes left `auto` because nothing decides them.
pub fn finish(plan: &mut Plan<'_>, block: BlockId, why: Option<&Arc<str>>) {
    let model = Arc::clone(&plan.model);
    let schema = model.block(block).kind.schema();
    let address = model.address(block);
    let undecided = |name: &str| Arc::from(format!("`{address}.{name}` is `auto`, and nothing decides it"));
    for derived in schema.derived {
        if plan.figures.get(block, derived.name).is_none() {
            let reason = why.cloned().unwrap_or_else(|| Arc::from("something it depends on is not known"));
            plan.figures.unknown(block, derived.name, reason);
        }
    }
    for row in schema.attributes.iter().filter(|row| row.mode == Mode::Setting) {
        if matches!(model.value(block, row.name), Value::Auto) && plan.figures.get(block, row.name).is_none() {
            plan.figures.unknown(block, row.name, why.cloned().unwrap_or_else(|| undecided(row.name)));
        }
    }
}

/// Why a figure is unknown; nothing when it is known or was never computed.
pub fn reason(figures: &Figures, block: BlockId, attribute: &str) -> Option<Arc<str>> {
    match figures.get(block, attribute)? {
        Estimate::Unknown(why) => Some(Arc::clone(why)),
        Estimate::Known(_) => None,
    }
}

/// A constant of the table as a reason: `0.4 (0.36 to 0.46)` with its source.
pub fn constant(name: &'static str, constant: &Constant) -> super::figure::Reason {
    super::figure::Reason::constant(
        name,
        Arc::from(format!("{} ({} to {})", constant.value, constant.low, constant.high)),
        constant.source,
    )
}
