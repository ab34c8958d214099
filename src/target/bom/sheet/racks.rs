//! Racks: elevations, each from the top down.

use crate::plan::{Plan, RackPlan};
use crate::target::bom::workbook::{Cell, Sheet};

use super::{left_out, maybe, measure, text, whole};

/// More devices than this are left to the plan.
const ROWS: usize = 20_000;

/// The sheet.
pub fn sheet(plan: &Plan<'_>) -> Sheet {
    let columns = [
        ("Site", 14.0),
        ("Rack", 18.0),
        ("Lowest U", 9.0),
        ("Height, U", 9.0),
        ("Device", 24.0),
        ("Product", 36.0),
        ("Address", 30.0),
        ("Power at most, W", 12.0),
    ];
    let model = &plan.model;
    let racks = sorted(plan);
    let devices = || {
        let racks = racks.iter().flat_map(|row| row.racks.iter().map(|rack| (row.site, rack)));
        racks.flat_map(|(site, rack)| rack.devices.iter().rev().map(move |device| (site, rack, device)))
    };
    let mut rows: Vec<Vec<Cell>> = devices()
        .take(ROWS)
        .map(|(site, rack, device)| {
            vec![
                text(model.name(site)),
                text(rack.name.as_str()),
                whole(device.position),
                whole(device.height),
                text(&*device.name),
                text(model.address(device.product)),
                text(model.address(device.of)),
                device.power.map_or(Cell::Empty, measure),
            ]
        })
        .collect();
    rows.extend(left_out(devices().count().saturating_sub(ROWS), columns.len()));
    for (row, misfit) in racks.iter().flat_map(|row| row.misfits.iter().map(move |misfit| (row, misfit))) {
        let mut cells = vec![text(model.name(row.site)), maybe(Some(&row.name)), Cell::Empty, Cell::Empty];
        cells.push(text(format!("not placed: {misfit}")));
        rows.push(cells);
    }
    Sheet::new("Racks", &columns, rows)
}

/// Sorts of racks by site and name, whatever order they were filled in.
pub fn sorted<'p>(plan: &'p Plan<'_>) -> Vec<&'p RackPlan> {
    let mut racks: Vec<&RackPlan> = plan.racks.iter().collect();
    racks.sort_by_key(|row| (plan.model.name(row.site), &row.name));
    racks
}
