//! BOM: the lines, with live prices.

use crate::target::bom::columns::{self, COLUMNS, position};
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{self, Cell, Form, Outcome, Sheet};

/// Its name.
pub const NAME: &str = "BOM";

/// The sheet.
pub fn sheet(rows: &[Row<'_>]) -> Sheet {
    Sheet {
        name: NAME,
        columns: COLUMNS.iter().map(|column| (column.title, column.width)).collect(),
        rows: rows.iter().enumerate().map(|(index, row)| cells(index, row)).collect(),
    }
}

fn cells(index: usize, row: &Row<'_>) -> Vec<Cell> {
    COLUMNS
        .iter()
        .map(|column| match (column.key, (column.cell)(row)) {
            ("extended", cell) => extended(index, "quantity", cell),
            ("extended_least", cell) => extended(index, "quantity_least", cell),
            ("unit_price", columns::Cell::Empty) => Cell::Wanted(Form::Money),
            (_, columns::Cell::Empty) => Cell::Empty,
            (_, columns::Cell::Text(text)) => Cell::Text(text),
            (_, columns::Cell::Number(number)) => Cell::Number(number.to_f64(), form(column.form)),
        })
        .collect()
}

fn form(form: columns::Form) -> Form {
    match form {
        columns::Form::Whole => Form::Whole,
        columns::Form::Money => Form::Money,
        columns::Form::Text | columns::Form::Measure => Form::Measure,
    }
}

/// What stands for the extended price of a line without a price; sums pass over it.
const UNPRICED: &str = "open";

/// Quantity × price, once there is a price.
fn extended(index: usize, quantity: &str, result: columns::Cell) -> Cell {
    let price = workbook::at(position("unit_price"), index);
    let quantity = workbook::at(position(quantity), index);
    let outcome = match result {
        columns::Cell::Number(number) => Outcome::Number(number.to_f64()),
        columns::Cell::Empty | columns::Cell::Text(_) => Outcome::Text(UNPRICED),
    };
    Cell::Formula(format!("IF(ISNUMBER({price}),{quantity}*{price},\"{UNPRICED}\")"), outcome, Form::Money)
}
