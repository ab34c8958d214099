//! Sizing: the figures with their error bars, what they stand on and why.
//!
//! Machines and paths come first; workloads, of which there can be thousands with ten figures each, fill what is left.

use std::collections::BTreeSet;

use crate::base::unit;
use crate::model::kinds::Kind;
use crate::plan::Plan;
use crate::plan::figure::{Estimate, Figure};
use crate::plan::json::reason_text;
use crate::target::bom::workbook::{Cell, Sheet};

use super::{left_out, measure, text};

/// Rows for machines and paths.
const MACHINE_ROWS: usize = 20_000;
/// Rows for workloads.
const LOAD_ROWS: usize = 2_000;

/// The sheet.
pub fn sheet(plan: &Plan<'_>) -> Sheet {
    let columns = [
        ("Address", 36.0),
        ("Figure", 22.0),
        ("Shown", 18.0),
        ("Value", 14.0),
        ("Low", 14.0),
        ("High", 14.0),
        ("Unit", 10.0),
        ("Basis", 11.0),
        ("Formula", 50.0),
        ("Because", 80.0),
    ];
    let blocks: BTreeSet<_> = plan.figures.iter().map(|(block, _, _)| block).collect();
    let mut blocks: Vec<_> = blocks
        .into_iter()
        .map(|block| (rank(plan.model.block(block).kind), plan.model.address(block), block))
        .collect();
    blocks.sort();
    let (mut machines, mut loads, mut left) = (Vec::new(), Vec::new(), 0);
    for (rank, address, block) in &blocks {
        let (rows, limit) = if *rank < LOAD { (&mut machines, MACHINE_ROWS) } else { (&mut loads, LOAD_ROWS) };
        for (name, estimate) in plan.figures.of(*block) {
            if rows.len() < limit {
                rows.push(row(plan, address, name, estimate));
            } else {
                left += 1;
            }
        }
    }
    machines.append(&mut loads);
    machines.extend(left_out(left, columns.len()));
    Sheet::new("Sizing", &columns, machines)
}

/// The rank of everything that is no machine and no path.
const LOAD: u8 = 7;

fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Platform => 0,
        Kind::Site => 1,
        Kind::Rack => 2,
        Kind::Pool => 3,
        Kind::Cluster => 4,
        Kind::Fabric => 5,
        Kind::Storage => 6,
        _ => LOAD,
    }
}

fn row(plan: &Plan<'_>, address: &str, name: &str, estimate: &Estimate) -> Vec<Cell> {
    let mut row = vec![text(address), text(name)];
    match estimate {
        Estimate::Known(figure) => known(plan, figure, &mut row),
        Estimate::Unknown(why) => {
            row.push(text("unknown"));
            row.extend(vec![Cell::Empty; 6]);
            row.push(text(&**why));
        }
    }
    row
}

fn known(plan: &Plan<'_>, figure: &Figure, row: &mut Vec<Cell>) {
    let factor = unit::parse(figure.unit).map_or(1.0, |unit| unit.factor.to_f64());
    let because: Vec<String> = figure.because.iter().map(|reason| reason_text(plan, reason)).collect();
    row.push(text(figure.show()));
    row.extend([figure.value, figure.low, figure.high].map(|value| measure(value / factor)));
    row.extend([text(figure.unit), text(figure.basis.word()), text(figure.formula), text(because.join("; "))]);
}
