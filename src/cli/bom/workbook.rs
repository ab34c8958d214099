//! The one door to the reader of workbooks. What comes out is plain: sheets of rows of cells.
//!
//! A workbook is weighed before it is read: a few kilobytes can unpack to gigabytes. The reader is a library that meets
//! files of strangers; should it panic, the file is refused like any other that cannot be read.

use std::io::{Cursor, Read, copy, sink};
use std::panic::{self, AssertUnwindSafe};

use calamine::{Data, Range, Reader, Xlsx};
use zip::ZipArchive;

use crate::base::number::Number;

use super::grid::{Cell, Grid};

/// The most bytes that a workbook may unpack to.
const MOST_BYTES: u64 = 256 << 20;

/// The most files that it may consist of.
const MOST_FILES: usize = 10_000;

/// The most sheets that are looked at.
const MOST_SHEETS: usize = 100;

/// The most cells between the first and the last of a sheet.
const MOST_CELLS: u64 = 4_000_000;

/// The sheets of a workbook with at most so many rows each; or why it cannot be read, in words.
pub fn read(bytes: &[u8], most_rows: usize) -> Result<Vec<Grid>, String> {
    weigh(bytes)?;
    quietly(|| sheets(bytes, most_rows)).unwrap_or_else(|| Err(String::from("its inside is damaged")))
}

/// Unpacks everything once, into nothing, and stops at the limit.
fn weigh(bytes: &[u8]) -> Result<(), String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is no workbook: {error}"))?;
    if archive.len() > MOST_FILES {
        return Err(format!("it consists of more than {MOST_FILES} files"));
    }
    let mut left = MOST_BYTES;
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(|error| format!("it cannot be unpacked: {error}"))?;
        let size =
            copy(&mut file.take(left + 1), &mut sink()).map_err(|error| format!("it cannot be unpacked: {error}"))?;
        left = left.checked_sub(size).ok_or_else(|| format!("it unpacks to more than {} MiB", MOST_BYTES >> 20))?;
    }
    Ok(())
}

/// Runs what may panic on hostile input, without the message that a panic of our own would deserve.
fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(hook);
    done.ok()
}

fn sheets(bytes: &[u8], most_rows: usize) -> Result<Vec<Grid>, String> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut grids = Vec::new();
    for name in book.sheet_names().into_iter().take(MOST_SHEETS) {
        if extent(&mut book, &name)? > MOST_CELLS {
            return Err(format!("its sheet `{name}` is larger than {MOST_CELLS} cells"));
        }
        // A sheet that is a chart or damaged has no cells; another one may have the quote.
        let Ok(values) = book.worksheet_range(&name) else { continue };
        let formulas = book.worksheet_formula(&name).unwrap_or_else(|_| Range::empty());
        grids.push(grid(name, &values, &formulas, most_rows));
    }
    Ok(grids)
}

/// The cells of the rectangle that a sheet would be read into: two cells in far corners are enough for a large one.
fn extent<R: Read + std::io::Seek>(book: &mut Xlsx<R>, name: &str) -> Result<u64, String> {
    let Ok(mut cells) = book.worksheet_cells_reader(name) else { return Ok(0) };
    let mut corners: Option<[u32; 4]> = None;
    while let Some(cell) = cells.next_cell().map_err(|error| error.to_string())? {
        let (row, column) = cell.get_position();
        let [top, left, bottom, right] = corners.unwrap_or([row, column, row, column]);
        corners = Some([top.min(row), left.min(column), bottom.max(row), right.max(column)]);
    }
    let side = |from: u32, to: u32| u64::from(to - from) + 1;
    Ok(corners.map_or(0, |[top, left, bottom, right]| side(top, bottom).saturating_mul(side(left, right))))
}

fn grid(name: String, values: &Range<Data>, formulas: &Range<String>, most_rows: usize) -> Grid {
    let (top, left) = values.start().unwrap_or((0, 0));
    let has_formula = |row: u32, column: u32| formulas.get_value((row, column)).is_some_and(|text| !text.is_empty());
    let rows = (top..)
        .zip(values.rows().take(most_rows))
        .map(|(row, cells)| (left..).zip(cells).map(|(column, value)| cell(value, has_formula(row, column))).collect());
    Grid { name: Some(name), first_row: u64::from(top) + 1, rows: rows.collect() }
}

fn cell(value: &Data, has_formula: bool) -> Cell {
    match value {
        Data::Empty if has_formula => Cell::Broken(String::from("a formula without a result")),
        Data::Empty => Cell::Empty,
        Data::String(text) if text.trim().is_empty() => Cell::Empty,
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => Cell::Text(text.clone()),
        Data::Int(number) => Number::parse(&number.to_string()).map_or(Cell::Empty, Cell::Number),
        Data::Float(number) => Number::from_f64(*number)
            .map_or_else(|| Cell::Broken(String::from("a number that is too large")), Cell::Number),
        Data::Bool(value) => Cell::Text(value.to_string()),
        Data::DateTime(date) => Number::from_f64(date.as_f64()).map_or(Cell::Empty, Cell::Number),
        Data::Error(error) => Cell::Broken(format!("the error {error}")),
    }
}
