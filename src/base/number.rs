//! Exact decimal numbers with checked arithmetic: the only door to the decimal library.

use std::fmt;

use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive, ToPrimitive};

/// An exact decimal of up to 28 digits. Every operation that could leave that range says so with `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Number(Decimal);

impl Number {
    /// 0.
    pub const ZERO: Number = Number(Decimal::ZERO);
    /// 1.
    pub const ONE: Number = Number(Decimal::ONE);

    /// Reads digits with `_` between them and at most one point.
    pub fn parse(text: &str) -> Option<Number> {
        let digits: String = text.chars().filter(|&c| c != '_').collect();
        Decimal::from_str_exact(&digits).ok().map(|value| Number(value.normalize()))
    }

    /// `mantissa` with `scale` digits after the point: `new(105, 1)` is 10.5.
    pub const fn new(mantissa: i64, scale: u32) -> Number {
        Number(Decimal::from_parts(
            (mantissa.unsigned_abs() & 0xFFFF_FFFF) as u32,
            (mantissa.unsigned_abs() >> 32) as u32,
            0,
            mantissa < 0,
            scale,
        ))
    }

    /// A whole number.
    pub fn whole(value: u64) -> Number {
        Number(Decimal::from(value))
    }

    /// The decimal nearest to a computed value, at 12 significant digits so that binary noise disappears.
    pub fn from_f64(value: f64) -> Option<Number> {
        let rounded: f64 = format!("{value:.11e}").parse().ok()?;
        Decimal::from_f64(rounded).map(|value| Number(value.normalize()))
    }

    /// For formulas, which are not exact anyway.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }

    /// The whole number it is, if it is one from 0 up.
    pub fn to_u64(self) -> Option<u64> {
        if self.is_whole() { self.0.to_u64() } else { None }
    }

    /// True without a fraction.
    pub fn is_whole(self) -> bool {
        self.0.fract().is_zero()
    }

    /// True below 0.
    pub fn is_negative(self) -> bool {
        self.0.is_sign_negative() && !self.0.is_zero()
    }

    /// True at 0.
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Sum.
    pub fn plus(self, other: Number) -> Option<Number> {
        self.0.checked_add(other.0).map(|value| Number(value.normalize()))
    }

    /// Difference.
    pub fn minus(self, other: Number) -> Option<Number> {
        self.0.checked_sub(other.0).map(|value| Number(value.normalize()))
    }

    /// Product.
    pub fn times(self, other: Number) -> Option<Number> {
        self.0.checked_mul(other.0).map(|value| Number(value.normalize()))
    }

    /// Quotient, to 28 digits; nothing by 0.
    pub fn over(self, other: Number) -> Option<Number> {
        self.0.checked_div(other.0).map(|value| Number(value.normalize()))
    }

    /// With the other sign.
    pub fn negated(self) -> Number {
        Number(-self.0)
    }

    /// The next whole number up.
    pub fn ceil(self) -> Number {
        Number(self.0.ceil())
    }

    /// The next whole number down.
    pub fn floor(self) -> Number {
        Number(self.0.floor())
    }

    /// Rounded half up to `digits` after the point.
    pub fn round(self, digits: u32) -> Number {
        let strategy = rust_decimal::RoundingStrategy::MidpointAwayFromZero;
        Number(self.0.round_dp_with_strategy(digits, strategy).normalize())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.normalize(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn arithmetic_is_exact_and_checked() {
        let tenth = Number::parse("0.1").expect("a number");
        assert_eq!(tenth.plus(Number::parse("0.2").expect("a number")), Number::parse("0.3"));
        let huge = Number::parse("9_000_000_000_000_000_000_000_000_000").expect("a number");
        assert_eq!(huge.times(huge), None);
        assert_eq!(tenth.over(Number::ZERO), None);
    }

    #[test]
    fn computed_values_lose_their_binary_noise() {
        assert_eq!(Number::from_f64(10.2 * 4.0 + 1e-14), Number::parse("40.8"));
        assert_eq!(Number::from_f64(f64::NAN), None);
    }
}
