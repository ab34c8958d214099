//! The closed set of functions.

use std::sync::Arc;

use crate::base::number::Number;
use crate::base::quantity::Quantity;

use super::value::Value;

/// Their names.
pub const NAMES: &[&str] = &["min", "max", "sum", "len", "ceil", "floor", "round", "join", "format"];

/// Why a call has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The function takes other arguments: what it takes.
    Arguments(&'static str),
    /// The result has too many digits.
    TooBig,
    /// An argument is not known; the value it came to.
    Open(Box<OpenArgument>),
}

/// The first argument that is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenArgument(pub Value);

impl Eq for OpenArgument {}

/// Calls a function; `show` turns a value into text.
pub fn call(name: &str, arguments: &[Value], show: &dyn Fn(&Value) -> String) -> Result<Value, Refusal> {
    if let Some(open) = arguments.iter().flat_map(items).find(|value| value.is_open()) {
        return Err(Refusal::Open(Box::new(OpenArgument(open.clone()))));
    }
    match name {
        "min" => extreme(arguments, |new, best| new < best),
        "max" => extreme(arguments, |new, best| new > best),
        "sum" => sum(arguments),
        "len" => len(arguments),
        "ceil" => rounded(arguments, Number::ceil),
        "floor" => rounded(arguments, Number::floor),
        "round" => round(arguments),
        "join" => join(arguments, show),
        _ => format_text(arguments, show),
    }
}

/// A list argument stands for its items.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        one => std::slice::from_ref(one),
    }
}

fn quantities(arguments: &[Value]) -> Option<Vec<&Quantity>> {
    let all: Option<Vec<&Quantity>> = arguments
        .iter()
        .flat_map(items)
        .map(|value| match value {
            Value::Quantity(quantity) => Some(quantity),
            _ => None,
        })
        .collect();
    let all = all?;
    let first = all.first()?.dimension;
    all.iter().all(|quantity| quantity.dimension == first).then_some(all)
}

fn extreme(arguments: &[Value], better: fn(Number, Number) -> bool) -> Result<Value, Refusal> {
    let wanted = "at least one number, or a list of them, all of one dimension";
    let all = quantities(arguments).ok_or(Refusal::Arguments(wanted))?;
    let mut best = all[0];
    for quantity in &all[1..] {
        if better(quantity.value, best.value) {
            best = quantity;
        }
    }
    Ok(Value::Quantity(best.clone()))
}

fn sum(arguments: &[Value]) -> Result<Value, Refusal> {
    if arguments.iter().all(|argument| items(argument).is_empty()) && !arguments.is_empty() {
        return Ok(Value::int(0));
    }
    let all = quantities(arguments).ok_or(Refusal::Arguments("a list of numbers of one dimension"))?;
    let mut total = all[0].clone();
    for quantity in &all[1..] {
        total.value = total.value.plus(quantity.value).ok_or(Refusal::TooBig)?;
    }
    Ok(Value::Quantity(total))
}

fn len(arguments: &[Value]) -> Result<Value, Refusal> {
    match arguments {
        [Value::List(items)] => Ok(Value::int(items.len() as u64)),
        [Value::Map(entries)] => Ok(Value::int(entries.len() as u64)),
        [Value::Text(text)] => Ok(Value::int(text.chars().count() as u64)),
        _ => Err(Refusal::Arguments("one list, map or string")),
    }
}

fn rounded(arguments: &[Value], how: fn(Number) -> Number) -> Result<Value, Refusal> {
    match arguments {
        [Value::Quantity(quantity)] if quantity.dimension.is_none() => {
            // What arithmetic adds behind the last digit is no reason to round up.
            Ok(Value::Quantity(Quantity::plain(how(quantity.value.round(15)))))
        }
        _ => Err(Refusal::Arguments("one plain number; divide a quantity by its unit first")),
    }
}

fn round(arguments: &[Value]) -> Result<Value, Refusal> {
    let wanted = Refusal::Arguments("a plain number, and how many digits stay after the point");
    let (value, digits) = match arguments {
        [Value::Quantity(value)] => (value, Some(0)),
        [Value::Quantity(value), Value::Quantity(digits)] => (value, digits.value.to_u64()),
        _ => return Err(wanted),
    };
    match digits {
        Some(digits @ 0..=12) if value.dimension.is_none() => {
            Ok(Value::Quantity(Quantity::plain(value.value.round(digits as u32))))
        }
        _ => Err(wanted),
    }
}

fn join(arguments: &[Value], show: &dyn Fn(&Value) -> String) -> Result<Value, Refusal> {
    match arguments {
        [Value::List(items), Value::Text(between)] => {
            let texts: Vec<String> = items.iter().map(show).collect();
            Ok(Value::Text(Arc::from(texts.join(between))))
        }
        _ => Err(Refusal::Arguments("a list and the string to put between: `join(xs, \", \")`")),
    }
}

fn format_text(arguments: &[Value], show: &dyn Fn(&Value) -> String) -> Result<Value, Refusal> {
    let wanted = Refusal::Arguments("a string with `{}` for each further argument");
    let Some((Value::Text(pattern), rest)) = arguments.split_first() else { return Err(wanted) };
    if pattern.matches("{}").count() != rest.len() {
        return Err(wanted);
    }
    let mut text = String::new();
    let mut rest = rest.iter();
    let mut pieces = pattern.split("{}").peekable();
    while let Some(piece) = pieces.next() {
        text.push_str(piece);
        if pieces.peek().is_some() {
            text.push_str(&rest.next().map(show).unwrap_or_default());
        }
    }
    Ok(Value::Text(Arc::from(text)))
}

#[cfg(test)]
mod tests {
    use super::{Refusal, call};
    use crate::model::value::Value;

    fn show(value: &Value) -> String {
        value.to_string()
    }

    #[test]
    fn functions_do_what_they_say() {
        let list = Value::List(vec![Value::int(3), Value::int(5)]);
        assert_eq!(call("max", std::slice::from_ref(&list), &show), Ok(Value::int(5)));
        assert_eq!(call("sum", std::slice::from_ref(&list), &show), Ok(Value::int(8)));
        assert_eq!(call("len", std::slice::from_ref(&list), &show), Ok(Value::int(2)));
        assert_eq!(call("join", &[list, Value::text("+")], &show), Ok(Value::text("3+5")));
        assert_eq!(
            call("format", &[Value::text("{} of {}"), Value::int(1), Value::int(2)], &show),
            Ok(Value::text("1 of 2"))
        );
        assert!(matches!(call("ceil", &[], &show), Err(Refusal::Arguments(_))));
    }
}
