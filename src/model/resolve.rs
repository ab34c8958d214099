//! From trees to the model: names first, then settings, then values, each value when something asks for it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Diagnostics};
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::catalog::Catalogue;
use crate::syntax::ast;

use super::accept::{self, Blocks};
use super::block::{Bindings, Block, Origin, SetBy, Slot, Waiver};
use super::eval::{Eval, Found, Scope, See};
use super::facts;
use super::ids::BlockId;
use super::kinds::{Fields, Kind, Tables};
use super::problems;
use super::schema::{self, Attribute, Derived, Format, Group, Mode, SubBlock, SubShape, Type};
use super::value::Value;
use super::{Model, OpenPoint};

/// The most characters of a name.
const MAX_NAME: usize = 40;

/// What the command line adds to the package.
#[derive(Debug, Default)]
pub struct Settings<'a, 'f> {
    /// `--env`; without it the package as written.
    pub environment: Option<&'a str>,
    /// `--set`, already parsed.
    pub set: &'a [ast::Set],
    /// What sizing found, for strings that show it, by address: `fabric.compute.leaf_switches`. Absent the first time;
    /// when [`Model::wants_figures`] says so, the package is resolved again with them.
    pub figures: Option<&'f HashMap<String, Value>>,
}

/// Resolves a package.
pub fn resolve<'a>(
    sources: &'a Sources,
    files: &'a [ast::File],
    settings: &Settings<'a, '_>,
    catalogue: &'a Catalogue,
) -> (Model<'a>, Diagnostics) {
    let mut resolver = Resolver::new(sources, catalogue, settings.figures.cloned());
    resolver.collect(files);
    resolver.apply_environment(settings);
    resolver.multiply();
    resolver.evaluate();
    resolver.finish()
}

/// A name in a `let` block.
struct Let<'a> {
    expr: &'a ast::Expr,
    name: Span,
    value: Option<Value>,
    busy: bool,
}

/// What is being evaluated, to show a circle when one closes.
#[derive(Clone)]
struct Step {
    label: String,
    at: Span,
}

struct Resolver<'a> {
    sources: &'a Sources,
    catalogue: &'a Catalogue,
    blocks: Vec<Block<'a>>,
    names: HashMap<(Kind, Arc<str>), BlockId>,
    families: HashMap<(Kind, Arc<str>), Vec<BlockId>>,
    dropped: HashMap<(Kind, Arc<str>), Span>,
    entries: HashMap<(Kind, Arc<str>), BlockId>,
    lets: HashMap<&'a str, Let<'a>>,
    /// Blocks with `for`, until they are multiplied.
    pending: Vec<(&'a ast::Block, Kind)>,
    environments: Vec<(Arc<str>, &'a ast::Block)>,
    /// The package as a document: `##` lines before the first block.
    doc: String,
    steps: Vec<Step>,
    depth: usize,
    figures: Option<HashMap<String, Value>>,
    /// True while free text is evaluated: it may show figures, everything else is what sizing starts from.
    in_text: bool,
    wants_figures: bool,
    problems: Diagnostics,
}

impl<'a> Resolver<'a> {
    fn new(sources: &'a Sources, catalogue: &'a Catalogue, figures: Option<HashMap<String, Value>>) -> Resolver<'a> {
        Resolver {
            sources,
            catalogue,
            blocks: Vec::new(),
            names: HashMap::new(),
            families: HashMap::new(),
            dropped: HashMap::new(),
            entries: HashMap::new(),
            lets: HashMap::new(),
            pending: Vec::new(),
            environments: Vec::new(),
            doc: String::new(),
            steps: Vec::new(),
            depth: 0,
            figures,
            in_text: false,
            wants_figures: false,
            problems: Diagnostics::new(),
        }
    }

    // Names.

    fn collect(&mut self, files: &'a [ast::File]) {
        for file in files {
            if !file.doc.is_empty() {
                self.doc =
                    [std::mem::take(&mut self.doc), doc_text(self.sources, &file.doc)].join("\n").trim().to_string();
            }
            for block in &file.blocks {
                self.collect_block(block);
            }
        }
    }

    fn collect_block(&mut self, block: &'a ast::Block) {
        let sources = self.sources;
        let word = &sources[block.kind];
        let Some(kind) = schema::top_level(word) else {
            let inside = Kind::ALL
                .iter()
                .map(|kind| kind.schema())
                .any(|schema| schema.group == Group::Sub && schema.word == word);
            let legal: Vec<&str> = schema::top_level_words().collect();
            self.problems.push(if inside {
                problems::misplaced_block(word, block.kind, None, Vec::new())
            } else {
                problems::unknown_kind(word, block.kind, legal)
            });
            return;
        };
        if kind == Kind::Let {
            return self.collect_lets(block);
        }
        let Some(name) = self.name_of(block, word) else { return };
        if kind == Kind::Environment {
            self.environments.push((Arc::from(name), block));
        }
        if block.repeat.is_some() && kind != Kind::Rule {
            return self.pending.push((block, kind));
        }
        if let Some(id) = self.add(block, kind, Arc::from(name), None, Arc::from([])) {
            self.blocks[id.index()].repeat = block.repeat.as_ref();
        }
    }

    fn name_of(&mut self, block: &'a ast::Block, word: &str) -> Option<&'a str> {
        let sources = self.sources;
        match &block.label {
            Some(ast::Label::Name(span)) => {
                let name = &sources[*span];
                match illegal(name) {
                    None => Some(name),
                    Some(why) => {
                        self.problems.push(problems::illegal_name(name, *span, why));
                        None
                    }
                }
            }
            Some(ast::Label::Address(path)) => {
                self.problems.push(problems::bad_label(word, path.span, "a name, not an address"));
                None
            }
            None => {
                self.problems.push(problems::bad_label(
                    word,
                    block.kind,
                    &format!("a name: `{word} some-name {{ … }}`"),
                ));
                None
            }
        }
    }

    fn collect_lets(&mut self, block: &'a ast::Block) {
        let sources = self.sources;
        if let Some(ast::Label::Name(span)) = &block.label {
            self.problems.push(problems::bad_label("let", *span, "no name: `let { racks = 4 }`"));
        }
        for item in &block.items {
            match item {
                ast::Item::Attribute(attribute) => {
                    let name = &sources[attribute.name];
                    let entry = Let { expr: &attribute.value, name: attribute.name, value: None, busy: false };
                    if let Some(first) = self.lets.get(name) {
                        let problem = problems::duplicate_attribute(name, attribute.name, first.name);
                        self.problems.push(problem);
                    } else {
                        self.lets.insert(name, entry);
                    }
                }
                ast::Item::Block(inner) => {
                    let word = &sources[inner.kind];
                    self.problems.push(problems::misplaced_block(word, inner.kind, Some("let"), Vec::new()));
                }
                ast::Item::Set(set) => self.problems.push(problems::misplaced_item("set", set.span)),
                ast::Item::Drop(drop) => self.problems.push(problems::misplaced_item("drop", drop.span)),
            }
        }
    }

    /// Adds a named block of the top level; nothing when its name is taken.
    fn add(
        &mut self,
        block: &'a ast::Block,
        kind: Kind,
        name: Arc<str>,
        family: Option<Arc<str>>,
        bindings: Bindings,
    ) -> Option<BlockId> {
        let at = block.kind.to(label_span(block));
        if let Some(&first) = self.names.get(&(kind, Arc::clone(&name))) {
            let first = self.blocks[first.index()].place;
            self.problems.push(problems::duplicate_name(kind.schema().word, &name, at, first));
            return None;
        }
        let id = self.build(block, kind, Arc::clone(&name), None, bindings, at);
        self.blocks[id.index()].family = family;
        self.names.insert((kind, name), id);
        Some(id)
    }

    fn build(
        &mut self,
        block: &'a ast::Block,
        kind: Kind,
        name: Arc<str>,
        parent: Option<BlockId>,
        bindings: Bindings,
        place: Span,
    ) -> BlockId {
        let id = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        let waivers = self.waivers(&block.annotations, None);
        self.blocks.push(Block {
            kind,
            name,
            family: None,
            parent,
            origin: Origin::Package,
            place,
            doc: Arc::from(doc_text(self.sources, &block.doc)),
            slots: Vec::new(),
            children: Vec::new(),
            bindings: Arc::clone(&bindings),
            repeat: None,
            waivers,
            row: None,
        });
        for item in &block.items {
            match item {
                ast::Item::Attribute(attribute) => self.build_attribute(id, attribute),
                ast::Item::Block(inner) => self.build_child(id, inner, &bindings),
                ast::Item::Set(_) | ast::Item::Drop(_) if kind == Kind::Environment => {}
                ast::Item::Set(set) => self.problems.push(problems::misplaced_item("set", set.span)),
                ast::Item::Drop(drop) => self.problems.push(problems::misplaced_item("drop", drop.span)),
            }
        }
        id
    }

    fn build_attribute(&mut self, id: BlockId, attribute: &'a ast::Attribute) {
        let sources = self.sources;
        let name = &sources[attribute.name];
        let schema = self.blocks[id.index()].kind.schema();
        let Some((position, row)) = schema.attribute(name) else {
            let address = format!("{}.{name}", address(&self.blocks, id));
            let legal: Vec<&str> = schema.attributes.iter().map(|row| row.name).collect();
            self.problems.push(match schema.derived(name) {
                Some(_) => problems::writes_derived(&address, attribute.name),
                None => problems::unknown_attribute(schema.word, name, attribute.name, legal),
            });
            return;
        };
        let waivers = self.waivers(&attribute.annotations, Some(row.name));
        let slot = Slot {
            attribute: position,
            name: attribute.name,
            place: attribute.value.span,
            expr: Some(&attribute.value),
            bindings: None,
            value: None,
            busy: false,
            set_by: SetBy::Block,
            locked: attribute.annotations.iter().any(|annotation| &sources[annotation.name] == "locked"),
            doc: (!attribute.doc.is_empty()).then(|| Arc::from(doc_text(sources, &attribute.doc))),
        };
        let block = &mut self.blocks[id.index()];
        block.waivers.extend(waivers);
        if let Some(first) = block.put(slot) {
            let first_name = first.name;
            block.put(first);
            self.problems.push(problems::duplicate_attribute(name, attribute.name, first_name));
        }
    }

    fn build_child(&mut self, parent: BlockId, inner: &'a ast::Block, bindings: &Bindings) {
        let sources = self.sources;
        let word = &sources[inner.kind];
        let schema = self.blocks[parent.index()].kind.schema();
        let Some(sub) = schema.block(word) else {
            let legal = schema.blocks.iter().map(|sub| sub.word).collect();
            self.problems.push(problems::misplaced_block(word, inner.kind, Some(schema.word), legal));
            return;
        };
        let Some((name, label)) = self.child_label(inner, sub) else { return };
        let place = inner.kind.to(label_span(inner));
        let twin = self.blocks[parent.index()].children.iter().copied().find(|child| {
            let child = &self.blocks[child.index()];
            child.kind == sub.kind && child.name == name
        });
        if let Some(twin) = twin {
            let first = self.blocks[twin.index()].place;
            self.problems.push(match sub.shape {
                SubShape::Single => problems::two_blocks(word, place, first),
                SubShape::Named | SubShape::Addressed => problems::duplicate_name(word, &name, place, first),
            });
            return;
        }
        let id = self.build(inner, sub.kind, name, Some(parent), Arc::clone(bindings), place);
        if let Some(path) = label {
            self.label_slot(id, path);
        }
        self.blocks[parent.index()].children.push(id);
    }

    /// The name of a sub-block, and its address when that is what it has.
    fn child_label(&mut self, inner: &'a ast::Block, sub: &SubBlock) -> Option<(Arc<str>, Option<&'a ast::Path>)> {
        let sources = self.sources;
        match (sub.shape, &inner.label) {
            (SubShape::Single, None) => Some((Arc::from(sub.word), None)),
            (SubShape::Single, Some(_)) => {
                self.problems.push(problems::bad_label(
                    sub.word,
                    label_span(inner),
                    &format!("no name: `{} {{ … }}`", sub.word),
                ));
                None
            }
            (SubShape::Named, _) => self.name_of(inner, sub.word).map(|name| (Arc::from(name), None)),
            (SubShape::Addressed, Some(ast::Label::Address(path))) => {
                Some((Arc::from(&sources[path.span]), Some(path)))
            }
            (SubShape::Addressed, _) => {
                let wanted = format!("the address of what it is for: `{} catalog.server.dgx-h100 {{ … }}`", sub.word);
                self.problems.push(problems::bad_label(sub.word, inner.kind.to(label_span(inner)), &wanted));
                None
            }
        }
    }

    /// The label of an addressed block is its attribute `of`.
    fn label_slot(&mut self, id: BlockId, path: &'a ast::Path) {
        let Some((position, row)) = self.blocks[id.index()].kind.schema().attribute("of") else { return };
        let value = Eval::new(self.sources, self).path_value(path);
        let what = format!("`{}`", self.blocks[id.index()].kind.schema().word);
        let value = self.accepted(value, &row.ty, &what, path.span);
        let slot = Slot::known(position, value, path.span, SetBy::Block);
        self.blocks[id.index()].put(slot);
    }

    // Annotations.

    fn waivers(&mut self, annotations: &'a [ast::Annotation], attribute: Option<&'static str>) -> Vec<Waiver> {
        let sources = self.sources;
        let mut waivers = Vec::new();
        for annotation in annotations {
            match &sources[annotation.name] {
                "allow" => waivers.extend(self.waiver(annotation, attribute)),
                "locked" | "was" => {}
                other => self.problems.push(problems::unknown_annotation(other, annotation.name)),
            }
        }
        waivers
    }

    fn waiver(&mut self, annotation: &'a ast::Annotation, attribute: Option<&'static str>) -> Option<Waiver> {
        let sources = self.sources;
        let (mut code, mut reason, mut until) = (None, None, None);
        for argument in &annotation.arguments {
            let value = Eval::new(sources, self).value(&argument.value, &Scope::new(&[]));
            match (argument.key.map(|key| &sources[key]), value) {
                (None, Value::Word(word)) => code = Code::parse(&word),
                (Some("reason"), Value::Text(text)) if !text.trim().is_empty() => reason = Some(text),
                (Some("until"), Value::Date(date)) => until = Some(date),
                (_, Value::Poison) => return None,
                _ => {
                    self.problems.push(problems::bad_waiver(argument.value.span, "such argument"));
                    return None;
                }
            }
        }
        let missing = match (&code, &reason) {
            (None, _) => "code",
            (_, None) => "reason",
            _ => "",
        };
        match (code, reason) {
            (Some(code), Some(reason)) => Some(Waiver { code, reason, until, attribute, place: annotation.span }),
            _ => {
                self.problems.push(problems::bad_waiver(annotation.span, missing));
                None
            }
        }
    }

    // Environments and settings.

    fn apply_environment(&mut self, settings: &Settings<'a, '_>) {
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
                let names: Vec<&str> =
                    self.names.keys().filter(|(known, _)| *known == kind).map(|(_, name)| &**name).collect();
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

    // Blocks with `for`.

    fn multiply(&mut self) {
        for (block, kind) in std::mem::take(&mut self.pending) {
            let Some(repeat) = &block.repeat else { continue };
            let sources = self.sources;
            let variable = &sources[repeat.variable];
            if schema::top_level(variable).is_some() {
                self.problems.push(problems::shadowing(variable, repeat.variable));
                continue;
            }
            let Some(items) = Eval::new(sources, self).iterated(&repeat.list, &Scope::new(&[])) else { continue };
            let Some(family) = self.name_of(block, kind.schema().word) else { continue };
            let family: Arc<str> = Arc::from(family);
            for item in items {
                let name = format!("{family}-{}", slug(&item, &self.blocks));
                if let Some(why) = illegal(&name) {
                    self.problems.push(problems::illegal_name(&name, repeat.list.span, why));
                    continue;
                }
                let bindings: Bindings = Arc::from([(Arc::from(variable), item)]);
                if let Some(id) = self.add(block, kind, Arc::from(name), Some(Arc::clone(&family)), bindings) {
                    self.families.entry((kind, Arc::clone(&family))).or_default().push(id);
                }
            }
        }
    }

    // Values.

    fn evaluate(&mut self) {
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
    fn live(&self) -> impl Iterator<Item = BlockId> {
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
    fn cell(&mut self, id: BlockId, position: u16, at: Span) -> Value {
        let Some(slot) = self.blocks[id.index()].slot(position) else { return self.default(id, position) };
        if let Some(value) = &slot.value {
            return value.clone();
        }
        let Some(expr) = slot.expr else { return Value::Poison };
        let row = self.blocks[id.index()].attribute(position);
        if matches!(row.ty, Type::Expression) {
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

    fn default(&self, id: BlockId, position: u16) -> Value {
        let row = self.blocks[id.index()].attribute(position);
        row.default.map_or(Value::Null, |text| facts::literal(text, &row.ty))
    }

    /// Holds a value against its attribute's row.
    fn checked(&mut self, id: BlockId, row: &'static Attribute, value: Value, at: Span) -> Value {
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

    fn accepted(&mut self, value: Value, ty: &Type, what: &str, at: Span) -> Value {
        match accept::accept(value, ty, what, at, self) {
            Ok(value) => value,
            Err(problem) => {
                self.problems.push(*problem);
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

    // Typed tables.

    fn finish(mut self) -> (Model<'a>, Diagnostics) {
        let mut tables = Tables::default();
        let mut open_points = Vec::new();
        // Catalogue entries may refer to further entries, which are added while the list is walked.
        let live: Vec<BlockId> = self.live().collect();
        for &id in &live {
            self.require(id);
            self.note_open(id, &mut open_points);
            let row = {
                let block = &self.blocks[id.index()];
                let values = |position: u16| match block.slot(position).map(|slot| &slot.value) {
                    Some(Some(value)) => value.clone(),
                    Some(None) => Value::Null,
                    None => self.default(id, position),
                };
                let children = |kind: Kind| {
                    block.children.iter().copied().filter(|child| self.blocks[child.index()].kind == kind).collect()
                };
                block.kind.store(&mut tables, &Fields { block: id, values: &values, children: &children })
            };
            self.blocks[id.index()].row = row;
        }
        self.check_platform();
        let mut by_kind: HashMap<Kind, Vec<BlockId>> = HashMap::new();
        for &id in &live {
            let block = &self.blocks[id.index()];
            if block.parent.is_none() && block.origin == Origin::Package {
                by_kind.entry(block.kind).or_default().push(id);
            }
        }
        let environments = self.environments.iter().map(|(name, _)| Arc::clone(name)).collect();
        let lets =
            self.lets.iter().filter_map(|(name, cell)| Some(((*name).to_string(), cell.value.clone()?))).collect();
        let model = Model {
            sources: self.sources,
            catalogue: self.catalogue,
            blocks: self.blocks,
            tables,
            names: self.names,
            families: self.families,
            by_kind,
            lets,
            environments,
            doc: self.doc,
            open_points,
            wants_figures: self.wants_figures,
        };
        (model, self.problems)
    }

    fn require(&mut self, id: BlockId) {
        let block = &self.blocks[id.index()];
        if block.kind == Kind::Let {
            return;
        }
        for (position, row) in (0u16..).zip(block.kind.schema().attributes) {
            if row.mode == Mode::Required && block.slot(position).is_none() {
                let address = address(&self.blocks, id);
                self.problems.push(problems::missing_attribute(&address, row.name, &row.ty.name(), block.place));
            }
        }
    }

    fn note_open(&self, id: BlockId, open: &mut Vec<OpenPoint>) {
        let block = &self.blocks[id.index()];
        for slot in &block.slots {
            if let Some(Value::Tbd(why)) = &slot.value {
                let attribute = block.attribute(slot.attribute).name;
                open.push(OpenPoint { block: id, attribute, why: Arc::clone(why), place: slot.place });
            }
        }
    }

    fn check_platform(&mut self) {
        match self.all(Kind::Platform).as_slice() {
            [] => self.problems.push(problems::no_platform()),
            [_] => {}
            [first, second, ..] => {
                let (first, second) = (self.blocks[first.index()].place, self.blocks[second.index()].place);
                self.problems.push(problems::two_platforms(second, first));
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

    fn all(&self, kind: Kind) -> Vec<BlockId> {
        let mut ids: Vec<BlockId> =
            self.names.iter().filter(|((known, _), _)| *known == kind).map(|(_, &id)| id).collect();
        ids.sort_unstable();
        ids
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
        let value = Eval::new(self.sources, self).value(expr, &Scope::new(&[]));
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
}

impl Blocks for Resolver<'_> {
    fn kind_word(&self, id: BlockId) -> &'static str {
        self.blocks[id.index()].kind.schema().word
    }

    fn named(&self, kinds: &[&'static str], name: &str) -> Option<String> {
        let fits = |kind: Kind| kinds.is_empty() || kinds.contains(&kind.schema().word);
        let mut found: Vec<String> = self
            .names
            .keys()
            .filter(|(kind, known)| &**known == name && fits(*kind))
            .map(|(kind, known)| format!("{}.{known}", kind.schema().word))
            .collect();
        found.sort();
        found.into_iter().next()
    }
}

/// The address of a block: `pool.train`, `cluster.hpc.partition.debug`, `quote.a.price(catalog.server.x)`.
pub(super) fn address(blocks: &[Block<'_>], id: BlockId) -> String {
    let block = &blocks[id.index()];
    let word = block.kind.schema().word;
    match block.parent {
        None if block.origin == Origin::Catalogue => format!("catalog.{word}.{}", block.name),
        None => format!("{word}.{}", block.name),
        Some(parent) => {
            let outer = address(blocks, parent);
            let sub = blocks[parent.index()].kind.schema().blocks.iter().find(|sub| sub.kind == block.kind);
            match sub.map(|sub| (sub.shape, sub.word)) {
                Some((SubShape::Single, word)) => format!("{outer}.{word}"),
                Some((SubShape::Addressed, word)) => format!("{outer}.{word}({})", block.name),
                Some((SubShape::Named, word)) => format!("{outer}.{word}.{}", block.name),
                None => outer,
            }
        }
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

fn label_span(block: &ast::Block) -> Span {
    match &block.label {
        Some(ast::Label::Name(span)) => *span,
        Some(ast::Label::Address(path)) => path.span,
        None => block.kind,
    }
}

/// `##` lines as text: without the marks, joined by line breaks.
fn doc_text(sources: &Sources, lines: &[Span]) -> String {
    let text = |span: &Span| sources[*span].trim_start_matches('#').trim().to_string();
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// A value as the end of a name.
fn slug(value: &Value, blocks: &[Block<'_>]) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Word(word) => word.to_lowercase(),
        Value::Block(id) => blocks[id.index()].name.to_string(),
        other => other.to_string(),
    }
}

/// Why a name is illegal, if it is.
fn illegal(name: &str) -> Option<&'static str> {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.len() > MAX_NAME {
        Some("it has more than 40 characters")
    } else if !name.chars().all(legal) {
        Some("it has other characters than lower-case letters, digits and hyphens")
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        Some("it does not start with a letter")
    } else if name.ends_with('-') || name.contains("--") {
        Some("its hyphens do not stand alone between letters or digits")
    } else {
        None
    }
}
