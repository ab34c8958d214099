//! Two numbers, and what lies between them. What is not known on a side has no delta.

use crate::base::quantity::group;
use crate::base::unit;
use crate::plan::figure::{self, Figure};

/// A figure on one side.
#[derive(Debug, Clone, PartialEq)]
pub enum Side {
    /// The side has no such thing.
    Absent,
    /// It is not known: why.
    Unknown(String),
    /// It is known.
    Known(Amount),
}

/// A known number with its bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// In base units.
    pub value: f64,
    /// Not below this.
    pub low: f64,
    /// Not above this.
    pub high: f64,
    /// The unit that it reads in.
    pub unit: String,
    /// What it stands on; nothing for plain counts.
    pub basis: Option<&'static str>,
    /// How it reads where that is exact: money of the bill.
    pub exact: Option<String>,
}

impl Amount {
    /// A count from its least to its most, of which the most decides.
    pub fn count(low: u64, high: u64) -> Amount {
        let exact = (low < high).then(|| format!("{} to {}", group(&low.to_string()), group(&high.to_string())));
        Amount { value: high as f64, low: low as f64, high: high as f64, unit: String::new(), basis: None, exact }
    }

    /// A figure.
    pub fn of(figure: &Figure) -> Amount {
        let Figure { value, low, high, unit, .. } = *figure;
        Amount { value, low, high, unit: unit.to_string(), basis: Some(figure.basis.word()), exact: None }
    }

    /// Without its bar.
    pub fn show_value(&self) -> String {
        figure::show(self.value, &self.unit)
    }

    /// `119.3 days (107 to 135.4 days)`.
    pub fn show(&self) -> String {
        if let Some(exact) = &self.exact {
            return exact.clone();
        }
        let value = figure::show(self.value, &self.unit);
        if self.low < self.high {
            let (low, high) = (figure::show(self.low, &self.unit), figure::show(self.high, &self.unit));
            format!("{value} ({} to {high})", bare(&low, &self.unit))
        } else {
            value
        }
    }
}

/// Without its unit.
fn bare<'t>(text: &'t str, unit: &str) -> &'t str {
    text.strip_suffix(unit).unwrap_or(text).trim_end()
}

impl Side {
    /// The number, when it is known.
    pub fn known(&self) -> Option<&Amount> {
        match self {
            Side::Known(amount) => Some(amount),
            Side::Absent | Side::Unknown(_) => None,
        }
    }

    /// As people read it: `unknown, at least 57 EUR` where so much is known.
    pub fn show(&self) -> String {
        match self {
            Side::Absent => String::from("none"),
            Side::Known(amount) => amount.show(),
            Side::Unknown(why) => match least(why) {
                Some(least) => format!("unknown ({least})"),
                None => String::from("unknown"),
            },
        }
    }

    /// True when two sides say the same within a share of their size.
    pub fn same(&self, other: &Side, tolerance: f64) -> bool {
        match (self, other) {
            (Side::Absent, Side::Absent) => true,
            (Side::Unknown(one), Side::Unknown(other)) => same_unknown(one, other, tolerance),
            (Side::Known(one), Side::Known(other)) => {
                let near = |one: f64, other: f64| near(one, other, tolerance);
                comparable(one, other)
                    && near(one.value, other.value)
                    && near(one.low, other.low)
                    && near(one.high, other.high)
            }
            (Side::Absent | Side::Unknown(_) | Side::Known(_), _) => false,
        }
    }
}

/// True for numbers that differ by no more than a share of the larger.
pub fn near(one: f64, other: f64, tolerance: f64) -> bool {
    (one - other).abs() <= tolerance.max(1e-9) * one.abs().max(other.abs())
}

/// `at least 57.01 EUR` of `at least 57.01 EUR: no price for …`.
fn least(why: &str) -> Option<&str> {
    why.split_once(": ").map(|(least, _)| least).filter(|least| least.starts_with("at least "))
}

/// Two unknowns differ when what is known of them does; why they are unknown is no figure.
fn same_unknown(one: &str, other: &str, tolerance: f64) -> bool {
    let number = |least: &str| -> Option<f64> {
        let digits = least.strip_prefix("at least ")?;
        let digits: String = digits.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '_')).collect();
        digits.replace('_', "").parse().ok()
    };
    match (least(one), least(other)) {
        (Some(one), Some(other)) => match (number(one), number(other)) {
            (Some(first), Some(second)) => near(first, second, tolerance),
            _ => one == other,
        },
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// What lies between two sides, in base units; nothing when one of them is not known or not there, or when they are
/// not of one kind: euros and dollars.
pub fn between(old: &Side, new: &Side) -> Option<f64> {
    let (old, new) = (old.known()?, new.known()?);
    comparable(old, new).then_some(new.value - old.value)
}

fn comparable(old: &Amount, new: &Amount) -> bool {
    let dimension = |amount: &Amount| unit::parse(&amount.unit).ok().map(|unit| unit.dimension);
    old.unit == new.unit || dimension(old).is_some() && dimension(old) == dimension(new)
}

/// `+56`, `-3.2 days (-12%)`, `new`, `unknown`.
pub fn text(old: &Side, new: &Side) -> String {
    match (old, new) {
        (Side::Absent, _) => String::from("new"),
        (_, Side::Absent) => String::from("gone"),
        (Side::Unknown(_), _) | (_, Side::Unknown(_)) => String::from("unknown"),
        (Side::Known(old), Side::Known(new)) if comparable(old, new) => known(old, new),
        (Side::Known(_), Side::Known(_)) => String::from("not of one unit"),
    }
}

fn known(old: &Amount, new: &Amount) -> String {
    let difference = new.value - old.value;
    let larger = if old.value.abs() > new.value.abs() { old } else { new };
    if near(old.value, new.value, 1e-9) {
        return String::from("0, another bar");
    }
    let mut text = signed(difference, &larger.unit);
    let overlap = old.low < old.high && new.low < new.high && old.low <= new.high && new.low <= old.high;
    if let Some(share) = relative(old.value, new.value, &larger.unit) {
        text.push_str(&format!(" ({share})"));
    }
    if overlap {
        text.push_str(", bars overlap");
    }
    text
}

/// A number with its sign; shares in points, so that nobody takes them for a share of the old one.
pub fn signed(difference: f64, unit: &str) -> String {
    let sign = if difference < 0.0 { "-" } else { "+" };
    let size = figure::show(difference.abs(), unit);
    match unit {
        "%" => format!("{sign}{} points", number(&format!("{:.2}", difference.abs() * 100.0))),
        "tok" | "req" | "" if difference.abs() >= 1e6 => format!("{sign}{}", scaled(difference.abs(), unit)),
        _ => format!("{sign}{size}"),
    }
}

/// `-12%`, `x 4.5`: against the old one, for amounts that are measured and not counted.
fn relative(old: f64, new: f64, unit: &str) -> Option<String> {
    if unit.is_empty() || unit == "%" || old <= 0.0 || new <= 0.0 {
        return None;
    }
    let ratio = new / old;
    Some(if (0.5..2.0).contains(&ratio) {
        let percent = (ratio - 1.0) * 100.0;
        let digits = usize::from(percent.abs() < 10.0);
        format!("{percent:+.digits$}%")
    } else if ratio >= 2.0 {
        format!("x {}", three(ratio))
    } else {
        format!("1/{}", three(1.0 / ratio))
    })
}

fn three(ratio: f64) -> String {
    let digits = usize::from(ratio < 10.0);
    group(number(&format!("{ratio:.digits$}")))
}

/// Without zeros that say nothing.
fn number(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `480 billion tok`, as the language writes large counts.
fn scaled(size: f64, unit: &str) -> String {
    let (factor, word) = match size {
        size if size >= 1e12 => (1e12, "trillion"),
        size if size >= 1e9 => (1e9, "billion"),
        _ => (1e6, "million"),
    };
    format!("{} {word} {unit}", figure::show(size / factor, "")).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::{Amount, Side, between, text};

    fn days(value: f64, low: f64, high: f64) -> Side {
        let day = 86_400.0;
        let amount = Amount {
            value: value * day,
            low: low * day,
            high: high * day,
            unit: String::from("days"),
            basis: None,
            exact: None,
        };
        Side::Known(amount)
    }

    #[test]
    fn what_is_unknown_has_no_delta() {
        let known = Side::Known(Amount::count(1, 3));
        let unknown = Side::Unknown(String::from("no price"));
        assert_eq!((between(&known, &unknown), text(&known, &unknown)), (None, String::from("unknown")));
        assert_eq!((between(&unknown, &known), text(&unknown, &known)), (None, String::from("unknown")));
        assert_eq!((between(&Side::Absent, &known), text(&Side::Absent, &known)), (None, String::from("new")));
        assert_eq!(unknown.show(), "unknown");
        assert_eq!(Side::Unknown(String::from("at least 5 EUR: no price")).show(), "unknown (at least 5 EUR)");
    }

    #[test]
    fn a_delta_reads_like_one() {
        assert_eq!(text(&days(100.0, 100.0, 100.0), &days(88.0, 88.0, 88.0)), "-12 days (-12%)");
        assert_eq!(text(&days(2.0, 2.0, 2.0), &days(9.0, 9.0, 9.0)), "+7 days (x 4.5)");
        assert_eq!(text(&days(9.0, 9.0, 9.0), &days(2.0, 2.0, 2.0)), "-7 days (1/4.5)");
        assert_eq!(text(&days(10.0, 8.0, 12.0), &days(11.0, 9.0, 13.0)), "+1 days (+10%), bars overlap");
        assert_eq!(text(&Side::Known(Amount::count(2, 2)), &Side::Known(Amount::count(9, 9))), "+7");
        assert_eq!(days(10.0, 8.0, 12.0).show(), "10 days (8 to 12 days)");
    }

    #[test]
    fn unknowns_differ_by_what_is_known_of_them() {
        let least = |text: &str| Side::Unknown(format!("at least {text}: no price for `fabric.data`"));
        assert!(least("57.01 EUR").same(&least("56.95 EUR"), 0.005));
        assert!(!least("8103 EUR").same(&least("203_279 EUR"), 0.005));
        assert!(Side::Unknown(String::from("a")).same(&Side::Unknown(String::from("b")), 0.0));
        assert!(!Side::Unknown(String::from("a")).same(&Side::Known(Amount::count(0, 0)), 1.0));
    }
}
