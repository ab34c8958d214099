//! A block of the model, before and after its values are known.

use std::sync::Arc;

use crate::base::code::Code;
use crate::base::date::Date;
use crate::base::span::Span;
use crate::syntax::ast;

use super::ids::BlockId;
use super::kinds::Kind;
use super::schema::Attribute;
use super::value::Value;

/// Names that stand for values while a block is read: loop variables, innermost last.
pub type Bindings = Arc<[(Arc<str>, Value)]>;

/// A block, sub-block or catalogue entry.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its name; for a single sub-block its word, for an addressed one the address in parentheses.
    pub name: Arc<str>,
    /// The name before `for` multiplied it.
    pub family: Option<Arc<str>>,
    /// The name it had before, from `@was("old-name")`.
    pub was: Option<Arc<str>>,
    /// The block it stands in.
    pub parent: Option<BlockId>,
    /// Where it comes from.
    pub origin: Origin,
    /// Kind and name in the source.
    pub place: Span,
    /// `##` lines above it, joined.
    pub doc: Arc<str>,
    /// Attributes that somebody wrote, in the order of the schema.
    pub slots: Vec<Slot<'a>>,
    /// Blocks inside it, in source order.
    pub children: Vec<BlockId>,
    /// Its loop variables.
    pub bindings: Bindings,
    /// `for x in …` of a user's rule.
    pub repeat: Option<&'a ast::For>,
    /// Findings waived on it or its attributes.
    pub waivers: Vec<Waiver>,
    /// Its row in the table of its kind, once decoded.
    pub(super) row: Option<u32>,
}

/// Where a block comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The package.
    Package,
    /// The shipped catalogue.
    Catalogue,
}

/// One written attribute.
#[derive(Debug, Clone)]
pub struct Slot<'a> {
    /// Its position in the kind's schema.
    pub attribute: u16,
    /// The name in the source.
    pub name: Span,
    /// The value in the source.
    pub place: Span,
    /// The value as written, where there is a source.
    pub expr: Option<&'a ast::Expr>,
    /// Loop variables that the value may use, when they are not those of the block.
    pub bindings: Option<Bindings>,
    /// What it came to.
    pub value: Option<Value>,
    /// True while it is being evaluated, to find circles.
    pub(super) busy: bool,
    /// Who set it.
    pub set_by: SetBy,
    /// `@locked`.
    pub locked: bool,
    /// `##` lines above it, joined.
    pub doc: Option<Arc<str>>,
}

/// Who set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetBy {
    /// The block itself.
    Block,
    /// An environment of this name.
    Environment(Arc<str>),
    /// `--set`.
    CommandLine,
    /// The catalogue, from the source of this id.
    Catalogue(Arc<str>),
}

/// `@allow(CODE, reason = "…", until = DATE)`.
#[derive(Debug, Clone)]
pub struct Waiver {
    /// What is waived.
    pub code: Code,
    /// Why.
    pub reason: Arc<str>,
    /// Until when.
    pub until: Option<Date>,
    /// The attribute it stands on; the whole block without one.
    pub attribute: Option<&'static str>,
    /// Where it is written.
    pub place: Span,
}

impl<'a> Block<'a> {
    /// The written attribute at a position of the schema.
    pub fn slot(&self, attribute: u16) -> Option<&Slot<'a>> {
        self.slots.binary_search_by_key(&attribute, |slot| slot.attribute).ok().map(|index| &self.slots[index])
    }

    pub(super) fn slot_mut(&mut self, attribute: u16) -> Option<&mut Slot<'a>> {
        self.slots.binary_search_by_key(&attribute, |slot| slot.attribute).ok().map(|index| &mut self.slots[index])
    }

    /// Puts a slot in its place; gives back the one that was there.
    pub(super) fn put(&mut self, slot: Slot<'a>) -> Option<Slot<'a>> {
        match self.slots.binary_search_by_key(&slot.attribute, |slot| slot.attribute) {
            Ok(index) => Some(std::mem::replace(&mut self.slots[index], slot)),
            Err(index) => {
                self.slots.insert(index, slot);
                None
            }
        }
    }

    /// The row of the schema of an attribute.
    pub fn attribute(&self, position: u16) -> &'static Attribute {
        &self.kind.schema().attributes[usize::from(position)]
    }

    /// Where an attribute is written: its value, or the block's header when it is left out.
    pub fn place_of(&self, attribute: &str) -> Span {
        let written = self.kind.schema().attribute(attribute).and_then(|(position, _)| self.slot(position));
        written.map_or(self.place, |slot| if slot.place.is_detached() { self.place } else { slot.place })
    }
}

impl Slot<'_> {
    /// A slot whose value is known from the start.
    pub(super) fn known(attribute: u16, value: Value, place: Span, set_by: SetBy) -> Self {
        Slot {
            attribute,
            name: place,
            place,
            expr: None,
            bindings: None,
            value: Some(value),
            busy: false,
            set_by,
            locked: false,
            doc: None,
        }
    }
}
