//! A small reader of Slurm's own syntax and of quoted shell words, to hold what is written against what is read.

/// The lines of a Slurm file as keys and values: comments end a line even inside quotes, an odd backslash at the end
/// joins lines, values are bare or between quotation marks.
pub fn entries(text: &str) -> Vec<Vec<(String, String)>> {
    let joined = text.replace("\\\n", " ");
    let bare = joined.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    bare.filter(|line| !line.is_empty()).map(pairs).collect()
}

fn pairs(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = line.trim_start();
    while let Some((key, after)) = rest.split_once('=') {
        let (value, tail) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        found.push((key.trim().to_string(), value.to_string()));
        rest = tail.trim_start();
    }
    found
}

/// The hosts of a list such as `a-[001-003,007],b`.
pub fn hosts(list: &str) -> Vec<String> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0usize);
    for (at, c) in list.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.into_iter().filter(|part| !part.is_empty()).flat_map(expand).collect()
}

fn expand(part: &str) -> Vec<String> {
    let Some((stem, ranges)) = part.split_once('[') else { return vec![part.to_string()] };
    let ranges = ranges.trim_end_matches(']').split(',');
    ranges
        .flat_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let width = first.len();
            let (first, last): (u64, u64) = (first.parse().unwrap_or(1), last.parse().unwrap_or(0));
            (first..=last).map(move |number| format!("{stem}{number:0width$}"))
        })
        .collect()
}

/// The words of a shell line without expansions; nothing when a quote stays open.
pub fn shell_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => loop {
                let open = word.get_or_insert_default();
                match rest.next()? {
                    '\'' => break,
                    inside => open.push(inside),
                }
            },
            '\\' => word.get_or_insert_default().push(rest.next()?),
            ' ' | '\t' | '\n' => words.extend(word.take()),
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
}
