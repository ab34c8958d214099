//! Open points: what a person still has to decide, what is patched, what has no price, and which facts are from memory.

use serde::Serialize;

use crate::plan::Plan;
use crate::target::bom::open::{Point, decisions, memories, patches, prices};
use crate::target::bom::rows::Row;

use super::capped::Capped;

/// Points of one sort that are shown; the rest is in the plan and the bill.
const SHOWN: usize = 100;

/// The points by sort.
#[derive(Serialize)]
pub struct Open {
    /// Every `tbd`.
    pub decisions: Sort,
    /// What is passed on past the language, and why; nothing that has to be decided.
    pub patches: Sort,
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
        patches: Sort::of(patches(plan)),
        prices: Sort::of(prices(rows)),
        memories: Sort::of(memories(plan, rows)),
    }
}
