//! A value of the language after evaluation.

use std::fmt;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::{Quantity, group};

use super::ids::BlockId;

/// What an expression comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`: an optional attribute that nobody wrote.
    Null,
    /// `auto`: the compiler decides.
    Auto,
    /// `tbd("why")`: a person still has to decide.
    Tbd(Arc<str>),
    /// Something went wrong and has been reported; whatever depends on it stays silent.
    Poison,
    /// `true`, `false`.
    Bool(bool),
    /// A number, with or without a unit.
    Quantity(Quantity),
    /// A string.
    Text(Arc<str>),
    /// An enum word.
    Word(Arc<str>),
    /// A word with arguments: `erasure(8, 2)`.
    Tagged(Arc<str>, Vec<Value>),
    /// `lo..hi`, both ends of one dimension.
    Range(Box<(Quantity, Quantity)>),
    /// `2:1`.
    Ratio(Number, Number),
    /// `2027-03-31`.
    Date(Date),
    /// `[a, b]`.
    List(Vec<Value>),
    /// `{ key = value }`.
    Map(Vec<(Arc<str>, Value)>),
    /// A reference to a block.
    Block(BlockId),
    /// `2 * catalog.gpu.x`.
    Part(u64, BlockId),
}

impl Value {
    /// A whole number.
    pub fn int(value: u64) -> Value {
        Value::Quantity(Quantity::plain(Number::whole(value)))
    }

    /// A string.
    pub fn text(value: &str) -> Value {
        Value::Text(Arc::from(value))
    }

    /// What people call this form.
    pub fn form(&self) -> &'static str {
        match self {
            Value::Null => "`null`",
            Value::Auto => "`auto`",
            Value::Tbd(_) => "`tbd`",
            Value::Poison => "a value with an error",
            Value::Bool(_) => "a truth value",
            Value::Quantity(quantity) => quantity.dimension.name(),
            Value::Text(_) => "a string",
            Value::Word(_) => "a word",
            Value::Tagged(..) => "a word with arguments",
            Value::Range(_) => "a range",
            Value::Ratio(..) => "a ratio",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
            Value::Block(_) => "a reference",
            Value::Part(..) => "a counted part",
        }
    }

    /// The blocks that it refers to.
    pub fn blocks(&self) -> Vec<BlockId> {
        match self {
            Value::Block(id) | Value::Part(_, id) => vec![*id],
            Value::List(items) | Value::Tagged(_, items) => items.iter().flat_map(Value::blocks).collect(),
            Value::Null
            | Value::Auto
            | Value::Tbd(_)
            | Value::Poison
            | Value::Bool(_)
            | Value::Quantity(_)
            | Value::Text(_)
            | Value::Word(_)
            | Value::Range(_)
            | Value::Ratio(..)
            | Value::Date(_)
            | Value::Map(_) => Vec::new(),
        }
    }

    /// True when the value is not known yet, for one reason or another.
    pub fn is_open(&self) -> bool {
        matches!(self, Value::Auto | Value::Tbd(_) | Value::Poison)
    }
}

/// As the language writes it, references aside (their address needs the model, see `Model::show`).
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Auto => f.write_str("auto"),
            Value::Tbd(why) => write!(f, "tbd({why:?})"),
            Value::Poison => f.write_str("(error)"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Quantity(quantity) => write!(f, "{quantity}"),
            Value::Text(text) => f.write_str(text),
            Value::Word(word) => f.write_str(word),
            Value::Tagged(tag, arguments) => {
                write!(f, "{tag}(")?;
                list(f, arguments)?;
                f.write_str(")")
            }
            Value::Range(ends) if ends.0.unit.is_empty() && ends.1.unit.is_empty() => {
                write!(f, "{}..{}", ends.0.value, ends.1.value)
            }
            Value::Range(ends) => write!(f, "{} to {}", ends.0, ends.1),
            Value::Ratio(over, under) => write!(f, "{over}:{under}"),
            Value::Date(date) => write!(f, "{date}"),
            Value::List(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            Value::Map(entries) => {
                f.write_str("{ ")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key} = {value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str(" }")
            }
            Value::Block(_) => f.write_str("(reference)"),
            Value::Part(count, _) => write!(f, "{} * (reference)", group(&count.to_string())),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, items: &[Value]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
    }
    Ok(())
}
