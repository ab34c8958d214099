//! Whether a value is what an attribute takes, and the value as the attribute keeps it.

use std::sync::Arc;

use crate::base::diagnostic::Diagnostic;
use crate::base::quantity::{Currency, Quantity};
use crate::base::span::Span;

use super::decode::Country;
use super::functions;
use super::ids::BlockId;
use super::problems;
use super::schema::{Format, Type};
use super::value::Value;

/// The largest count that is taken; more is a slip of the pen.
const MAX_COUNT: u64 = 1_000_000_000_000_000_000;

/// What the check must know of the model.
pub trait Blocks {
    /// The word of a block's kind.
    fn kind_word(&self, id: BlockId) -> &'static str;
    /// A block of one of these kinds with this name, for the repair of a bare word.
    fn named(&self, kinds: &[&'static str], name: &str) -> Option<String>;
}

/// Checks a value against a type. `what` names the attribute in messages.
pub fn accept(value: Value, ty: &Type, what: &str, at: Span, blocks: &dyn Blocks) -> Result<Value, Box<Diagnostic>> {
    let wrong = |value: &Value| Box::new(misfit(value, ty, what, at));
    match (ty, value) {
        (_, open @ (Value::Poison | Value::Null | Value::Auto | Value::Tbd(_))) => Ok(open),
        (Type::Any | Type::Expression, value) => Ok(value),
        (Type::Either(types), value) => {
            either(value, types, what, at, blocks).unwrap_or_else(|value| Err(wrong(&value)))
        }
        (Type::Bool, value @ Value::Bool(_))
        | (Type::Date, value @ Value::Date(_))
        | (Type::Ratio, value @ Value::Ratio(..)) => Ok(value),
        (Type::Int, Value::Quantity(quantity)) => int(quantity, what, at),
        (Type::Number, Value::Quantity(quantity)) => {
            dimension(quantity, &crate::base::unit::Dimension::NONE, ty, what, at)
        }
        (Type::Quantity(wanted), Value::Quantity(quantity)) => dimension(quantity, wanted, ty, what, at),
        (Type::Text(format), Value::Text(text)) => formatted(text, *format, ty, what, at),
        (Type::Word(words), Value::Word(word)) => {
            if words.contains(&&*word) {
                Ok(Value::Word(word))
            } else {
                Err(Box::new(problems::unknown_word(&word, at, what, words)))
            }
        }
        (Type::Country, Value::Word(word)) => match Country::parse(&word) {
            Some(_) => Ok(Value::Word(word)),
            None => Err(Box::new(problems::unknown_code_word(&word, at, "a country of ISO 3166, such as `DE`"))),
        },
        (Type::Currency, Value::Word(word)) => match Currency::parse(&word) {
            Some(_) => Ok(Value::Word(word)),
            None => Err(Box::new(problems::unknown_code_word(&word, at, "a currency of ISO 4217, such as `EUR`"))),
        },
        (Type::Ref(kinds), Value::Block(id)) => reference(id, kinds, ty, what, at, blocks).map(Value::Block),
        (Type::Ref(kinds), Value::Word(word)) => Err(Box::new(match blocks.named(kinds, &word) {
            Some(full) => problems::bare_reference(&word, at, &full),
            None => problems::wrong_type(what, &ty.name(), &format!("the word `{word}`"), at),
        })),
        (Type::Part(kinds), Value::Block(id)) => {
            reference(id, kinds, ty, what, at, blocks).map(|id| Value::Part(1, id))
        }
        (Type::Part(kinds), Value::Part(count, id)) => {
            reference(id, kinds, ty, what, at, blocks).map(|id| Value::Part(count, id))
        }
        (Type::Range(inner), Value::Range(ends)) => {
            let low = accept(Value::Quantity(ends.0), inner, what, at, blocks)?;
            let high = accept(Value::Quantity(ends.1), inner, what, at, blocks)?;
            match (low, high) {
                (Value::Quantity(low), Value::Quantity(high)) => Ok(Value::Range(Box::new((low, high)))),
                _ => Ok(Value::Poison),
            }
        }
        (Type::Range(inner), value) => accept(value, inner, what, at, blocks),
        (Type::List(inner), Value::List(items)) => {
            let checked: Result<Vec<Value>, _> =
                items.into_iter().map(|item| item_of(accept(item, inner, what, at, blocks)?, what, at)).collect();
            checked.map(|items| if items.contains(&Value::Poison) { Value::Poison } else { Value::List(items) })
        }
        // One part need not stand in brackets.
        (Type::List(inner), value) if matches!(inner, Type::Part(_)) => {
            accept(value, inner, what, at, blocks).map(|part| Value::List(vec![part]))
        }
        (Type::List(_), value) => {
            Err(Box::new(problems::wrong_type(what, &ty.name(), value.form(), at).help("put it in brackets: `[…]`")))
        }
        (Type::Map, Value::Map(entries)) => Ok(Value::Map(entries)),
        (Type::Tagged(tag, types), Value::Tagged(word, arguments))
            if *word == **tag && arguments.len() == types.len() =>
        {
            let checked: Result<Vec<Value>, _> = arguments
                .into_iter()
                .zip(types.iter())
                .map(|(argument, ty)| accept(argument, ty, what, at, blocks))
                .collect();
            checked.map(|arguments| Value::Tagged(word, arguments))
        }
        (
            Type::Bool
            | Type::Int
            | Type::Number
            | Type::Text(_)
            | Type::Date
            | Type::Ratio
            | Type::Quantity(_)
            | Type::Word(_)
            | Type::Country
            | Type::Currency
            | Type::Ref(_)
            | Type::Part(_)
            | Type::Map
            | Type::Tagged(..),
            value,
        ) => Err(wrong(&value)),
    }
}

/// What to say of a value that is nothing of the type: a call is mostly a misspelt function or tag.
fn misfit(value: &Value, ty: &Type, what: &str, at: Span) -> Diagnostic {
    match value {
        Value::Tagged(word, _) if !ty.words().contains(&&**word) => {
            problems::unknown_function(word, at, functions::NAMES, ty.words())
        }
        other => problems::wrong_type(what, &ty.name(), other.form(), at),
    }
}

/// An item of a list must be known.
fn item_of(item: Value, what: &str, at: Span) -> Result<Value, Box<Diagnostic>> {
    match item {
        Value::Tbd(_) => Err(Box::new(problems::tbd_not_allowed(&format!("an item of {what}"), at))),
        Value::Auto => Err(Box::new(problems::auto_not_allowed(&format!("an item of {what}"), at))),
        Value::Null => Err(Box::new(problems::null_misused(at))),
        known => Ok(known),
    }
}

/// The first of the types whose form fits decides; a word goes to all of them together.
fn either(
    value: Value,
    types: &[Type],
    what: &str,
    at: Span,
    blocks: &dyn Blocks,
) -> Result<Result<Value, Box<Diagnostic>>, Value> {
    if let Value::Word(word) = &value {
        let words: Vec<&'static str> =
            types.iter().filter(|ty| matches!(ty, Type::Word(_))).flat_map(Type::words).collect();
        if words.contains(&&**word) {
            return Ok(Ok(value));
        }
        let kinds: Vec<&'static str> = types
            .iter()
            .filter_map(|ty| if let Type::Ref(kinds) = ty { Some(*kinds) } else { None })
            .flatten()
            .copied()
            .collect();
        return Ok(Err(Box::new(match blocks.named(&kinds, word) {
            Some(full) => problems::bare_reference(word, at, &full),
            None => {
                let all: Vec<&'static str> = types.iter().flat_map(Type::words).collect();
                problems::unknown_word(word, at, what, &all)
            }
        })));
    }
    match types.iter().find(|ty| has_form(&value, ty)) {
        Some(ty) => Ok(accept(value, ty, what, at, blocks)),
        None => Err(value),
    }
}

fn has_form(value: &Value, ty: &Type) -> bool {
    match (ty, value) {
        (Type::Tagged(tag, types), Value::Tagged(word, arguments)) => **word == **tag && arguments.len() == types.len(),
        (Type::Quantity(wanted), Value::Quantity(quantity)) => quantity.dimension.fits(wanted),
        (Type::Int | Type::Number, Value::Quantity(quantity)) => quantity.dimension.is_none(),
        (Type::Ref(_) | Type::Part(_), Value::Block(_)) => true,
        (Type::Text(_), Value::Text(_)) => true,
        _ => false,
    }
}

fn reference(
    id: BlockId,
    kinds: &[&'static str],
    ty: &Type,
    what: &str,
    at: Span,
    blocks: &dyn Blocks,
) -> Result<BlockId, Box<Diagnostic>> {
    let kind = blocks.kind_word(id);
    if kinds.is_empty() || kinds.contains(&kind) {
        return Ok(id);
    }
    Err(Box::new(problems::wrong_type(what, &ty.name(), &format!("a `{kind}`"), at)))
}

fn int(quantity: Quantity, what: &str, at: Span) -> Result<Value, Box<Diagnostic>> {
    if !quantity.dimension.is_none() {
        return Err(Box::new(problems::wrong_dimension(
            what,
            "a whole number without a unit",
            quantity.dimension.name(),
            at,
        )));
    }
    match quantity.value.to_u64() {
        Some(whole) if whole <= MAX_COUNT => Ok(Value::Quantity(quantity)),
        _ => Err(Box::new(problems::wrong_type(what, "a whole number from 0 up", &format!("{}", quantity.value), at))),
    }
}

fn dimension(
    quantity: Quantity,
    wanted: &crate::base::unit::Dimension,
    ty: &Type,
    what: &str,
    at: Span,
) -> Result<Value, Box<Diagnostic>> {
    if !quantity.dimension.fits(wanted) {
        return Err(Box::new(problems::wrong_dimension(what, &ty.name(), quantity.dimension.name(), at)));
    }
    if quantity.value.is_negative() {
        return Err(Box::new(problems::wrong_type(what, &ty.name(), "below 0", at)));
    }
    Ok(Value::Quantity(quantity))
}

fn formatted(text: Arc<str>, format: Format, ty: &Type, what: &str, at: Span) -> Result<Value, Box<Diagnostic>> {
    if let Some(character) = text.chars().find(|&c| is_forbidden(c, format)) {
        return Err(Box::new(problems::forbidden_character(character, at)));
    }
    let fits = match format {
        Format::Line | Format::Prose => true,
        Format::Cidr => is_cidr(&text),
        Format::Version => is_version(&text),
        Format::Region => is_region(&text),
        Format::Url => is_url(&text),
    };
    if fits { Ok(Value::Text(text)) } else { Err(Box::new(problems::bad_format(what, &ty.name(), &text, at))) }
}

/// Control characters and marks that turn the direction of text; a line break where there is one line.
pub(super) fn is_forbidden(character: char, format: Format) -> bool {
    let bidirectional =
        matches!(character, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let line_break = matches!(character, '\n' | '\t');
    let separator = matches!(character, '\u{2028}' | '\u{2029}' | '\u{85}');
    bidirectional || separator || (character.is_control() && !(line_break && format == Format::Prose))
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let Ok(length) = length.parse::<u8>() else { return false };
    match address.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(v4)) => length <= 32 && u32::from(v4).checked_shl(u32::from(length)).unwrap_or(0) == 0,
        Ok(std::net::IpAddr::V6(v6)) => {
            length <= 128 && u128::from(v6).checked_shl(u32::from(length)).unwrap_or(0) == 0
        }
        Err(_) => false,
    }
}

fn is_version(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_ascii_digit());
    first && text.len() <= 40 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

fn is_region(text: &str) -> bool {
    let inner = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    inner && text.len() <= 40 && text.chars().next().is_some_and(|c| c.is_ascii_lowercase()) && !text.ends_with('-')
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or("");
        let legal =
            |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
        let host_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        !host.is_empty() && host.chars().all(host_legal) && rest.chars().all(legal)
    })
}

#[cfg(test)]
mod tests {
    use super::{is_cidr, is_region, is_url, is_version};

    #[test]
    fn formats_are_strict() {
        assert!(is_cidr("10.20.0.0/22") && is_cidr("fd00::/8") && is_cidr("0.0.0.0/0"));
        assert!(!is_cidr("10.20.0.1/22") && !is_cidr("10.20.0.0") && !is_cidr("10.20.0.0/33"));
        assert!(is_version("580.95.05") && !is_version("latest") && !is_version("1 2"));
        assert!(is_region("eu-north-1") && !is_region("EU") && !is_region("eu-"));
        assert!(is_url("https://login.acme.example/x") && !is_url("https://") && !is_url("https://a b"));
    }
}
