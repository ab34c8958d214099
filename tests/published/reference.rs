//! Published rows of reference architectures: switches, cables, racks. `fabric.json` has the project's own; files named in
//! `AIPC_CASES` may have more under `reference_rows`.

use std::fmt::Write;

use serde_json::Value;

use crate::{case, fabric};

const OWN: &str = include_str!("fabric.json");
/// Fields of switches and cables, which a row must give exactly.
const COUNTED: &[&str] = &[
    "su",
    "leaf",
    "spine",
    "core",
    "total",
    "compute_and_ufm_cables",
    "node_leaf_cables",
    "leaf_spine_cables",
    "spine_core_cables",
    "max_nodes",
];
/// Slips of the source, which are not to come out: 1,296 nodes of eight GPUs have 10,368, as many as the row has cables.
const SLIPS: &[(&str, &str)] = &[("B300-XDR-18SU", "gpus")];

/// The project's rows, and those of further files that are not among them.
fn rows() -> Vec<Value> {
    let mut rows: Vec<Value> = serde_json::from_str(OWN).expect("the rows are JSON");
    for path in case::named() {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let file: Value = serde_json::from_str(&text).unwrap_or_default();
        for row in file["reference_rows"].as_array().into_iter().flatten() {
            if rows.iter().all(|known| known["id"] != row["id"]) {
                rows.push(row.clone());
            }
        }
    }
    rows
}

/// What came of every published field, in a table; and the counts that do not come out.
pub fn report() -> (String, Vec<String>) {
    let (mut text, mut wrong) = (String::from("reference architectures:\n"), Vec::new());
    let (mut exact, mut left) = (0, Vec::new());
    for row in rows() {
        let id = row["id"].as_str().unwrap_or("without an id");
        let predicted = fabric::predict(&row);
        for (field, published) in row["published"].as_object().into_iter().flatten() {
            let what = format!("{id}.{field}: published {published}");
            let counted = COUNTED.contains(&field.as_str());
            match predicted.get(field) {
                None if counted => wrong.push(format!("{what}, not predicted")),
                None => left.push(what),
                Some(found) => {
                    let agrees = fabric::agrees(published, found, fabric::tolerance(field));
                    if SLIPS.contains(&(id, field)) == agrees {
                        wrong.push(format!("{what}, predicted {found}"));
                    } else if !agrees {
                        let _ = writeln!(text, "  {what}, a slip of the source: {found} is right");
                    } else {
                        exact += usize::from(counted);
                    }
                }
            }
        }
    }
    let _ = writeln!(text, "  {exact} counts of switches, cables and nodes come out exactly");
    for what in left {
        let _ = writeln!(text, "  {what}, does not follow from its input");
    }
    (text, wrong)
}
