//! The sheet of open points.

use crate::plan::Plan;
use crate::target::bom::open::{Point, decisions, memories, patches, prices};
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{Cell, Sheet};

use super::text;

/// What is to be done with facts from memory.
const TO_VERIFY: &str = "written from memory; to be verified before money depends on it";

/// The sheet.
pub fn sheet(plan: &Plan<'_>, rows: &[Row<'_>]) -> Sheet {
    let decisions = decisions(plan).into_iter().map(|point| cells("to be decided", point));
    let patches = patches(plan).into_iter().map(|point| cells("patched", point));
    let prices = prices(rows).into_iter().map(|point| {
        let of = format!("line {}: {}", point.line, point.of);
        cells("no price", Point { of, ..point })
    });
    let memories = memories(plan, rows).into_iter();
    let memories = memories.map(|point| cells("from memory", Point { why: String::from(TO_VERIFY), ..point }));
    let columns = [("Sort", 18.0), ("Address", 40.0), ("Of", 40.0), ("Why", 90.0)];
    Sheet::new("Open points", &columns, decisions.chain(patches).chain(prices).chain(memories).collect())
}

fn cells(sort: &str, point: Point) -> Vec<Cell> {
    vec![text(sort), text(point.address), text(point.of), text(point.why)]
}
