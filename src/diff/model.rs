//! What was written differently.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::phrase;
use crate::base::span::Span;
use crate::model::Model;
use crate::model::block::{Block, SetBy};
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::value::Value;
use crate::plan::Plan;
use crate::syntax::ast::{Expr, ExprKind, Path, Segment};

use super::Both;
use super::class::{self, Class, Facts};
use super::pairs::Subject;
use super::reason::Cause;
use super::value::{self, Trend};

/// The longest value that is shown.
const SHOWN: usize = 80;

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A block is new.
    Added,
    /// A block is gone.
    Removed,
    /// A block has another name.
    Renamed,
    /// An attribute has another value.
    Changed,
    /// Nobody wrote it: it follows from what was written.
    Follows,
}

impl What {
    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            What::Added => "added",
            What::Removed => "removed",
            What::Renamed => "renamed",
            What::Changed => "changed",
            What::Follows => "follows",
        }
    }
}

/// A change of the platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// How much it hurts.
    pub class: Class,
    /// Why it does.
    pub why: &'static str,
    /// What kind of change it is.
    pub what: What,
    /// `training.pretrain.gpus`; of a block that is gone or a name, the block.
    pub address: String,
    /// As it was; nothing where it was not.
    pub old: Option<String>,
    /// As it is; nothing where it is not.
    pub new: Option<String>,
    /// What lies between the two, where that is a number.
    pub delta: Option<f64>,
    /// The same in words.
    pub delta_text: String,
    /// Where the old side says it.
    pub old_at: Option<String>,
    /// Where the new side says it.
    pub new_at: Option<String>,
    /// `param.train-nodes`: what the value comes through.
    pub through: Vec<String>,
    /// What a change that nobody wrote follows from.
    pub because: Vec<Cause>,
    /// The block.
    pub(super) subject: Subject,
    /// The attribute; nothing for a whole block.
    pub(super) attribute: Option<&'static str>,
}

impl Change {
    /// The worst first, what was written before what follows, then by address.
    pub(super) fn rank(&self) -> (std::cmp::Reverse<Class>, bool, &str, What) {
        (std::cmp::Reverse(self.class), self.what == What::Follows, &self.address, self.what)
    }
}

/// Everything that was written differently, the worst first.
pub fn changes(both: &Both<'_>) -> Vec<Change> {
    let (old, new) = (&*both.old.model, &*both.new.model);
    let mut changes = Vec::new();
    for subject in both.pairs.subjects(old, new) {
        match (subject.old, subject.new) {
            (Some(one), Some(other)) => {
                changes.extend(renamed(both, one, other));
                changes.extend(attributes(both, one, other));
            }
            (Some(one), None) if outermost(old, one, |parent| both.pairs.new_of(parent).is_some()) => {
                changes.push(whole(both.old, subject, one, What::Removed));
            }
            (None, Some(other)) if outermost(new, other, |parent| both.pairs.old_of(parent).is_some()) => {
                changes.push(whole(both.new, subject, other, What::Added));
            }
            (Some(_) | None, _) => {}
        }
    }
    changes.sort_by(|a, b| a.rank().cmp(&b.rank()));
    without_named(changes)
}

/// True for a block whose parent is on both sides, so that it is said once what came or went.
fn outermost(model: &Model<'_>, id: BlockId, paired: impl Fn(BlockId) -> bool) -> bool {
    model.block(id).parent.is_none_or(paired)
}

/// Parameters that some listed attribute names are no fact of their own.
fn without_named(mut changes: Vec<Change>) -> Vec<Change> {
    let named: BTreeSet<String> = changes.iter().flat_map(|change| change.through.iter().cloned()).collect();
    changes.retain(|change| !change.address.strip_suffix(".default").is_some_and(|param| named.contains(param)));
    changes
}

fn whole(plan: &Plan<'_>, subject: Subject, id: BlockId, what: What) -> Change {
    let model = &plan.model;
    let block = model.block(id);
    let mark = if what == What::Added { class::ADDED } else { class::REMOVED };
    let (class, why) = class::class(block.kind, mark, facts(Trend::Other));
    let at = place(model, block.place, &SetBy::Block);
    let says = Some(phrase::excerpt(&summary(model, block, id), SHOWN));
    let gone = what == What::Removed;
    Change {
        class,
        why,
        what,
        address: model.address(id),
        old: says.clone().filter(|_| gone),
        new: says.filter(|_| !gone),
        delta: None,
        delta_text: String::from(what.word()),
        old_at: at.clone().filter(|_| gone),
        new_at: at.filter(|_| !gone),
        through: Vec::new(),
        because: Vec::new(),
        subject,
        attribute: None,
    }
}

/// `site = site.dc1, server = catalog.server.dgx-h200`.
fn summary(model: &Model<'_>, block: &Block<'_>, id: BlockId) -> String {
    let one = |name: &'static str| Some(format!("{name} = {}", value::text(model, id, name)?));
    block.slots.iter().filter_map(|slot| one(block.attribute(slot.attribute).name)).collect::<Vec<_>>().join(", ")
}

fn renamed(both: &Both<'_>, one: BlockId, other: BlockId) -> Option<Change> {
    let (old, new) = (&*both.old.model, &*both.new.model);
    let (before, after) = (old.block(one), new.block(other));
    // A block that is named by the address of another has changed no name of its own.
    let addressed = before.parent.is_some() && matches!(old.value(one, "of"), Value::Block(_));
    if before.name == after.name || addressed {
        return None;
    }
    let (class, why) = class::class(after.kind, class::RENAMED, facts(Trend::Other));
    Some(Change {
        class,
        why,
        what: What::Renamed,
        address: new.address(other),
        old: Some(old.address(one)),
        new: Some(new.address(other)),
        delta: None,
        delta_text: String::from("renamed"),
        old_at: place(old, before.place, &SetBy::Block),
        new_at: place(new, after.place, &SetBy::Block),
        through: Vec::new(),
        because: Vec::new(),
        subject: Subject { old: Some(one), new: Some(other) },
        attribute: None,
    })
}

/// Attributes with another value, documentation and waivers.
fn attributes(both: &Both<'_>, one: BlockId, other: BlockId) -> Vec<Change> {
    let (old, new) = (&*both.old.model, &*both.new.model);
    let kind = new.block(other).kind;
    let mut changes: Vec<Change> =
        kind.schema().attributes.iter().filter_map(|row| attribute(both, one, other, row.name)).collect();
    let (before, after) = (old.block(one), new.block(other));
    let texts = |block: &Block<'_>| BTreeMap::from([(String::new(), block.doc.to_string())]);
    changes.extend(marks(both, (one, other), class::DOC, &texts(before), &texts(after)));
    changes.extend(marks(both, (one, other), class::WAIVER, &waivers(before), &waivers(after)));
    changes
}

fn waivers(block: &Block<'_>) -> BTreeMap<String, String> {
    let one = |waiver: &crate::model::block::Waiver| {
        let of = waiver.attribute.map(|name| format!(" of `{name}`")).unwrap_or_default();
        let until = waiver.until.map(|date| format!(", until {date}")).unwrap_or_default();
        (format!("({}){of}", waiver.code), format!("{}{until}", waiver.reason))
    };
    block.waivers.iter().map(one).collect()
}

/// Texts beside the attributes, each under its name.
fn marks(
    both: &Both<'_>,
    (one, other): (BlockId, BlockId),
    mark: &'static str,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<Change> {
    let (old, new) = (&*both.old.model, &*both.new.model);
    let (class, why) = class::class(new.block(other).kind, mark, facts(Trend::Other));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let text = |texts: &BTreeMap<String, String>, name: &String| {
        texts.get(name).filter(|text| !text.is_empty()).map(|text| phrase::excerpt(text, SHOWN))
    };
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed
        .map(|name| Change {
            class,
            why,
            what: What::Changed,
            address: format!("{} {mark}{name}", new.address(other)),
            old: text(before, name),
            new: text(after, name),
            delta: None,
            delta_text: String::new(),
            old_at: place(old, old.block(one).place, &SetBy::Block),
            new_at: place(new, new.block(other).place, &SetBy::Block),
            through: Vec::new(),
            because: Vec::new(),
            subject: Subject { old: Some(one), new: Some(other) },
            attribute: Some(mark),
        })
        .collect()
}

fn attribute(both: &Both<'_>, one: BlockId, other: BlockId, name: &'static str) -> Option<Change> {
    let (old, new) = (&*both.old.model, &*both.new.model);
    let (before, after) = (old.value(one, name), new.value(other, name));
    let (old_text, new_text) = (value::text(old, one, name), value::text(new, other, name));
    // What is evaluated after sizing only has no value here, but a text.
    let unread = before == Value::Null && after == Value::Null;
    if value::same(&both.pairs, &before, &after) && (!unread || old_text == new_text) {
        return None;
    }
    let kind = new.block(other).kind;
    // Blocks that are named by an address say it in their name.
    if name == "of" && kind == Kind::PriceLine {
        return None;
    }
    let (known_before, known_after) = (decided(both.old, one, name, before), decided(both.new, other, name, after));
    let trend = value::trend(&both.pairs, &known_before, &known_after);
    let rented = |plan: &Plan<'_>, id| {
        plan.model.as_id(id).and_then(|id| plan.pools.get(&id)).is_some_and(|row| row.node.rented)
    };
    let facts = Facts {
        trend,
        rented: rented(both.old, one) && rented(both.new, other),
        below_need: below_need(both, one, other),
    };
    let (class, why) = class::class(kind, name, facts);
    let delta = delta(&known_before, &known_after);
    let (before_slot, after_slot) = (said(old, one, name), said(new, other, name));
    let (before_through, after_through) = (named_values(both, old, before_slot), named_values(both, new, after_slot));
    let at = |model: &Model<'_>, slot: Said<'_, '_>, through: &BTreeSet<String>| {
        let only = through.first().filter(|_| through.len() == 1);
        only.and_then(|param| param_place(model, param)).or_else(|| slot_place(model, slot))
    };
    let shown = |text: Option<String>, decided: &Value| match decided {
        Value::Quantity(quantity) if text.as_deref() == Some("auto") => Some(format!("auto ({quantity})")),
        _ => text.map(|text| phrase::excerpt(&text, SHOWN)),
    };
    Some(Change {
        class,
        why,
        what: What::Changed,
        address: format!("{}.{name}", new.address(other)),
        old: shown(old_text, &known_before),
        new: shown(new_text, &known_after),
        delta: delta.as_ref().map(|(value, _)| *value),
        delta_text: delta.map(|(_, text)| text).unwrap_or_default(),
        old_at: at(old, before_slot, &before_through),
        new_at: at(new, after_slot, &after_through),
        through: before_through.union(&after_through).cloned().collect(),
        because: Vec::new(),
        subject: Subject { old: Some(one), new: Some(other) },
        attribute: Some(name),
    })
}

fn facts(trend: Trend) -> Facts {
    Facts { trend, rented: false, below_need: None }
}

/// What an attribute comes to: what sizing found where it is left to the compiler.
fn decided(plan: &Plan<'_>, id: BlockId, name: &str, value: Value) -> Value {
    match (&value, plan.figures.known(id, name)) {
        (Value::Auto, Some(figure)) => crate::plan::reader::quantity(figure),
        _ => value,
    }
}

/// Whether the new capacity of a storage holds what the old side keeps.
pub(super) fn below_need(both: &Both<'_>, one: BlockId, other: BlockId) -> Option<bool> {
    let old = both.old.model.as_id(one).and_then(|id| both.old.storages.get(&id))?;
    let new = both.new.model.as_id(other).and_then(|id| both.new.storages.get(&id))?;
    Some(new.capacity? < old.needed?)
}

/// What lies between two numbers of one dimension: between their upper ends, in words between both.
fn delta(before: &Value, after: &Value) -> Option<(f64, String)> {
    let ((least_before, before), (least_after, after)) = (value::ends(before)?, value::ends(after)?);
    if before.dimension != after.dimension {
        return None;
    }
    let difference = after.value.minus(before.value)?.to_f64();
    let least = least_after.value.minus(least_before.value)?.to_f64();
    let larger = if before.value > after.value { before } else { after };
    let text = super::delta::signed(difference, &larger.unit);
    let text =
        if least == difference { text } else { format!("{} to {text}", super::delta::signed(least, &larger.unit)) };
    (difference != 0.0 || least != 0.0).then_some((difference, text))
}

type Said<'m, 'a> = Option<&'m crate::model::block::Slot<'a>>;

fn said<'m, 'a>(model: &'m Model<'a>, id: BlockId, name: &str) -> Said<'m, 'a> {
    let block = model.block(id);
    block.slot(block.kind.schema().attribute(name)?.0)
}

/// The parameters and `let` names that an attribute is written with and that have another value on the other side.
fn named_values(both: &Both<'_>, model: &Model<'_>, slot: Said<'_, '_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some(expr) = slot.and_then(|slot| slot.expr) {
        names(model, expr, &mut found);
    }
    let value = |model: &Model<'_>, name: &str| match name.split_once('.') {
        Some(("param", name)) => model.find(Kind::Param, name).map(|id| model.value(id, "default")),
        Some((_, name)) => model.let_value(name).cloned(),
        None => None,
    };
    let same = |name: &String| match (value(&both.old.model, name), value(&both.new.model, name)) {
        (Some(before), Some(after)) => value::same(&both.pairs, &before, &after),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    found.retain(|name| !same(name));
    found
}

fn slot_place(model: &Model<'_>, slot: Said<'_, '_>) -> Option<String> {
    let slot = slot?;
    place(model, slot.place, &slot.set_by)
}

fn param_place(model: &Model<'_>, param: &str) -> Option<String> {
    let id = model.find(Kind::Param, param.strip_prefix("param.")?)?;
    slot_place(model, said(model, id, "default"))
}

/// `main.aip:62`, with the environment that says it.
fn place(model: &Model<'_>, span: Span, set_by: &SetBy) -> Option<String> {
    let line = || {
        let source = model.sources.get(span.source()?)?;
        Some(format!("{}:{}", source.path, model.sources.position(span)?.line))
    };
    match set_by {
        SetBy::Block => line(),
        SetBy::Environment(name) => line().map(|line| format!("{line} ({name})")),
        SetBy::CommandLine => Some(String::from("--set")),
        SetBy::Catalogue(_) => Some(String::from("catalogue")),
    }
}

/// The parameters and `let` names in an expression.
fn names(model: &Model<'_>, expr: &Expr, found: &mut BTreeSet<String>) {
    match &expr.kind {
        ExprKind::Path(path) => found.extend(named(model, path)),
        _ => expr.for_each_child(|child| names(model, child, found)),
    }
}

/// `param.x` or `let.x`.
fn named(model: &Model<'_>, path: &Path) -> Option<String> {
    let [Segment::Name(root), Segment::Name(name), ..] = path.segments.as_slice() else { return None };
    let root = &model.sources[*root];
    matches!(root, "param" | "let").then(|| format!("{root}.{}", &model.sources[*name]))
}
