//! Open points: what a person still has to decide, what has no price, and which facts are from memory.

use std::collections::BTreeMap;

use crate::model::ids::BlockId;
use crate::plan::Plan;
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{Cell, Sheet};

use super::text;

/// The sheet.
pub fn sheet(plan: &Plan<'_>, rows: &[Row<'_>]) -> Sheet {
    let mut points = decisions(plan);
    points.extend(prices(rows));
    points.extend(memories(plan, rows));
    let columns = [("Sort", 18.0), ("Address", 40.0), ("Of", 40.0), ("Why", 90.0)];
    Sheet::new("Open points", &columns, points)
}

fn point(sort: &str, address: String, of: String, why: String) -> Vec<Cell> {
    vec![text(sort), text(address), text(of), text(why)]
}

/// Every `tbd`.
fn decisions(plan: &Plan<'_>) -> Vec<Vec<Cell>> {
    let points = plan.model.open_points.iter();
    let mut points: Vec<_> = points.map(|open| (plan.model.address(open.block), open.attribute, &open.why)).collect();
    points.sort();
    points
        .into_iter()
        .map(|(address, attribute, why)| point("to be decided", address, attribute.to_string(), why.to_string()))
        .collect()
}

/// Every line that is not in the sums.
fn prices<'r>(rows: &'r [Row<'_>]) -> impl Iterator<Item = Vec<Cell>> + 'r {
    let open = rows.iter().filter(|row| !row.open.is_empty());
    open.map(|row| {
        let of = format!("line {}: {}", row.number, row.description());
        point("no price", row.address.clone(), of, row.open.clone())
    })
}

/// Facts of bought and rented products that nobody has looked up.
fn memories(plan: &Plan<'_>, rows: &[Row<'_>]) -> Vec<Vec<Cell>> {
    let doubtful = rows.iter().filter(|row| row.from_memory()).filter_map(Row::product);
    let products: BTreeMap<String, BlockId> = doubtful.map(|product| (plan.model.address(product), product)).collect();
    products
        .into_iter()
        .map(|(address, product)| {
            let block = plan.model.block(product);
            let names = block.slots.iter().map(|slot| block.attribute(slot.attribute).name);
            let from_memory: Vec<&str> = names.filter(|name| plan.model.is_from_memory(product, name)).collect();
            let why = String::from("written from memory; to be verified before money depends on it");
            point("from memory", address, from_memory.join(", "), why)
        })
        .collect()
}
