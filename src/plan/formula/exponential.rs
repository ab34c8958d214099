//! The exponential function from additions and multiplications only, so that it has the same bits on every machine.

/// High part of the natural logarithm of 2: its low 21 bits are zero, so a multiple up to 2^20 is exact.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
/// What [`LN2_HIGH`] leaves out.
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Terms of the series; the argument is at most ln(2)/2, so the last term is below 1e-19.
const TERMS: u32 = 15;

/// `e` to the power `x`, relative error below 1e-14.
///
/// Formula: `x = k ln 2 + r` with `|r| <= ln(2)/2`, then `2^k` times the Taylor series of `e^r`. Above 709.78 the
/// answer is infinite, below -745.2 it is 0, NaN stays NaN. Source: range reduction as in any textbook on elementary
/// functions (Muller 2006).
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 709.78 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let doublings = (x / (LN2_HIGH + LN2_LOW)).round();
    let rest = (x - doublings * LN2_HIGH) - doublings * LN2_LOW;
    scale(series(rest), doublings as i64)
}

/// Horner form of the Taylor series of `e^r`.
fn series(r: f64) -> f64 {
    (1..=TERMS).rev().fold(1.0, |inner, term| 1.0 + r * inner / f64::from(term))
}

/// `value * 2^doublings` by steps that are exact.
fn scale(value: f64, doublings: i64) -> f64 {
    let factor = if doublings < 0 { 0.5 } else { 2.0 };
    (0..doublings.abs()).fold(value, |scaled, _| scaled * factor)
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn agrees_with_the_library() {
        let mut x = -700.0;
        while x < 700.0 {
            let library = f64::exp(x);
            assert!((exp(x) / library - 1.0).abs() < 1e-14, "exp({x}) = {} not {library}", exp(x));
            x += 0.37;
        }
    }

    #[test]
    fn ends_are_defined() {
        assert_eq!((exp(0.0), exp(1e9), exp(-1e9)), (1.0, f64::INFINITY, 0.0));
        assert!(exp(f64::NAN).is_nan());
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert!(exp(709.7).is_finite());
    }
}
