//! Published rows of reference architectures: switches, cables, racks.

#[path = "published/fabric.rs"]
mod fabric;

use serde_json::Value;

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

fn rows() -> Vec<Value> {
    serde_json::from_str(include_str!("published/fabric.json")).expect("the rows are JSON")
}

#[test]
fn every_published_count_comes_out() {
    let mut wrong = Vec::new();
    let mut counted = 0;
    for row in rows() {
        let id = row["id"].as_str().expect("a row has an id");
        let predicted = fabric::predict(&row);
        for (field, published) in row["published"].as_object().expect("a row publishes something") {
            let found = predicted.get(field);
            let agrees = found.is_some_and(|found| fabric::agrees(published, found, fabric::tolerance(field)));
            let slip = SLIPS.contains(&(id, field));
            counted += usize::from(COUNTED.contains(&field.as_str()));
            if agrees == slip || (found.is_none() && COUNTED.contains(&field.as_str())) {
                let known = found.is_some() || COUNTED.contains(&field.as_str());
                wrong.extend(known.then(|| format!("{id}.{field}: published {published}, predicted {found:?}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(counted, 93, "rows were lost");
}

#[test]
fn the_slip_of_the_source_is_not_copied() {
    let rows = rows();
    let row = rows.iter().find(|row| row["id"] == "B300-XDR-18SU").expect("the row");
    assert_eq!(row["published"]["gpus"], 9216);
    assert_eq!(fabric::predict(row)["gpus"], 10_368);
}
