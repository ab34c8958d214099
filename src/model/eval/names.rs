//! What a name or path leads to.

use std::sync::Arc;

use crate::base::span::Span;
use crate::syntax::ast::{Expr, Path, Segment};

use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::problems;
use crate::model::schema::{self, Mode};
use crate::model::value::Value;

use super::{Eval, Found, Scope, Typed, single, top_level_words, whole};

impl Eval<'_, '_> {
    pub(super) fn path(&mut self, path: &Path, scope: &Scope<'_>) -> Typed {
        let Some(Segment::Name(first)) = path.segments.first() else { return Value::Poison.into() };
        let sources = self.sources;
        let word = &sources[*first];
        if let Some(value) = scope.get(word) {
            let value = self.copied(value.clone(), path.span);
            let known = Typed { value, ty: None, optional: true };
            return self.fields(known, &path.segments[1..], path.span, scope);
        }
        match (word, &path.segments[1..]) {
            (_, []) => Value::Word(Arc::from(word)).into(),
            ("let", [Segment::Name(name), rest @ ..]) => {
                let value = self.let_value(*name, path.span);
                self.fields(Typed { value, ty: None, optional: true }, rest, path.span, scope)
            }
            ("all", [Segment::Name(kind), rest @ ..]) => {
                let value = self.all(*kind);
                self.fields(value.into(), rest, path.span, scope)
            }
            ("catalog", [Segment::Name(kind), Segment::Name(id), rest @ ..]) => {
                let value = self.entry(*kind, *id, path.span);
                self.fields(value.into(), rest, path.span, scope)
            }
            (_, [Segment::Name(name), rest @ ..]) => self.named(*first, *name, rest, path.span, scope),
            _ => self.unknown(path.span, *first, None).into(),
        }
    }

    pub(super) fn let_value(&mut self, name: Span, at: Span) -> Value {
        let sources = self.sources;
        match self.see.let_value(&sources[name], at) {
            Some(value) => self.copied(value, at),
            None => self.unknown_let(name, at),
        }
    }

    pub(super) fn all(&mut self, kind: Span) -> Value {
        let sources = self.sources;
        match schema::top_level(&sources[kind]) {
            Some(known) => {
                let list = Value::List(self.see.all(known).into_iter().map(Value::Block).collect());
                self.copied(list, kind)
            }
            None => self.wrong(problems::unknown_kind(&sources[kind], kind, top_level_words())),
        }
    }

    pub(super) fn entry(&mut self, kind: Span, id: Span, at: Span) -> Value {
        let sources = self.sources;
        if let Some(block) = self.see.entry(&sources[kind], &sources[id]) {
            return Value::Block(block);
        }
        let kinds: Vec<&str> = crate::catalog::Catalogue::kinds().collect();
        if !kinds.contains(&&sources[kind]) {
            return self.wrong(problems::unknown_kind(&sources[kind], kind, kinds));
        }
        let ids = self.see.entries(&sources[kind]);
        self.wrong(problems::unknown_entry(&sources[kind], &sources[id], at, id, ids))
    }

    pub(super) fn named(
        &mut self,
        kind_at: Span,
        name_at: Span,
        rest: &[Segment],
        at: Span,
        scope: &Scope<'_>,
    ) -> Typed {
        let sources = self.sources;
        let Some(kind) = schema::top_level(&sources[kind_at]) else {
            return self.unknown(at, kind_at, Some(name_at)).into();
        };
        let name = &sources[name_at];
        match self.see.find(kind, name) {
            Found::One(id) if kind == Kind::Param && rest.is_empty() => {
                let position = Kind::Param.schema().attribute("default").map_or(0, |(position, _)| position);
                self.see.attribute(id, position, at).into()
            }
            Found::One(id) => self.fields(Value::Block(id).into(), rest, at, scope),
            Found::Family(ids) => match rest {
                [Segment::Splat(_), rest @ ..] => {
                    let list = self.copied(Value::List(ids.into_iter().map(Value::Block).collect()), at);
                    self.fields(list.into(), rest, at, scope)
                }
                _ => self.wrong(problems::family(&sources[kind_at], name, at)).into(),
            },
            Found::Dropped(by) => {
                self.wrong(problems::dropped(&format!("{}.{name}", &sources[kind_at]), at, by)).into()
            }
            Found::Nothing => self.nothing(kind, name, at, name_at).into(),
        }
    }

    pub(super) fn nothing(&mut self, kind: Kind, name: &str, at: Span, name_at: Span) -> Value {
        let all = || self.see.all(kind).into_iter().map(|id| Arc::clone(&self.see.block(id).name)).collect();
        let names: Vec<Arc<str>> = self.see.effort().suggested(all);
        let path = format!("{}.{name}", kind.schema().word);
        let problem = problems::unknown_reference(&path, at, name_at, name, names.iter().map(|name| &**name));
        let meant = self.see.effort().suggested(|| self.see.meant(kind.schema().word, Some(name)));
        self.wrong(problems::meant(problem, &meant))
    }

    pub(super) fn unknown(&mut self, at: Span, first: Span, second: Option<Span>) -> Value {
        let sources = self.sources;
        let legal = top_level_words().chain(["let", "all", "catalog"]);
        let problem = problems::unknown_reference(&sources[at], at, first, &sources[first], legal);
        let second = second.map(|second| &sources[second]);
        let meant = self.see.effort().suggested(|| self.see.meant(&sources[first], second));
        self.wrong(problems::meant(problem, &meant))
    }

    pub(super) fn fields(&mut self, mut typed: Typed, segments: &[Segment], at: Span, scope: &Scope<'_>) -> Typed {
        let mut rest = segments;
        while let Some((segment, after)) = rest.split_first() {
            if matches!(typed.value, Value::Poison | Value::Tbd(_) | Value::Auto) {
                return typed;
            }
            (typed, rest) = match segment {
                Segment::Name(name) => self.field(typed, *name, after, at),
                Segment::Index(index) => (self.index(typed.value, index, at, scope).into(), after),
                Segment::Splat(span) => match typed.value {
                    list @ Value::List(_) => (list.into(), after),
                    other => (self.refuse("[*]", &other, *span), after),
                },
                Segment::Address(address) => (self.refuse("( )", &typed.value, address.span), after),
            };
        }
        typed
    }

    pub(super) fn field<'p>(
        &mut self,
        typed: Typed,
        name: Span,
        after: &'p [Segment],
        at: Span,
    ) -> (Typed, &'p [Segment]) {
        let sources = self.sources;
        let word = &sources[name];
        match typed.value {
            Value::Block(id) => self.block_field(id, name, after, at),
            Value::Range(ends) if word == "min" => (Value::Quantity(ends.0).into(), after),
            Value::Range(ends) if word == "max" => (Value::Quantity(ends.1).into(), after),
            // A range of one value is that value, and its ends are too.
            Value::Quantity(quantity) if word == "min" || word == "max" => (Value::Quantity(quantity).into(), after),
            Value::List(items) => {
                let values = items.into_iter().map(|item| self.field(item.into(), name, &[], at).0.value).collect();
                (whole(values).into(), after)
            }
            Value::Map(entries) => match entries.into_iter().find(|(key, _)| &**key == word) {
                Some((_, value)) => (value.into(), after),
                None => (self.wrong(problems::unknown_reference(word, at, name, word, [])).into(), after),
            },
            open @ (Value::Tbd(_) | Value::Auto) => (open.into(), &[]),
            Value::Null => (self.absent(at), &[]),
            other => (self.refuse(&format!(".{word}"), &other, name), &[]),
        }
    }

    pub(super) fn block_field<'p>(
        &mut self,
        id: BlockId,
        name: Span,
        after: &'p [Segment],
        at: Span,
    ) -> (Typed, &'p [Segment]) {
        let sources = self.sources;
        let word = &sources[name];
        let schema = self.see.block(id).kind.schema();
        if let Some((position, attribute)) = schema.attribute(word) {
            let value = self.see.attribute(id, position, at);
            let value = self.copied(value, at);
            let optional = matches!(attribute.mode, Mode::Optional | Mode::Setting) && attribute.default.is_none();
            return (Typed { value: single(value), ty: Some(attribute.ty), optional }, after);
        }
        if let Some(derived) = schema.derived(word) {
            return (Typed { value: self.see.derived(id, derived, at), ty: Some(derived.ty), optional: false }, after);
        }
        if word == "address" {
            return (Value::Text(Arc::from(self.see.address(id))).into(), after);
        }
        if word == "name" {
            return (Value::Text(Arc::clone(&self.see.block(id).name)).into(), after);
        }
        if schema.keyed().is_some() {
            let block = self.see.block(id);
            let key = block.children.iter().copied().find(|&child| *self.see.block(child).name == *word);
            return match key {
                Some(key) => (self.see.attribute(key, 0, at).into(), after),
                None => (self.wrong(problems::unknown_reference(word, at, name, word, [])).into(), &[]),
            };
        }
        let Some(sub) = schema.block(word) else {
            let legal = schema.attributes.iter().map(|attribute| attribute.name);
            let legal = legal.chain(schema.derived.iter().map(|derived| derived.name)).chain(["name", "address"]);
            let problem = problems::unknown_attribute(schema.word, word, name, legal);
            return (self.wrong(problem).into(), &[]);
        };
        let children: Vec<BlockId> = self
            .see
            .block(id)
            .children
            .iter()
            .copied()
            .filter(|&child| self.see.block(child).kind == sub.kind)
            .collect();
        match (sub.shape, after) {
            (schema::SubShape::Single, _) => {
                let value = children.first().map_or(Value::Null, |&child| Value::Block(child));
                (Typed { value, ty: None, optional: true }, after)
            }
            (schema::SubShape::Named, [Segment::Name(child_name), rest @ ..]) => {
                let wanted = &sources[*child_name];
                match children.iter().find(|&&child| &*self.see.block(child).name == wanted) {
                    Some(&child) => (Value::Block(child).into(), rest),
                    None => {
                        let all = || children.iter().map(|&child| Arc::clone(&self.see.block(child).name)).collect();
                        let names: Vec<Arc<str>> = self.see.effort().suggested(all);
                        let legal = names.iter().map(|name| &**name);
                        (
                            self.wrong(problems::unknown_reference(&sources[at], at, *child_name, wanted, legal))
                                .into(),
                            &[],
                        )
                    }
                }
            }
            (schema::SubShape::Named | schema::SubShape::Addressed | schema::SubShape::Keyed, _) => {
                (Value::List(children.into_iter().map(Value::Block).collect()).into(), after)
            }
        }
    }

    pub(super) fn index(&mut self, value: Value, index: &Expr, at: Span, scope: &Scope<'_>) -> Value {
        let items = match value {
            Value::List(items) => items,
            Value::Null => return self.wrong(problems::null_misused(at)),
            other => return self.wrong(problems::bad_operand("[ ]", other.form(), at)),
        };
        let wanted = match self.value(index, scope) {
            Value::Quantity(quantity) if quantity.dimension.is_none() => {
                quantity.value.to_u64().and_then(|index| usize::try_from(index).ok())
            }
            open @ (Value::Poison | Value::Tbd(_) | Value::Auto) => return open,
            _ => None,
        };
        match wanted.and_then(|wanted| items.get(wanted)) {
            Some(item) => item.clone(),
            None => self.wrong(problems::bad_index(&self.sources[index.span], items.len(), index.span)),
        }
    }
}
