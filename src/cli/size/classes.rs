//! Pools against the usual configurations of the field.

use crate::cli::table::Table;
use crate::plan::Plan;
use crate::plan::class;

use super::section::Section;

/// Every pool that has a class, attribute by attribute.
pub fn section(plan: &Plan<'_>) -> Section {
    let mut table = Table::new(&["pool", "class", "attribute", "has", "usual", "lies", "its own loads"]);
    let mut lead = Vec::new();
    for id in plan.pools.keys() {
        let Some(found) = class::of(plan, *id) else { continue };
        let pool = plan.model.address(id.block());
        let outside = found.outside();
        let where_it_lies = if outside.is_empty() {
            String::from("not outside it")
        } else {
            format!("outside in {}", outside.join(", "))
        };
        lead.push(format!("`{pool}` is of the class {}: {where_it_lies}", found.class.title));
        for point in found.points {
            table.row([
                pool.clone(),
                found.class.title.clone(),
                point.word.to_string(),
                point.has,
                point.range,
                point.side.word().to_string(),
                point.because,
            ]);
        }
    }
    Section::new("classes", "Reference classes", table).lead(lead)
}
