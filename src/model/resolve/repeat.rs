//! Blocks with `for`: one block for each item.

use std::sync::Arc;

use crate::model::block::{Bindings, Block};
use crate::model::eval::{Eval, Scope};
use crate::model::problems;
use crate::model::schema::{self, SubShape};
use crate::model::value::Value;
use crate::syntax::ast;

use super::{Resolver, illegal};

/// Steps that it takes to make a block without anything in it.
const STEPS_A_BLOCK: u64 = 20;

/// Bytes of a block that are made in a step.
const BYTES_A_STEP: u64 = 4;

impl<'a> Resolver<'a> {
    pub(super) fn multiply(&mut self) {
        for (block, kind) in std::mem::take(&mut self.pending) {
            let Some(repeat) = &block.repeat else { continue };
            let sources = self.sources;
            let variable = &sources[repeat.variable];
            let Some(items) = Eval::new(sources, self).iterated(&repeat.list, &Scope::new(&[])) else { continue };
            let Some(family) = self.name_of(block, kind.schema().word) else { continue };
            let family: Arc<str> = Arc::from(family);
            for (name, item) in self.instances(block, repeat, &family, items) {
                let bindings: Bindings = Arc::from([(Arc::from(variable), item)]);
                if let Some(id) = self.add(block, kind, name, Some(Arc::clone(&family)), bindings) {
                    self.families.entry((kind, Arc::clone(&family))).or_default().push(id);
                }
            }
        }
        self.multiply_children();
    }

    /// A legal name for each item of a loop, as far as the work of building its blocks can be afforded.
    fn instances(
        &mut self,
        block: &ast::Block,
        repeat: &ast::For,
        family: &str,
        items: Vec<Value>,
    ) -> Vec<(Arc<str>, Value)> {
        let bytes = (block.span.end() - block.span.start()) as u64;
        let steps = STEPS_A_BLOCK + bytes / BYTES_A_STEP;
        let mut instances = Vec::new();
        for item in items {
            if !Eval::new(self.sources, self).affords(steps, repeat.list.span) {
                break;
            }
            let name = format!("{family}-{}", slug(&item, &self.blocks));
            match illegal(&name) {
                Some(why) => self.problems.push(problems::illegal_name(&name, repeat.list.span, why)),
                None => instances.push((Arc::from(name), item)),
            }
        }
        instances
    }

    /// Loops inside other blocks; what they make may have loops inside again.
    fn multiply_children(&mut self) {
        let sources = self.sources;
        while !self.pending_children.is_empty() {
            for (parent, block, outer) in std::mem::take(&mut self.pending_children) {
                let Some(repeat) = &block.repeat else { continue };
                let word = &sources[block.kind];
                let named = |sub: &schema::SubBlock| sub.shape == SubShape::Named;
                if self.blocks[parent.index()].kind.schema().block(word).is_some_and(|sub| !named(sub)) {
                    self.problems.push(problems::no_loop(word, repeat.variable));
                    continue;
                }
                let Some(items) = Eval::new(sources, self).iterated(&repeat.list, &Scope::new(&outer)) else {
                    continue;
                };
                let Some(family) = self.name_of(block, word) else { continue };
                for (name, item) in self.instances(block, repeat, family, items) {
                    let variable = (Arc::from(&sources[repeat.variable]), item);
                    let bindings: Bindings = outer.iter().cloned().chain([variable]).collect();
                    self.build_one_child(parent, block, &bindings, Some(name));
                }
            }
        }
    }
}

/// A value as the end of a name.
fn slug(value: &Value, blocks: &[Block<'_>]) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        // Without the underscores that people read large numbers by: names have none.
        Value::Quantity(quantity) if quantity.dimension.is_none() => quantity.value.to_string(),
        Value::Word(word) => word.to_lowercase(),
        Value::Block(id) => blocks[id.index()].name.to_string(),
        other => other.to_string(),
    }
}
