//! Numbers as people read them on paper, and names that fit into a box.

use serde::Serialize;

use crate::base::phrase;
use crate::base::quantity::{Money, group};
use crate::model::decode::Span;
use crate::plan::figure;

/// What groups digits where people read: a narrow blank that no line breaks at.
const GROUP: char = '\u{202F}';

/// Digits after the point of the price of one.
const PRICE_DIGITS: u32 = 6;

/// A text with numbers of the language, their digits grouped by narrow blanks: `1_000 kW`.
pub fn readable(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    let show = |(at, c): (usize, &char)| match c {
        '_' if digit(at.checked_sub(1)) && digit(Some(at + 1)) => GROUP,
        c => *c,
    };
    chars.iter().enumerate().map(show).collect()
}

/// `1 274`: a count.
pub fn count(number: u64) -> String {
    readable(&group(&number.to_string()))
}

/// `1 node`, `1 274 nodes`.
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {}", count(number), phrase::plural(noun)) }
}

/// A number of base units in a unit.
pub fn show(value: f64, unit: &str) -> String {
    readable(&figure::show(value, unit))
}

/// Watts as `40.8 kW`.
pub fn kilowatts(watts: f64) -> String {
    show(watts, "kW")
}

/// `2 to 6`, or `6`.
pub fn range(low: u64, high: u64) -> String {
    if low == high { count(high) } else { format!("{} to {}", count(low), count(high)) }
}

/// Copies of a served model, when they are known.
pub fn replicas(replicas: Option<Span<u64>>) -> String {
    replicas.map_or_else(|| String::from("unknown"), |replicas| range(replicas.low, replicas.high))
}

/// Money for people and, exactly, for programs.
#[derive(Debug, Clone, Serialize)]
pub struct Cash {
    /// The amount as `bom.json` has it.
    pub exact: String,
    /// Rounded to whole units of the money.
    pub whole: String,
    /// With hundredths.
    pub shown: String,
    /// As the price of one: a kilowatt-hour costs fractions of a hundredth.
    pub each: String,
    /// The currency.
    pub code: String,
}

/// An amount of money.
pub fn cash(money: Money) -> Cash {
    let code = money.currency.to_string();
    let spelt = |digits| readable(&group(&money.amount.round(digits).to_string()));
    Cash {
        exact: money.amount.to_string(),
        whole: spelt(0),
        shown: hundredths(spelt(2)),
        each: spelt(PRICE_DIGITS),
        code,
    }
}

/// A sum with both digits of its hundredths, so that sums stand below each other.
fn hundredths(text: String) -> String {
    match text.split_once('.') {
        Some((_, digits)) if digits.len() < 2 => format!("{text}0"),
        Some(_) => text,
        None => format!("{text}.00"),
    }
}

/// A name that fits into so many characters: its middle gives way, because names differ at both ends.
pub fn fitting(name: &str, characters: usize) -> String {
    let length = name.chars().count();
    if length <= characters {
        return name.to_string();
    }
    let tail = characters / 2;
    let head = characters.saturating_sub(tail + 1);
    let first: String = name.chars().take(head).collect();
    let last: String = name.chars().skip(length - tail.min(length)).collect();
    format!("{first}…{last}")
}

#[cfg(test)]
mod tests {
    use super::{counted, fitting, hundredths, range, readable};

    #[test]
    fn digits_are_grouped_and_names_are_left_alone() {
        assert_eq!(readable("1_234_567.5 EUR of pool_x_1"), "1\u{202F}234\u{202F}567.5 EUR of pool_x_1");
        assert_eq!((range(2, 2), range(2, 6)), (String::from("2"), String::from("2 to 6")));
        assert_eq!(
            (counted(1, "node"), counted(12_000, "node")),
            (String::from("1 node"), String::from("12\u{202F}000 nodes"))
        );
    }

    #[test]
    fn sums_stand_below_each_other() {
        let sums = ["5", "6832.8", "0.19"].map(|sum| hundredths(sum.to_string()));
        assert_eq!(sums, ["5.00", "6832.80", "0.19"]);
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(fitting("compute-leaf-01", 15), "compute-leaf-01");
        assert_eq!(fitting("compute-leaf-01", 9), "comp…f-01");
    }
}
