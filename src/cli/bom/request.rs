//! A request for quotes as a table or a workbook.

use crate::plan::Plan;
use crate::target::bom::request::{self, ANSWERED, ASKED};
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{fitted, write};

use super::super::args::TableFormat;
use super::super::table::Table;

/// The columns of a file that is sent: what is asked, then what is to be filled in.
const COLUMNS: &[&str] = &{
    let mut columns = [""; ASKED.len() + ANSWERED.len()];
    let mut at = 0;
    while at < columns.len() {
        columns[at] = if at < ASKED.len() { ASKED[at] } else { ANSWERED[at - ASKED.len()] };
        at += 1;
    }
    columns
};

/// The request; people at a terminal do not get the columns that a supplier fills in.
pub fn print(rows: &[Row<'_>], format: TableFormat) -> String {
    let wanted = request::of(rows);
    if format == TableFormat::Human {
        let mut table = Table::new(&ASKED);
        wanted.iter().for_each(|wanted| table.row(wanted.cells()));
        return table.print(format);
    }
    let mut table = Table::new(COLUMNS);
    for wanted in &wanted {
        let mut cells: [String; COLUMNS.len()] = std::array::from_fn(|_| String::new());
        cells.iter_mut().zip(wanted.cells()).for_each(|(cell, text)| *cell = text);
        table.row(cells);
    }
    table.print(format)
}

/// The same as a workbook; or why there is none, in words.
pub fn workbook(plan: &Plan<'_>, rows: &[Row<'_>]) -> Result<Vec<u8>, String> {
    let (sheets, _) = fitted(vec![request::sheet(plan, &request::of(rows))]);
    write(&sheets)
}
