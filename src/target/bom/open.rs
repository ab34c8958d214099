//! Open points: what a person still has to decide, what is patched, what has no price, and which facts are from memory.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::ids::BlockId;
use crate::model::patched::{self, Patched};
use crate::plan::Plan;

use super::rows::Row;

/// One point.
#[derive(Serialize)]
pub struct Point {
    /// The block.
    pub address: String,
    /// What of it.
    pub of: String,
    /// The line of the bill, where it is one.
    pub line: String,
    /// Why it is open, where that differs from point to point.
    pub why: String,
}

/// Every `tbd`.
pub fn decisions(plan: &Plan<'_>) -> Vec<Point> {
    let points = plan.model.open_points.iter().map(|open| Point {
        address: plan.model.address(open.block),
        of: open.attribute.to_string(),
        line: String::new(),
        why: open.why.to_string(),
    });
    let mut points: Vec<Point> = points.collect();
    points.sort_by(|a, b| (&a.address, &a.of, &a.why).cmp(&(&b.address, &b.of, &b.why)));
    points
}

/// Every patch: what is passed on past the language, and why.
pub fn patches(plan: &Plan<'_>) -> Vec<Point> {
    let point = |patch: Patched| Point {
        address: patch.address,
        of: patch.keys.join(", "),
        line: String::new(),
        why: patch.reason,
    };
    patched::all(&plan.model).into_iter().map(point).collect()
}

/// Every line that is not in the sums.
pub fn prices(rows: &[Row<'_>]) -> Vec<Point> {
    let open = rows.iter().filter(|row| !row.open.is_empty());
    open.map(|row| Point {
        address: row.address.clone(),
        of: row.description().to_string(),
        line: row.number.clone(),
        why: row.open.clone(),
    })
    .collect()
}

/// Facts of bought and rented products that nobody has looked up.
pub fn memories(plan: &Plan<'_>, rows: &[Row<'_>]) -> Vec<Point> {
    let doubtful = rows.iter().filter(|row| row.from_memory()).filter_map(Row::product);
    let products: BTreeMap<String, BlockId> = doubtful.map(|product| (plan.model.address(product), product)).collect();
    let point = |(address, product): (String, BlockId)| {
        let block = plan.model.block(product);
        let names = block.slots.iter().map(|slot| block.attribute(slot.attribute).name);
        let from_memory: Vec<&str> = names.filter(|name| plan.model.is_from_memory(product, name)).collect();
        Point { address, of: from_memory.join(", "), line: String::new(), why: String::new() }
    };
    products.into_iter().map(point).collect()
}
