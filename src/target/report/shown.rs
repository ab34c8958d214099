//! A figure with its bar, drawn and in words, or why it is not known.

use serde::Serialize;

use crate::model::ids::BlockId;
use crate::plan::Plan;
use crate::plan::figure::{Estimate, Figure};

use super::words::readable;

/// The length that the upper end of a bar is drawn at.
const LONGEST: f64 = 96.0;

/// A figure as a row of a table.
#[derive(Debug, Clone, Serialize)]
pub struct Shown {
    /// What it is.
    pub name: String,
    /// The value with its unit; empty when it is not known.
    pub value: String,
    /// From the low to the high end; empty without a bar.
    pub bar: String,
    /// The same, drawn.
    pub whisker: Option<Whisker>,
    /// What it stands on.
    pub basis: &'static str,
    /// Why it is not known; empty when it is.
    pub why: String,
}

/// A bar in hundredths of its own width.
#[derive(Debug, Clone, Serialize)]
pub struct Whisker {
    /// Where the value stands.
    pub value: u64,
    /// Where the bar begins.
    pub low: u64,
    /// How long it is.
    pub length: u64,
}

impl Shown {
    /// A figure of a block; nothing when nobody computes it.
    pub fn of(plan: &Plan<'_>, block: BlockId, attribute: &str) -> Option<Shown> {
        Some(Shown::new(attribute, plan.figures.get(block, attribute)?))
    }

    fn new(attribute: &str, estimate: &Estimate) -> Shown {
        let name = title(attribute);
        match estimate {
            Estimate::Known(figure) => Shown {
                name,
                value: readable(&figure.show()),
                bar: figure.bar().map(|bar| readable(&bar)).unwrap_or_default(),
                whisker: whisker(figure),
                basis: figure.basis.word(),
                why: String::new(),
            },
            Estimate::Unknown(why) => {
                Shown { name, value: String::new(), bar: String::new(), whisker: None, basis: "", why: reason(why) }
            }
        }
    }
}

/// The name of a figure where people read: `memory per GPU`.
fn title(attribute: &str) -> String {
    let word = |word: &str| match word {
        "gpu" | "mfu" | "kv" | "iops" => word.to_uppercase(),
        other => other.to_string(),
    };
    attribute.split('_').map(word).collect::<Vec<_>>().join(" ")
}

/// The value of a figure where people read; for what is not known what is known of it.
pub fn value(plan: &Plan<'_>, block: BlockId, attribute: &str) -> String {
    match plan.figures.get(block, attribute) {
        Some(Estimate::Known(figure)) => readable(&figure.show()),
        Some(Estimate::Unknown(why)) => readable(part(why)),
        None => String::from("unknown"),
    }
}

/// A figure in words with its bar: `1.7 million (1.1 to 1.7)`; for what is not known what is known of it.
pub fn words(plan: &Plan<'_>, block: BlockId, attribute: &str) -> String {
    match plan.figures.get(block, attribute) {
        Some(Estimate::Known(figure)) => {
            let bar = figure.bar().map(|bar| format!(" ({bar})")).unwrap_or_default();
            readable(&format!("{}{bar}", figure.show()))
        }
        Some(Estimate::Unknown(why)) => readable(part(why)),
        None => String::from("unknown"),
    }
}

/// `at least 1.2 EUR/h` of `at least 1.2 EUR/h: no price for …`.
fn part(why: &str) -> &str {
    let least = why.split_once(": ").map_or("", |(least, _)| least);
    if least.starts_with("at least ") { least } else { "unknown" }
}

fn whisker(figure: &Figure) -> Option<Whisker> {
    if figure.low >= figure.high || figure.high <= 0.0 || figure.low < 0.0 {
        return None;
    }
    let at = |value: f64| share(value, figure.high, LONGEST);
    let low = at(figure.low);
    Some(Whisker { value: at(figure.value), low, length: at(figure.high).saturating_sub(low).max(1) })
}

/// A reason: what is known of the sum is made readable, the words of the source stay as they are.
fn reason(why: &str) -> String {
    match why.split_once(": ") {
        Some((least, rest)) if least.starts_with("at least ") => format!("{}: {rest}", readable(least)),
        _ => why.to_string(),
    }
}

/// How long something is drawn when `whole` is drawn at `length`; never longer.
pub fn share(part: f64, whole: f64, length: f64) -> u64 {
    let drawn = (part / whole * length).round();
    if drawn.is_finite() { drawn.clamp(0.0, length) as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{part, share};

    #[test]
    fn what_is_known_of_an_unknown() {
        assert_eq!(part("at least 1.2 EUR/h: no price for `fabric.data`"), "at least 1.2 EUR/h");
        assert_eq!(part("no price for `fabric.data`"), "unknown");
    }

    #[test]
    fn nothing_is_drawn_longer_than_the_whole() {
        assert_eq!([share(1.0, 2.0, 100.0), share(3.0, 2.0, 100.0), share(1.0, 0.0, 100.0)], [50, 100, 0]);
    }
}
