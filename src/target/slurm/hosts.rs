//! Names of hosts folded into Slurm's ranges: `train-[001-009]`.

use std::collections::BTreeMap;

/// Hosts that one range may have.
pub const LARGEST_RANGE: u64 = 65_536;

/// A name before its digits, and how many digits there are: what names of one range share.
type Stem<'a> = (&'a str, usize);

/// Folds names that end in digits. Names of different width are never in one bracket, because a range has the width of
/// its first number; names without digits stand alone. Sorted by name, each host once.
pub fn fold<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let (mut stems, mut plain): (BTreeMap<Stem<'a>, Vec<u64>>, Vec<&str>) = (BTreeMap::new(), Vec::new());
    for name in names {
        match split(name) {
            Some((stem, width, number)) => stems.entry((stem, width)).or_default().push(number),
            None => plain.push(name),
        }
    }
    plain.sort_unstable();
    plain.dedup();
    let mut parts: Vec<String> = plain.into_iter().map(str::to_string).collect();
    parts.extend(stems.into_iter().map(|((stem, width), numbers)| bracket(stem, width, numbers)));
    parts.join(",")
}

/// The name before its last digits, how many they are and what they say. More digits than a number holds are a name.
fn split(name: &str) -> Option<(&str, usize, u64)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[stem.len()..];
    // Longer runs of digits could not be told apart from others by their number.
    (1..=9).contains(&digits.len()).then(|| digits.parse().ok().map(|number| (stem, digits.len(), number)))?
}

fn bracket(stem: &str, width: usize, mut numbers: Vec<u64>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    if let [only] = numbers[..] {
        return format!("{stem}{only:0width$}");
    }
    let ranges: Vec<String> = runs(&numbers)
        .into_iter()
        .map(|(first, last)| match first == last {
            true => format!("{first:0width$}"),
            false => format!("{first:0width$}-{last:0width$}"),
        })
        .collect();
    format!("{stem}[{}]", ranges.join(","))
}

/// Runs of numbers without a gap, first and last.
fn runs(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{prop_assert_eq, proptest};

    use super::fold;
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

    proptest! {
        #[test]
        fn folding_loses_nothing(names in proptest::collection::btree_set("[a-c]{1,2}-[0-9]{1,4}|[a-c]{1,3}", 0..40)) {
            let folded = fold(names.iter().map(String::as_str));
            prop_assert_eq!(hosts(&folded).into_iter().collect::<BTreeSet<_>>(), names);
        }
    }
}
