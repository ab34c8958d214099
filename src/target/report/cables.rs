//! Cables and modules: by medium and length, and by product as they are ordered.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::ids::BlockId;
use crate::model::value::Value;
use crate::model::words::Medium;
use crate::plan::Plan;

use super::capped::Capped;
use super::shown;
use super::summary::address;
use super::words::{count, show};

/// Rows of a table that are shown.
const SHOWN: usize = 80;

/// Upper ends of the length classes in metres, and what they are called.
const CLASSES: &[(f64, &str)] = &[(3.0, "up to 3 m"), (10.0, "to 10 m"), (30.0, "to 30 m"), (100.0, "to 100 m")];
/// What is longer, and what has no length.
const BEYOND: [&str; 2] = ["longer", "not known"];

/// Everything that is plugged.
#[derive(Serialize)]
pub struct Cables {
    total: String,
    any: bool,
    classes: Vec<&'static str>,
    media: Capped<Row>,
    fabrics: Capped<Fabric>,
    orders: Capped<Order>,
    modules: Capped<Order>,
    open: Capped<Order>,
}

/// Cables of one medium, by length class.
#[derive(Serialize)]
struct Row {
    fabric: String,
    medium: String,
    counts: Vec<String>,
    total: String,
}

/// Sums of a fabric.
#[derive(Serialize)]
struct Fabric {
    address: String,
    cables: String,
    modules: String,
    length: String,
    unknown: String,
    unplaced: String,
}

/// A product and how many of it; for what is open, why.
#[derive(Serialize)]
struct Order {
    fabric: String,
    product: String,
    length: String,
    count: String,
}

/// The cables of a plan.
pub fn view(plan: &Plan<'_>) -> Cables {
    let model = &plan.model;
    let name = |product: BlockId| match model.value(product, "product") {
        Value::Text(name) => name.to_string(),
        _ => model.address(product),
    };
    let fabrics = || plan.cabling.fabrics.iter().map(|(id, sums)| (address(plan, *id), sums));
    let order = |fabric: &str, product: String, length: String, number: u64| Order {
        fabric: fabric.to_string(),
        product,
        length,
        count: count(number),
    };
    let orders = fabrics().flat_map(|(fabric, sums)| {
        sums.lengths.iter().map(move |((product, length), number)| (fabric.clone(), *product, *length, *number))
    });
    let modules = fabrics().flat_map(|(fabric, sums)| {
        sums.modules.iter().map(move |(product, number)| (fabric.clone(), *product, *number))
    });
    let open =
        fabrics().flat_map(|(fabric, sums)| sums.open.iter().map(move |(why, number)| (fabric.clone(), why, *number)));
    Cables {
        total: count(plan.tally().cables),
        any: !plan.cabling.fabrics.is_empty(),
        classes: CLASSES.iter().map(|(_, name)| *name).chain(BEYOND).collect(),
        media: media(plan),
        fabrics: Capped::of(&plan.cabling.fabrics, SHOWN, |(id, sums)| Fabric {
            address: address(plan, *id),
            cables: count(sums.total),
            modules: count(sums.modules.values().sum()),
            length: shown::value(plan, id.block(), "cable_length"),
            unknown: count(sums.unknown),
            unplaced: count(sums.unplaced),
        }),
        orders: Capped::of(orders, SHOWN, |(fabric, product, length, number)| {
            order(&fabric, name(product), show(length as f64 / 100.0, "m"), number)
        }),
        modules: Capped::of(modules, SHOWN, |(fabric, product, number)| {
            order(&fabric, name(product), String::new(), number)
        }),
        open: Capped::of(open, SHOWN, |(fabric, why, number)| order(&fabric, why.to_string(), String::new(), number)),
    }
}

/// Counts cables by fabric, medium and length class.
fn media(plan: &Plan<'_>) -> Capped<Row> {
    let columns = CLASSES.len() + BEYOND.len();
    let mut counts: BTreeMap<(String, &'static str), Vec<u64>> = BTreeMap::new();
    let mut of_fabric: BTreeMap<_, BTreeMap<Option<Medium>, Vec<u64>>> = BTreeMap::new();
    for cable in &plan.cabling.cables {
        let media: &mut BTreeMap<_, _> = of_fabric.entry(cable.fabric).or_default();
        let row: &mut Vec<u64> = media.entry(cable.medium).or_insert_with(|| vec![0; columns]);
        if let Some(number) = row.get_mut(class(cable.length)) {
            *number += 1;
        }
    }
    for (fabric, media) in of_fabric {
        for (medium, row) in media {
            counts.insert((address(plan, fabric), medium.map_or("not known", Medium::word)), row);
        }
    }
    let row = |((fabric, medium), counts): ((String, &str), Vec<u64>)| Row {
        fabric,
        medium: medium.to_string(),
        total: count(counts.iter().sum()),
        counts: counts.into_iter().map(|number| if number == 0 { String::new() } else { count(number) }).collect(),
    };
    Capped::of(counts, SHOWN, row)
}

/// The column of a length.
fn class(length: Option<f64>) -> usize {
    match length {
        Some(length) => CLASSES.iter().position(|(most, _)| length <= *most).unwrap_or(CLASSES.len()),
        None => CLASSES.len() + 1,
    }
}
