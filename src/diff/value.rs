//! Values of two packages: whether they are the same, which way one went, and how they read.

use crate::model::Model;
use crate::model::block::Slot;
use crate::model::ids::BlockId;
use crate::model::value::Value;
use crate::syntax::ast::{ExprKind, Literal};

use super::pairs::Pairs;

/// Which way a value went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    /// More of it, or a list with all that it had and more.
    Grows,
    /// Less of it, or a list that lost something and got nothing.
    Shrinks,
    /// It was not said before.
    Begins,
    /// It is said no longer.
    Ends,
    /// Another value, or one that is not known.
    Other,
}

/// True when two values say the same, references by the blocks that they lead to.
pub fn same(pairs: &Pairs, old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Block(one), Value::Block(other)) => pairs.new_of(*one) == Some(*other),
        (Value::Part(count, one), Value::Part(other_count, other)) => {
            count == other_count && pairs.new_of(*one) == Some(*other)
        }
        (Value::List(ones), Value::List(others)) => all_same(pairs, ones, others),
        (Value::Tagged(tag, ones), Value::Tagged(other_tag, others)) => {
            tag == other_tag && all_same(pairs, ones, others)
        }
        (Value::Map(ones), Value::Map(others)) => {
            ones.len() == others.len()
                && ones
                    .iter()
                    .zip(others)
                    .all(|((key, one), (other_key, other))| key == other_key && same(pairs, one, other))
        }
        (old, new) => old == new,
    }
}

fn all_same(pairs: &Pairs, ones: &[Value], others: &[Value]) -> bool {
    ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| same(pairs, one, other))
}

/// Which way a value went.
pub fn trend(pairs: &Pairs, old: &Value, new: &Value) -> Trend {
    let order = |low: Option<std::cmp::Ordering>, high: Option<std::cmp::Ordering>| match (low, high) {
        (Some(low), Some(high)) if low.is_le() && high.is_le() => Trend::Grows,
        (Some(low), Some(high)) if low.is_ge() && high.is_ge() => Trend::Shrinks,
        _ => Trend::Other,
    };
    match (old, new) {
        (Value::Null, _) => Trend::Begins,
        (_, Value::Null) => Trend::Ends,
        (Value::Bool(one), Value::Bool(other)) => order(Some(one.cmp(other)), Some(one.cmp(other))),
        (Value::List(ones), Value::List(others)) => {
            let kept = ones.iter().all(|one| others.iter().any(|other| same(pairs, one, other)));
            let known = others.iter().all(|other| ones.iter().any(|one| same(pairs, one, other)));
            match (kept, known) {
                (true, false) => Trend::Grows,
                (false, true) => Trend::Shrinks,
                (true, true) | (false, false) => Trend::Other,
            }
        }
        (old, new) => match (ends(old), ends(new)) {
            (Some(one), Some(other)) if one.0.dimension == other.0.dimension => {
                order(Some(one.0.value.cmp(&other.0.value)), Some(one.1.value.cmp(&other.1.value)))
            }
            _ => Trend::Other,
        },
    }
}

/// Both ends of a number or a range.
pub fn ends(value: &Value) -> Option<(&crate::base::quantity::Quantity, &crate::base::quantity::Quantity)> {
    match value {
        Value::Quantity(one) => Some((one, one)),
        Value::Range(both) => Some((&both.0, &both.1)),
        _ => None,
    }
}

/// A value as it is written where that says more than what it comes to (`20 billion tok`), else as the language would
/// write it; what cannot be known before sizing as it is written.
pub fn text(model: &Model<'_>, id: BlockId, name: &str) -> Option<String> {
    let block = model.block(id);
    let slot = block.kind.schema().attribute(name).and_then(|(position, _)| block.slot(position));
    match slot {
        Some(slot) => slot.value.as_ref().and_then(|value| literal(model, slot, value)).or_else(|| {
            let value = slot.value.as_ref().map(|value| model.show(value));
            value.or_else(|| written(model, slot))
        }),
        None => Some(model.value(id, name)).filter(|value| *value != Value::Null).map(|value| model.show(&value)),
    }
}

/// The source of an expression, blanks and line breaks as one blank each.
pub fn written(model: &Model<'_>, slot: &Slot<'_>) -> Option<String> {
    let text = &model.sources[slot.expr?.span];
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A number with scale and unit as written.
fn literal(model: &Model<'_>, slot: &Slot<'_>, value: &Value) -> Option<String> {
    let sources = model.sources;
    let number = |literal: &Literal| {
        let unit = literal.unit.map(|unit| &sources[unit]);
        let scale = literal.scale.map(|scale| format!(" {}", &sources[scale])).unwrap_or_default();
        let digits = format!("{}{scale}", &sources[literal.number]);
        crate::base::quantity::with_unit(&digits, unit.unwrap_or_default())
    };
    match (&slot.expr?.kind, value) {
        (ExprKind::Number(literal), Value::Quantity(_)) if literal.scale.is_some() => Some(number(literal)),
        (ExprKind::Range(range), Value::Range(_)) => Some(format!("{}..{}", &sources[range.low], number(&range.high))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Trend, trend};
    use crate::diff::pairs::Pairs;
    use crate::model::value::Value;

    #[test]
    fn which_way_a_value_goes() {
        let pairs = Pairs::default();
        let list = |names: &[&str]| Value::List(names.iter().map(|name| Value::text(name)).collect());
        let went = |old: &Value, new: &Value| trend(&pairs, old, new);
        assert_eq!(went(&Value::int(2), &Value::int(3)), Trend::Grows);
        assert_eq!(went(&Value::int(3), &Value::int(2)), Trend::Shrinks);
        assert_eq!(went(&Value::Bool(true), &Value::Bool(false)), Trend::Shrinks);
        assert_eq!(went(&Value::Null, &Value::int(0)), Trend::Begins);
        assert_eq!(went(&Value::int(0), &Value::Null), Trend::Ends);
        assert_eq!(went(&Value::int(1), &Value::Auto), Trend::Other);
        assert_eq!(went(&list(&["a"]), &list(&["a", "b"])), Trend::Grows);
        assert_eq!(went(&list(&["a", "b"]), &list(&["b"])), Trend::Shrinks);
        assert_eq!(went(&list(&["a", "b"]), &list(&["b", "c"])), Trend::Other);
    }
}
