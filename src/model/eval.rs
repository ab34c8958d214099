//! Expressions to values. The same evaluator runs before sizing (attributes) and after it (`check`, `rule`).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::diagnostic::Diagnostic;
use crate::base::number::Number;
use crate::base::quantity::{Currency, Quantity};
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::syntax::ast::{
    BinaryOp, Comprehension, Entry, Expr, ExprKind, Literal, Path, Range, Segment, TextPart, UnaryOp,
};
use crate::syntax::text;

use super::accept::is_forbidden;
use super::block::Block;
use super::decode::Country;
use super::effort::{Effort, Granted, weight};
use super::functions::{self, Refusal};
use super::ids::BlockId;
use super::kinds::Kind;
use super::problems;
use super::schema::{self, Derived, Format, Mode, Type};
use super::units;
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
    /// It may be left out, so that `null` may stand beside it.
    optional: bool,
}

impl From<Value> for Typed {
    fn from(value: Value) -> Typed {
        Typed { value, ty: None, optional: false }
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

    /// The same where no type gives bare words a meaning: they must at least be words of the language.
    pub fn untyped(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        let typed = self.typed(expr, scope);
        if self.words_fit(expr, None, scope) { typed.value } else { Value::Poison }
    }

    fn typed(&mut self, expr: &Expr, scope: &Scope<'_>) -> Typed {
        *self.see.depth() += 1;
        let typed = if *self.see.depth() > MAX_DEPTH {
            self.too_deep(expr.span)
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

    // Reports stand apart from what recurses, so that it needs little stack.

    fn too_deep(&mut self, at: Span) -> Typed {
        self.wrong(problems::too_deep(at)).into()
    }

    fn null_alone(&mut self, at: Span) -> Typed {
        self.wrong(problems::null_alone(at)).into()
    }

    fn refuse(&mut self, symbol: &str, operand: &Value, at: Span) -> Typed {
        self.wrong(problems::bad_operand(symbol, operand.form(), at)).into()
    }

    fn absent(&mut self, at: Span) -> Typed {
        self.wrong(problems::null_misused(at)).into()
    }

    fn unknown_let(&mut self, name: Span, at: Span) -> Value {
        let sources = self.sources;
        let names = self.see.effort().suggested(|| self.see.let_names());
        let legal = names.iter().map(String::as_str);
        let problem = problems::unknown_reference(&sources[at], at, name, &sources[name], legal);
        self.wrong(problem)
    }

    fn any(&mut self, expr: &Expr, scope: &Scope<'_>) -> Typed {
        match &expr.kind {
            ExprKind::Bool(value) => Value::Bool(*value).into(),
            ExprKind::Null => self.null_alone(expr.span),
            ExprKind::Auto => Value::Auto.into(),
            ExprKind::Tbd(why) => self.tbd(why, scope).into(),
            ExprKind::Number(literal) => self.number(literal, expr.span).into(),
            ExprKind::Range(range) => single(self.range(range, expr.span)).into(),
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
                text::Piece::Expr(expr) => match self.shown(expr, scope) {
                    Some(shown) => result.push_str(&shown),
                    None => return Value::Poison,
                },
            }
        }
        match result.chars().find(|&c| is_forbidden(c, Format::Prose)) {
            Some(character) => self.wrong(problems::forbidden_character(character, whole.span)),
            None => Value::Text(Arc::from(result)),
        }
    }

    /// What `${…}` puts into a text; nothing when there is nothing to show, which has been reported.
    fn shown(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<String> {
        let sources = self.sources;
        if let Some(at) = bare(expr).filter(|at| scope.get(&sources[*at]).is_none()) {
            self.unknown(at, at);
            return None;
        }
        match self.value(expr, scope) {
            Value::Poison => None,
            Value::Null => {
                self.wrong(problems::null_misused(expr.span));
                None
            }
            Value::Quantity(quantity) if quantity.unit.is_empty() && !quantity.dimension.is_none() => {
                self.wrong(problems::no_unit(expr.span));
                None
            }
            value => Some(self.show(&value)),
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
        let broken = map.iter().any(|(_, value)| *value == Value::Poison);
        if broken { Value::Poison } else { Value::Map(map) }
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
        whole(list)
    }

    fn comprehension(&mut self, comprehension: &Comprehension, scope: &Scope<'_>) -> Value {
        let items = match self.items(&comprehension.list, scope) {
            Ok(items) => items,
            Err(open) => return open,
        };
        let name: Arc<str> = Arc::from(&self.sources[comprehension.variable]);
        let mut list = Vec::new();
        for item in items {
            let names = [(Arc::clone(&name), item)];
            let inner = Scope { names: &names, outer: Some(scope) };
            match comprehension.filter.as_ref().map(|filter| self.condition(filter, &inner)) {
                None | Some(Ok(true)) => list.push(self.value(&comprehension.body, &inner)),
                Some(Ok(false)) => {}
                Some(Err(open)) => return open,
            }
            if self.see.effort().is_spent() {
                return Value::Poison;
            }
        }
        whole(list)
    }

    /// The items that a loop runs over.
    ///
    /// # Errors
    ///
    /// What the list is instead: still open, or [`Value::Poison`] after a report.
    pub fn items(&mut self, list: &Expr, scope: &Scope<'_>) -> Result<Vec<Value>, Value> {
        let value = match &list.kind {
            ExprKind::Range(range) => self.range(range, list.span),
            _ => self.untyped(list, scope),
        };
        match value {
            Value::List(items) => Ok(items),
            Value::Range(ends) => match (ends.0.value.to_u64(), ends.1.value.to_u64()) {
                (Some(low), Some(high)) if high - low < 100_000 && ends.0.dimension.is_none() => {
                    Ok((low..=high).map(Value::int).collect())
                }
                _ => Err(self.wrong(problems::bad_range(list.span, "a loop runs over at most 100_000 whole numbers"))),
            },
            open @ (Value::Poison | Value::Tbd(_) | Value::Auto) => Err(open),
            Value::Null => Err(self.wrong(problems::null_misused(list.span))),
            other => Err(self.wrong(problems::wrong_type("a loop", "a list", other.form(), list.span))),
        }
    }

    /// The items of a loop that makes blocks: they must be known.
    pub fn iterated(&mut self, list: &Expr, scope: &Scope<'_>) -> Option<Vec<Value>> {
        match self.items(list, scope) {
            Ok(items) => Some(items),
            Err(Value::Tbd(_)) => {
                self.wrong(problems::tbd_not_allowed("the list of a loop", list.span));
                None
            }
            Err(Value::Auto) => {
                self.wrong(problems::auto_not_allowed("the list of a loop", list.span));
                None
            }
            Err(_) => None,
        }
    }

    // Names.

    fn path(&mut self, path: &Path, scope: &Scope<'_>) -> Typed {
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
            _ => self.unknown(path.span, *first).into(),
        }
    }

    fn let_value(&mut self, name: Span, at: Span) -> Value {
        let sources = self.sources;
        match self.see.let_value(&sources[name], at) {
            Some(value) => self.copied(value, at),
            None => self.unknown_let(name, at),
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

    fn named(&mut self, kind_at: Span, name_at: Span, rest: &[Segment], at: Span, scope: &Scope<'_>) -> Typed {
        let sources = self.sources;
        let Some(kind) = schema::top_level(&sources[kind_at]) else { return self.unknown(at, kind_at).into() };
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

    fn fields(&mut self, mut typed: Typed, segments: &[Segment], at: Span, scope: &Scope<'_>) -> Typed {
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

    fn block_field<'p>(&mut self, id: BlockId, name: Span, after: &'p [Segment], at: Span) -> (Typed, &'p [Segment]) {
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
            (schema::SubShape::Named | schema::SubShape::Addressed, _) => {
                (Value::List(children.into_iter().map(Value::Block).collect()).into(), after)
            }
        }
    }

    fn index(&mut self, value: Value, index: &Expr, at: Span, scope: &Scope<'_>) -> Value {
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

    // Operators.

    fn call(&mut self, name: Span, arguments: &[Expr], at: Span, scope: &Scope<'_>) -> Value {
        let sources = self.sources;
        let word = &sources[name];
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument, scope)).collect();
        if !functions::NAMES.contains(&word) {
            // A tagged word; the attribute's type decides whether it is one.
            return if values.contains(&Value::Poison) {
                Value::Poison
            } else if !schema::is_word(word) {
                self.wrong(problems::unknown_function(word, name, functions::NAMES, schema::tags()))
            } else {
                Value::Tagged(Arc::from(word), values)
            };
        }
        if arguments.iter().any(|argument| !self.words_fit(argument, None, scope)) {
            return Value::Poison;
        }
        if let Some(absent) = values.iter().position(|value| *value == Value::Null) {
            return self.wrong(problems::null_misused(arguments[absent].span));
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

    /// True or false, or what it is instead: still open, or [`Value::Poison`] after a report.
    pub fn condition(&mut self, expr: &Expr, scope: &Scope<'_>) -> Result<bool, Value> {
        match self.value(expr, scope) {
            Value::Bool(value) => Ok(value),
            open @ (Value::Poison | Value::Tbd(_) | Value::Auto) => Err(open),
            Value::Null => Err(self.wrong(problems::null_misused(expr.span))),
            other => Err(self.wrong(problems::not_a_condition(other.form(), expr.span))),
        }
    }

    fn conditional(&mut self, parts: &(Expr, Expr, Expr), scope: &Scope<'_>) -> Typed {
        let (condition, then, otherwise) = parts;
        match self.condition(condition, scope) {
            Ok(true) => self.typed(then, scope),
            Ok(false) => self.typed(otherwise, scope),
            Err(open) => open.into(),
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
        if left.dimension.mixes_currency(&right.dimension) {
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
        match value {
            Some(value) => {
                Value::Quantity(Quantity { value, dimension, unit: units::of_result(left, right, dimension) })
            }
            None => self.wrong(problems::too_big(at)),
        }
    }

    fn equal(&mut self, op: BinaryOp, left: &Expr, right: &Expr, at: Span, scope: &Scope<'_>) -> Value {
        match (&left.kind, &right.kind) {
            (ExprKind::Null, _) => return self.is_absent(right, at, scope),
            (_, ExprKind::Null) => return self.is_absent(left, at, scope),
            _ => {}
        }
        let (first, second) = (self.typed(left, scope), self.typed(right, scope));
        if !self.words_beside(left, right, second.ty, scope) || !self.words_beside(right, left, first.ty, scope) {
            return Value::Poison;
        }
        let open = open_inside(&first.value).or_else(|| open_inside(&second.value)).cloned();
        match (first.value, second.value) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (Value::Null, other) | (other, Value::Null) => Value::Bool(other == Value::Null),
            _ if open.is_some() => open.unwrap_or(Value::Poison),
            (open @ (Value::Tbd(_) | Value::Auto), _) | (_, open @ (Value::Tbd(_) | Value::Auto)) => open,
            (Value::Range(_), Value::Quantity(_) | Value::Range(_)) | (Value::Quantity(_), Value::Range(_)) => {
                self.wrong(problems::range_compared(at))
            }
            (Value::Ratio(a, b), Value::Ratio(c, d)) => match ratio_order((a, b), (c, d)) {
                Some(ordering) => Value::Bool(ordering.is_eq()),
                None => self.wrong(problems::too_big(at)),
            },
            (Value::Quantity(a), Value::Quantity(b)) if a.dimension != b.dimension => {
                if a.dimension.mixes_currency(&b.dimension) {
                    let (a, b) = (a.dimension.currency().unwrap_or(""), b.dimension.currency().unwrap_or(""));
                    return self.wrong(problems::mixed_currency(a, b, at));
                }
                self.wrong(problems::bad_operands(op.symbol(), a.dimension.name(), b.dimension.name(), at))
            }
            (a, b) if std::mem::discriminant(&a) == std::mem::discriminant(&b) => Value::Bool(is_same(&a, &b)),
            (a, b) => self.wrong(problems::bad_operands(op.symbol(), a.form(), b.form(), at)),
        }
    }

    /// `x == null`: only what may be left out is held against `null`.
    fn is_absent(&mut self, expr: &Expr, at: Span, scope: &Scope<'_>) -> Value {
        if matches!(expr.kind, ExprKind::Null) {
            return self.wrong(problems::never_null(at));
        }
        let Typed { value, optional, .. } = self.typed(expr, scope);
        match value {
            Value::Poison => Value::Poison,
            _ if !optional => self.wrong(problems::never_null(expr.span)),
            value => Value::Bool(value == Value::Null),
        }
    }

    /// Whether the bare words of one side are words of the other side's type.
    fn words_beside(&mut self, expr: &Expr, other: &Expr, ty: Option<Type>, scope: &Scope<'_>) -> bool {
        // A parameter has words of its own.
        if ty.is_none() && self.is_parameter(other) {
            return true;
        }
        self.words_fit(expr, ty, scope)
    }

    fn is_parameter(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Path(Path { segments, .. }) => {
                matches!(segments.first(), Some(Segment::Name(first)) if self.sources[*first] == *"param")
            }
            _ => false,
        }
    }

    /// Whether the bare words of an expression are words of a type, of any type when none is given; reports the others.
    fn words_fit(&mut self, expr: &Expr, ty: Option<Type>, scope: &Scope<'_>) -> bool {
        let sources = self.sources;
        let mut words = Vec::new();
        bare_words(expr, &mut words);
        let mut fit = true;
        for at in words {
            let word = &sources[at];
            if scope.get(word).is_none()
                && let Some(problem) = misplaced_word(word, at, ty)
            {
                self.wrong(problem);
                fit = false;
            }
        }
        fit
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
                order_of(left.value, right.value)
            }
            (Value::Quantity(left), Value::Quantity(right)) if left.dimension.mixes_currency(&right.dimension) => {
                let (left, right) = (left.dimension.currency().unwrap_or(""), right.dimension.currency().unwrap_or(""));
                return self.wrong(problems::mixed_currency(left, right, at));
            }
            (Value::Date(left), Value::Date(right)) => left.cmp(&right),
            (Value::Ratio(a, b), Value::Ratio(c, d)) => match ratio_order((a, b), (c, d)) {
                Some(ordering) => ordering,
                None => return self.wrong(problems::too_big(at)),
            },
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
        let (one, many) = (self.typed(item, scope), self.typed(list, scope));
        if !self.words_beside(item, list, many.ty, scope) || !self.words_beside(list, item, one.ty, scope) {
            return Value::Poison;
        }
        match (one.value, many.value) {
            (Value::Poison, _) | (_, Value::Poison) => Value::Poison,
            (open @ (Value::Tbd(_) | Value::Auto), _) | (_, open @ (Value::Tbd(_) | Value::Auto)) => open,
            (Value::Null, _) => self.wrong(problems::null_misused(item.span)),
            (item, Value::List(items)) if items.iter().any(|one| is_same(one, &item)) => Value::Bool(true),
            (_, Value::List(items)) => items.iter().find_map(open_inside).cloned().unwrap_or(Value::Bool(false)),
            (_, Value::Null) => Value::Bool(false),
            (Value::Quantity(item), Value::Range(ends)) if item.dimension == ends.0.dimension => {
                let inside = order_of(ends.0.value, item.value).is_le() && order_of(item.value, ends.1.value).is_le();
                Value::Bool(inside)
            }
            (item, list) => self.wrong(problems::bad_operands("in", item.form(), list.form(), at)),
        }
    }
}

/// A list, unless one of its items is a value with an error.
fn whole(items: Vec<Value>) -> Value {
    if items.contains(&Value::Poison) { Value::Poison } else { Value::List(items) }
}

/// What is not known yet in a value.
fn open_inside(value: &Value) -> Option<&Value> {
    match value {
        Value::Auto | Value::Tbd(_) => Some(value),
        Value::List(items) | Value::Tagged(_, items) => items.iter().find_map(open_inside),
        Value::Map(entries) => entries.iter().find_map(|(_, value)| open_inside(value)),
        _ => None,
    }
}

/// Numbers agree when their first 15 digits do: a rate a month has no end in decimals, and a year of it is still 12 times
/// as much. Whole numbers are exact.
fn order_of(left: Number, right: Number) -> Ordering {
    const AGREE: Number = Number::new(1, 15);
    if left.is_whole() && right.is_whole() {
        return left.cmp(&right);
    }
    let size = |number: Number| if number.is_negative() { number.negated() } else { number };
    let apart = left.minus(right).map(size);
    let limit = size(left).max(size(right)).times(AGREE);
    match (apart, limit) {
        (Some(apart), Some(limit)) if apart <= limit => Ordering::Equal,
        _ => left.cmp(&right),
    }
}

/// Equality in the language.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Quantity(a), Value::Quantity(b)) => a.dimension == b.dimension && order_of(a.value, b.value).is_eq(),
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (a, b) => a == b,
    }
}

/// `2:1` against `4:2`; nothing when the numbers are too large.
fn ratio_order(left: (Number, Number), right: (Number, Number)) -> Option<Ordering> {
    Some(left.0.times(right.1)?.cmp(&right.0.times(left.1)?))
}

/// The one-segment words of an expression that take their meaning from what stands beside it.
fn bare_words(expr: &Expr, words: &mut Vec<Span>) {
    match &expr.kind {
        ExprKind::Path(path) if path.segments.len() == 1 => words.push(path.span),
        ExprKind::List(items) => items.iter().for_each(|item| bare_words(item, words)),
        ExprKind::Conditional(parts) => {
            bare_words(&parts.1, words);
            bare_words(&parts.2, words);
        }
        _ => {}
    }
}

/// What is wrong with a word beside a value of a type, or of no type.
fn misplaced_word(word: &str, at: Span, ty: Option<Type>) -> Option<Diagnostic> {
    match ty {
        None => (!schema::is_word(word)).then(|| problems::no_word(word, at)),
        Some(Type::Country) => Country::parse(word)
            .is_none()
            .then(|| problems::unknown_code_word(word, at, "a country of ISO 3166, such as `DE`")),
        Some(Type::Currency) => Currency::parse(word)
            .is_none()
            .then(|| problems::unknown_code_word(word, at, "a currency of ISO 4217, such as `EUR`")),
        Some(ty) => {
            let legal = ty.words();
            let strange = !legal.is_empty() && !legal.contains(&word);
            strange.then(|| problems::unknown_word(word, at, "the other side", &legal))
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

/// The place of a one-segment word.
fn bare(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Path(path) if path.segments.len() == 1 => Some(path.span),
        _ => None,
    }
}

fn is_splat(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Path(path) if path.segments.iter().any(|segment| matches!(segment, Segment::Splat(_))))
}

fn top_level_words() -> impl Iterator<Item = &'static str> + Clone {
    let words: Vec<&'static str> = schema::top_level_words().collect();
    words.into_iter()
}
