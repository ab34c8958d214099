//! Delimited text: cells of RFC 4180 between commas, semicolons or tabs.

/// The separators that spreadsheets write.
pub const SEPARATORS: &[char] = &[',', ';', '\t'];

/// Rows longer than this are no quote.
const MOST_CELLS: usize = 1_000;

/// The rows of a text with one separator; a quotation mark that is never closed takes the rest of the text.
///
/// A cell that a guard against formulas begins with an apostrophe loses it.
pub fn rows(text: &str, separator: char, most: usize) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted || cell.trim().is_empty() => {
                quoted = !quoted;
                if quoted {
                    cell.clear();
                }
            }
            c if c == separator && !quoted => push(&mut row, &mut cell),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                push(&mut row, &mut cell);
                rows.push(std::mem::take(&mut row));
                if rows.len() >= most {
                    return rows;
                }
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        push(&mut row, &mut cell);
        rows.push(row);
    }
    rows
}

fn push(row: &mut Vec<String>, cell: &mut String) {
    let text = std::mem::take(cell);
    if row.len() < MOST_CELLS {
        row.push(text.strip_prefix('\'').map_or_else(|| text.clone(), str::to_string));
    }
}

#[cfg(test)]
mod tests {
    use super::rows;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    #[test]
    fn cells_of_spreadsheets() {
        let read = |text: &str, separator| rows(text, separator, 10);
        assert_eq!(read("\u{FEFF}a;\"b;\"\"c\"\"\nd\";'=e\r\nf", ';'), [vec!["a", "b;\"c\"\nd", "=e"], vec!["f"]]);
        assert_eq!(read("a\tb\n\n", '\t'), [vec!["a", "b"], vec![""]]);
        assert_eq!(read("12\" rack,1", ','), [vec!["12\" rack", "1"]]);
    }

    proptest! {
        #[test]
        fn any_text_has_rows(text in any::<String>(), most in 1usize..4) {
            prop_assert!(rows(&text, ',', most).len() <= most.max(rows(&text, ',', usize::MAX).len()));
        }

        #[test]
        fn quoted_cells_come_back(cells in proptest::collection::vec("[a-z,;\"\n =+-]{0,8}", 1..5)) {
            let line: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            let read = rows(&format!("{}\n", line.join(",")), ',', 10);
            prop_assert_eq!(read, vec![cells]);
        }
    }
}
