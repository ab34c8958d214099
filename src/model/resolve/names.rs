//! Blocks, their names and what stands in them; nothing is evaluated but waivers.

use std::sync::Arc;

use crate::base::code::Code;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::model::accept::is_forbidden;
use crate::model::block::{Bindings, Block, Origin, SetBy, Slot, Waiver};
use crate::model::eval::{Eval, Scope};
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::problems;
use crate::model::schema::{self, Format, Group, SubBlock, SubShape};
use crate::model::value::Value;
use crate::syntax::ast;

use super::environment::{BASE, environment_named};
use super::{Let, Resolver, address, illegal, label_span, scope};

impl<'a> Resolver<'a> {
    pub(super) fn collect(&mut self, files: &'a [ast::File]) {
        self.problems.extend(scope::hidden_words(self.sources, files));
        for file in files {
            if !file.doc.is_empty() {
                self.doc =
                    [std::mem::take(&mut self.doc), doc_text(self.sources, &file.doc)].join("\n").trim().to_string();
            }
        }
        // Ids follow kind and name, so that no output depends on the order of files and blocks. The sort is stable:
        // of two blocks with one name the first stays the first.
        let mut blocks: Vec<(Kind, &str, &'a ast::Block)> = Vec::new();
        for block in files.iter().flat_map(|file| &file.blocks) {
            blocks.extend(self.known(block).map(|kind| (kind, &self.sources[label_span(block)], block)));
        }
        blocks.sort_by_key(|(kind, name, _)| (*kind, *name));
        blocks.into_iter().for_each(|(kind, _, block)| self.collect_block(kind, block));
    }

    /// The kind of a block at top level, when it is one.
    fn known(&mut self, block: &'a ast::Block) -> Option<Kind> {
        let sources = self.sources;
        let word = &sources[block.kind];
        let known = schema::top_level(word);
        if known.is_none() {
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
        }
        known
    }

    fn collect_block(&mut self, kind: Kind, block: &'a ast::Block) {
        if let (Some(repeat), Kind::Let | Kind::Environment) = (&block.repeat, kind) {
            return self.problems.push(problems::no_loop(kind.schema().word, repeat.variable));
        }
        if kind == Kind::Let {
            return self.collect_lets(block);
        }
        let Some(name) = self.name_of(block, kind.schema().word) else { return };
        if kind == Kind::Environment && name == BASE {
            return self.problems.push(problems::base_environment(label_span(block)));
        }
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

    pub(super) fn name_of(&mut self, block: &'a ast::Block, word: &str) -> Option<&'a str> {
        let sources = self.sources;
        match &block.label {
            // What is no name has been said by the parser.
            Some(ast::Label::Name(span)) => Some(&sources[*span]).filter(|name| illegal(name).is_none()),
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
    pub(super) fn add(
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
        let renamed = self.blocks[id.index()].was.clone().zip(family.as_deref());
        if let Some((was, rest)) = renamed.and_then(|(was, family)| Some((was, name.strip_prefix(family)?))) {
            self.blocks[id.index()].was = Some(Arc::from(format!("{was}{rest}")));
        }
        self.blocks[id.index()].family = family;
        self.names.insert((kind, name), id);
        self.by_kind.entry(kind).or_default().insert(id);
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
        let was = self.old_name(block, kind);
        self.blocks.push(Block {
            kind,
            name,
            family: None,
            was,
            parent,
            origin: Origin::Package,
            place,
            doc: Arc::from(doc_text(self.sources, &block.doc)),
            slots: Vec::with_capacity(block.items.len()),
            children: Vec::new(),
            bindings: Arc::clone(&bindings),
            repeat: None,
            waivers,
            row: None,
        });
        for item in &block.items {
            match item {
                ast::Item::Attribute(attribute) => match kind.schema().keyed() {
                    Some(sub) if kind.schema().attribute(&self.sources[attribute.name]).is_none() => {
                        self.build_key(id, sub, attribute, &bindings);
                    }
                    Some(_) | None => self.build_attribute(id, attribute),
                },
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
        let written = environment_named(sources, &attribute.value).filter(|(written, _)| *written == BASE);
        if self.blocks[id.index()].kind == Kind::Environment && row.name == "extends" && written.is_some() {
            // Every environment starts from the package as written.
            return;
        }
        let waivers = self.waivers(&attribute.annotations, Some(row.name));
        for annotation in attribute.annotations.iter().filter(|annotation| sources[annotation.name] == *"was") {
            self.problems.push(problems::bad_rename(annotation.span, "an attribute cannot be renamed"));
        }
        let doc = (!attribute.doc.is_empty()).then(|| Arc::from(doc_text(sources, &attribute.doc)));
        let slot = as_written(sources, attribute, position, doc);
        let block = &mut self.blocks[id.index()];
        block.waivers.extend(waivers);
        if let Some(first) = block.put(slot) {
            let first_name = first.name;
            block.put(first);
            self.problems.push(problems::duplicate_attribute(name, attribute.name, first_name));
        }
    }

    /// A key of another program: a block of its own, so that it has a place and an address.
    fn build_key(&mut self, parent: BlockId, sub: &SubBlock, attribute: &'a ast::Attribute, bindings: &Bindings) {
        let sources = self.sources;
        let name = &sources[attribute.name];
        let children = &self.blocks[parent.index()].children;
        if let Some(twin) = children.iter().copied().find(|child| *self.blocks[child.index()].name == *name) {
            let first = self.blocks[twin.index()].place;
            self.problems.push(problems::duplicate_attribute(name, attribute.name, first));
            return;
        }
        let id = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        let waivers = self.waivers(&attribute.annotations, Some("value"));
        self.blocks.push(Block {
            kind: sub.kind,
            name: Arc::from(name),
            was: None,
            family: None,
            parent: Some(parent),
            origin: Origin::Package,
            place: attribute.name,
            doc: Arc::from(doc_text(sources, &attribute.doc)),
            slots: vec![as_written(sources, attribute, 0, None)],
            children: Vec::new(),
            bindings: Arc::clone(bindings),
            repeat: None,
            waivers,
            row: None,
        });
        self.blocks[parent.index()].children.push(id);
    }

    fn build_child(&mut self, parent: BlockId, inner: &'a ast::Block, bindings: &Bindings) {
        if inner.repeat.is_some() {
            return self.pending_children.push((parent, inner, Arc::clone(bindings)));
        }
        self.build_one_child(parent, inner, bindings, None);
    }

    /// A block inside another; `made` is the name that a loop gives it.
    pub(super) fn build_one_child(
        &mut self,
        parent: BlockId,
        inner: &'a ast::Block,
        bindings: &Bindings,
        made: Option<Arc<str>>,
    ) {
        let sources = self.sources;
        let word = &sources[inner.kind];
        let schema = self.blocks[parent.index()].kind.schema();
        let Some(sub) = schema.block(word) else {
            let legal = schema.blocks.iter().map(|sub| sub.word).collect();
            self.problems.push(problems::misplaced_block(word, inner.kind, Some(schema.word), legal));
            return;
        };
        let Some((name, label)) = self.child_label(inner, sub) else { return };
        let name = made.unwrap_or(name);
        let place = inner.kind.to(label_span(inner));
        let twin = self.blocks[parent.index()].children.iter().copied().find(|child| {
            let child = &self.blocks[child.index()];
            child.kind == sub.kind && child.name == name
        });
        if let Some(twin) = twin {
            let first = self.blocks[twin.index()].place;
            self.problems.push(match sub.shape {
                SubShape::Single => problems::two_blocks(word, place, first),
                SubShape::Named | SubShape::Addressed | SubShape::Keyed => {
                    problems::duplicate_name(word, &name, place, first)
                }
            });
            return;
        }
        let id = self.build(inner, sub.kind, name, Some(parent), Arc::clone(bindings), place);
        self.labels.extend(label.map(|path| (id, path)));
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
            (SubShape::Named | SubShape::Keyed, _) => self.name_of(inner, sub.word).map(|name| (Arc::from(name), None)),
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
    pub(super) fn label_slot(&mut self, id: BlockId, path: &'a ast::Path) {
        let Some((position, row)) = self.blocks[id.index()].kind.schema().attribute("of") else { return };
        let value = Eval::new(self.sources, self).path_value(path);
        let what = format!("`{}`", self.blocks[id.index()].kind.schema().word);
        let value = self.accepted(value, &row.ty, &what, path.span);
        let slot = Slot::known(position, value, path.span, SetBy::Block);
        self.blocks[id.index()].put(slot);
    }

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

    /// The name that a block had before, as `@was` says it. A block that a loop makes gets the rest of its name later.
    fn old_name(&mut self, block: &'a ast::Block, kind: Kind) -> Option<Arc<str>> {
        let sources = self.sources;
        let mut all = block.annotations.iter().filter(|annotation| sources[annotation.name] == *"was");
        let annotation = all.next()?;
        let named = kind.schema().group != Group::Sub || matches!(block.label, Some(ast::Label::Name(_)));
        let refusal = match (annotation.arguments.as_slice(), all.next()) {
            (_, Some(_)) => "a block has one old name",
            _ if !named => "this block has no name",
            ([ast::Argument { key: None, value }], None) => {
                match Eval::new(sources, self).value(value, &Scope::new(&[])) {
                    Value::Text(name) if illegal(&name).is_none() => return Some(name),
                    Value::Poison => return None,
                    _ => "it takes a name",
                }
            }
            _ => "it takes one name",
        };
        self.problems.push(problems::bad_rename(annotation.span, refusal));
        None
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
}

/// An attribute as its block has it, before anything is worked out.
fn as_written<'a>(sources: &Sources, attribute: &'a ast::Attribute, position: u16, doc: Option<Arc<str>>) -> Slot<'a> {
    Slot {
        attribute: position,
        name: attribute.name,
        place: attribute.value.span,
        expr: Some(&attribute.value),
        bindings: None,
        value: None,
        busy: false,
        set_by: SetBy::Block,
        locked: attribute.annotations.iter().any(|annotation| &sources[annotation.name] == "locked"),
        doc,
    }
}

/// `##` lines as text: without the marks and without characters that a text must not have, joined by line breaks.
fn doc_text(sources: &Sources, lines: &[Span]) -> String {
    let forbidden = |character| is_forbidden(character, Format::Line);
    let text = |span: &Span| sources[*span].trim_start_matches('#').replace(forbidden, " ").trim().to_string();
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}
