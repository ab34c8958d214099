//! Operators, functions and conditions.

use std::sync::Arc;

use crate::base::quantity::Quantity;
use crate::base::span::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Path, Segment, UnaryOp};

use crate::model::effort::weight;
use crate::model::functions::{self, Refusal};
use crate::model::problems;
use crate::model::schema::{self, Type};
use crate::model::units;
use crate::model::value::Value;

use super::{Eval, Scope, Typed, bare_words, is_same, misplaced_word, open_inside, order_of, ratio_order};

impl Eval<'_, '_> {
    pub(super) fn call(&mut self, name: Span, arguments: &[Expr], at: Span, scope: &Scope<'_>) -> Value {
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

    pub(super) fn unary(&mut self, op: UnaryOp, operand: &Expr, scope: &Scope<'_>) -> Value {
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

    pub(super) fn conditional(&mut self, parts: &(Expr, Expr, Expr), scope: &Scope<'_>) -> Typed {
        let (condition, then, otherwise) = parts;
        match self.condition(condition, scope) {
            Ok(true) => self.typed(then, scope),
            Ok(false) => self.typed(otherwise, scope),
            Err(open) => open.into(),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, at: Span, operands: &(Expr, Expr), scope: &Scope<'_>) -> Value {
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
    pub(super) fn logic(&mut self, decides: bool, word: &str, left: &Expr, right: &Expr, scope: &Scope<'_>) -> Value {
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

    pub(super) fn arithmetic(&mut self, op: BinaryOp, at: Span, values: (Value, Value)) -> Value {
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

    pub(super) fn compute(&mut self, op: BinaryOp, at: Span, left: &Quantity, right: &Quantity) -> Value {
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

    pub(super) fn equal(&mut self, op: BinaryOp, left: &Expr, right: &Expr, at: Span, scope: &Scope<'_>) -> Value {
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
    pub(super) fn is_absent(&mut self, expr: &Expr, at: Span, scope: &Scope<'_>) -> Value {
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
    pub(super) fn words_beside(&mut self, expr: &Expr, other: &Expr, ty: Option<Type>, scope: &Scope<'_>) -> bool {
        // A parameter has words of its own.
        if ty.is_none() && self.is_parameter(other) {
            return true;
        }
        self.words_fit(expr, ty, scope)
    }

    pub(super) fn is_parameter(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Path(Path { segments, .. }) => {
                matches!(segments.first(), Some(Segment::Name(first)) if self.sources[*first] == *"param")
            }
            _ => false,
        }
    }

    /// Whether the bare words of an expression are words of a type, of any type when none is given; reports the others.
    pub(super) fn words_fit(&mut self, expr: &Expr, ty: Option<Type>, scope: &Scope<'_>) -> bool {
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

    pub(super) fn order(&mut self, op: BinaryOp, at: Span, values: (Value, Value), places: (Span, Span)) -> Value {
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

    pub(super) fn member(&mut self, item: &Expr, list: &Expr, at: Span, scope: &Scope<'_>) -> Value {
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
