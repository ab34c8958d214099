//! Racks: which device stands where, and what that draws.

mod device;
mod place;
pub mod unknown;

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Fabric, Kind, Pool, Rack, Site, Storage};
use crate::model::words::Cooling;

use super::figure::{Basis, Figure, Reason};
use super::formula::cable::spots;
use super::formula::power::airflow_cfm;
use super::formula::round;
use super::lack::Lack;
use super::load::put_known;
use super::power::feeds;
use super::{FeedLoad, Plan, cabling};
use device::{Item, items};
use place::{Limits, place};

pub use device::{Device, MOST_DEVICES, appliance_name, switch_names};

/// Degrees Fahrenheit by which air warms up on its way through a rack: 20 K, a common plan. Source: HVAC practice.
const AIR_WARMS: f64 = 36.0;

/// Height of racks that nobody described.
const USUAL_HEIGHT: u64 = 42;

/// Racks of one sort, filled.
#[derive(Debug, Clone, PartialEq)]
pub struct RackPlan {
    /// Which; nothing for racks that nobody described.
    pub id: Option<Id<Rack>>,
    /// Where.
    pub site: Id<Site>,
    /// The name in outputs.
    pub name: String,
    /// Rack units of one.
    pub height: u64,
    /// What decides when one is full, in words.
    pub filled_by: String,
    /// How heat leaves it: as the rack says, else the site; nothing where neither does.
    pub cooling: Option<Cooling>,
    /// The racks, filled.
    pub racks: Vec<FilledRack>,
    /// Why devices found no place, in words.
    pub misfits: Vec<String>,
}

/// One rack with what stands in it.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledRack {
    /// `gpu-001`.
    pub name: String,
    /// From the bottom up.
    pub devices: Vec<Device>,
    /// Electrical power at most, of what is known.
    pub power: f64,
    /// Heat at most, of what is known.
    pub heat: f64,
    /// Rack units used.
    pub used: u64,
    /// Kilograms, of what is known.
    pub weight: f64,
    /// True when some device's power is not known.
    pub power_unknown: bool,
    /// True when some device's weight is not known.
    pub weight_unknown: bool,
    /// True when some device needs liquid.
    pub liquid: bool,
    /// What one of its feeds carries; nothing for a rack that nobody described.
    pub feed: Option<FeedLoad>,
    /// How dense it is.
    pub density: Density,
    /// Where it stands.
    pub spot: Spot,
}

/// How much heat a rack gives off, in the classes that rooms are sold in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Density {
    /// Up to 10 kW.
    #[default]
    Enterprise,
    /// Up to 40 kW: rooms that are built for such racks, by air.
    Dense,
    /// Up to 60 kW: contained aisles or rear doors, where the room carries it.
    VeryDense,
    /// Above: liquid, whatever the room.
    Liquid,
}

impl Density {
    /// The class of a rack that gives off so many watts.
    pub fn of(watts: f64) -> Density {
        match watts {
            _ if !round::exceeds(watts, 10_000.0) => Density::Enterprise,
            _ if !round::exceeds(watts, 40_000.0) => Density::Dense,
            _ if !round::exceeds(watts, 60_000.0) => Density::VeryDense,
            _ => Density::Liquid,
        }
    }

    /// The words in a report.
    pub fn word(self) -> &'static str {
        match self {
            Density::Enterprise => "up to 10 kW",
            Density::Dense => "10 to 40 kW",
            Density::VeryDense => "40 to 60 kW",
            Density::Liquid => "above 60 kW",
        }
    }
}

/// The place of a rack in its room: rows of racks, from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The row.
    pub row: u64,
    /// The place in the row.
    pub column: u64,
}

/// Fills the racks of a block with the pools, fabrics and storages that name it.
pub fn fill(plan: &mut Plan<'_>, id: Id<Rack>) {
    let model = Arc::clone(&plan.model);
    let rack = &model[id];
    let users: Vec<BlockId> = plan.uses.through(id.block(), "rack").collect();
    let (items, no_height) = items(plan, &model, &users);
    let limits = Limits {
        height: round::floor_units(rack.height.units()),
        power: least(rack.power_limit.given().map(|limit| limit.watts()), feeds::usable(rack)),
        weight: rack.weight_limit.map(|limit| limit.kilograms()),
        nodes: rack.nodes_per_rack,
        count: rack.count.given().copied(),
    };
    let (mut racks, mut misfits) = place(model.name(id), &items, &limits);
    racks.iter_mut().for_each(|filled| filled.feed = Some(feeds::of(rack, filled.power)));
    misfits.extend(no_height.iter().cloned());
    let block = id.block();
    let top = |what: fn(&FilledRack) -> f64| racks.iter().map(what).fold(0.0, f64::max);
    let power = Figure::exact(top(|rack| rack.power), "kW", "maximum power of the devices in the fullest rack");
    let used = Figure::exact(top(|rack| rack.used as f64), "U", "height of the devices in the fullest rack");
    let because = |figure: Figure| users.iter().fold(figure, |figure, user| figure.because(Reason::Block(*user)));
    let lacks = Lacks::of(plan, rack, &users, &items, !no_height.is_empty());
    lacks.power.put(&mut plan.figures, block, "power", because(power.basis(Basis::Vendor)));
    lacks.size.put(&mut plan.figures, block, "used", because(used));
    let formula = "the larger of power and the vendor's heat figure, in the hottest rack";
    let heat = Figure::exact(top(|rack| rack.heat), "kW", formula).basis(Basis::Vendor);
    let btu = Figure { unit: "BTU/h", formula: "heat in BTU an hour", ..heat.clone() };
    lacks.power.put(&mut plan.figures, block, "heat", because(heat));
    lacks.power.put(&mut plan.figures, block, "heat_btu", btu.of(block, "heat"));
    put_room(plan, rack, limits.height, &racks, &lacks);
    feeds::put_figures(plan, rack, &racks, &lacks.power);
    if !matches!(rack.count, Setting::Given(_)) {
        let count = Figure::exact(racks.len() as f64, "", "racks filled one after the other");
        let count = because(count).of(block, "power_limit").of(block, "height");
        let count = count.note(format!("filled by {}", limits.words()));
        lacks.count(&limits).put(&mut plan.figures, block, "count", count);
    }
    let row = RackPlan {
        id: Some(id),
        site: rack.site,
        name: model.name(id).to_string(),
        height: limits.height,
        filled_by: limits.words(),
        cooling: rack.cooling.or(model[rack.site].cooling),
        racks,
        misfits,
    };
    plan.racks.push(row);
}

/// What the sums of racks lack.
struct Lacks {
    /// Watts.
    power: Lack,
    /// Rack units.
    size: Lack,
    /// Kilograms.
    weight: Lack,
}

impl Lacks {
    fn of(plan: &Plan<'_>, rack: &Rack, users: &[BlockId], items: &[Item], no_height: bool) -> Lacks {
        let model = &plan.model;
        let homeless = |lack: Lack| match no_height {
            true => lack.and(format!("the height of something in `{}` is not known", model.address(rack.id.block()))),
            false => lack,
        };
        let size = homeless(unknown::size(plan, model, users));
        let weightless = items.iter().filter(|item| item.weight.is_none()).map(|item| item.device.product);
        Lacks {
            power: homeless(Lack::of(model, "power", unknown::power(plan, model, users))),
            weight: size.clone().plus(&Lack::of(model, "weight", weightless)),
            size,
        }
    }

    /// What the number of racks lacks: whatever decides when one is full.
    fn count(&self, limits: &Limits) -> Lack {
        let by_power = limits.power.is_some() && limits.nodes.is_none();
        let power = if by_power { self.power.clone() } else { Lack::default() };
        let weight = if limits.weight.is_some() { &self.weight } else { &self.size };
        // What is of no known size has no known power either, and is named once.
        if by_power && !self.power.is_whole() { power } else { power.plus(weight) }
    }
}

/// What is left in a rack, what it weighs, and the air through it.
fn put_room(plan: &mut Plan<'_>, rack: &Rack, height: u64, racks: &[FilledRack], lacks: &Lacks) {
    let block = rack.id.block();
    let free = racks.iter().map(|filled| height.saturating_sub(filled.used)).min().unwrap_or(height);
    let figure = Figure::exact(free as f64, "U", "height − what the devices of the fullest rack take");
    // More devices leave less: what is left is no less than nothing, whatever is known.
    let free = figure.of(block, "height").of(block, "used");
    put_known(
        &mut plan.figures,
        block,
        "free",
        if lacks.size.is_whole() { Ok(free) } else { Err(lacks.size.words().into()) },
    );
    let heaviest = racks.iter().map(|filled| filled.weight).fold(0.0, f64::max);
    let figure = Figure::exact(heaviest, "kg", "mass of the devices in the heaviest rack").basis(Basis::Vendor);
    lacks.weight.put(&mut plan.figures, block, "weight", figure);
    let area = rack.width.metres() * rack.depth.metres();
    let load = Figure::exact(round::ratio(heaviest, area), "kg", "mass of the devices ÷ (width × depth)");
    let load = load.note("the rack itself and what hangs on it come on top");
    let load = load.of(block, "weight").of(block, "width").of(block, "depth");
    lacks.weight.put(&mut plan.figures, block, "floor_load", load);
    let hottest = racks.iter().map(|filled| filled.heat).fold(0.0, f64::max);
    let air = Figure::exact(airflow_cfm(hottest, AIR_WARMS).round(), "", "3.16 × heat in W ÷ 36 °F: a rule of thumb");
    lacks.power.put(&mut plan.figures, block, "airflow_cfm", air.of(block, "heat"));
}

/// The smaller of two limits, of those that are known.
fn least(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Gives every rack its place in the room: racks with switches in the middle, the others around them in order.
pub fn stand(plan: &mut Plan<'_>) {
    let model = Arc::clone(&plan.model);
    for site in model.tables.sites.iter().map(|site| site.id) {
        let here = |row: &&RackPlan| row.site == site;
        let has_switch =
            |rack: &FilledRack| rack.devices.iter().any(|device| model.block(device.product).kind == Kind::Switch);
        let central: Vec<bool> = plan.racks.iter().filter(here).flat_map(|row| &row.racks).map(has_switch).collect();
        let width = plan.racks.iter().filter(here).map(|row| cabling::width(&model, row.id)).fold(0.0, f64::max);
        let room = &model[site];
        let spots = spots(&central, room.racks_in_row, width, room.row_pitch.metres());
        let racks = plan.racks.iter_mut().filter(|row| row.site == site).flat_map(|row| &mut row.racks);
        for (rack, (row, column)) in racks.zip(spots) {
            rack.spot = Spot { row, column };
        }
    }
}

/// What stands at a site: its pools and storages, then its fabrics.
pub fn users(plan: &Plan<'_>, model: &Model<'_>, site: Id<Site>) -> Vec<BlockId> {
    let said = plan.uses.through(site.block(), "site");
    let fabrics = model.tables.fabrics.iter().filter(|fabric| match fabric.rack {
        Some(rack) => model[rack].site == site,
        None => site_of(model, fabric) == Some(site),
    });
    said.chain(fabrics.map(|fabric| fabric.id.block())).collect()
}

/// Fills racks that nobody described with the devices of a site that name none.
pub fn fill_rest(plan: &mut Plan<'_>, site: Id<Site>) {
    let model = Arc::clone(&plan.model);
    let homeless = |block: &BlockId| !matches!(model.value(*block, "rack"), crate::model::value::Value::Block(_));
    let users: Vec<BlockId> = users(plan, &model, site).into_iter().filter(homeless).collect();
    let (items, misfits) = items(plan, &model, &users);
    if items.is_empty() && misfits.is_empty() {
        return;
    }
    let limits = Limits { height: USUAL_HEIGHT, power: None, weight: None, nodes: None, count: None };
    let name = format!("{}-rack", model.name(site));
    let (racks, more) = place(&name, &items, &limits);
    let misfits = misfits.into_iter().chain(more).collect();
    let cooling = model[site].cooling;
    let (height, filled_by) = (limits.height, limits.words());
    plan.racks.push(RackPlan { id: None, site, name, height, filled_by, cooling, racks, misfits });
}

/// The site of a fabric: that of the first thing it connects. Fabrics never connect each other in a circle.
pub fn site_of(model: &Model<'_>, fabric: &Fabric) -> Option<Id<Site>> {
    fabric.connects.iter().find_map(|connected| match model.block(connected.block).kind {
        Kind::Pool => model.typed::<Pool>(connected.block).map(|pool| pool.site),
        Kind::Fabric => model.typed::<Fabric>(connected.block).and_then(|other| site_of(model, other)),
        _ => model.typed::<Storage>(connected.block).map(|storage| storage.site),
    })
}
