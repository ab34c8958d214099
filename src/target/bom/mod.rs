//! The bill of materials: `bom.csv`, `bom.json`, `bom.xlsx` and `bom.cdx.json`, the same lines four times.
//!
//! `rows` puts the lines of a bill in order and numbers them, `columns` says once what stands in which column, and the
//! files read both. The workbook has further sheets, one file each in `sheet`. `request` is what goes to suppliers.
//!
//! Lines are numbered as buyers do, in tens within the thousand of their category (servers from 1010, switches from
//! 2010, …), what belongs to a line below it (`1010.1` is its support). A new line moves only those after it in its
//! own category. What never moves is the id, a digest of the block and the product that a line is for.
//!
//! What is in a line at no further price (the GPUs of a server) stands below it, is paid `included` and costs 0.
//!
//! An unknown price is an empty cell and a reason in the column `open`, never 0. Money in a currency that no `rate`
//! block converts is shown as it is and stays out of every sum.
//!
//! Absent on purpose: arithmetic on what is bought. That is the plan's business; here are only quantity × price, which
//! the workbook does with formulas of its own, written together with their results.

mod columns;
mod csv;
mod cyclonedx;
mod json;
pub mod open;
pub mod request;
pub mod rows;
mod sheet;
pub mod totals;
pub mod workbook;

use crate::base::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::plan::bill::Bill;

use super::Emitted;
use super::files::unmarked;
use super::problems;
use super::template::Templates;

/// The workbook of a plan with any bill of it; or why there is none, in words.
pub fn workbook_of(plan: &Plan<'_>, bill: &Bill) -> Result<Vec<u8>, String> {
    let rows = rows::of(plan, bill);
    workbook::write(&workbook::fitted(sheet::all(plan, bill, &rows)).0)
}

/// The lines of a plan with any bill of it, comma-separated as in `bom.csv`.
pub fn csv_of(plan: &Plan<'_>, bill: &Bill) -> Result<String, Box<Diagnostic>> {
    let marked = csv::write(plan, &rows::of(plan, bill), &Templates::shipped())?;
    Ok(unmarked(&marked))
}

/// Writes it.
pub fn emit(plan: &Plan<'_>, templates: &Templates) -> Emitted {
    let mut emitted = Emitted::default();
    let rows = rows::of(plan, &plan.bill);
    match csv::write(plan, &rows, templates) {
        Ok(text) => emitted.files.add_text("bom/bom.csv", &text),
        Err(problem) => emitted.problems.push(*problem),
    }
    emitted.files.add_bytes("bom/bom.json", json::write(plan, &plan.bill, &rows).into_bytes());
    emitted.files.add_bytes("bom/bom.cdx.json", cyclonedx::write(plan, &rows).into_bytes());
    let (sheets, cut) = workbook::fitted(sheet::all(plan, &plan.bill, &rows));
    emitted.problems.extend(cut.iter().map(|place| problems::text_cut(place, workbook::LONGEST_TEXT)));
    match workbook::write(&sheets) {
        Ok(bytes) => emitted.files.add_bytes("bom/bom.xlsx", bytes),
        Err(why) => emitted.problems.push(problems::workbook(&why)),
    }
    emitted
}
