//! Delivery: when a line must be ordered, and which one decides.

use crate::base::date::Date;

use super::line::Line;

const DAYS_PER_WEEK: f64 = 7.0;

/// The last day to order a line so that it is there when it is needed; nothing while one of both is not known.
pub fn order_by(line: &Line) -> Option<Date> {
    let needed = line.needed_by.filter(|_| line.is_delivered())?;
    Date::from_days(needed.days() - days(line.lead_weeks?)?)
}

/// The day that a line is there when it is ordered today.
pub fn arrives(line: &Line, today: Date) -> Option<Date> {
    Date::from_days(today.days() + days(line.lead_weeks.filter(|_| line.is_delivered())?)?)
}

/// The line that takes the longest to come, of those whose time is known; the first of several.
pub fn longest(lines: &[Line]) -> Option<&Line> {
    let known = lines.iter().filter(|line| line.is_delivered() && line.lead_weeks.is_some());
    known.reduce(|longest, line| if line.lead_weeks > longest.lead_weeks { line } else { longest })
}

/// Lines that are delivered at a time that nobody said.
pub fn undated(lines: &[Line]) -> usize {
    lines.iter().filter(|line| line.is_delivered() && line.lead_weeks.is_none()).count()
}

/// Whole days of some weeks, a broken one counted.
fn days(weeks: f64) -> Option<i64> {
    let days = (weeks * DAYS_PER_WEEK - 1e-6).ceil();
    (0.0..1e6).contains(&days).then_some(days as i64)
}
