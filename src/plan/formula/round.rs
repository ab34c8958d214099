//! Rounding to whole units, and comparing, with room for the last bits of a float.

/// Relative tolerance of every rounding and comparison of this module.
pub const TOLERANCE: f64 = 1e-9;

/// Smallest whole number not below `x`, where `x` counts as whole within [`TOLERANCE`] of a whole number.
///
/// Anything above 0 needs a unit. Negative numbers and NaN give 0; what exceeds `u64` gives `u64::MAX`.
/// Source: arithmetic.
pub fn ceil_units(x: f64) -> u64 {
    whole(x).unwrap_or_else(|| x.ceil()) as u64
}

/// Largest whole number not above `x`, where `x` counts as whole within [`TOLERANCE`] of a whole number.
///
/// So 40.8 kW over 10.2 kW is 4 nodes, not 3. Negative numbers and NaN give 0; what exceeds `u64` gives `u64::MAX`.
/// Source: arithmetic.
pub fn floor_units(x: f64) -> u64 {
    whole(x).unwrap_or_else(|| x.floor()) as u64
}

/// True when `amount` is above `limit` by more than [`TOLERANCE`] of the larger of the two.
///
/// False when either is NaN. Source: arithmetic.
pub fn exceeds(amount: f64, limit: f64) -> bool {
    if amount.is_infinite() || limit.is_infinite() {
        return amount > limit;
    }
    amount - limit > TOLERANCE * amount.abs().max(limit.abs())
}

/// `a / b` rounded up; 0 over 0 is 0 and anything else over 0 is `u64::MAX`. Source: arithmetic.
pub fn div_ceil(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, _) => 0,
        (_, 0) => u64::MAX,
        _ => a.div_ceil(b),
    }
}

/// `a / b` rounded down; 0 over 0 is 0 and anything else over 0 is `u64::MAX`. Source: arithmetic.
pub fn div_floor(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, _) => 0,
        (_, 0) => u64::MAX,
        _ => a / b,
    }
}

/// `a / b`, where 0 over 0 is 0 and anything else over 0 is infinite with the sign of `a`. Source: arithmetic.
pub fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 {
        return 0.0;
    }
    if b == 0.0 {
        return if a < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    a / b
}

/// `base` to a whole power, by repeated squaring: the same bits everywhere, unlike the library's power. Source:
/// arithmetic.
pub fn power(base: f64, exponent: u64) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left % 2 == 1 {
            result *= square;
        }
        square *= square;
        left /= 2;
    }
    result
}

/// Product of whole numbers that stops at `u64::MAX` instead of overflowing. Source: arithmetic.
pub fn product<const N: usize>(factors: [u64; N]) -> u64 {
    factors.into_iter().fold(1, u64::saturating_mul)
}

/// Sum of whole numbers that stops at `u64::MAX` instead of overflowing. Source: arithmetic.
pub fn sum<const N: usize>(terms: [u64; N]) -> u64 {
    terms.into_iter().fold(0, u64::saturating_add)
}

/// The nearest whole number, if `x` is within tolerance of it.
fn whole(x: f64) -> Option<f64> {
    let nearest = x.round();
    ((x - nearest).abs() <= TOLERANCE * x.abs()).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::{ceil_units, div_ceil, div_floor, exceeds, floor_units, power, product, ratio, sum};

    #[test]
    fn last_bits_do_not_cost_a_unit() {
        // Four DGX H100 of 10.2 kW in a rack of 40.8 kW: the plain quotient is 3.9999999999999996.
        assert_eq!(floor_units(40.8 / 10.2), 4);
        assert_eq!((ceil_units(1e-12), ceil_units(0.0)), (1, 0));
        assert_eq!(ceil_units(3.0 * 1.1 / 1.1), 3);
        assert_eq!((floor_units(3.999), ceil_units(3.001)), (3, 4));
    }

    #[test]
    fn odd_numbers_have_defined_answers() {
        assert_eq!((ceil_units(-2.5), floor_units(f64::NAN), ceil_units(f64::INFINITY)), (0, 0, u64::MAX));
        assert_eq!((div_ceil(7, 2), div_ceil(0, 0), div_ceil(1, 0), div_floor(7, 2)), (4, 0, u64::MAX, 3));
        assert_eq!((ratio(0.0, 0.0), ratio(1.0, 0.0), ratio(1.0, 4.0)), (0.0, f64::INFINITY, 0.25));
        assert_eq!((product([u64::MAX, 2]), sum([u64::MAX, 2]), product([])), (u64::MAX, u64::MAX, 1));
    }

    #[test]
    fn exceeding_needs_more_than_the_last_bits() {
        assert!(!exceeds(0.1 + 0.2, 0.3));
        assert!(exceeds(40.9, 40.8) && !exceeds(40.8, 40.9) && !exceeds(f64::NAN, 1.0));
        assert!(exceeds(f64::INFINITY, 1.0) && !exceeds(1.0, f64::INFINITY));
    }

    #[test]
    fn powers_by_squaring() {
        assert_eq!((power(2.0, 10), power(0.5, 3), power(7.0, 0)), (1024.0, 0.125, 1.0));
    }
}
