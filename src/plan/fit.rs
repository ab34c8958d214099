//! Whether a need fits into what there is.

use super::formula::round;

/// Whether something fits, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Also at the upper end of the bar.
    Yes,
    /// Only in the optimistic half of the bar.
    Tight,
    /// Not even at the value itself.
    No,
    /// Something it depends on is not known.
    Unknown,
}

impl Fit {
    /// Holds a need with its bar against what there is.
    pub fn of(need: f64, high: f64, available: f64) -> Fit {
        if round::exceeds(need, available) {
            Fit::No
        } else if round::exceeds(high, available) {
            Fit::Tight
        } else {
            Fit::Yes
        }
    }
}

/// GPU memory a workload needs on one GPU, against what one has.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Needed bytes.
    pub need: f64,
    /// The upper end of the bar.
    pub high: f64,
    /// Bytes that a runtime sees.
    pub available: f64,
    /// Whether that fits.
    pub fit: Fit,
}
