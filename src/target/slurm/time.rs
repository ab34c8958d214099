//! Times as Slurm writes them.

use crate::plan::formula::round::floor_units;

/// Most seconds that a limit is written for: a thousand years say as much as no limit.
const LONGEST: f64 = 31_536_000_000.0;

/// Days, hours, minutes and seconds: `7-00:00:00`. A limit is not more than it says, so parts of a second are dropped.
/// Nothing for a time that is no limit.
pub fn limit(seconds: f64) -> Option<String> {
    let whole = floor_units(seconds);
    (seconds.is_finite() && (1..=LONGEST as u64).contains(&whole)).then(|| {
        let (days, rest) = (whole / 86_400, whole % 86_400);
        format!("{days}-{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60)
    })
}

#[cfg(test)]
mod tests {
    use super::limit;

    #[test]
    fn limits_have_days_hours_minutes_and_seconds() {
        for (seconds, written) in
            [(604_800.0, "7-00:00:00"), (7_200.0, "0-02:00:00"), (90_061.9, "1-01:01:01"), (1.0, "0-00:00:01")]
        {
            assert_eq!(limit(seconds).as_deref(), Some(written));
        }
    }

    #[test]
    fn what_is_no_limit_is_not_written() {
        for seconds in [0.0, 0.4, -5.0, f64::NAN, f64::INFINITY, 1e18] {
            assert_eq!(limit(seconds), None, "{seconds}");
        }
    }
}
