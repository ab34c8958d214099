//! The sheets of the workbook, one file each.

mod cables;
mod comparison;
mod lines;
mod notes;
mod open;
mod power;
mod quotes;
mod racks;
mod rates;
mod sizing;
mod summary;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::plan::Plan;
use crate::plan::bill::Bill;

use super::rows::Row;
use super::workbook::{Cell, Form, Sheet, day};

/// All of them, in the order of their tabs.
pub fn all(plan: &Plan<'_>, bill: &Bill, rows: &[Row<'_>]) -> Vec<Sheet> {
    let rates = rates::of(plan, rows);
    let mut sheets = vec![
        summary::sheet(plan, bill, rows),
        lines::sheet(rows, rates.len()),
        sizing::sheet(plan),
        racks::sheet(plan),
    ];
    sheets.extend(cables::sheets(plan));
    sheets.extend([
        power::sheet(plan),
        quotes::sheet(plan, rows),
        comparison::sheet(plan, rows),
        rates::sheet(rates),
        open::sheet(plan, rows),
        notes::sheet(plan),
    ]);
    sheets
}

/// A day, as one that a spreadsheet counts with.
fn date(found: Option<Date>) -> Cell {
    found.map_or(Cell::Empty, |date| Cell::Number(day(date), Form::Date))
}

/// Money, or nothing while it is not known.
fn money(amount: Option<Number>) -> Cell {
    amount.map_or(Cell::Empty, |amount| Cell::Number(amount.to_f64(), Form::Money))
}

/// A text, or nothing for an empty one.
fn text(text: impl Into<String>) -> Cell {
    let text = text.into();
    if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
}

/// A text where there is one.
fn maybe(found: Option<impl ToString>) -> Cell {
    found.map_or(Cell::Empty, |found| text(found.to_string()))
}

/// A measured number without binary noise.
fn measure(value: f64) -> Cell {
    Number::from_f64(value).map_or(Cell::Empty, |number| Cell::Number(number.to_f64(), Form::Measure))
}

/// A count.
fn whole(count: u64) -> Cell {
    Cell::Number(count as f64, Form::Whole)
}

/// The row that says how many rows are left out, and where they are.
fn left_out(count: usize, columns: usize) -> Option<Vec<Cell>> {
    let note = format!("{count} more rows are left out here; plan.json has them all");
    let row = || {
        let mut row = vec![Cell::Empty; columns];
        row[0] = Cell::Text(note);
        row
    };
    (count > 0).then(row)
}
