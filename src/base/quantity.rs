//! Numbers with a unit: exact, dimension-checked, and one newtype for each thing people confuse.

use std::fmt;

use super::number::Number;
use super::unit::{self, Dimension, SCALES, Unit, UnknownUnit};

/// An exact number of base units (bytes, seconds, watts, …) with its dimension and the unit it was written in.
#[derive(Debug, Clone)]
pub struct Quantity {
    /// In base units.
    pub value: Number,
    /// What it measures.
    pub dimension: Dimension,
    /// The unit as written, for display; empty for plain numbers.
    pub unit: String,
}

/// Why a literal is no quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadQuantity {
    /// More digits than 28 decimal places hold.
    TooManyDigits,
    /// No such scale word.
    Scale(String),
    /// No such unit.
    Unit(UnknownUnit),
}

impl Quantity {
    /// A plain number.
    pub fn plain(value: Number) -> Quantity {
        Quantity { value, dimension: Dimension::NONE, unit: String::new() }
    }

    /// Reads the three pieces of a literal.
    pub fn read(number: &str, scale: Option<&str>, unit: Option<&str>) -> Result<Quantity, BadQuantity> {
        let digits = Number::parse(number).ok_or(BadQuantity::TooManyDigits)?;
        let scale = match scale {
            None => Number::ONE,
            Some(word) => SCALES
                .iter()
                .find(|(name, _)| *name == word)
                .map(|(_, factor)| *factor)
                .ok_or_else(|| BadQuantity::Scale(word.to_string()))?,
        };
        let Unit { factor, dimension } = match unit {
            None => Unit { factor: Number::ONE, dimension: Dimension::NONE },
            Some(text) => unit::parse(text).map_err(BadQuantity::Unit)?,
        };
        let value = digits.times(scale).and_then(|value| value.times(factor)).ok_or(BadQuantity::TooManyDigits)?;
        Ok(Quantity { value, dimension, unit: unit.unwrap_or_default().to_string() })
    }

    /// Reads `80 GiB` as the catalogue and the command line write it: number, one blank, unit.
    pub fn parse(text: &str) -> Result<Quantity, BadQuantity> {
        match text.split_once(' ') {
            Some((number, unit)) => Quantity::read(number, None, Some(unit)),
            None => Quantity::read(text, None, None),
        }
    }

    /// A computed value in base units of `dimension`, shown in `unit`.
    pub fn computed(value: Number, unit: &str) -> Quantity {
        let dimension = unit::parse(unit).map_or(Dimension::NONE, |unit| unit.dimension);
        Quantity { value, dimension, unit: if unit == "/" { String::new() } else { unit.to_string() } }
    }
}

/// Equal in value and dimension; the unit it was written in does not matter.
impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.value == other.value && self.dimension == other.dimension
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factor = unit::parse(&self.unit).map_or(Number::ONE, |unit| unit.factor);
        let shown = self.value.over(factor).unwrap_or(self.value).round(6);
        f.write_str(&with_unit(&group(&shown.to_string()), &self.unit))
    }
}

/// A number with its unit: a space between, but none before `%` and `/month`.
pub fn with_unit(number: &str, unit: &str) -> String {
    match unit {
        "" => number.to_string(),
        glued if glued.starts_with('%') || glued.starts_with('/') => format!("{number}{glued}"),
        spaced => format!("{number} {spaced}"),
    }
}

/// `1234567.5` as `1_234_567.5`, the way the language writes it; numbers below 10,000 stay as they are.
pub fn group(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(whole, fraction)| (whole, Some(fraction)));
    if whole.len() < 5 {
        return number.to_string();
    }
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    fraction.map(|fraction| format!("{grouped}.{fraction}")).unwrap_or(grouped)
}

/// Declares one newtype for each kind of quantity that the model has.
macro_rules! measures {
    ($( $(#[doc = $doc:literal])+ $name:ident, $dimension:ident, $unit:literal, $get:ident; )+) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(Number);

        impl $name {
            /// The dimension a value must have.
            pub const DIMENSION: Dimension = Dimension::$dimension;
            /// The base unit.
            pub const UNIT: &'static str = $unit;

            /// From a number of base units.
            pub const fn new(value: Number) -> $name {
                $name(value)
            }

            /// In base units, for formulas.
            pub fn $get(self) -> f64 {
                self.0.to_f64()
            }

            /// In base units, exactly.
            pub fn exact(self) -> Number {
                self.0
            }
        }
    )+ };
}

measures! {
    /// An amount of data, in bytes.
    Data, DATA, "B", bytes;
    /// A data rate, in bytes a second.
    Rate, RATE, "B/s", bytes_per_second;
    /// A duration, in seconds.
    Time, TIME, "s", seconds;
    /// Electrical or thermal power, in watts.
    Power, POWER, "W", watts;
    /// An electric current, in amperes.
    Current, CURRENT, "A", amperes;
    /// A voltage, in volts.
    Voltage, VOLTAGE, "V", volts;
    /// An energy, in joules.
    Energy, ENERGY, "J", joules;
    /// Carbon dioxide of energy, in kilograms a joule.
    CarbonIntensity, CARBON_INTENSITY, "kg/J", kilograms_per_joule;
    /// A length, in metres.
    Length, LENGTH, "m", metres;
    /// A mass, in kilograms.
    Mass, MASS, "kg", kilograms;
    /// A height in rack units.
    Height, RACK_UNITS, "U", units;
    /// A number of tokens.
    Tokens, TOKENS, "tok", tokens;
    /// Tokens a second.
    TokenRate, TOKEN_RATE, "tok/s", tokens_per_second;
    /// Requests a second.
    RequestRate, REQUEST_RATE, "req/s", requests_per_second;
    /// Times a second.
    Frequency, FREQUENCY, "/s", per_second;
    /// Floating-point operations a second.
    FlopRate, FLOP_RATE, "FLOP/s", flops;
    /// A share or factor: `99.9%` is 0.999.
    Share, NONE, "", fraction;
}

/// Money of one currency, exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Money {
    /// The amount.
    pub amount: Number,
    /// ISO 4217.
    pub currency: Currency,
}

/// An ISO 4217 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads `EUR`.
    pub fn parse(code: &str) -> Option<Currency> {
        unit::CURRENCIES.contains(&code).then(|| code.as_bytes().try_into().ok().map(Currency))?
    }

    /// The three letters.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", group(&self.amount.round(2).to_string()), self.currency)
    }
}

#[cfg(test)]
mod tests {
    use super::{Quantity, group};
    use crate::base::number::Number;

    #[test]
    fn literals_are_exact() {
        let power = Quantity::read("10.2", None, Some("kW")).expect("a power");
        assert_eq!(power.value, Number::whole(10_200));
        assert_eq!(power.to_string(), "10.2 kW");
        let share = Quantity::read("99.9", None, Some("%")).expect("a share");
        assert_eq!(share.value, Number::new(999, 3));
        assert_eq!(share.to_string(), "99.9%");
        let money = Quantity::read("4.2", Some("million"), Some("EUR")).expect("money");
        assert_eq!(money.to_string(), "4_200_000 EUR");
    }

    #[test]
    fn digits_are_grouped_from_10_000_on() {
        assert_eq!(group("9999"), "9999");
        assert_eq!(group("-1234567.25"), "-1_234_567.25");
    }
}
