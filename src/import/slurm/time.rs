//! Times as Slurm writes them, and as the language does.

/// A limit in seconds; nothing inside for one that does not end, nothing at all for what is no time.
pub fn seconds(text: &str) -> Option<Option<u64>> {
    if ["INFINITE", "UNLIMITED", "-1"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some(None);
    }
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number <= 10_000_000);
    let total = match text.split_once('-') {
        Some((days, rest)) => {
            let parts: Vec<u64> = rest.split(':').map(number).collect::<Option<_>>()?;
            let clock = match parts[..] {
                [hours] => hours * 3_600,
                [hours, minutes] => hours * 3_600 + minutes * 60,
                [hours, minutes, seconds] => hours * 3_600 + minutes * 60 + seconds,
                _ => return None,
            };
            number(days)? * 86_400 + clock
        }
        None => {
            let parts: Vec<u64> = text.split(':').map(number).collect::<Option<_>>()?;
            match parts[..] {
                [minutes] => minutes * 60,
                [minutes, seconds] => minutes * 60 + seconds,
                [hours, minutes, seconds] => hours * 3_600 + minutes * 60 + seconds,
                _ => return None,
            }
        }
    };
    Some(Some(total))
}

/// The same in the language: `2 days`, `90 min`.
pub fn literal(seconds: u64) -> String {
    for (unit, size) in [("days", 86_400), ("h", 3_600), ("min", 60)] {
        // One day reads better as hours.
        if seconds.is_multiple_of(size) && seconds > size {
            return format!("{} {unit}", seconds / size);
        }
    }
    format!("{seconds} s")
}

#[cfg(test)]
mod tests {
    use super::{literal, seconds};

    #[test]
    fn every_form_of_a_time_is_read() {
        for (text, wanted) in [
            ("30", Some(Some(1_800))),
            ("30:15", Some(Some(1_815))),
            ("1:00:00", Some(Some(3_600))),
            ("2-0", Some(Some(172_800))),
            ("7-00:00:00", Some(Some(604_800))),
            ("infinite", Some(None)),
            ("soon", None),
            ("1-2-3", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(seconds(text), wanted, "{text}");
        }
        assert_eq!((literal(604_800), literal(5_400), literal(61)), ("7 days".into(), "90 min".into(), "61 s".into()));
    }
}
