//! What stands for itself: numbers, dates, texts, lists, maps, and the lists that loops make.

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::Quantity;
use crate::base::span::Span;
use crate::syntax::ast::{Comprehension, Entry, Expr, ExprKind, Literal, Range, TextPart};
use crate::syntax::text;

use crate::model::accept::is_forbidden;
use crate::model::problems;
use crate::model::schema::Format;
use crate::model::value::Value;

use super::{Eval, Scope, bare, is_splat, whole};

impl Eval<'_, '_> {
    pub(super) fn tbd(&mut self, why: &Expr, scope: &Scope<'_>) -> Value {
        match self.value(why, scope) {
            Value::Text(text) => match text.chars().find(|&c| is_forbidden(c, Format::Line)) {
                Some(character) => self.wrong(problems::forbidden_character(character, why.span)),
                None => Value::Tbd(text),
            },
            Value::Poison => Value::Poison,
            _ => self.wrong(problems::bad_arguments("tbd", why.span, "a string that says what is still open")),
        }
    }

    pub(super) fn number(&mut self, literal: &Literal, at: Span) -> Value {
        let text = |span: Option<Span>| span.map(|span| &self.sources[span]);
        match Quantity::read(&self.sources[literal.number], text(literal.scale), text(literal.unit)) {
            Ok(quantity) => Value::Quantity(quantity),
            Err(bad) => {
                let unit_at = literal.unit.or(literal.scale).unwrap_or(at);
                self.wrong(problems::bad_quantity(&bad, at, unit_at))
            }
        }
    }

    pub(super) fn range(&mut self, range: &Range, at: Span) -> Value {
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

    pub(super) fn ratio(&mut self, over: Span, under: Span, at: Span) -> Value {
        match (Number::parse(&self.sources[over]), Number::parse(&self.sources[under])) {
            (Some(_), Some(under)) if under.is_zero() => self.wrong(problems::division_by_zero(at)),
            (Some(over), Some(under)) => Value::Ratio(over, under),
            _ => self.wrong(problems::too_big(at)),
        }
    }

    pub(super) fn date(&mut self, at: Span) -> Value {
        match Date::parse(&self.sources[at]) {
            Some(date) => Value::Date(date),
            None => self.wrong(problems::bad_date(&self.sources[at], at)),
        }
    }

    pub(super) fn key(&mut self, span: Span) -> Option<Arc<str>> {
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

    pub(super) fn text(&mut self, parts: &[TextPart], whole: &Expr, scope: &Scope<'_>) -> Value {
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
    pub(super) fn shown(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<String> {
        let sources = self.sources;
        if let Some(at) = bare(expr).filter(|at| scope.get(&sources[*at]).is_none()) {
            self.unknown(at, at, None);
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
    pub(super) fn show(&self, value: &Value) -> String {
        match value {
            Value::Block(id) => self.see.address(*id),
            Value::Part(count, id) => format!("{count} * {}", self.see.address(*id)),
            Value::Tbd(why) => format!("tbd ({why})"),
            Value::List(items) => items.iter().map(|item| self.show(item)).collect::<Vec<_>>().join(", "),
            other => other.to_string(),
        }
    }

    pub(super) fn map(&mut self, entries: &[Entry], scope: &Scope<'_>) -> Value {
        let mut map = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(key) = self.key(entry.key) else { return Value::Poison };
            map.push((key, self.value(&entry.value, scope)));
        }
        let broken = map.iter().any(|(_, value)| *value == Value::Poison);
        if broken { Value::Poison } else { Value::Map(map) }
    }

    pub(super) fn list(&mut self, items: &[Expr], scope: &Scope<'_>) -> Value {
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

    pub(super) fn comprehension(&mut self, comprehension: &Comprehension, scope: &Scope<'_>) -> Value {
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
}
