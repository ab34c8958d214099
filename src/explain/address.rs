//! The chain of reasons from a figure or attribute down to the lines of the source.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::base::phrase;
use crate::base::span::Span;
use crate::model::Model;
use crate::model::block::{Origin, SetBy};
use crate::model::ids::BlockId;
use crate::plan::Plan;
use crate::plan::figure::{Estimate, Figure, Reason};

/// How far the chain is followed.
const DEPTH: usize = 12;

/// What became of a question.
pub enum Explanation {
    /// The answer.
    Found(String),
    /// There is no such thing; perhaps this was meant.
    Missing(Option<String>),
}

/// Explains an address: a figure or attribute with what it came from, or a block with everything in it.
pub fn explain(plan: &Plan<'_>, address: &str) -> Explanation {
    let blocks: Vec<(String, BlockId)> = plan.model.all_blocks().map(|(id, _)| (plan.model.address(id), id)).collect();
    let mut walk = Walk { plan, seen: BTreeSet::new(), text: String::new() };
    if let Some((_, id)) = blocks.iter().find(|(known, _)| known == address) {
        walk.block(*id);
        return Explanation::Found(walk.text);
    }
    if let Some((known, attribute)) = address.rsplit_once('.')
        && let Some((_, id)) = blocks.iter().find(|(name, _)| name == known)
    {
        if let Some(name) = names(plan, *id).find(|name| *name == attribute) {
            walk.of(*id, name, 0);
            return Explanation::Found(walk.text);
        }
        let near = phrase::nearest(attribute, names(plan, *id)).map(|name| format!("{known}.{name}"));
        return Explanation::Missing(near);
    }
    Explanation::Missing(phrase::nearest(address, blocks.iter().map(|(name, _)| name.as_str())).map(str::to_string))
}

/// What a block can be asked for.
fn names<'p>(plan: &'p Plan<'_>, id: BlockId) -> impl Iterator<Item = &'static str> + 'p {
    let schema = plan.model.block(id).kind.schema();
    let derived = schema.derived.iter().map(|row| row.name);
    schema.attributes.iter().map(|row| row.name).chain(derived).chain(plan.figures.of(id).map(|(name, _)| name))
}

struct Walk<'p> {
    plan: &'p Plan<'p>,
    /// What has been explained: a second mention is not followed again.
    seen: BTreeSet<(BlockId, &'static str)>,
    text: String,
}

impl Walk<'_> {
    /// A block: where it is, what is written in it, its figures.
    fn block(&mut self, id: BlockId) {
        let plan = self.plan;
        let block = plan.model.block(id);
        self.line(0, &format!("{}{}", plan.model.address(id), origin(&plan.model, id)));
        for slot in &block.slots {
            let name = block.attribute(slot.attribute).name;
            if plan.figures.get(id, name).is_none() {
                self.attribute(id, name, 1);
            }
        }
        for (name, _) in plan.figures.of(id) {
            self.of(id, name, 1);
        }
    }

    /// A figure with its reasons, or an attribute with its place.
    fn of(&mut self, id: BlockId, name: &'static str, depth: usize) {
        match self.plan.figures.get(id, name) {
            None if self.plan.model.block(id).kind.schema().derived(name).is_some() => {
                let address = self.plan.model.address(id);
                self.line(depth, &format!("{address}.{name} is unknown: nothing computes it for this block"));
            }
            None => self.attribute(id, name, depth),
            Some(Estimate::Unknown(why)) => {
                let address = self.plan.model.address(id);
                self.line(depth, &format!("{address}.{name} is unknown: {why}"));
                if let Some(part) = self.plan.figures.part_of(id, name) {
                    self.chain(id, name, part, depth);
                }
            }
            Some(Estimate::Known(figure)) => self.figure(id, name, figure, depth),
        }
    }

    fn figure(&mut self, id: BlockId, name: &'static str, figure: &Figure, depth: usize) {
        let bar = figure.bar().map_or(String::new(), |bar| format!(" ({bar})"));
        let address = self.plan.model.address(id);
        self.line(depth, &format!("{address}.{name} = {}{bar}, {}", figure.show(), figure.basis.word()));
        self.chain(id, name, figure, depth);
    }

    /// What a figure came from.
    fn chain(&mut self, id: BlockId, name: &'static str, figure: &Figure, depth: usize) {
        if !self.seen.insert((id, name)) || depth >= DEPTH {
            if !figure.because.is_empty() {
                self.line(depth + 1, "(see above)");
            }
            return;
        }
        if !figure.formula.is_empty() {
            self.line(depth + 1, figure.formula);
        }
        for reason in &figure.because {
            self.reason(reason, (id, name), depth + 1);
        }
    }

    fn reason(&mut self, reason: &Reason, of: (BlockId, &'static str), depth: usize) {
        match reason {
            Reason::Of(id, name) if (*id, *name) == of => self.attribute(*id, name, depth),
            Reason::Of(id, name) => self.of(*id, name, depth),
            Reason::Block(id) => {
                self.line(depth, &format!("{}{}", self.plan.model.address(*id), origin(&self.plan.model, *id)));
            }
            Reason::Constant(one) => self.line(depth, &format!("{} = {}: {}", one.name, one.value, one.source)),
            Reason::Note(text) => self.line(depth, text),
        }
    }

    /// An attribute: its value, and who said so.
    fn attribute(&mut self, id: BlockId, name: &str, depth: usize) {
        let model = &self.plan.model;
        let id = model.says(id, name);
        let value = phrase::excerpt(&model.show(&model.value(id, name)), 100);
        let block = model.block(id);
        let slot = block.kind.schema().attribute(name).and_then(|(position, _)| block.slot(position));
        let said = match slot.map(|slot| (&slot.set_by, slot.place)) {
            None => String::from("  (default)"),
            Some((SetBy::Block, span)) => at(model, span),
            Some((SetBy::Environment(environment), span)) => format!("{} (environment {environment})", at(model, span)),
            Some((SetBy::CommandLine, _)) => String::from("  (--set)"),
            Some((SetBy::Catalogue(_), _)) => {
                model.fact_source(id, name).map_or(String::new(), |source| format!("  ({})", source.title))
            }
        };
        self.line(depth, &format!("{}.{name} = {value}{said}", model.address(id)));
    }

    fn line(&mut self, depth: usize, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(self.text, "{}{}", "  ".repeat(depth), text.trim_end());
    }
}

/// `  main.aip:62`.
fn at(model: &Model<'_>, span: Span) -> String {
    let source = span.source().and_then(|id| model.sources.get(id));
    match (source, model.sources.position(span)) {
        (Some(source), Some(position)) => format!("  {}:{}", source.path, position.line),
        (Some(_) | None, None) | (None, Some(_)) => String::new(),
    }
}

/// Where a block comes from.
fn origin(model: &Model<'_>, id: BlockId) -> String {
    match model.block(id).origin {
        Origin::Package => at(model, model.block(id).place),
        Origin::Catalogue => String::from("  (catalogue)"),
    }
}
