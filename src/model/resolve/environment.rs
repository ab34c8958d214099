//! What an environment and the command line change before anything is evaluated.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::diagnostic::Diagnostic;
use crate::base::span::Span;
use crate::model::block::{SetBy, Slot};
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::problems;
use crate::model::schema::{self, SubShape};
use crate::syntax::ast;

use super::{Resolver, Settings};

impl<'a> Resolver<'a> {
    pub(super) fn apply_environment(&mut self, settings: &Settings<'a, '_>) {
        if let Some(name) = settings.environment.filter(|name| *name != "base") {
            match self.environment_chain(name) {
                Ok(chain) => chain.into_iter().for_each(|(name, block)| self.apply(&name, block)),
                Err(problem) => self.problems.push(*problem),
            }
        }
        let mut seen = HashMap::new();
        for set in settings.set {
            self.set(set, SetBy::CommandLine, &mut seen);
        }
    }

    /// The environment and those it extends, the outermost first.
    fn environment_chain(&self, name: &str) -> Result<Vec<(Arc<str>, &'a ast::Block)>, Box<Diagnostic>> {
        let mut chain: Vec<(Arc<str>, &'a ast::Block)> = Vec::new();
        let (mut wanted, mut at) = (name.to_string(), Span::DETACHED);
        loop {
            let Some((known, block)) = self.environments.iter().find(|(known, _)| **known == *wanted) else {
                let legal: Vec<&str> = self.environments.iter().map(|(known, _)| &**known).chain(["base"]).collect();
                return Err(Box::new(problems::unknown_environment(&wanted, at, legal)));
            };
            if let Some(position) = chain.iter().position(|(seen, _)| seen == known) {
                let steps: Vec<_> = chain[position..]
                    .iter()
                    .map(|(name, block)| (format!("environment.{name}"), String::from("what it extends"), block.kind))
                    .collect();
                return Err(Box::new(problems::cycle(&steps)));
            }
            chain.push((Arc::clone(known), block));
            let extends = block.items.iter().find_map(|item| match item {
                ast::Item::Attribute(attribute) if &self.sources[attribute.name] == "extends" => {
                    Some(attribute.value.span)
                }
                ast::Item::Attribute(_) | ast::Item::Block(_) | ast::Item::Set(_) | ast::Item::Drop(_) => None,
            });
            match extends.and_then(|span| self.sources[span].strip_prefix("environment.").map(|name| (name, span))) {
                Some((next, span)) if next != "base" => (wanted, at) = (next.to_string(), span),
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
        let (id, position, name) = match self.settable(&set.path) {
            Ok(found) => found,
            Err(problem) => return self.problems.push(*problem),
        };
        let block = &mut self.blocks[id.index()];
        let old = block.slot(position);
        if let Some(old) = old.filter(|old| old.locked) {
            let by = old.name;
            return self.problems.push(problems::locked(path, set.path.span, by));
        }
        let doc = old.and_then(|old| old.doc.clone());
        block.put(Slot {
            attribute: position,
            name,
            place: set.value.span,
            expr: Some(&set.value),
            bindings: Some(Arc::from([])),
            value: None,
            busy: false,
            set_by,
            locked: false,
            doc,
        });
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
                (SubShape::Named, [ast::Segment::Name(name), after @ ..]) => (&sources[*name], after),
                (SubShape::Addressed, [ast::Segment::Address(address), after @ ..]) => (&sources[address.span], after),
                (SubShape::Named, _) => return Err(bad("the name of the block is missing")),
                (SubShape::Addressed, _) => return Err(bad("the address in parentheses is missing")),
            };
            let children = &self.blocks[id.index()].children;
            let child = children.iter().find(|child| {
                let child = &self.blocks[child.index()];
                child.kind == sub.kind && &*child.name == name
            });
            (id, rest) = (*child.ok_or_else(|| bad("there is no such block; an environment adds none"))?, after);
        }
    }

    fn top_of(&self, path: &'a ast::Path) -> Result<(BlockId, &'a [ast::Segment]), Box<Diagnostic>> {
        let sources = self.sources;
        let text = &sources[path.span];
        let [ast::Segment::Name(kind_at), ast::Segment::Name(name_at), rest @ ..] = path.segments.as_slice() else {
            return Err(Box::new(problems::bad_path(text, path.span, "it starts with a kind and a name")));
        };
        let Some(kind) = schema::top_level(&sources[*kind_at]) else {
            let legal: Vec<&str> = schema::top_level_words().collect();
            return Err(Box::new(problems::unknown_kind(&sources[*kind_at], *kind_at, legal)));
        };
        let name = &sources[*name_at];
        match self.names.get(&(kind, Arc::from(name))) {
            Some(&id) => Ok((id, rest)),
            None => {
                let all = || self.names.keys().filter(|(known, _)| *known == kind).map(|(_, name)| &**name).collect();
                let names: Vec<&str> = self.effort.suggested(all);
                let path = format!("{}.{name}", &sources[*kind_at]);
                Err(Box::new(problems::unknown_reference(&path, *name_at, *name_at, name, names)))
            }
        }
    }

    fn drop_block(&mut self, drop: &'a ast::Drop) {
        let (id, rest) = match self.top_of(&drop.path) {
            Ok(found) => found,
            Err(problem) => return self.problems.push(*problem),
        };
        if !rest.is_empty() {
            let text = &self.sources[drop.path.span];
            return self.problems.push(problems::bad_path(text, drop.path.span, "only whole blocks are dropped"));
        }
        let block = &self.blocks[id.index()];
        let key = (block.kind, Arc::clone(&block.name));
        self.names.remove(&key);
        self.dropped.insert(key, drop.span);
    }
}
