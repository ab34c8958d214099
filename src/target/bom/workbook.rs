//! The one door to the library that writes workbooks. What goes in is plain data: sheets of rows of cells.
//!
//! A text always goes in as a text, whatever it starts with. A formula is written with its result, because a viewer
//! that does not compute shows that one. The same sheets are the same bytes: the date in the file is fixed.

use rust_xlsxwriter::utility::column_number_to_name;
use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Formula, Workbook, Worksheet, XlsxError,
};

use crate::base::date::Date;

/// The most UTF-16 units that a cell holds.
pub const LONGEST_TEXT: usize = 32_767;

/// What stands at the end of a text that was cut.
const CUT: &str = " … (cut here; bom.json has all of it)";

/// A sheet. Its first row are the titles, which stay in view and are printed on each page.
pub struct Sheet {
    /// Its name, in ASCII letters and blanks.
    pub name: &'static str,
    /// Titles and widths.
    pub columns: Vec<(String, f64)>,
    /// The rows below the titles.
    pub rows: Vec<Vec<Cell>>,
    /// Columns that stay in view.
    pub kept: u16,
    /// Columns that are printed, from the first; all of them when absent.
    pub printed: Option<u16>,
    /// First and last of rows that fold away together, from 0 below the titles.
    pub folds: Vec<(u32, u32)>,
}

impl Sheet {
    /// A sheet that is printed whole.
    pub fn new(name: &'static str, columns: &[(&str, f64)], rows: Vec<Vec<Cell>>) -> Sheet {
        let columns = columns.iter().map(|(title, width)| ((*title).to_string(), *width)).collect();
        Sheet { name, columns, rows, kept: 0, printed: None, folds: Vec::new() }
    }
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Nothing yet: somebody should write a number here.
    Wanted(Form),
    /// A text.
    Text(String),
    /// A number.
    Number(f64, Form),
    /// A formula without `=`, and what it comes to.
    Formula(String, Outcome, Form),
}

/// What a formula comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A number.
    Number(f64),
    /// A text; the empty one where there is nothing to compute with.
    Text(&'static str),
}

/// How a number looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Without a fraction.
    Whole,
    /// With cents, and more digits where there are.
    Money,
    /// With the digits it has.
    Measure,
    /// As a share of a hundred.
    Share,
    /// As a day; the number is what [`day`] makes of it.
    Date,
}

/// A day as a workbook counts it.
pub fn day(date: Date) -> f64 {
    // Day 1 is 1900-01-01, and the calendar of workbooks has a 29 February in 1900.
    (date.days() + 25_569) as f64
}

/// `$C$2:$C$40`, the cells of a column below its title, for use in formulas of other sheets.
pub fn range(sheet: &str, column: usize, rows: usize) -> String {
    let name = letters(column);
    // A range of no rows would be the title; the empty row below it is as good as none.
    let sheet = if sheet.contains(' ') { format!("'{sheet}'") } else { sheet.to_string() };
    format!("{sheet}!${name}$2:${name}${}", rows.max(1) + 1)
}

/// `C7`: a cell by its column and its row below the titles, from 0.
pub fn at(column: usize, row: usize) -> String {
    format!("{}{}", letters(column), row + 2)
}

fn letters(column: usize) -> String {
    column_number_to_name(u16::try_from(column).unwrap_or(u16::MAX))
}

/// Cuts texts that are longer than a cell; says where.
pub fn fitted(mut sheets: Vec<Sheet>) -> (Vec<Sheet>, Vec<String>) {
    let mut cut = Vec::new();
    for sheet in &mut sheets {
        for (row, cells) in sheet.rows.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                let Cell::Text(text) = cell else { continue };
                let Some(short) = shortened(text) else { continue };
                *text = short;
                cut.push(format!("{}!{}", sheet.name, at(column, row)));
            }
        }
    }
    (sheets, cut)
}

fn shortened(text: &str) -> Option<String> {
    // No text has more UTF-16 units than bytes.
    if text.len() <= LONGEST_TEXT || text.encode_utf16().count() <= LONGEST_TEXT {
        return None;
    }
    let mut room = LONGEST_TEXT - CUT.encode_utf16().count();
    let fits = |c: &char| {
        let left = room.checked_sub(c.len_utf16());
        room = left.unwrap_or(0);
        left.is_some()
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.push_str(CUT);
    Some(short)
}

/// The file; or why there is none, in words.
pub fn write(sheets: &[Sheet]) -> Result<Vec<u8>, String> {
    build(sheets).map_err(|error| error.to_string())
}

fn build(sheets: &[Sheet]) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    // The library takes the clock for a workbook without a date; nobody reads this one.
    let date = ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&date));
    let looks = Looks::new();
    for sheet in sheets {
        fill(book.add_worksheet(), sheet, &looks)?;
    }
    book.save_to_buffer()
}

fn fill(page: &mut Worksheet, sheet: &Sheet, looks: &Looks) -> Result<(), XlsxError> {
    page.set_name(sheet.name)?;
    page.set_formula_result_default("");
    for (column, (title, width)) in (0u16..).zip(&sheet.columns) {
        page.set_column_width(column, *width)?;
        page.write_string_with_format(0, column, title, &looks.title)?;
    }
    page.set_row_height(0, TITLE_HEIGHT)?;
    for (row, cells) in (1u32..).zip(&sheet.rows) {
        let lines = lines(cells);
        if lines > 1 {
            page.set_row_height(row, LINE_HEIGHT * f64::from(lines))?;
        }
        for (column, cell) in (0u16..).zip(cells) {
            put(page, row, column, cell, looks)?;
        }
    }
    let last_column = u16::try_from(sheet.columns.len().saturating_sub(1)).unwrap_or(u16::MAX);
    let last_row = u32::try_from(sheet.rows.len()).unwrap_or(u32::MAX);
    page.autofilter(0, 0, last_row, last_column)?;
    page.set_freeze_panes(1, sheet.kept)?;
    // The line above folded rows has the mark to open them.
    page.group_symbols_above(true);
    for (first, last) in &sheet.folds {
        page.group_rows(first + 1, last + 1)?;
    }
    if let Some(printed) = sheet.printed {
        page.set_print_area(0, 0, last_row, printed.saturating_sub(1))?;
    }
    page.set_landscape();
    page.set_paper_size(A4);
    page.set_print_fit_to_pages(1, 0);
    page.set_repeat_rows(0, 0)?;
    page.set_margins(0.4, 0.4, 0.5, 0.6, 0.3, 0.3);
    page.set_footer("&L&A&RPage &P of &N");
    Ok(())
}

/// The library's number for it.
const A4: u8 = 9;

/// Points of a line of text, and of titles, which may need two.
const LINE_HEIGHT: f64 = 15.0;
const TITLE_HEIGHT: f64 = 32.0;

/// The most lines that a row shows; a longer text can be read in its cell.
const MOST_LINES: u32 = 12;

/// Lines of the tallest text of a row.
fn lines(cells: &[Cell]) -> u32 {
    let breaks = |cell: &Cell| match cell {
        Cell::Text(text) => text.bytes().filter(|byte| *byte == b'\n').count(),
        Cell::Empty | Cell::Wanted(_) | Cell::Number(..) | Cell::Formula(..) => 0,
    };
    let most = cells.iter().map(breaks).max().unwrap_or_default();
    u32::try_from(most).unwrap_or(MOST_LINES).saturating_add(1).min(MOST_LINES)
}

fn put(page: &mut Worksheet, row: u32, column: u16, cell: &Cell, looks: &Looks) -> Result<(), XlsxError> {
    match cell {
        Cell::Empty => {}
        Cell::Wanted(form) => {
            page.write_blank(row, column, &looks.wanted(*form))?;
        }
        // The library takes such a text for its own markup, unless it makes that itself.
        Cell::Text(text) if text.starts_with("<r>") && text.ends_with("</r>") => {
            let plain = Format::default();
            page.write_rich_string_with_format(row, column, &[(&plain, &guarded(text))], &looks.text)?;
        }
        Cell::Text(text) => {
            page.write_string_with_format(row, column, text, &looks.text)?;
        }
        // A cell cannot hold what has no end; nothing is what is known of it.
        Cell::Number(number, _) if !number.is_finite() => {}
        Cell::Number(number, form) => {
            page.write_number_with_format(row, column, *number, looks.number(*form))?;
        }
        Cell::Formula(formula, outcome, form) => {
            let result = match outcome {
                Outcome::Number(number) => number.to_string(),
                Outcome::Text(text) => (*text).to_string(),
            };
            let formula = Formula::new(formula).set_result(result);
            page.write_formula_with_format(row, column, formula, looks.number(*form))?;
        }
    }
    Ok(())
}

/// `_x0041_` is an `A` to who reads a workbook; the library says it otherwise, but not in its markup.
fn guarded(text: &str) -> String {
    text.replace("_x", "_x005F_x")
}

/// How cells look.
struct Looks {
    title: Format,
    text: Format,
    whole: Format,
    money: Format,
    measure: Format,
    share: Format,
    date: Format,
}

impl Looks {
    fn new() -> Looks {
        let cell = || Format::new().set_align(FormatAlign::Top);
        let title = cell().set_bold().set_text_wrap().set_background_color(Color::RGB(0x00D9_E2F0));
        Looks {
            title: title.set_border_bottom(FormatBorder::Thin),
            // The format of texts: a part number stays one when somebody edits it.
            text: cell().set_num_format("@"),
            whole: cell().set_num_format("#,##0"),
            money: cell().set_num_format("#,##0.00####"),
            measure: cell().set_num_format("#,##0.####"),
            share: cell().set_num_format("0.##%"),
            date: cell().set_num_format("yyyy-mm-dd"),
        }
    }

    fn number(&self, form: Form) -> &Format {
        match form {
            Form::Whole => &self.whole,
            Form::Money => &self.money,
            Form::Measure => &self.measure,
            Form::Share => &self.share,
            Form::Date => &self.date,
        }
    }

    fn wanted(&self, form: Form) -> Format {
        self.number(form).clone().set_background_color(Color::RGB(0x00FF_F2CC))
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_TEXT, day, range, shortened};
    use crate::base::date::Date;

    #[test]
    fn days_are_those_of_workbooks() {
        assert_eq!(Date::parse("2026-12-01").map(day), Some(46_357.0));
    }

    #[test]
    fn a_name_with_blanks_is_quoted() {
        assert_eq!(range("Open points", 0, 1), "'Open points'!$A$2:$A$2");
    }

    #[test]
    fn a_text_is_cut_at_what_a_cell_holds() {
        assert_eq!(shortened(&"x".repeat(LONGEST_TEXT)), None);
        // Two UTF-16 units and four bytes each.
        assert_eq!(shortened(&"😀".repeat(LONGEST_TEXT / 2)), None);
        let cut = shortened(&"😀".repeat(LONGEST_TEXT)).expect("it is too long");
        assert!(cut.encode_utf16().count() <= LONGEST_TEXT && cut.ends_with("all of it)"));
    }

    #[test]
    fn a_range_never_holds_the_title() {
        assert_eq!((range("BOM", 0, 0), range("BOM", 27, 3)), ("BOM!$A$2:$A$2".into(), "BOM!$AB$2:$AB$4".into()));
    }
}
