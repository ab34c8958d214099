//! What an expression can see after sizing: the model with every `auto` solved and every figure.

use std::sync::Arc;

use crate::base::diagnostic::Diagnostic;
use crate::base::number::Number;
use crate::base::quantity::Quantity;
use crate::base::span::Span;
use crate::model::Model;
use crate::model::block::{Block, Origin};
use crate::model::effort::Effort;
use crate::model::eval::{Found, See};
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::schema::{self, Derived};
use crate::model::value::Value;

use super::Plan;
use super::figure::{Estimate, Figure};

/// A view of the plan for `check`, `rule` and their messages.
pub struct Reader<'p> {
    plan: &'p Plan<'p>,
    effort: &'p Effort,
    depth: usize,
    problems: Vec<Diagnostic>,
}

impl<'p> Reader<'p> {
    /// A view of a plan; what is evaluated through it draws on `effort`.
    pub fn new(plan: &'p Plan<'p>, effort: &'p Effort) -> Reader<'p> {
        Reader { plan, effort, depth: 0, problems: Vec::new() }
    }

    /// What was wrong with the expressions so far.
    pub fn take_problems(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.problems)
    }

    fn model(&self) -> &'p Model<'p> {
        &self.plan.model
    }

    fn figure(&self, id: BlockId, attribute: &str) -> Value {
        match self.plan.figures.get(id, attribute) {
            Some(Estimate::Known(figure)) => quantity(figure),
            Some(Estimate::Unknown(why)) => Value::Tbd(Arc::clone(why)),
            None => Value::Tbd(Arc::from(format!("nothing computes `{}.{attribute}`", self.model().address(id)))),
        }
    }
}

/// A figure as a value of the language.
pub fn quantity(figure: &Figure) -> Value {
    match Number::from_f64(figure.value) {
        Some(value) => Value::Quantity(Quantity::computed(value, figure.unit)),
        None => Value::Tbd(Arc::from("the figure has no end")),
    }
}

impl See for Reader<'_> {
    fn block(&self, id: BlockId) -> &Block<'_> {
        self.model().block(id)
    }

    fn find(&self, kind: Kind, name: &str) -> Found {
        match (self.model().find(kind, name), self.model().family(kind, name)) {
            (Some(id), _) => Found::One(id),
            (None, Some(ids)) => Found::Family(ids.to_vec()),
            (None, None) => self.model().dropped(kind, name).map_or(Found::Nothing, Found::Dropped),
        }
    }

    fn meant(&self, first: &str, second: Option<&str>) -> Vec<String> {
        self.model().meant(first, second)
    }

    fn all(&self, kind: Kind) -> Vec<BlockId> {
        self.model().blocks_of(kind).to_vec()
    }

    fn attribute(&mut self, id: BlockId, position: u16, _: Span) -> Value {
        let name = self.model().block(id).attribute(position).name;
        match self.model().value(id, name) {
            Value::Auto => self.figure(id, name),
            value => value,
        }
    }

    fn derived(&mut self, id: BlockId, derived: &'static Derived, _: Span) -> Value {
        self.figure(id, derived.name)
    }

    fn let_value(&mut self, name: &str, _: Span) -> Option<Value> {
        self.model().let_value(name).cloned()
    }

    fn let_names(&self) -> Vec<String> {
        self.model().let_names()
    }

    fn entry(&mut self, kind: &str, id: &str) -> Option<BlockId> {
        let kind = schema::top_level(kind)?;
        let mut entries = self.model().all_blocks().filter(|(_, block)| block.origin == Origin::Catalogue);
        entries.find(|(_, block)| block.kind == kind && &*block.name == id).map(|(block, _)| block)
    }

    fn entries(&self, kind: &str) -> Vec<&'static str> {
        self.model().catalogue.ids(kind).collect()
    }

    fn address(&self, id: BlockId) -> String {
        self.model().address(id)
    }

    fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    fn depth(&mut self) -> &mut usize {
        &mut self.depth
    }

    fn effort(&self) -> &Effort {
        self.effort
    }
}
