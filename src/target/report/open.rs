//! Open points: what a person still has to decide, what has no price, and which facts are from memory.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::ids::BlockId;
use crate::plan::Plan;
use crate::target::bom::rows::Row;

use super::capped::Capped;

/// Points of one sort that are shown; the rest is in the plan and the bill.
const SHOWN: usize = 100;

/// The points by sort.
#[derive(Serialize)]
pub struct Open {
    /// Every `tbd`.
    pub decisions: Sort,
    /// Lines without a price.
    pub prices: Sort,
    /// Products with facts that nobody has looked up.
    pub memories: Sort,
}

/// Points of one sort.
#[derive(Serialize)]
pub struct Sort {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub points: Capped<Point>,
}

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

impl Sort {
    fn of(points: Vec<Point>) -> Sort {
        Sort { count: points.len(), points: Capped::of(points, SHOWN, |point| point) }
    }
}

impl Open {
    /// All of them.
    pub fn count(&self) -> usize {
        [&self.decisions, &self.prices, &self.memories].iter().map(|sort| sort.count).sum()
    }
}

/// The points of a plan and the rows of its bill.
pub fn view(plan: &Plan<'_>, rows: &[Row<'_>]) -> Open {
    Open {
        decisions: Sort::of(decisions(plan)),
        prices: Sort::of(prices(rows)),
        memories: Sort::of(memories(plan, rows)),
    }
}

fn decisions(plan: &Plan<'_>) -> Vec<Point> {
    let mut points: Vec<Point> = plan
        .model
        .open_points
        .iter()
        .map(|open| Point {
            address: plan.model.address(open.block),
            of: open.attribute.to_string(),
            line: String::new(),
            why: open.why.to_string(),
        })
        .collect();
    points.sort_by(|a, b| (&a.address, &a.of).cmp(&(&b.address, &b.of)));
    points
}

fn prices(rows: &[Row<'_>]) -> Vec<Point> {
    let open = rows.iter().filter(|row| !row.open.is_empty());
    open.map(|row| Point {
        address: row.address.clone(),
        of: row.description().to_string(),
        line: row.number.clone(),
        why: row.open.clone(),
    })
    .collect()
}

fn memories(plan: &Plan<'_>, rows: &[Row<'_>]) -> Vec<Point> {
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
