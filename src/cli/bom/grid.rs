//! A sheet as rows of cells, whatever file it came in.

use crate::base::number::Number;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A text.
    Text(String),
    /// A number.
    Number(Number),
    /// Something without a value: what, in words.
    Broken(String),
}

/// A sheet.
pub struct Grid {
    /// Its name, in a workbook.
    pub name: Option<String>,
    /// The number of its first row, as the spreadsheet shows it.
    pub first_row: u64,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}
