//! Notes: what people wrote about the blocks of the package.

use crate::plan::Plan;
use crate::target::bom::json;
use crate::target::bom::workbook::Sheet;

use super::{maybe, text};

/// The sheet.
pub fn sheet(plan: &Plan<'_>) -> Sheet {
    let rows = json::notes(plan)
        .into_iter()
        .map(|note| vec![text(note.address), maybe(note.title), maybe(note.owner), maybe(note.doc)]);
    let columns = [("Address", 36.0), ("Title", 36.0), ("Owner", 30.0), ("Notes", 100.0)];
    Sheet::new("Notes", &columns, rows.collect())
}
