//! What an environment and the command line change before anything is evaluated.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::diagnostic::Diagnostic;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::model::block::{SetBy, Slot};
use crate::model::eval::{Eval, Scope};
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::problems;
use crate::model::schema::{self, SubShape};
use crate::syntax::ast;

use super::meant::meant;
use super::{Resolver, Settings, scope};

/// The package as written.
pub(super) const BASE: &str = "base";

/// A change that leads to no block yet.
pub(super) enum Change<'a> {
    /// `set`, and who says so.
    Set(&'a ast::Set, SetBy),
    /// `drop`.
    Drop(&'a ast::Drop),
}

impl<'a> Resolver<'a> {
    /// The environment's changes and those of the command line; those of blocks that a loop makes wait for it.
    pub(super) fn apply_environment(&mut self, settings: &Settings<'a, '_>) {
        if let Some(name) = settings.environment.filter(|name| *name != BASE) {
            match self.environment_chain(name) {
                Ok(chain) => chain.into_iter().for_each(|(name, block)| {
                    self.apply(&name, block);
                    self.active.push(name);
                }),
                Err(problem) => self.problems.push(*problem),
            }
        }
        let mut seen = HashMap::new();
        for set in settings.set {
            self.set(set, SetBy::CommandLine, &mut seen);
        }
    }

    /// What waited for the blocks that a loop makes.
    pub(super) fn apply_waiting(&mut self) {
        for change in std::mem::take(&mut self.waiting) {
            match change {
                Change::Set(set, set_by) => {
                    if let Err(problem) = self.try_set(set, &set_by) {
                        self.problems.push(*problem);
                    }
                }
                Change::Drop(drop) => {
                    if let Err(problem) = self.try_drop(drop) {
                        self.problems.push(*problem);
                    }
                }
            }
        }
    }

    /// Environments that are not asked for: what they name must exist all the same, and
    /// literals must fit. Values that lead further are not evaluated, because they may lead elsewhere there.
    pub(super) fn check_other_environments(&mut self) {
        let others: Vec<(Arc<str>, &'a ast::Block)> =
            self.environments.iter().filter(|(name, _)| !self.active.contains(name)).cloned().collect();
        for (name, block) in others {
            if let Err(problem) = self.environment_chain(&name) {
                self.problems.push(*problem);
            }
            let mut seen = HashMap::new();
            for item in &block.items {
                match item {
                    ast::Item::Set(set) => self.check_set(set, &mut seen),
                    ast::Item::Drop(drop) => {
                        let found = self.droppable(drop).map(|_| ());
                        self.note_other(found, &drop.path);
                    }
                    ast::Item::Attribute(_) | ast::Item::Block(_) => {}
                }
            }
        }
    }

    fn check_set(&mut self, set: &'a ast::Set, seen: &mut HashMap<&'a str, Span>) {
        let path = &self.sources[set.path.span];
        if let Some(first) = seen.insert(path, set.path.span) {
            return self.problems.push(problems::set_twice(path, set.path.span, first));
        }
        let found = self.settable(&set.path).and_then(|(id, position, _)| {
            self.unlocked(id, position, &set.path)?;
            Ok((id, position))
        });
        if let Ok((id, position)) = found
            && scope::is_literal(&set.value)
        {
            let row = self.blocks[id.index()].attribute(position);
            let value = Eval::new(self.sources, self).value(&set.value, &Scope::new(&[]));
            self.checked(id, row, value, set.value.span);
        }
        self.note_other(found.map(|_| ()), &set.path);
    }

    /// A mistake of an environment that is not asked for. Blocks that a loop makes, or that the environment asked for
    /// drops, may be there in the other one.
    fn note_other(&mut self, found: Result<(), Box<Diagnostic>>, path: &'a ast::Path) {
        if let Err(problem) = found
            && problem.code != problems::DROPPED
            && !self.may_be_of_a_family(path)
        {
            self.problems.push(*problem);
        }
    }

    fn may_be_of_a_family(&self, path: &ast::Path) -> bool {
        let [ast::Segment::Name(kind), ast::Segment::Name(name), ..] = path.segments.as_slice() else { return false };
        let Some(kind) = schema::top_level(&self.sources[*kind]) else { return false };
        let name = &self.sources[*name];
        let begins = |family: &str| name.strip_prefix(family).is_some_and(|rest| rest.starts_with('-'));
        !self.names.contains_key(&(kind, Arc::from(name)))
            && self.families.keys().any(|(known, family)| *known == kind && begins(family))
    }

    /// The environment and those it extends, the outermost first.
    fn environment_chain(&self, name: &str) -> Result<Vec<(Arc<str>, &'a ast::Block)>, Box<Diagnostic>> {
        let mut chain: Vec<(Arc<str>, &'a ast::Block)> = Vec::new();
        let (mut wanted, mut at) = (name.to_string(), Span::DETACHED);
        loop {
            let Some((known, block)) = self.environments.iter().find(|(known, _)| **known == *wanted) else {
                let legal: Vec<&str> = self.environments.iter().map(|(known, _)| &**known).chain([BASE]).collect();
                // What `extends` names is a reference, and said to be wrong as one.
                if !at.is_detached() {
                    break;
                }
                return Err(Box::new(problems::unknown_environment(&wanted, at, legal)));
            };
            if let Some(position) = chain.iter().position(|(seen, _)| seen == known) {
                // The same circle is the same problem wherever it is entered.
                let mut ring = chain[position..].to_vec();
                let first = ring.iter().enumerate().min_by(|a, b| a.1.0.cmp(&b.1.0)).map_or(0, |(first, _)| first);
                ring.rotate_left(first);
                let steps: Vec<_> = ring
                    .iter()
                    .map(|(name, block)| (format!("environment.{name}"), String::from("what it extends"), block.kind))
                    .collect();
                return Err(Box::new(problems::cycle(&steps)));
            }
            chain.push((Arc::clone(known), block));
            let extends = block.items.iter().find_map(|item| match item {
                ast::Item::Attribute(attribute) if &self.sources[attribute.name] == "extends" => Some(&attribute.value),
                ast::Item::Attribute(_) | ast::Item::Block(_) | ast::Item::Set(_) | ast::Item::Drop(_) => None,
            });
            match extends.and_then(|value| environment_named(self.sources, value)) {
                Some((next, span)) if next != BASE => (wanted, at) = (next.to_string(), span),
                _ => break,
            }
        }
        chain.reverse();
        Ok(chain)
    }

    fn apply(&mut self, name: &Arc<str>, block: &'a ast::Block) {
        let mut seen = HashMap::new();
        for item in &block.items {
            match item {
                ast::Item::Set(set) => self.set(set, SetBy::Environment(Arc::clone(name)), &mut seen),
                ast::Item::Drop(drop) => self.drop_block(drop),
                ast::Item::Attribute(_) | ast::Item::Block(_) => {}
            }
        }
    }

    fn set(&mut self, set: &'a ast::Set, set_by: SetBy, seen: &mut HashMap<&'a str, Span>) {
        let sources = self.sources;
        let path = &sources[set.path.span];
        if let Some(first) = seen.insert(path, set.path.span) {
            return self.problems.push(problems::set_twice(path, set.path.span, first));
        }
        match self.try_set(set, &set_by) {
            Ok(()) => {}
            Err(_) if self.waits() => self.waiting.push(Change::Set(set, set_by)),
            Err(problem) => self.problems.push(*problem),
        }
    }

    /// True while loops have still to make blocks that a path may lead to.
    fn waits(&self) -> bool {
        !self.pending.is_empty() || !self.pending_children.is_empty()
    }

    fn unlocked(&self, id: BlockId, position: u16, path: &ast::Path) -> Result<(), Box<Diagnostic>> {
        match self.blocks[id.index()].slot(position).filter(|slot| slot.locked) {
            Some(slot) => Err(Box::new(problems::locked(&self.sources[path.span], path.span, slot.name))),
            None => Ok(()),
        }
    }

    fn try_set(&mut self, set: &'a ast::Set, set_by: &SetBy) -> Result<(), Box<Diagnostic>> {
        let (id, position, name) = self.settable(&set.path)?;
        self.unlocked(id, position, &set.path)?;
        let block = &mut self.blocks[id.index()];
        let doc = block.slot(position).and_then(|old| old.doc.clone());
        block.put(Slot {
            attribute: position,
            name,
            place: set.value.span,
            expr: Some(&set.value),
            bindings: Some(Arc::from([])),
            value: None,
            busy: false,
            set_by: set_by.clone(),
            locked: false,
            doc,
        });
        Ok(())
    }

    /// The block and attribute that a path of `set` leads to.
    fn settable(&self, path: &'a ast::Path) -> Result<(BlockId, u16, Span), Box<Diagnostic>> {
        let sources = self.sources;
        let text = &sources[path.span];
        let bad = |why: &str| Box::new(problems::bad_path(text, path.span, why));
        let (id, mut rest) = self.top_of(path)?;
        let mut id = id;
        if self.blocks[id.index()].kind == Kind::Param && rest.is_empty() {
            let position = Kind::Param.schema().attribute("default").map_or(0, |(position, _)| position);
            return Ok((id, position, path.span));
        }
        loop {
            let schema = self.blocks[id.index()].kind.schema();
            let Some((ast::Segment::Name(span), after)) = rest.split_first() else {
                return Err(bad("it leads to a block, not to an attribute"));
            };
            let word = &sources[*span];
            if let Some((position, _)) = schema.attribute(word) {
                return if after.is_empty() {
                    Ok((id, position, *span))
                } else {
                    Err(bad("it goes on after an attribute"))
                };
            }
            if schema.derived(word).is_some() {
                return Err(Box::new(problems::writes_derived(text, path.span)));
            }
            if let Some(keyed) = schema.keyed() {
                let key = self
                    .child(id, keyed.kind, word)
                    .ok_or_else(|| bad("there is no such key; an environment adds none"))?;
                return if after.is_empty() { Ok((key, 0, *span)) } else { Err(bad("it goes on after a key")) };
            }
            let Some(sub) = schema.block(word) else {
                let legal: Vec<&str> = schema
                    .attributes
                    .iter()
                    .map(|row| row.name)
                    .chain(schema.blocks.iter().map(|sub| sub.word))
                    .collect();
                return Err(Box::new(problems::unknown_attribute(schema.word, word, *span, legal)));
            };
            let (name, after): (&str, &[ast::Segment]) = match (sub.shape, after) {
                (SubShape::Single, after) => (sub.word, after),
                (SubShape::Named | SubShape::Keyed, [ast::Segment::Name(name), after @ ..]) => (&sources[*name], after),
                (SubShape::Addressed, [ast::Segment::Address(address), after @ ..]) => (&sources[address.span], after),
                (SubShape::Named | SubShape::Keyed, _) => return Err(bad("the name of the block is missing")),
                (SubShape::Addressed, _) => return Err(bad("the address in parentheses is missing")),
            };
            let child = self.child(id, sub.kind, name);
            let missing = || {
                let problem = *bad("there is no such block; an environment adds none");
                Box::new(problems::meant(problem, &meant(&self.blocks, sub.word, Some(name))))
            };
            (id, rest) = (child.ok_or_else(missing)?, after);
        }
    }

    /// The block of a kind and name inside another.
    fn child(&self, parent: BlockId, kind: Kind, name: &str) -> Option<BlockId> {
        self.blocks[parent.index()].children.iter().copied().find(|child| {
            let child = &self.blocks[child.index()];
            child.kind == kind && &*child.name == name
        })
    }

    fn top_of(&self, path: &'a ast::Path) -> Result<(BlockId, &'a [ast::Segment]), Box<Diagnostic>> {
        let sources = self.sources;
        let text = &sources[path.span];
        let [ast::Segment::Name(kind_at), ast::Segment::Name(name_at), rest @ ..] = path.segments.as_slice() else {
            return Err(Box::new(problems::bad_path(text, path.span, "it starts with a kind and a name")));
        };
        let Some(kind) = schema::top_level(&sources[*kind_at]) else {
            let legal: Vec<&str> = schema::top_level_words().collect();
            let problem = problems::unknown_kind(&sources[*kind_at], *kind_at, legal);
            let meant = self.effort.suggested(|| meant(&self.blocks, &sources[*kind_at], Some(&sources[*name_at])));
            return Err(Box::new(problems::meant(problem, &meant)));
        };
        let name = &sources[*name_at];
        let key = (kind, Arc::from(name));
        if let Some(&by) = self.dropped.get(&key) {
            let path = format!("{}.{name}", &sources[*kind_at]);
            return Err(Box::new(problems::dropped(&path, kind_at.to(*name_at), by)));
        }
        match self.names.get(&key) {
            Some(&id) => Ok((id, rest)),
            None if self.families.contains_key(&key) => {
                let why = "its loop makes several blocks, each with a name of its own";
                Err(Box::new(problems::bad_path(text, path.span, why)))
            }
            None => {
                let all = || self.names.keys().filter(|(known, _)| *known == kind).map(|(_, name)| &**name).collect();
                let names: Vec<&str> = self.effort.suggested(all);
                let path = format!("{}.{name}", &sources[*kind_at]);
                let problem = problems::unknown_reference(&path, *name_at, *name_at, name, names);
                let meant = self.effort.suggested(|| meant(&self.blocks, &sources[*kind_at], Some(name)));
                Err(Box::new(problems::meant(problem, &meant)))
            }
        }
    }

    fn drop_block(&mut self, drop: &'a ast::Drop) {
        match self.try_drop(drop) {
            Ok(()) => {}
            Err(_) if self.waits() => self.waiting.push(Change::Drop(drop)),
            Err(problem) => self.problems.push(*problem),
        }
    }

    fn droppable(&self, drop: &'a ast::Drop) -> Result<BlockId, Box<Diagnostic>> {
        let (id, rest) = self.top_of(&drop.path)?;
        if rest.is_empty() {
            return Ok(id);
        }
        let text = &self.sources[drop.path.span];
        Err(Box::new(problems::bad_path(text, drop.path.span, "only whole blocks are dropped")))
    }

    fn try_drop(&mut self, drop: &'a ast::Drop) -> Result<(), Box<Diagnostic>> {
        let id = self.droppable(drop)?;
        let block = &self.blocks[id.index()];
        let key = (block.kind, Arc::clone(&block.name));
        self.names.remove(&key);
        if let Some(ids) = self.by_kind.get_mut(&key.0) {
            ids.remove(&id);
        }
        self.dropped.insert(key, drop.span);
        self.families.values_mut().for_each(|family| family.retain(|member| *member != id));
        Ok(())
    }
}

/// The name and place of `environment.NAME`.
pub(super) fn environment_named<'a>(sources: &'a Sources, value: &ast::Expr) -> Option<(&'a str, Span)> {
    let ast::ExprKind::Path(path) = &value.kind else { return None };
    match path.segments.as_slice() {
        [ast::Segment::Name(kind), ast::Segment::Name(name)] if sources[*kind] == *"environment" => {
            Some((&sources[*name], path.span))
        }
        _ => None,
    }
}
