//! Catalogue facts and schema defaults as values: they are written in the notation of the language.

use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::Quantity;
use crate::base::span::Span;

use super::block::{Block, Origin};
use super::ids::BlockId;
use super::kinds::Kind;
use super::schema::Type;
use super::value::Value;

/// A catalogue entry before its facts are put in.
pub(super) fn empty_block(kind: Kind, name: Arc<str>) -> Block<'static> {
    Block {
        kind,
        name,
        family: None,
        parent: None,
        origin: Origin::Catalogue,
        place: Span::DETACHED,
        doc: Arc::from(""),
        slots: Vec::new(),
        children: Vec::new(),
        bindings: Arc::from([]),
        repeat: None,
        waivers: Vec::new(),
        was: None,
        row: None,
    }
}

/// A fact of the catalogue; `entry` leads to other entries that it names.
pub(super) fn value(
    json: &serde_json::Value,
    ty: &Type,
    entry: &mut dyn FnMut(&str, &str) -> Option<BlockId>,
) -> Value {
    match json {
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => {
            Number::parse(&number.to_string()).map_or(Value::Poison, |number| Value::Quantity(Quantity::plain(number)))
        }
        serde_json::Value::String(text) => match ty {
            Type::Part(_) | Type::Ref(_) => part(text, entry),
            other => literal(text, other),
        },
        serde_json::Value::Array(items) => match ty {
            Type::List(inner) => Value::List(items.iter().map(|item| value(item, inner, entry)).collect()),
            _ => Value::Poison,
        },
        serde_json::Value::Null | serde_json::Value::Object(_) => Value::Poison,
    }
}

/// `8 * catalog.gpu.h200-sxm`.
fn part(text: &str, entry: &mut dyn FnMut(&str, &str) -> Option<BlockId>) -> Value {
    let (count, path) = text.split_once(" * ").unwrap_or(("1", text));
    let mut segments = path.split('.').skip(1);
    match (count.parse(), segments.next(), segments.next()) {
        (Ok(count), Some(kind), Some(id)) => entry(kind, id).map_or(Value::Poison, |block| Value::Part(count, block)),
        _ => Value::Poison,
    }
}

/// A value of a type from text: `80 GiB`, `auto`, `air`, `1:1`, `2026-07-20`.
pub(super) fn literal(text: &str, ty: &Type) -> Value {
    match ty {
        _ if text == "auto" => Value::Auto,
        Type::Bool => Value::Bool(text == "true"),
        Type::Text(_) => Value::text(text),
        Type::Word(_) | Type::Country | Type::Currency => Value::Word(Arc::from(text)),
        Type::Date => Date::parse(text).map_or(Value::Poison, Value::Date),
        Type::Ratio => ratio(text),
        Type::Range(inner) => literal(text, inner),
        Type::Int | Type::Number | Type::Quantity(_) => quantity(text),
        Type::Either(_)
        | Type::Ref(_)
        | Type::Part(_)
        | Type::List(_)
        | Type::Map
        | Type::Tagged(..)
        | Type::Expression
        | Type::Any => Value::Poison,
    }
}

fn quantity(text: &str) -> Value {
    let split = text.strip_suffix('%').map(|number| Quantity::read(number, None, Some("%")));
    split.unwrap_or_else(|| Quantity::parse(text)).map_or(Value::Poison, Value::Quantity)
}

fn ratio(text: &str) -> Value {
    let ends = text.split_once(':').and_then(|(over, under)| Some((Number::parse(over)?, Number::parse(under)?)));
    ends.map_or(Value::Poison, |(over, under)| Value::Ratio(over, under))
}
