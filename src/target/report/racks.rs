//! Racks: what each draws and carries, and its elevation.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::model::kinds::Kind;
use crate::model::value::Value;
use crate::plan::{Device, FilledRack, Plan, RackPlan};

use super::capped::Capped;
use super::sheet::Sheet;
use super::shown;
use super::words::{count, counted, fitting, kilowatts, show};

/// Sorts of racks that are shown, and racks of one sort.
const SORTS: usize = 24;
/// Racks of one sort.
const RACKS: usize = 60;

/// Height of a rack unit on the page.
const UNIT: u64 = 9;
/// Width of the numbers beside a rack.
const RULER: u64 = 18;
/// Width of what stands in a rack.
const INSIDE: u64 = 98;
/// Height of the name above a rack.
const HEAD: u64 = 16;
/// Thickness of the frame at the top and the bottom.
const FRAME: u64 = 4;
/// Characters of the small letters that fit into a device.
const CHARACTERS: usize = 20;
/// Every so many units are numbered.
const NUMBERED: usize = 6;
/// Racks beside each other in a picture of many.
const ABREAST: u64 = 6;
/// Space between them.
const GAP: u64 = 12;

/// Every sort of rack.
#[derive(Serialize)]
pub struct Racks {
    /// The sorts by site and name.
    pub sorts: Capped<Sort>,
}

/// Racks of one sort.
#[derive(Serialize)]
pub struct Sort {
    /// What its picture is called.
    pub file: String,
    name: String,
    address: String,
    site: String,
    count: String,
    counted: String,
    height: u64,
    limit: String,
    power: String,
    heat: String,
    weight: String,
    feeds: String,
    misfits: Capped<String>,
    racks: Capped<Elevation>,
    sheet: Sheet,
}

/// One rack as it is drawn.
#[derive(Serialize)]
struct Elevation {
    name: String,
    short: String,
    place: String,
    power: String,
    heat: String,
    used: String,
    weight: String,
    density: &'static str,
    liquid: bool,
    normal: String,
    after_loss: String,
    capacity: String,
    /// Where it stands in the picture of all.
    x: u64,
    y: u64,
    width: u64,
    tall: u64,
    frame: Frame,
    marks: Vec<Mark>,
    devices: Vec<Box>,
}

/// The frame of a rack.
#[derive(Serialize)]
struct Frame {
    x: u64,
    y: u64,
    width: u64,
    height: u64,
}

/// A number beside a rack.
#[derive(Serialize)]
struct Mark {
    number: u64,
    y: u64,
}

/// A device as it is drawn.
#[derive(Serialize)]
struct Box {
    name: String,
    short: String,
    title: String,
    sort: &'static str,
    x: u64,
    y: u64,
    width: u64,
    height: u64,
    left: u64,
    text: u64,
}

/// The racks of a plan.
pub fn view(plan: &Plan<'_>) -> Racks {
    let mut sorts: Vec<&RackPlan> =
        plan.racks.iter().filter(|row| !row.racks.is_empty() || !row.misfits.is_empty()).collect();
    sorts.sort_by_key(|row| (plan.model.name(row.site), &row.name));
    let mut taken = BTreeSet::new();
    Racks { sorts: Capped::of(sorts, SORTS, |row| sort(plan, row, &mut taken)) }
}

fn sort(plan: &Plan<'_>, row: &RackPlan, taken: &mut BTreeSet<String>) -> Sort {
    let model = &plan.model;
    let figure = |attribute: &str| row.id.map(|id| shown::value(plan, id.block(), attribute)).unwrap_or_default();
    let tall = HEAD + row.height * UNIT + 2 * FRAME;
    let width = RULER + INSIDE;
    let drawn = row.racks.len().min(RACKS) as u64;
    let mut file = row.name.clone();
    // A rack may have the name that racks without one get.
    while !taken.insert(file.clone()) {
        file.push_str("-2");
    }
    Sort {
        file,
        name: row.name.clone(),
        address: row.id.map(|id| model.address(id.block())).unwrap_or_default(),
        site: model.name(row.site).to_string(),
        count: count(row.racks.len() as u64),
        counted: counted(row.racks.len() as u64, "rack"),
        height: row.height,
        limit: limit(plan, row),
        power: figure("power"),
        heat: figure("heat"),
        weight: figure("weight"),
        feeds: row.id.map(|id| count(model[id].feeds)).unwrap_or_default(),
        misfits: Capped::of(&row.misfits, RACKS, Clone::clone),
        racks: Capped::of(row.racks.iter().zip(0u64..), RACKS, |(rack, index)| {
            let (x, y) = (index % ABREAST * (width + GAP), index / ABREAST * (tall + GAP));
            Elevation { x, y, width, tall, ..elevation(plan, row, rack) }
        }),
        sheet: Sheet::around(
            drawn.clamp(1, ABREAST) * (width + GAP) - GAP,
            drawn.div_ceil(ABREAST).max(1) * (tall + GAP) - GAP,
        ),
    }
}

fn limit(plan: &Plan<'_>, row: &RackPlan) -> String {
    let limit = row.id.and_then(|id| plan.model[id].power_limit.given().map(|limit| limit.watts()));
    limit.map(kilowatts).unwrap_or_default()
}

fn elevation(plan: &Plan<'_>, row: &RackPlan, rack: &FilledRack) -> Elevation {
    let at_least = |shown: String, unknown: bool| if unknown { format!("at least {shown}") } else { shown };
    // Of nothing that is known there is no sum.
    let watts = |watts: f64| match rack.power_unknown && watts == 0.0 {
        true => String::from("unknown"),
        false => at_least(kilowatts(watts), rack.power_unknown),
    };
    let feed = rack.feed;
    Elevation {
        name: rack.name.clone(),
        short: fitting(&rack.name, CHARACTERS),
        place: format!("row {}, place {}", rack.spot.row, rack.spot.column),
        power: watts(rack.power),
        heat: watts(rack.heat),
        used: format!("{} of {} U", rack.used, row.height),
        weight: match rack.weight_unknown && rack.weight == 0.0 {
            true => String::from("mass unknown"),
            false => at_least(show(rack.weight, "kg"), rack.weight_unknown),
        },
        // A class of what is known of the heat is none of the rack.
        density: if rack.power_unknown { "unknown" } else { rack.density.word() },
        liquid: rack.liquid,
        normal: feed.map(|feed| watts(feed.normal)).unwrap_or_default(),
        after_loss: match feed {
            None => String::new(),
            Some(feed) => feed.after_loss.map_or_else(|| String::from("dark"), watts),
        },
        capacity: feed.and_then(|feed| feed.capacity).map(kilowatts).unwrap_or_default(),
        x: 0,
        y: 0,
        width: 0,
        tall: 0,
        frame: Frame { x: RULER - 1, y: HEAD + 1, width: INSIDE + 1, height: row.height * UNIT + 2 * FRAME - 2 },
        marks: marks(row.height),
        devices: rack.devices.iter().rev().map(|device| drawn(plan, row.height, device)).collect(),
    }
}

/// The lowest unit and every so many above it.
fn marks(height: u64) -> Vec<Mark> {
    let numbers = std::iter::once(1).chain((NUMBERED as u64..=height).step_by(NUMBERED));
    numbers.map(|number| Mark { number, y: top(height, number) + UNIT - 2 }).collect()
}

/// The upper edge of a unit, counted from the bottom of the rack.
fn top(height: u64, unit: u64) -> u64 {
    HEAD + FRAME + height.saturating_sub(unit) * UNIT
}

fn drawn(plan: &Plan<'_>, height: u64, device: &Device) -> Box {
    let y = top(height, device.position + device.height.saturating_sub(1));
    let tall = device.height * UNIT;
    let product = match plan.model.value(device.product, "product") {
        Value::Text(name) => name.to_string(),
        _ => plan.model.address(device.product),
    };
    let power = device.power.map_or_else(|| String::from("power unknown"), kilowatts);
    let units = match device.height {
        0 | 1 => format!("U {}", device.position),
        high => format!("U {} to {}", device.position, device.position + high - 1),
    };
    Box {
        name: device.name.to_string(),
        short: fitting(&device.name, CHARACTERS),
        title: format!("{}: {product}, {units}, {power}", device.name),
        sort: match plan.model.block(device.product).kind {
            Kind::Switch => "switch",
            Kind::Appliance => "store",
            _ => "server",
        },
        x: RULER + 2,
        y,
        width: INSIDE - 5,
        height: tall.saturating_sub(1),
        left: RULER + 6,
        text: y + tall / 2 + 2,
    }
}
