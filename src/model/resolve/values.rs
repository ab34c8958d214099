//! Values, each evaluated when something first asks for it, and the circles that this finds.

use std::sync::Arc;

use crate::base::diagnostic::Diagnostic;
use crate::base::span::Span;
use crate::model::accept::{self, Blocks};
use crate::model::block::{Block, SetBy, Slot};
use crate::model::effort::Effort;
use crate::model::eval::{Eval, Found, Scope, See};
use crate::model::facts;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::problems;
use crate::model::schema::{self, Attribute, Derived, Format, Mode, Type};
use crate::model::value::Value;

use super::meant::{meant, only_inside};
use super::{Resolver, Step, address, scope};

impl<'a> Resolver<'a> {
    pub(super) fn evaluate(&mut self) {
        for (id, path) in std::mem::take(&mut self.labels) {
            self.label_slot(id, path);
        }
        let live: Vec<BlockId> = self.live().collect();
        for id in live {
            let slots: Vec<(u16, Span)> =
                self.blocks[id.index()].slots.iter().map(|slot| (slot.attribute, slot.place)).collect();
            for (position, at) in slots {
                self.cell(id, position, at);
            }
        }
        let names: Vec<&'a str> = self.lets.keys().copied().collect();
        for name in names {
            let at = self.lets[name].name;
            self.let_value(name, at);
        }
        self.check_params();
    }

    /// Blocks that were not dropped, in source order, with those inside them.
    pub(super) fn live(&self) -> impl Iterator<Item = BlockId> {
        let gone: Vec<bool> = self.blocks.iter().map(|block| self.is_dropped(block)).collect();
        (0u32..).zip(gone).filter(|(_, gone)| !gone).map(|(index, _)| BlockId(index))
    }

    fn is_dropped(&self, block: &Block<'a>) -> bool {
        match block.parent {
            Some(parent) => self.is_dropped(&self.blocks[parent.index()]),
            None => !self.dropped.is_empty() && self.dropped.contains_key(&(block.kind, Arc::clone(&block.name))),
        }
    }

    /// The value of a written attribute, evaluated on first use.
    pub(super) fn cell(&mut self, id: BlockId, position: u16, at: Span) -> Value {
        let Some(slot) = self.blocks[id.index()].slot(position) else { return self.default(id, position) };
        if let Some(value) = &slot.value {
            return value.clone();
        }
        let Some(expr) = slot.expr else { return Value::Poison };
        let row = self.blocks[id.index()].attribute(position);
        if matches!(row.ty, Type::Expression) {
            // What it names of the catalogue is there when it is evaluated, after sizing.
            for (kind, name) in scope::entries(self.sources, expr) {
                self.entry(kind, name);
            }
            return Value::Null;
        }
        let label = || format!("{}.{}", address(&self.blocks, id), row.name);
        if slot.busy {
            let label = label();
            return self.circle(label, at);
        }
        self.steps.push(Step { label: label(), at: expr.span });
        let bindings = slot.bindings.clone().unwrap_or_else(|| Arc::clone(&self.blocks[id.index()].bindings));
        if let Some(slot) = self.blocks[id.index()].slot_mut(position) {
            slot.busy = true;
        }
        let outer = std::mem::replace(&mut self.in_text, is_free_text(&row.ty));
        let raw = Eval::new(self.sources, self).value(expr, &Scope::new(&bindings));
        self.in_text = outer;
        let value = self.checked(id, row, raw, expr.span);
        if let Some(slot) = self.blocks[id.index()].slot_mut(position) {
            slot.busy = false;
            slot.value = Some(value.clone());
        }
        self.steps.pop();
        value
    }

    /// A figure, which only free text may show, and only the second time the package is resolved.
    fn figure(&mut self, id: BlockId, name: &str, at: Span) -> Value {
        let address = format!("{}.{name}", address(&self.blocks, id));
        if !self.in_text {
            self.problems.push(problems::not_yet_known(&address, at));
            return Value::Poison;
        }
        self.wants_figures = true;
        let found = self.figures.as_ref().and_then(|figures| figures.get(&address).cloned());
        found.unwrap_or_else(|| Value::Tbd(Arc::from("known after sizing")))
    }

    pub(super) fn default(&self, id: BlockId, position: u16) -> Value {
        let row = self.blocks[id.index()].attribute(position);
        row.default.map_or(Value::Null, |text| facts::literal(text, &row.ty))
    }

    /// Holds a value against its attribute's row.
    pub(super) fn checked(&mut self, id: BlockId, row: &'static Attribute, value: Value, at: Span) -> Value {
        let what = format!("`{}.{}`", self.blocks[id.index()].kind.schema().word, row.name);
        match (&value, row.mode) {
            (Value::Tbd(_), Mode::Required | Mode::Default) => {
                self.problems.push(problems::tbd_not_allowed(&what, at));
                Value::Poison
            }
            (Value::Auto, Mode::Required | Mode::Default | Mode::Optional) => {
                self.problems.push(problems::auto_not_allowed(&what, at));
                Value::Poison
            }
            (Value::Auto, Mode::Setting) if !solvable(self.blocks[id.index()].kind, row.name) => {
                self.problems.push(problems::auto_not_allowed(&what, at));
                Value::Poison
            }
            (Value::Null, _) => {
                self.problems.push(problems::null_misused(at));
                Value::Poison
            }
            _ => self.accepted(value, &row.ty, &what, at),
        }
    }

    pub(super) fn accepted(&mut self, value: Value, ty: &Type, what: &str, at: Span) -> Value {
        let unquoted = matches!((&value, ty), (Value::Quantity(_), Type::Text(_)));
        match accept::accept(value, ty, what, at, self) {
            Ok(value) => value,
            Err(problem) => {
                let problem = if unquoted { problems::unquoted(*problem, &self.sources[at]) } else { *problem };
                self.problems.push(problem);
                Value::Poison
            }
        }
    }

    /// A circle closed: the steps from the first time this value was asked for.
    fn circle(&mut self, label: String, _at: Span) -> Value {
        let start = self.steps.iter().position(|step| step.label == label).unwrap_or(0);
        let ring = &self.steps[start..];
        let next = |index: usize| ring.get(index + 1).or_else(|| ring.first()).map(|step| step.label.clone());
        let steps: Vec<(String, String, Span)> = ring
            .iter()
            .enumerate()
            .map(|(index, step)| (step.label.clone(), next(index).unwrap_or_default(), step.at))
            .collect();
        if !steps.is_empty() {
            self.problems.push(problems::cycle(&steps));
        }
        Value::Poison
    }

    fn check_params(&mut self) {
        for id in self.all(Kind::Param) {
            let value = |name: &str| {
                let position = Kind::Param.schema().attribute(name).map(|(position, _)| position)?;
                let slot = self.blocks[id.index()].slot(position)?;
                Some((slot.value.clone()?, slot.place))
            };
            let address = address(&self.blocks, id);
            let (Some((ty, _)), Some((current, at))) = (value("type"), value("default")) else { continue };
            if let Some(problem) = bad_param(&address, &ty, &current, at) {
                self.problems.push(problem);
                continue;
            }
            let Some((allowed, by)) = value("allowed") else { continue };
            let inside = match (&allowed, &current) {
                (Value::Range(ends), Value::Quantity(current)) => {
                    current.dimension == ends.0.dimension && (ends.0.value..=ends.1.value).contains(&current.value)
                }
                (Value::Quantity(one), Value::Quantity(current)) => one == current,
                (Value::List(items), current) => items.contains(current),
                (Value::Poison, _) | (_, Value::Poison | Value::Tbd(_)) => true,
                _ => false,
            };
            if !inside {
                let shown = (current.to_string(), allowed.to_string());
                self.problems.push(problems::not_allowed(&address, &shown.0, &shown.1, at, by));
            }
        }
    }
}

impl See for Resolver<'_> {
    fn block(&self, id: BlockId) -> &Block<'_> {
        &self.blocks[id.index()]
    }

    fn find(&self, kind: Kind, name: &str) -> Found {
        let key = (kind, Arc::from(name));
        if let Some(&id) = self.names.get(&key) {
            Found::One(id)
        } else if let Some(ids) = self.families.get(&key) {
            Found::Family(ids.clone())
        } else if let Some(&by) = self.dropped.get(&key) {
            Found::Dropped(by)
        } else {
            Found::Nothing
        }
    }

    fn meant(&self, first: &str, second: Option<&str>) -> Vec<String> {
        meant(&self.blocks, first, second)
    }

    fn all(&self, kind: Kind) -> Vec<BlockId> {
        self.by_kind.get(&kind).into_iter().flatten().copied().collect()
    }

    fn attribute(&mut self, id: BlockId, position: u16, at: Span) -> Value {
        match self.cell(id, position, at) {
            Value::Auto => {
                let name = self.blocks[id.index()].attribute(position).name;
                self.figure(id, name, at)
            }
            value => value,
        }
    }

    fn derived(&mut self, id: BlockId, derived: &'static Derived, at: Span) -> Value {
        self.figure(id, derived.name, at)
    }

    fn let_value(&mut self, name: &str, at: Span) -> Option<Value> {
        let (&key, cell) = self.lets.get_key_value(name)?;
        if let Some(value) = &cell.value {
            return Some(value.clone());
        }
        let label = format!("let.{name}");
        if cell.busy {
            return Some(self.circle(label, at));
        }
        let expr = cell.expr;
        self.steps.push(Step { label, at: expr.span });
        if let Some(cell) = self.lets.get_mut(key) {
            cell.busy = true;
        }
        let value = Eval::new(self.sources, self).untyped(expr, &Scope::new(&[]));
        if let Some(cell) = self.lets.get_mut(key) {
            cell.busy = false;
            cell.value = Some(value.clone());
        }
        self.steps.pop();
        Some(value)
    }

    fn let_names(&self) -> Vec<String> {
        self.lets.keys().map(|name| (*name).to_string()).collect()
    }

    fn entry(&mut self, kind: &str, id: &str) -> Option<BlockId> {
        let known = schema::top_level(kind)?;
        if let Some(&block) = self.entries.get(&(known, Arc::from(id))) {
            return Some(block);
        }
        let facts = self.catalogue.entry(kind, id)?;
        let block = BlockId(u32::try_from(self.blocks.len()).ok()?);
        let name: Arc<str> = Arc::from(id);
        self.entries.insert((known, Arc::clone(&name)), block);
        self.blocks.push(facts::empty_block(known, name));
        for fact in facts {
            let Some((position, row)) = known.schema().attribute(&fact.attribute) else { continue };
            let value = facts::value(&fact.value, &row.ty, &mut |kind, id| self.entry(kind, id));
            let slot = Slot::known(position, value, Span::DETACHED, SetBy::Catalogue(Arc::from(fact.source)));
            self.blocks[block.index()].put(slot);
        }
        Some(block)
    }

    fn entries(&self, kind: &str) -> Vec<&'static str> {
        self.catalogue.ids(kind).collect()
    }

    fn address(&self, id: BlockId) -> String {
        address(&self.blocks, id)
    }

    fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    fn depth(&mut self) -> &mut usize {
        &mut self.depth
    }

    fn effort(&self) -> &Effort {
        &self.effort
    }
}

impl Blocks for Resolver<'_> {
    fn kind_word(&self, id: BlockId) -> &'static str {
        self.blocks[id.index()].kind.schema().word
    }

    fn named(&self, kinds: &[&'static str], name: &str) -> Option<String> {
        let fits = |kind: Kind| kinds.is_empty() || kinds.contains(&kind.schema().word);
        let same = |kind: Kind| fits(kind) && self.names.contains_key(&(kind, Arc::from(name)));
        let mut found: Vec<String> =
            Kind::ALL.iter().filter(|kind| same(**kind)).map(|kind| format!("{}.{name}", kind.schema().word)).collect();
        found.sort();
        found.into_iter().next().or_else(|| only_inside(&self.blocks, kinds, name))
    }
}

/// Text that people read; a string with a format is part of what sizing starts from.
fn is_free_text(ty: &Type) -> bool {
    matches!(ty, Type::Text(Format::Line | Format::Prose))
}

/// What `auto` may stand for: the sizing solves these and no others.
fn solvable(kind: Kind, attribute: &str) -> bool {
    matches!(
        (kind, attribute),
        (Kind::Pool, "nodes" | "spare")
            | (Kind::Rack, "count")
            | (Kind::Storage, "capacity" | "read" | "write")
            | (
                Kind::Training,
                "gpus" | "tensor_parallel" | "pipeline_parallel" | "context_parallel" | "expert_parallel" | "mfu"
            )
            | (Kind::Finetune, "gpus" | "mfu")
            | (Kind::Checkpoint, "every")
            | (Kind::Inference, "replicas" | "gpus_per_replica")
    )
}

fn bad_param(address: &str, ty: &Value, current: &Value, at: Span) -> Option<Diagnostic> {
    let Value::Word(ty) = ty else { return None };
    let fits = match (&**ty, current) {
        (_, Value::Poison | Value::Tbd(_)) => true,
        ("int", Value::Quantity(quantity)) => quantity.dimension.is_none() && quantity.value.is_whole(),
        ("number", Value::Quantity(quantity)) => quantity.dimension.is_none(),
        ("quantity", Value::Quantity(_)) => true,
        ("text", Value::Text(_)) | ("bool", Value::Bool(_)) | ("date", Value::Date(_)) | ("word", Value::Word(_)) => {
            true
        }
        _ => false,
    };
    (!fits)
        .then(|| problems::wrong_type(&format!("`{address}`"), &format!("a value of type `{ty}`"), current.form(), at))
}
