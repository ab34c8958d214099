//! Calendar dates. There is no today: a date is always written by somebody.

use std::fmt;

/// A day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Year.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to the month's last.
    pub day: u8,
}

impl Date {
    /// Reads `2027-03-31`; nothing when the calendar has no such day.
    pub fn parse(text: &str) -> Option<Date> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
            return None;
        }
        let date = Date { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        (1..=days_in_month(date.year, date.month)).contains(&date.day).then_some(date)
    }

    /// Days since 1970-01-01, for differences.
    pub fn days(self) -> i64 {
        // Counted from March, so that the leap day ends the year (H. Hinnant, days_from_civil).
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year - era * 400;
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 719_468
    }
}

impl Date {
    /// The day that is so many days after 1970-01-01; nothing outside of the years 0 to 9999.
    pub fn from_days(days: i64) -> Option<Date> {
        // The inverse of `days` (H. Hinnant, civil_from_days).
        let shifted = days.checked_add(719_468)?;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let year = u16::try_from(year).ok().filter(|year| *year <= 9_999)?;
        Some(Date { year, month: u8::try_from(month).ok()?, day: u8::try_from(day).ok()? })
    }
}

fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn only_days_of_the_calendar() {
        assert!(Date::parse("2028-02-29").is_some());
        assert!(Date::parse("2027-02-29").is_none());
        assert!(Date::parse("2027-13-01").is_none());
    }

    #[test]
    fn days_lead_back_to_dates() {
        for days in (-700_000..2_900_000).step_by(37) {
            if let Some(date) = Date::from_days(days) {
                assert_eq!((date.days(), Date::parse(&date.to_string())), (days, Some(date)));
            }
        }
        assert_eq!(Date::from_days(20_788), Date::parse("2026-12-01"));
        assert_eq!((Date::from_days(i64::MAX), Date::from_days(-800_000)), (None, None));
    }

    #[test]
    fn days_count_from_1970() {
        assert_eq!(Date::parse("1970-01-01").map(Date::days), Some(0));
        assert_eq!(Date::parse("2026-12-01").map(Date::days), Some(20_788));
    }
}
