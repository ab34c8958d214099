//! The unit that a product or a quotient is shown in.

use crate::base::quantity::Quantity;
use crate::base::unit::{self, Dimension};

/// Units of their own name, which are read before a quotient of units: `kW`, not `kWh/h`.
const NAMED: &[&str] = &["kWh", "kW"];

/// The rest, when nothing that was written fits.
const BASE: &[&str] = &["GB", "GB/s", "s", "m", "kg", "U", "tok", "req", "TFLOP", "tok/s", "req/s", "/s", "TFLOP/s"];

/// A unit for the result of an operation: one that was written, or made of what was written; empty for plain numbers
/// and for what has no unit in the language.
pub(super) fn of_result(left: &Quantity, right: &Quantity, dimension: Dimension) -> String {
    if dimension.is_none() {
        let shares = left.unit == right.unit && left.unit == "%";
        return if shares { left.unit.clone() } else { String::new() };
    }
    let (left, right) = (left.unit.as_str(), right.unit.as_str());
    let fits = |text: &str| !text.is_empty() && unit::parse(text).is_ok_and(|unit| unit.dimension == dimension);
    let parts =
        [left, right].into_iter().filter_map(|text| text.split_once('/')).flat_map(|(above, below)| [above, below]);
    let written = [left, right].into_iter().chain(parts).chain(NAMED.iter().copied()).find(|text| fits(text));
    let made = || {
        let quotient = (!right.contains('/')).then(|| format!("{left}/{right}"));
        let rates =
            [(left, right), (right, left)].map(|(one, rate)| rate.starts_with('/').then(|| format!("{one}{rate}")));
        quotient.into_iter().chain(rates.into_iter().flatten()).find(|text| fits(text))
    };
    let base = || BASE.iter().copied().find(|text| fits(text)).map(str::to_string);
    written.map(str::to_string).or_else(made).or_else(base).unwrap_or_default()
}
