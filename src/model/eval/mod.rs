//! Expressions to values. The same evaluator runs before sizing (attributes) and after it (`check`, `rule`).

mod literals;
mod names;
mod operators;

use std::cmp::Ordering;
use std::sync::Arc;

use crate::base::diagnostic::Diagnostic;
use crate::base::number::Number;
use crate::base::quantity::Currency;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::syntax::ast::{Expr, ExprKind, Path, Segment};

use super::block::Block;
use super::decode::Country;
use super::effort::{Effort, Granted, weight};
use super::ids::BlockId;
use super::kinds::Kind;
use super::problems;
use super::schema::{self, Derived, Type};
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
    /// The addresses that a path may have meant whose first word is the word of a block inside another, or a name.
    fn meant(&self, first: &str, second: Option<&str>) -> Vec<String>;
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
