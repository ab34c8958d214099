//! `bom.csv`: RFC 4180 with line feeds, UTF-8, every text in quotes.
//!
//! A spreadsheet runs a cell that starts with `=`, `+`, `-` or `@`, quoted or not. Such a text gets one apostrophe in
//! front, which spreadsheets take for "this is text". So that this can be undone, a text that starts with an
//! apostrophe gets one as well: whoever reads the file takes one leading apostrophe off each text, if there is one,
//! and has what the source said. `bom.json` and `bom.xlsx` hold every text as it is.
//!
//! Only the cells' starts are guarded: the separator is a comma, and who opens the file with another one gets cells
//! that nobody wrote. The workbook is for those.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::target::template::{Renderer, Templates};

use super::columns::{COLUMNS, Cell};
use super::rows::Row;

/// Characters that start a formula; the wide ones do in East Asian spreadsheets.
const STARTERS: &[char] = &['=', '+', '-', '@', '\u{FF1D}', '\u{FF0B}', '\u{FF0D}', '\u{FF20}'];

#[derive(Serialize)]
struct View {
    columns: Vec<&'static str>,
    rows: Vec<RowView>,
}

#[derive(Serialize)]
struct RowView {
    address: String,
    cells: Vec<CellView>,
}

/// One of both, or neither.
#[derive(Serialize)]
struct CellView {
    number: String,
    text: String,
}

/// Writes it.
pub fn write(plan: &Plan<'_>, rows: &[Row<'_>], templates: &Templates) -> Result<String, Box<Diagnostic>> {
    let view = View {
        columns: COLUMNS.iter().map(|column| column.key).collect(),
        rows: rows
            .iter()
            .map(|row| RowView {
                address: row.address.clone(),
                cells: COLUMNS.iter().map(|column| cell((column.cell)(row))).collect(),
            })
            .collect(),
    };
    Renderer::new("bom", quote, plan, templates).render("bom.csv.j2", &view)
}

fn cell(cell: Cell) -> CellView {
    match cell {
        Cell::Empty => CellView { number: String::new(), text: String::new() },
        Cell::Text(text) => CellView { number: String::new(), text },
        Cell::Number(number) => CellView { number: number.to_string(), text: String::new() },
    }
}

/// A text as a cell.
fn quote(text: &str) -> Result<String, String> {
    let guard = if is_dangerous(text) { "'" } else { "" };
    Ok(format!("\"{guard}{}\"", text.replace('"', "\"\"")))
}

/// True for a text that a spreadsheet might run, and for one that could be taken for a guarded one.
fn is_dangerous(text: &str) -> bool {
    // Some spreadsheets trim a cell before they look at it.
    let first = text.trim_start().chars().next();
    text.starts_with(['\'', '\t', '\r']) || first.is_some_and(|first| STARTERS.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::quote;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    /// The first cell of a file, as a reader of RFC 4180 sees it, without the guard.
    fn read(cell: &str) -> (String, String) {
        let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).expect("a cell in quotes");
        assert!(!inner.replace("\"\"", "").contains('"'), "{cell} ends early");
        let seen = inner.replace("\"\"", "\"");
        let text = seen.strip_prefix('\'').unwrap_or(&seen).to_string();
        (seen, text)
    }

    proptest! {
        #[test]
        fn any_text_comes_back_and_starts_no_formula(text in any::<String>()) {
            let (seen, back) = read(&quote(&text).expect("every text has a cell"));
            prop_assert_eq!(back, text);
            prop_assert!(!seen.starts_with(['=', '+', '-', '@', '\t', '\r']));
        }

        #[test]
        fn hostile_text_comes_back_and_starts_no_formula(text in "[ '\t]{0,2}[=+@'\"-]{0,3}[a-z,;\"\n]{0,4}") {
            let (seen, back) = read(&quote(&text).expect("every text has a cell"));
            prop_assert_eq!(back, text);
            prop_assert!(!seen.trim_start().starts_with(['=', '+', '-', '@']));
        }
    }

    #[test]
    fn harmless_text_only_gets_quotes() {
        assert_eq!(quote("00123").as_deref(), Ok("\"00123\""));
        assert_eq!(quote("a, \"b\"\nc").as_deref(), Ok("\"a, \"\"b\"\"\nc\""));
        assert_eq!(quote("@acme/ai").as_deref(), Ok("\"'@acme/ai\""));
    }
}
