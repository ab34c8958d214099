//! Expressions to values. The same evaluator runs before sizing (attributes) and after it (`check`, `rule`).

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::diagnostic::Diagnostic;
use crate::base::number::Number;
use crate::base::quantity::Quantity;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::syntax::ast::{
    BinaryOp, Comprehension, Entry, Expr, ExprKind, Literal, Path, Range, Segment, TextPart, UnaryOp,
};
use crate::syntax::text;

use super::accept::is_forbidden;
use super::block::Block;
use super::effort::{Effort, Granted, weight};
use super::functions::{self, Refusal};
use super::ids::BlockId;
use super::kinds::Kind;
use super::problems;
use super::schema::{self, Derived, Format, Type};
use super::value::Value;

/// The most steps from a value to its literals.
const MAX_DEPTH: usize = 500;

/// What a name leads to.
pub enum Found {
    /// One block.
    One(BlockId),
    /// The instances of a block with `for`.
    Family(Vec<BlockId>),
    /// It was there, until an environment dropped it here.
    Dropped(Span),
    /// Nothing.
    Nothing,
}

/// What an expression can see. Before sizing it is the resolver, after it the finished model with the plan.
pub trait See {
    /// A block.
    fn block(&self, id: BlockId) -> &Block<'_>;
    /// The block of a kind with a name.
    fn find(&self, kind: Kind, name: &str) -> Found;
    /// Every block of a kind.
    fn all(&self, kind: Kind) -> Vec<BlockId>;
    /// The value of an attribute; problems are reported at `at`.
    fn attribute(&mut self, id: BlockId, position: u16, at: Span) -> Value;
    /// A computed value.
    fn derived(&mut self, id: BlockId, derived: &'static Derived, at: Span) -> Value;
    /// A name from a `let` block.
    fn let_value(&mut self, name: &str, at: Span) -> Option<Value>;
    /// The names of all `let` blocks.
    fn let_names(&self) -> Vec<String>;
    /// An entry of the catalogue.
    fn entry(&mut self, kind: &str, id: &str) -> Option<BlockId>;
    /// The ids of the catalogue's entries of a kind.
    fn entries(&self, kind: &str) -> Vec<&'static str>;
    /// The address of a block.
    fn address(&self, id: BlockId) -> String;
    /// Something is wrong.
    fn report(&mut self, problem: Diagnostic);
    /// How deep the evaluation is; counted by the evaluator.
    fn depth(&mut self) -> &mut usize;
    /// How much may still be evaluated; counted by the evaluator.
    fn effort(&self) -> &Effort;
}

/// Names in scope: loop variables, innermost first.
#[derive(Clone, Copy)]
pub struct Scope<'p> {
    names: &'p [(Arc<str>, Value)],
    outer: Option<&'p Scope<'p>>,
}

impl<'p> Scope<'p> {
    /// Only these names.
    pub fn new(names: &'p [(Arc<str>, Value)]) -> Scope<'p> {
        Scope { names, outer: None }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let here = self.names.iter().rev().find(|(known, _)| &**known == name).map(|(_, value)| value);
        here.or_else(|| self.outer.and_then(|outer| outer.get(name)))
    }
}

/// A value with the type of the attribute it was read from, which gives a bare word beside it its meaning.
struct Typed {
    value: Value,
    ty: Option<Type>,
}

impl From<Value> for Typed {
    fn from(value: Value) -> Typed {
        Typed { value, ty: None }
    }
}

/// Evaluates expressions of one package.
pub struct Eval<'s, 'v> {
    sources: &'s Sources,
    see: &'v mut dyn See,
}

impl<'s, 'v> Eval<'s, 'v> {
    /// An evaluator over what `see` can see.
    pub fn new(sources: &'s Sources, see: &'v mut dyn See) -> Eval<'s, 'v> {
        Eval { sources, see }
    }

    /// The value of an expression. What is wrong has been reported when it is [`Value::Poison`].
    pub fn value(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        self.typed(expr, scope).value
    }

    /// The value of a path that stands outside an expression: the label of an addressed block.
    pub fn path_value(&mut self, path: &Path) -> Value {
        self.path(path, &Scope::new(&[])).value
    }

    fn typed(&mut self, expr: &Expr, scope: &Scope<'_>) -> Typed {
        *self.see.depth() += 1;
        let typed = if *self.see.depth() > MAX_DEPTH {
            self.wrong(problems::too_deep(expr.span)).into()
        } else if self.affords(1, expr.span) {
            self.any(expr, scope)
        } else {
            Value::Poison.into()
        };
        *self.see.depth() -= 1;
        if self.affords(weight(&typed.value), expr.span) { typed } else { Value::Poison.into() }
    }

    /// Whether so many steps are left; the first time that they are not, it is said.
    pub fn affords(&mut self, steps: u64, at: Span) -> bool {
        match self.see.effort().take(steps) {
            Granted::Yes => true,
            Granted::No => false,
            Granted::NoMore(total) => {
                self.see.report(problems::too_much(total, at));
                false
            }
        }
    }

    /// A value that was copied from where it is kept.
    fn copied(&mut self, value: Value, at: Span) -> Value {
        if self.affords(weight(&value), at) { value } else { Value::Poison }
    }

    fn any(&mut self, expr: &Expr, scope: &Scope<'_>) -> Typed {
        match &expr.kind {
            ExprKind::Bool(value) => Value::Bool(*value).into(),
            ExprKind::Null => Value::Null.into(),
            ExprKind::Auto => Value::Auto.into(),
            ExprKind::Tbd(why) => self.tbd(why, scope).into(),
            ExprKind::Number(literal) => self.number(literal, expr.span).into(),
            ExprKind::Range(range) => self.range(range, expr.span).into(),
            ExprKind::Ratio(over, under) => self.ratio(*over, *under, expr.span).into(),
            ExprKind::Date => self.date(expr.span).into(),
            ExprKind::Text(parts) => self.text(parts, expr, scope).into(),
            ExprKind::List(items) => self.list(items, scope).into(),
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension, scope).into(),
            ExprKind::Map(entries) => self.map(entries, scope).into(),
            ExprKind::Path(path) => self.path(path, scope),
            ExprKind::Call(name, arguments) => self.call(*name, arguments, expr.span, scope).into(),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, scope).into(),
            ExprKind::Binary(op, at, operands) => self.binary(*op, *at, operands, scope).into(),
            ExprKind::Conditional(parts) => self.conditional(parts, scope),
        }
    }

    fn wrong(&mut self, problem: Diagnostic) -> Value {
        self.see.report(problem);
        Value::Poison
    }

    // Literals.

    fn tbd(&mut self, why: &Expr, scope: &Scope<'_>) -> Value {
        match self.value(why, scope) {
            Value::Text(text) => match text.chars().find(|&c| is_forbidden(c, Format::Line)) {
                Some(character) => self.wrong(problems::forbidden_character(character, why.span)),
                None => Value::Tbd(text),
            },
            Value::Poison => Value::Poison,
            _ => self.wrong(problems::bad_arguments("tbd", why.span, "a string that says what is still open")),
        }
    }

    fn number(&mut self, literal: &Literal, at: Span) -> Value {
        let text = |span: Option<Span>| span.map(|span| &self.sources[span]);
        match Quantity::read(&self.sources[literal.number], text(literal.scale), text(literal.unit)) {
            Ok(quantity) => Value::Quantity(quantity),
            Err(bad) => {
                let unit_at = literal.unit.or(literal.scale).unwrap_or(at);
                self.wrong(problems::bad_quantity(&bad, at, unit_at))
            }
        }
    }

    fn range(&mut self, range: &Range, at: Span) -> Value {
        let low = self.number(&Literal { number: range.low, ..range.high }, at);
        let high = self.number(&range.high, at);
        match (low, high) {
            (Value::Quantity(low), Value::Quantity(high)) if low.value > high.value => {
                self.wrong(problems::bad_range(at, "the lower end is above the upper one"))
            }
            (Value::Quantity(low), Value::Quantity(high)) => Value::Range(Box::new((low, high))),
            _ => Value::Poison,
        }
    }

    fn ratio(&mut self, over: Span, under: Span, at: Span) -> Value {
        match (Number::parse(&self.sources[over]), Number::parse(&self.sources[under])) {
            (Some(_), Some(under)) if under.is_zero() => self.wrong(problems::division_by_zero(at)),
            (Some(over), Some(under)) => Value::Ratio(over, under),
            _ => self.wrong(problems::too_big(at)),
        }
    }

    fn date(&mut self, at: Span) -> Value {
        match Date::parse(&self.sources[at]) {
            Some(date) => Value::Date(date),
            None => self.wrong(problems::bad_date(&self.sources[at], at)),
        }
    }

    fn key(&mut self, span: Span) -> Option<Arc<str>> {
        let sources = self.sources;
        let written = &sources[span];
        let bare = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let key = bare.map_or(Cow::Borrowed(written), text::unescape);
        match key.chars().find(|&c| is_forbidden(c, Format::Line)) {
            Some(character) => {
                self.wrong(problems::forbidden_character(character, span));
                None
            }
            None => Some(Arc::from(&*key)),
        }
    }

    fn text(&mut self, parts: &[TextPart], whole: &Expr, scope: &Scope<'_>) -> Value {
        let mut result = String::new();
        for piece in text::pieces(self.sources, whole, parts) {
            match piece {
                text::Piece::Raw(raw) => result.push_str(&raw),
                text::Piece::Expr(expr) => match self.value(expr, scope) {
                    Value::Poison => return Value::Poison,
                    value => result.push_str(&self.show(&value)),
                },
            }
        }
        match result.chars().find(|&c| is_forbidden(c, Format::Prose)) {
            Some(character) => self.wrong(problems::forbidden_character(character, whole.span)),
            None => Value::Text(Arc::from(result)),
        }
    }

    /// A value as it stands in a text.
    fn show(&self, value: &Value) -> String {
        match value {
            Value::Block(id) => self.see.address(*id),
            Value::Part(count, id) => format!("{count} * {}", self.see.address(*id)),
            Value::Tbd(why) => format!("tbd ({why})"),
            Value::List(items) => items.iter().map(|item| self.show(item)).collect::<Vec<_>>().join(", "),
            other => other.to_string(),
        }
    }

    fn map(&mut self, entries: &[Entry], scope: &Scope<'_>) -> Value {
        let mut map = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(key) = self.key(entry.key) else { return Value::Poison };
            map.push((key, self.value(&entry.value, scope)));
        }
        Value::Map(map)
    }

    fn list(&mut self, items: &[Expr], scope: &Scope<'_>) -> Value {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            match self.value(item, scope) {
                // `[pool.train[*], pool.cpu]` is one list.
                Value::List(inner) if is_splat(item) => list.extend(inner),
                value => list.push(value),
            }
        }
        Value::List(list)
    }

    fn comprehension(&mut self, comprehension: &Comprehension, scope: &Scope<'_>) -> Value {
        let Some(items) = self.iterated(&comprehension.list, scope) else { return Value::Poison };
        let name: Arc<str> = Arc::from(&self.sources[comprehension.variable]);
        let mut list = Vec::new();
        for item in items {
            let names = [(Arc::clone(&name), item)];
            let inner = Scope { names: &names, outer: Some(scope) };
            match comprehension.filter.as_ref().map(|filter| self.condition(filter, &inner)) {
                None | Some(Some(true)) => list.push(self.value(&comprehension.body, &inner)),
                Some(Some(false)) => {}
                Some(None) => return Value::Poison,
            }
            if self.see.effort().is_spent() {
                return Value::Poison;
            }
        }
        Value::List(list)
    }

    /// The items that a loop runs over.
    pub fn iterated(&mut self, list: &Expr, scope: &Scope<'_>) -> Option<Vec<Value>> {
        match self.value(list, scope) {
            Value::List(items) => Some(items),
            Value::Range(ends) => match (ends.0.value.to_u64(), ends.1.value.to_u64()) {
                (Some(low), Some(high)) if high - low < 100_000 && ends.0.dimension.is_none() => {
                    Some((low..=high).map(Value::int).collect())
                }
                _ => {
                    self.wrong(problems::bad_range(list.span, "a loop runs over at most 100_000 whole numbers"));
                    None
                }
            },
            Value::Poison => None,
            other => {
                self.wrong(problems::wrong_type("a loop", "a list", other.form(), list.span));
                None
            }
        }
    }

    // Names.

    fn path(&mut self, path: &Path, scope: &Scope<'_>) -> Typed {
        let Some(Segment::Name(first)) = path.segments.first() else { return Value::Poison.into() };
        let sources = self.sources;
        let word = &sources[*first];
        if let Some(value) = scope.get(word) {
            let value = self.copied(value.clone(), path.span);
            return self.fields(value.into(), &path.segments[1..], path.span);
        }
        match (word, &path.segments[1..]) {
            (_, []) => Value::Word(Arc::from(word)).into(),
            ("let", [Segment::Name(name), rest @ ..]) => {
                let value = self.let_value(*name, path.span);
                self.fields(value.into(), rest, path.span)
            }
            ("all", [Segment::Name(kind), rest @ ..]) => {
                let value = self.all(*kind);
                self.fields(value.into(), rest, path.span)
            }
            ("catalog", [Segment::Name(kind), Segment::Name(id), rest @ ..]) => {
                let value = self.entry(*kind, *id, path.span);
                self.fields(value.into(), rest, path.span)
            }
            (_, [Segment::Name(name), rest @ ..]) => self.named(*first, *name, rest, path.span),
            _ => self.unknown(path.span, *first).into(),
        }
    }

    fn let_value(&mut self, name: Span, at: Span) -> Value {
        let sources = self.sources;
        match self.see.let_value(&sources[name], at) {
            Some(value) => self.copied(value, at),
            None => {
                let names = self.see.effort().suggested(|| self.see.let_names());
                let legal = names.iter().map(String::as_str);
                let problem = problems::unknown_reference(&sources[at], at, name, &sources[name], legal);
                self.wrong(problem)
            }
        }
    }

    fn all(&mut self, kind: Span) -> Value {
        let sources = self.sources;
        match schema::top_level(&sources[kind]) {
            Some(known) => {
                let list = Value::List(self.see.all(known).into_iter().map(Value::Block).collect());
                self.copied(list, kind)
            }
            None => self.wrong(problems::unknown_kind(&sources[kind], kind, top_level_words())),
        }
    }

    fn entry(&mut self, kind: Span, id: Span, at: Span) -> Value {
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

    fn named(&mut self, kind_at: Span, name_at: Span, rest: &[Segment], at: Span) -> Typed {
        let sources = self.sources;
        let Some(kind) = schema::top_level(&sources[kind_at]) else { return self.unknown(at, kind_at).into() };
        let name = &sources[name_at];
        match self.see.find(kind, name) {
            Found::One(id) if kind == Kind::Param && rest.is_empty() => {
                let position = Kind::Param.schema().attribute("default").map_or(0, |(position, _)| position);
                self.see.attribute(id, position, at).into()
            }
            Found::One(id) => self.fields(Value::Block(id).into(), rest, at),
            Found::Family(ids) => match rest {
                [Segment::Splat(_), rest @ ..] => {
                    let list = self.copied(Value::List(ids.into_iter().map(Value::Block).collect()), at);
                    self.fields(list.into(), rest, at)
                }
                _ => self.nothing(kind, name, at, name_at).into(),
            },
            Found::Dropped(by) => {
                self.wrong(problems::dropped(&format!("{}.{name}", &sources[kind_at]), at, by)).into()
            }
            Found::Nothing => self.nothing(kind, name, at, name_at).into(),
        }
    }

    fn nothing(&mut self, kind: Kind, name: &str, at: Span, name_at: Span) -> Value {
        let all = || self.see.all(kind).into_iter().map(|id| Arc::clone(&self.see.block(id).name)).collect();
        let names: Vec<Arc<str>> = self.see.effort().suggested(all);
        let path = format!("{}.{name}", kind.schema().word);
        let problem = problems::unknown_reference(&path, at, name_at, name, names.iter().map(|name| &**name));
        self.wrong(problem)
    }

    fn unknown(&mut self, at: Span, first: Span) -> Value {
        let sources = self.sources;
        let legal = top_level_words().chain(["let", "all", "catalog"]);
        self.wrong(problems::unknown_reference(&sources[at], at, first, &sources[first], legal))
    }

    fn fields(&mut self, mut typed: Typed, segments: &[Segment], at: Span) -> Typed {
        let mut rest = segments;
        while let Some((segment, after)) = rest.split_first() {
            if matches!(typed.value, Value::Poison) {
                return typed;
            }
            (typed, rest) = match segment {
                Segment::Name(name) => self.field(typed, *name, after, at),
                Segment::Index(index) => (self.index(typed.value, index, at).into(), after),
                Segment::Splat(span) => match typed.value {
                    list @ Value::List(_) => (list.into(), after),
                    other => (self.wrong(problems::bad_operand("[*]", other.form(), *span)).into(), after),
                },
                Segment::Address(address) => {
                    (self.wrong(problems::bad_operand("( )", "a path in an expression", address.span)).into(), after)
                }
            };
        }
        typed
    }

    fn field<'p>(&mut self, typed: Typed, name: Span, after: &'p [Segment], at: Span) -> (Typed, &'p [Segment]) {
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
                (Value::List(values).into(), after)
            }
            Value::Map(entries) => match entries.into_iter().find(|(key, _)| &**key == word) {
                Some((_, value)) => (value.into(), after),
                None => (self.wrong(problems::unknown_reference(word, at, name, word, [])).into(), after),
            },
            open @ (Value::Tbd(_) | Value::Auto) => (open.into(), &[]),
            Value::Null => (self.wrong(problems::null_misused(at)).into(), &[]),
            other => (self.wrong(problems::bad_operand(&format!(".{word}"), other.form(), name)).into(), &[]),
        }
    }

    fn block_field<'p>(&mut self, id: BlockId, name: Span, after: &'p [Segment], at: Span) -> (Typed, &'p [Segment]) {
        let sources = self.sources;
        let word = &sources[name];
        let schema = self.see.block(id).kind.schema();
        if let Some((position, attribute)) = schema.attribute(word) {
            let value = self.see.attribute(id, position, at);
            let value = self.copied(value, at);
            return (Typed { value: single(value), ty: Some(attribute.ty) }, after);
        }
        if let Some(derived) = schema.derived(word) {
            return (Typed { value: self.see.derived(id, derived, at), ty: Some(derived.ty) }, after);
        }
        if word == "address" {
            return (Value::Text(Arc::from(self.see.address(id))).into(), after);
        }
        if word == "name" {
            return (Value::Text(Arc::clone(&self.see.block(id).name)).into(), after);
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
                (children.first().map_or(Value::Null, |&child| Value::Block(child)).into(), after)
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
            (schema::SubShape::Named | schema::SubShape::Addressed, _) => {
                (Value::List(children.into_iter().map(Value::Block).collect()).into(), after)
            }
        }
    }

    fn index(&mut self, value: Value, index: &Expr, at: Span) -> Value {
        let Value::List(items) = value else {
            return self.wrong(problems::bad_operand("[ ]", value.form(), at));
        };
        let scope = Scope::new(&[]);
        let wanted = match self.value(index, &scope) {
            Value::Quantity(quantity) => quantity.value.to_u64().and_then(|index| usize::try_from(index).ok()),
            Value::Poison => return Value::Poison,
            _ => None,
        };
        match wanted.and_then(|wanted| items.get(wanted)) {
            Some(item) => item.clone(),
            None => self.wrong(problems::bad_index(&self.sources[index.span], items.len(), index.span)),
        }
    }

    // Operators.

    fn call(&mut self, name: Span, arguments: &[Expr], at: Span, scope: &Scope<'_>) -> Value {
        let sources = self.sources;
        let word = &sources[name];
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument, scope)).collect();
        if !functions::NAMES.contains(&word) {
            // A tagged word; the attribute's type decides whether it is one.
            return if values.contains(&Value::Poison) {
                Value::Poison
            } else {
                Value::Tagged(Arc::from(word), values)
            };
        }
        if let ("join", [Value::List(items), between]) = (word, values.as_slice())
            && !self.affords(weight(between).saturating_mul(items.len() as u64), at)
        {
            return Value::Poison;
        }
        match functions::call(word, &values, &|value| self.show(value)) {
            Ok(value) => value,
            Err(Refusal::Open(open)) => open.0,
            Err(Refusal::TooBig) => self.wrong(problems::too_big(at)),
            Err(Refusal::Arguments(wanted)) => self.wrong(problems::bad_arguments(word, at, wanted)),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, scope: &Scope<'_>) -> Value {
        match (op, self.value(operand, scope)) {
            (_, open @ (Value::Poison | Value::Tbd(_) | Value::Auto)) => open,
            (UnaryOp::Not, Value::Bool(value)) => Value::Bool(!value),
            (UnaryOp::Minus, Value::Quantity(quantity)) => {
                Value::Quantity(Quantity { value: quantity.value.negated(), ..quantity })
            }
            (UnaryOp::Not, other) => self.wrong(problems::bad_operand("not", other.form(), operand.span)),
            (UnaryOp::Minus, other) => self.wrong(problems::bad_operand("-", other.form(), operand.span)),
        }
    }

    /// True or false; nothing when it is neither, which has been reported unless it is open.
    fn condition(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<bool> {
        match self.value(expr, scope) {
            Value::Bool(value) => Some(value),
            Value::Poison => None,
            other => {
                self.wrong(problems::not_a_condition(other.form(), expr.span));
                None
            }
        }
    }

    fn conditional(&mut self, parts: &(Expr, Expr, Expr), scope: &Scope<'_>) -> Typed {
        let (condition, then, otherwise) = parts;
        match self.value(condition, scope) {
            Value::Bool(true) => self.typed(then, scope),
            Value::Bool(false) => self.typed(otherwise, scope),
            open @ (Value::Poison | Value::Tbd(_) | Value::Auto) => open.into(),
            other => self.wrong(problems::not_a_condition(other.form(), condition.span)).into(),
        }
    }

    fn binary(&mut self, op: BinaryOp, at: Span, operands: &(Expr, Expr), scope: &Scope<'_>) -> Value {
        let (left, right) = operands;
        match op {
            BinaryOp::And => self.logic(false, "and", left, right, scope),
            BinaryOp::Or => self.logic(true, "or", left, right, scope),
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
                let values = (self.value(left, scope), self.value(right, scope));
                self.arithmetic(op, at, values)
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let negate = op == BinaryOp::NotEqual;
                match self.equal(op, left, right, at, scope) {
                    Value::Bool(equal) => Value::Bool(equal != negate),
                    open => open,
                }
            }
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                let values = (self.value(left, scope), self.value(right, scope));
                self.order(op, at, values, (left.span, right.span))
            }
            BinaryOp::In => self.member(left, right, at, scope),
            BinaryOp::NotIn => match self.member(left, right, at, scope) {
                Value::Bool(member) => Value::Bool(!member),
                open => open,
            },
        }
    }

    /// `and` and `or`: the left side alone decides where it can, also over an unknown right side.
    fn logic(&mut self, decides: bool, word: &str, left: &Expr, right: &Expr, scope: &Scope<'_>) -> Value {
        let first = self.value(left, scope);
        if first == Value::Bool(decides) {
            return first;
        }
        let second = self.value(right, scope);
        match (first, second) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (Value::Bool(_), value @ Value::Bool(_)) => value,
            (open @ (Value::Tbd(_) | Value::Auto), Value::Bool(value)) => {
                if value == decides {
                    Value::Bool(value)
                } else {
                    open
                }
            }
            (Value::Bool(_) | Value::Tbd(_) | Value::Auto, open @ (Value::Tbd(_) | Value::Auto)) => open,
            (Value::Bool(_) | Value::Tbd(_) | Value::Auto, other) => {
                self.wrong(problems::bad_operand(word, other.form(), right.span))
            }
            (other, _) => self.wrong(problems::bad_operand(word, other.form(), left.span)),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, at: Span, values: (Value, Value)) -> Value {
        match values {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (Value::Null, _) | (_, Value::Null) => self.wrong(problems::null_misused(at)),
            (open @ (Value::Tbd(_) | Value::Auto), _) | (_, open @ (Value::Tbd(_) | Value::Auto)) => open,
            (Value::Quantity(left), Value::Quantity(right)) => self.compute(op, at, &left, &right),
            (Value::Quantity(count), Value::Block(block)) if op == BinaryOp::Multiply => match count.value.to_u64() {
                Some(whole) if count.dimension.is_none() => Value::Part(whole, block),
                _ => self.wrong(problems::bad_operands("*", count.dimension.name(), "a part", at)),
            },
            (Value::Text(left), Value::Text(right)) if op == BinaryOp::Add => {
                Value::Text(Arc::from(format!("{left}{right}")))
            }
            (Value::List(mut left), Value::List(right)) if op == BinaryOp::Add => {
                left.extend(right);
                Value::List(left)
            }
            (Value::Range(_), _) | (_, Value::Range(_)) => self.wrong(problems::range_compared(at)),
            (left, right) => self.wrong(problems::bad_operands(op.symbol(), left.form(), right.form(), at)),
        }
    }

    fn compute(&mut self, op: BinaryOp, at: Span, left: &Quantity, right: &Quantity) -> Value {
        if left.dimension.mixes_currency(&right.dimension) && op != BinaryOp::Divide {
            let (left, right) = (left.dimension.currency().unwrap_or(""), right.dimension.currency().unwrap_or(""));
            return self.wrong(problems::mixed_currency(left, right, at));
        }
        let (value, dimension) = match op {
            BinaryOp::Multiply => (left.value.times(right.value), left.dimension.times(right.dimension)),
            BinaryOp::Divide if right.value.is_zero() => return self.wrong(problems::division_by_zero(at)),
            BinaryOp::Divide => (left.value.over(right.value), left.dimension.per(right.dimension)),
            _ if left.dimension != right.dimension => {
                let (left, right) = (left.dimension.name(), right.dimension.name());
                return self.wrong(problems::bad_operands(op.symbol(), left, right, at));
            }
            BinaryOp::Subtract => (left.value.minus(right.value), left.dimension),
            _ => (left.value.plus(right.value), left.dimension),
        };
        let unit = [left, right].into_iter().find(|side| side.dimension == dimension).map_or("", |side| &side.unit);
        match value {
            Some(value) => Value::Quantity(Quantity { value, dimension, unit: unit.to_string() }),
            None => self.wrong(problems::too_big(at)),
        }
    }

    fn equal(&mut self, op: BinaryOp, left: &Expr, right: &Expr, at: Span, scope: &Scope<'_>) -> Value {
        let (first, second) = (self.typed(left, scope), self.typed(right, scope));
        let words = [(left, &first, &second), (right, &second, &first)];
        for (expr, word, other) in words {
            if let (Value::Word(text), true, Some(ty)) = (&word.value, is_bare(expr), other.ty) {
                let legal = ty.words();
                if !legal.is_empty() && !legal.contains(&&**text) {
                    return self.wrong(problems::unknown_word(text, expr.span, "the other side", &legal));
                }
            }
        }
        match (first.value, second.value) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (Value::Null, other) | (other, Value::Null) => Value::Bool(other == Value::Null),
            (open @ (Value::Tbd(_) | Value::Auto), _) | (_, open @ (Value::Tbd(_) | Value::Auto)) => open,
            (Value::Range(_), Value::Quantity(_)) | (Value::Quantity(_), Value::Range(_)) => {
                self.wrong(problems::range_compared(at))
            }
            (Value::Quantity(a), Value::Quantity(b)) if a.dimension != b.dimension => {
                if a.dimension.mixes_currency(&b.dimension) {
                    let (a, b) = (a.dimension.currency().unwrap_or(""), b.dimension.currency().unwrap_or(""));
                    return self.wrong(problems::mixed_currency(a, b, at));
                }
                self.wrong(problems::bad_operands(op.symbol(), a.dimension.name(), b.dimension.name(), at))
            }
            (a, b) if std::mem::discriminant(&a) == std::mem::discriminant(&b) => Value::Bool(a == b),
            (a, b) => self.wrong(problems::bad_operands(op.symbol(), a.form(), b.form(), at)),
        }
    }

    fn order(&mut self, op: BinaryOp, at: Span, values: (Value, Value), places: (Span, Span)) -> Value {
        let ordering = match values {
            (Value::Poison, _) | (_, Value::Poison) => return Value::Poison,
            (Value::Null, _) => return self.wrong(problems::null_misused(places.0)),
            (_, Value::Null) => return self.wrong(problems::null_misused(places.1)),
            (open @ (Value::Tbd(_) | Value::Auto), _) | (_, open @ (Value::Tbd(_) | Value::Auto)) => return open,
            (Value::Range(_), _) => return self.wrong(problems::range_compared(places.0)),
            (_, Value::Range(_)) => return self.wrong(problems::range_compared(places.1)),
            (Value::Quantity(left), Value::Quantity(right)) if left.dimension == right.dimension => {
                left.value.cmp(&right.value)
            }
            (Value::Quantity(left), Value::Quantity(right)) if left.dimension.mixes_currency(&right.dimension) => {
                let (left, right) = (left.dimension.currency().unwrap_or(""), right.dimension.currency().unwrap_or(""));
                return self.wrong(problems::mixed_currency(left, right, at));
            }
            (Value::Date(left), Value::Date(right)) => left.cmp(&right),
            (left, right) => {
                return self.wrong(problems::bad_operands(op.symbol(), left.form(), right.form(), at));
            }
        };
        Value::Bool(match op {
            BinaryOp::Less => ordering.is_lt(),
            BinaryOp::LessEqual => ordering.is_le(),
            BinaryOp::Greater => ordering.is_gt(),
            _ => ordering.is_ge(),
        })
    }

    fn member(&mut self, item: &Expr, list: &Expr, at: Span, scope: &Scope<'_>) -> Value {
        let (item, list) = (self.value(item, scope), self.value(list, scope));
        match (item, list) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (open @ (Value::Tbd(_) | Value::Auto), _) | (_, open @ (Value::Tbd(_) | Value::Auto)) => open,
            (item, Value::List(items)) => Value::Bool(items.contains(&item)),
            (_, Value::Null) => Value::Bool(false),
            (Value::Quantity(item), Value::Range(ends)) if item.dimension == ends.0.dimension => {
                Value::Bool((ends.0.value..=ends.1.value).contains(&item.value))
            }
            (item, list) => self.wrong(problems::bad_operands("in", item.form(), list.form(), at)),
        }
    }
}

/// A range of one value is that value.
fn single(value: Value) -> Value {
    match value {
        Value::Range(ends) if ends.0 == ends.1 => Value::Quantity(ends.0),
        other => other,
    }
}

fn is_bare(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Path(path) if path.segments.len() == 1)
}

fn is_splat(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Path(path) if path.segments.iter().any(|segment| matches!(segment, Segment::Splat(_))))
}

fn top_level_words() -> impl Iterator<Item = &'static str> + Clone {
    let words: Vec<&'static str> = schema::top_level_words().collect();
    words.into_iter()
}
