//! Names of hosts folded into Slurm's ranges: `train-[001-009]`.

use std::collections::BTreeMap;

use crate::base::hosts::{ranges, runs, split};

/// Hosts that one range may have.
pub const LARGEST_RANGE: u64 = 65_536;

/// A name before its digits, and how many digits there are: what names of one range share.
type Stem<'a> = (&'a str, usize);

/// Folds names that end in digits. Names of different width are never in one bracket, because a range has the width of
/// its first number; names without digits stand alone. Sorted by name, each host once.
pub fn fold<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let (stems, mut plain) = grouped(names);
    plain.sort_unstable();
    plain.dedup();
    let mut parts: Vec<String> = plain.into_iter().map(str::to_string).collect();
    parts.extend(stems.into_iter().map(|((stem, width), numbers)| match numbers[..] {
        [only] => format!("{stem}{only:0width$}"),
        _ => format!("{stem}[{}]", ranges(&numbers, width)),
    }));
    parts.join(",")
}

/// Shell patterns that match these names and no others: `train-00[1-9]`, `train-01[0-6]`.
pub fn patterns<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let (stems, plain) = grouped(names);
    let mut patterns: Vec<String> = plain.into_iter().map(str::to_string).collect();
    for ((stem, width), numbers) in stems {
        let spans = runs(&numbers).into_iter().flat_map(|(first, last)| spans(first, last));
        patterns.extend(spans.map(|(first, last)| format!("{stem}{}", digits(first, last, width))));
    }
    patterns
}

/// The numbers of each stem, in order and each once, and the names without one.
fn grouped<'a>(names: impl IntoIterator<Item = &'a str>) -> (BTreeMap<Stem<'a>, Vec<u64>>, Vec<&'a str>) {
    let (mut stems, mut plain): (BTreeMap<Stem<'a>, Vec<u64>>, Vec<&str>) = (BTreeMap::new(), Vec::new());
    for name in names {
        match numbered(name) {
            Some((stem, width, number)) => stems.entry((stem, width)).or_default().push(number),
            None => plain.push(name),
        }
    }
    for numbers in stems.values_mut() {
        numbers.sort_unstable();
        numbers.dedup();
    }
    (stems, plain)
}

/// A run of numbers cut so that in each part one digit runs, and all digits after it run from 0 to 9.
fn spans(mut first: u64, last: u64) -> Vec<(u64, u64)> {
    let mut spans = Vec::new();
    while first <= last {
        let mut step = 1;
        while first.is_multiple_of(step * 10) && first + step * 10 - 1 <= last {
            step *= 10;
        }
        let of_digit = 10 - first / step % 10;
        let fitting = (last - first + 1) / step;
        let end = first + step * of_digit.min(fitting) - 1;
        spans.push((first, end));
        first = end + 1;
    }
    spans
}

/// `01[0-6]` of 010 to 016.
fn digits(first: u64, last: u64, width: usize) -> String {
    let (first, last) = (format!("{first:0width$}"), format!("{last:0width$}"));
    let digit = |(low, high): (char, char)| if low == high { low.to_string() } else { format!("[{low}-{high}]") };
    first.chars().zip(last.chars()).map(digit).collect()
}

/// The name before its last digits, how many they are and what they say. More digits than a number holds are a name.
fn numbered(name: &str) -> Option<(&str, usize, u64)> {
    let (stem, digits) = split(name);
    // Longer runs of digits could not be told apart from others by their number.
    (1..=9).contains(&digits.len()).then(|| digits.parse().ok().map(|number| (stem, digits.len(), number)))?
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{fold, patterns};
    use crate::target::slurm::reader::hosts;

    #[test]
    fn consecutive_names_become_a_range() {
        assert_eq!(fold(["train-001", "train-002", "train-003"]), "train-[001-003]");
        assert_eq!(fold(["train-003", "train-001", "train-001"]), "train-[001,003]");
        assert_eq!(fold(["box-001"]), "box-001");
        assert_eq!(fold([]), "");
    }

    #[test]
    fn widths_and_pools_stay_apart() {
        assert_eq!(fold(["n-999", "n-1000", "a-1-001", "a-1-002"]), "a-1-[001-002],n-999,n-1000");
        assert_eq!(fold(["login", "n-1", "n-2"]), "login,n-[1-2]");
    }

    #[test]
    fn patterns_match_names_and_no_others() {
        let names = |numbers: std::ops::RangeInclusive<u32>| numbers.map(|number| format!("gpu{number:03}"));
        let of = |names: Vec<String>| patterns(names.iter().map(String::as_str)).join("|");
        assert_eq!(of(names(1..=9).collect()), "gpu00[1-9]");
        assert_eq!(of(names(17..=24).collect()), "gpu01[7-9]|gpu02[0-4]");
        assert_eq!(of(names(1..=127).collect()), "gpu00[1-9]|gpu0[1-9][0-9]|gpu1[0-1][0-9]|gpu12[0-7]");
        assert_eq!(of(vec![String::from("login"), String::from("n-7")]), "login|n-7");
    }

    proptest! {
        #[test]
        fn a_pattern_holds_for_its_numbers(first in 0..1_200_u64, count in 1..1_500_u64) {
            let numbers: BTreeSet<u64> = (first..first + count).collect();
            let mut matched = BTreeSet::new();
            for (low, high) in super::spans(first, first + count - 1) {
                // Position by position, as a shell reads it.
                let (low, high) = (format!("{low:04}").into_bytes(), format!("{high:04}").into_bytes());
                let within = |number: &u64| {
                    let digits = format!("{number:04}").into_bytes();
                    (0..4).all(|at| low[at] <= digits[at] && digits[at] <= high[at])
                };
                matched.extend((0..10_000).filter(within));
            }
            prop_assert_eq!(matched, numbers);
        }

        #[test]
        fn folding_loses_nothing(names in proptest::collection::btree_set("[a-c]{1,2}-[0-9]{1,4}|[a-c]{1,3}", 0..40)) {
            let folded = fold(names.iter().map(String::as_str));
            prop_assert_eq!(hosts(&folded).into_iter().collect::<BTreeSet<_>>(), names);
        }
    }
}
