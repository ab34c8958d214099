//! Lists of hosts such as `n[001-004,007],login`, unfolded and folded.

/// One list may name so many hosts; Slurm takes 65,536 in a range.
pub const MOST: u64 = 200_000;

/// The hosts of a list such as `n[001-004,007],login`, in its order; several brackets in a name multiply.
pub fn unfold(list: &str) -> Result<Vec<String>, String> {
    let mut hosts = Vec::new();
    for part in parts(list)? {
        let names = name(part)?;
        if (hosts.len() + names.len()) as u64 > MOST {
            return Err(format!("it has more than {MOST} hosts"));
        }
        hosts.extend(names);
    }
    Ok(hosts)
}

/// The names between the commas that stand outside of brackets.
pub fn parts(list: &str) -> Result<Vec<&str>, String> {
    let (mut parts, mut open, mut start) = (Vec::new(), false, 0);
    for (at, c) in list.char_indices() {
        match c {
            '[' if open => return Err(String::from("a bracket opens inside another")),
            '[' => open = true,
            ']' if !open => return Err(String::from("a bracket closes that did not open")),
            ']' => open = false,
            ',' if !open => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if open {
        return Err(String::from("a bracket does not close"));
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    Ok(parts)
}

fn name(part: &str) -> Result<Vec<String>, String> {
    let mut names = vec![String::new()];
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, tail) = after.split_once(']').ok_or("a bracket does not close")?;
        let numbers = numbers(inside)?;
        if (names.len() as u64).saturating_mul(numbers.len() as u64) > MOST {
            return Err(format!("it has more than {MOST} hosts"));
        }
        names =
            names.iter().flat_map(|name| numbers.iter().map(move |number| format!("{name}{before}{number}"))).collect();
        rest = tail;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Ok(names)
}

/// `001-004,007` as texts; the first number of a range says how wide its numbers are.
fn numbers(inside: &str) -> Result<Vec<String>, String> {
    let mut numbers = Vec::new();
    for range in inside.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| {
            let digits = !text.is_empty() && text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<u64>().ok()).flatten().ok_or_else(|| format!("`{range}` is no range"))
        };
        let (low, high) = (number(first)?, number(last)?);
        if low > high {
            return Err(format!("the range `{range}` goes backwards"));
        }
        if high - low >= MOST {
            return Err(format!("the range `{range}` has more than {MOST} hosts"));
        }
        let width = first.len();
        numbers.extend((low..=high).map(|number| format!("{number:0width$}")));
        if numbers.len() as u64 > MOST {
            return Err(format!("it has more than {MOST} hosts"));
        }
    }
    Ok(numbers)
}

/// Characters of one label of a host's name. Source: RFC 1123.
const LONGEST_NAME: usize = 63;

/// True for a host's name: letters, digits, `.`, `-` and `_`, a letter or digit first.
pub fn is_name(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    begins && name.len() <= LONGEST_NAME && name.bytes().all(legal)
}

/// A name before its last digits, and these; a name without digits has none.
pub fn split(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[stem.len()..];
    if digits.len() > 18 { (name, "") } else { (stem, digits) }
}

/// Folds names without changing their order, so that two lists stay parallel.
pub fn fold(names: &[String]) -> String {
    let (mut parts, mut at) = (Vec::new(), 0);
    while at < names.len() {
        let (stem, digits) = split(&names[at]);
        let alike = |name: &String| {
            let (other, number) = split(name);
            other == stem && number.len() == digits.len() && !number.is_empty()
        };
        let mut end = at + 1;
        while end < names.len() && alike(&names[at]) && alike(&names[end]) {
            end += 1;
        }
        let run: Vec<u64> = names[at..end].iter().filter_map(|name| split(name).1.parse().ok()).collect();
        parts.push(if end == at + 1 { names[at].clone() } else { format!("{stem}[{}]", ranges(&run, digits.len())) });
        at = end;
    }
    parts.join(",")
}

/// `001-004,007`: numbers in their order as ranges, each as wide as asked.
pub fn ranges(numbers: &[u64], width: usize) -> String {
    let texts: Vec<String> = runs(numbers)
        .into_iter()
        .map(|(first, last)| match first == last {
            true => format!("{first:0width$}"),
            false => format!("{first:0width$}-{last:0width$}"),
        })
        .collect();
    texts.join(",")
}

/// Runs of numbers without a gap, first and last.
pub fn runs(numbers: &[u64]) -> Vec<(u64, u64)> {
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
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{fold, unfold};

    #[test]
    fn lists_unfold_as_slurm_unfolds_them() {
        for (list, hosts) in [
            ("n[001-003,007]", "n001 n002 n003 n007"),
            ("a[1-2]b[0-1],c", "a1b0 a1b1 a2b0 a2b1 c"),
            ("gpu[1-2]-ib", "gpu1-ib gpu2-ib"),
            ("n[8-011]", "n8 n9 n10 n11"),
            ("x, y", "x y"),
        ] {
            assert_eq!(unfold(list).expect(list).join(" "), hosts, "{list}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused_before_it_is_made() {
        for hostile in [
            "n[1-2",
            "n1]",
            "n[[1]]",
            "n[2-1]",
            "n[a-b]",
            "n[]",
            "n[1-4000000000]",
            "n[0-999]x[0-999]",
            "n[1-99999999999999999999]",
        ] {
            assert!(unfold(hostile).is_err(), "{hostile}");
        }
    }

    proptest! {
        #[test]
        fn folding_keeps_the_order(names in proptest::collection::vec("[a-b]{1,2}[0-9]{0,3}", 1..30)) {
            prop_assert_eq!(unfold(&fold(&names)), Ok(names));
        }
    }
}
