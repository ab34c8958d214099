//! Racks: which device stands where, and what that draws.

use std::sync::Arc;

use crate::base::quantity::group;
use crate::model::Model;
use crate::model::block::Origin;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Fabric, Kind, Pool, Rack, Server, Site, Storage};
use crate::model::words::Cooling;

use super::figure::{Basis, Figure};
use super::formula::cable::spots;
use super::formula::power::airflow_cfm;
use super::formula::round;
use super::power::feeds;
use super::{Density, Device, FilledRack, Plan, RackPlan, Spot, cabling, node};

/// Degrees Fahrenheit by which air warms up on its way through a rack: 20 K, a common plan. Source: HVAC practice.
const AIR_WARMS: f64 = 36.0;

/// Height of racks that nobody described.
const USUAL_HEIGHT: u64 = 42;

/// Devices of a platform that get a place of their own; a larger number is a slip of the pen or no plan for a room.
pub const MOST_DEVICES: u64 = 100_000;

/// A device that wants a place.
#[derive(Debug, Clone)]
struct Item {
    device: Device,
    heat: Option<f64>,
    weight: Option<f64>,
    liquid: bool,
}

/// What one rack can take.
#[derive(Debug, Clone)]
struct Limits {
    height: u64,
    power: Option<f64>,
    weight: Option<f64>,
    /// Nodes that the room puts into one rack.
    nodes: Option<u64>,
    /// Racks there are, when somebody said.
    count: Option<u64>,
}

/// Fills the racks of a block with the pools, fabrics and storages that name it.
pub fn fill(plan: &mut Plan<'_>, id: Id<Rack>) {
    let model = Arc::clone(&plan.model);
    let rack = &model[id];
    let users: Vec<BlockId> = plan.uses.through(id.block(), "rack").collect();
    let (items, missing) = items(plan, &model, &users);
    let limits = Limits {
        height: round::floor_units(rack.height.units()),
        power: least(rack.power_limit.given().map(|limit| limit.watts()), feeds::usable(rack)),
        weight: rack.weight_limit.map(|limit| limit.kilograms()),
        nodes: rack.nodes_per_rack,
        count: rack.count.given().copied(),
    };
    let (mut racks, mut misfits) = place(model.name(id), &items, &limits);
    racks.iter_mut().for_each(|filled| filled.feed = Some(feeds::of(rack, filled.power)));
    misfits.extend(missing);
    let block = id.block();
    let top = |what: fn(&FilledRack) -> f64| racks.iter().map(what).fold(0.0, f64::max);
    let power = Figure::exact(top(|rack| rack.power), "kW", "maximum power of the devices in the fullest rack");
    let used = Figure::exact(top(|rack| rack.used as f64), "U", "height of the devices in the fullest rack");
    let because =
        |figure: Figure| users.iter().fold(figure, |figure, user| figure.because(super::figure::Reason::Block(*user)));
    plan.figures.put(block, "power", because(power.basis(Basis::Vendor)));
    plan.figures.put(block, "used", because(used));
    let formula = "the larger of power and the vendor's heat figure, in the hottest rack";
    let heat = Figure::exact(top(|rack| rack.heat), "kW", formula).basis(Basis::Vendor);
    let btu = Figure { unit: "BTU/h", formula: "heat in BTU an hour", ..heat.clone() };
    plan.figures.put(block, "heat", because(heat));
    plan.figures.put(block, "heat_btu", btu.of(block, "heat"));
    put_room(plan, rack, limits.height, &racks);
    feeds::put_figures(plan, rack, &racks);
    if !matches!(rack.count, Setting::Given(_)) {
        let count =
            Figure::exact(racks.len() as f64, "", "racks filled by height, power and weight, one after the other");
        plan.figures.put(block, "count", because(count).of(block, "power_limit").of(block, "height"));
    }
    let row = RackPlan {
        id: Some(id),
        site: rack.site,
        name: model.name(id).to_string(),
        height: limits.height,
        cooling: rack.cooling.or(model[rack.site].cooling),
        racks,
        misfits,
    };
    plan.racks.push(row);
}

/// What is left in a rack, what it weighs, and the air through it.
fn put_room(plan: &mut Plan<'_>, rack: &Rack, height: u64, racks: &[FilledRack]) {
    let block = rack.id.block();
    let free = racks.iter().map(|filled| height.saturating_sub(filled.used)).min().unwrap_or(height);
    let figure = Figure::exact(free as f64, "U", "height − what the devices of the fullest rack take");
    plan.figures.put(block, "free", figure.of(block, "height").of(block, "used"));
    let heaviest = racks.iter().map(|filled| filled.weight).fold(0.0, f64::max);
    if racks.iter().any(|filled| filled.weight_unknown) {
        for name in ["weight", "floor_load"] {
            plan.figures.unknown(block, name, "the weight of a device is not known");
        }
    } else {
        let figure = Figure::exact(heaviest, "kg", "mass of the devices in the heaviest rack").basis(Basis::Vendor);
        plan.figures.put(block, "weight", figure);
        let area = rack.width.metres() * rack.depth.metres();
        let load = Figure::exact(round::ratio(heaviest, area), "kg", "mass of the devices ÷ (width × depth)");
        let load = load.note("the rack itself and what hangs on it come on top");
        plan.figures.put(block, "floor_load", load.of(block, "weight").of(block, "width").of(block, "depth"));
    }
    let hottest = racks.iter().map(|filled| filled.heat).fold(0.0, f64::max);
    let air = Figure::exact(airflow_cfm(hottest, AIR_WARMS).round(), "", "3.16 × heat in W ÷ 36 °F: a rule of thumb");
    plan.figures.put(block, "airflow_cfm", air.of(block, "heat"));
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

/// Fills racks that nobody described with the devices of a site that name none.
pub fn fill_rest(plan: &mut Plan<'_>, site: Id<Site>) {
    let model = Arc::clone(&plan.model);
    let homeless = |block: BlockId| !matches!(model.value(block, "rack"), crate::model::value::Value::Block(_));
    let users: Vec<BlockId> = plan.uses.through(site.block(), "site").filter(|user| homeless(*user)).collect();
    let fabrics = model.tables.fabrics.iter().filter(|fabric| fabric.rack.is_none());
    let here = fabrics.filter(|fabric| site_of(&model, fabric) == Some(site)).map(|fabric| fabric.id.block());
    let users: Vec<BlockId> = users.into_iter().chain(here).collect();
    let (items, misfits) = items(plan, &model, &users);
    if items.is_empty() && misfits.is_empty() {
        return;
    }
    let limits = Limits { height: USUAL_HEIGHT, power: None, weight: None, nodes: None, count: None };
    let name = format!("{}-rack", model.name(site));
    let (racks, more) = place(&name, &items, &limits);
    let misfits = misfits.into_iter().chain(more).collect();
    let cooling = model[site].cooling;
    plan.racks.push(RackPlan { id: None, site, name, height: USUAL_HEIGHT, cooling, racks, misfits });
}

/// The site of a fabric: that of the first thing it connects. Fabrics never connect each other in a circle.
pub fn site_of(model: &Model<'_>, fabric: &Fabric) -> Option<Id<Site>> {
    fabric.connects.iter().find_map(|connected| match model.block(connected.block).kind {
        Kind::Pool => model.typed::<Pool>(connected.block).map(|pool| pool.site),
        Kind::Fabric => model.typed::<Fabric>(connected.block).and_then(|other| site_of(model, other)),
        _ => model.typed::<Storage>(connected.block).map(|storage| storage.site),
    })
}

/// The devices of some blocks, and what could not become one.
fn items(plan: &Plan<'_>, model: &Model<'_>, users: &[BlockId]) -> (Vec<Item>, Vec<String>) {
    let (mut items, mut missing) = (Vec::new(), Vec::new());
    let placed: usize = plan.racks.iter().flat_map(|row| &row.racks).map(|rack| rack.devices.len()).sum();
    for &user in users {
        let room = MOST_DEVICES.saturating_sub((placed + items.len()) as u64);
        let found = match model.block(user).kind {
            Kind::Pool => nodes(plan, model, user, room),
            Kind::Storage => appliances(plan, model, user, room),
            Kind::Fabric => switches(plan, model, user, room),
            _ => Ok(Vec::new()),
        };
        match found {
            Ok(found) => items.extend(found),
            Err(why) => missing.push(why),
        }
    }
    (items, missing)
}

fn nodes(plan: &Plan<'_>, model: &Model<'_>, user: BlockId, room: u64) -> Result<Vec<Item>, String> {
    let Some(row) = model.as_id(user).and_then(|id| plan.pools.get(&id)) else { return Ok(Vec::new()) };
    let Some(product) = row.node.product.filter(|_| !row.node.rented) else { return Ok(Vec::new()) };
    let height = row.node.height.ok_or_else(|| no_height(model, product))?;
    let count = few_enough(model, user, row.nodes.high, room)?;
    let liquid = model.typed::<Server>(product).is_some_and(|server| server.cooling == Cooling::Liquid);
    let item = |name: String| Item {
        device: Device { name: Arc::from(name), of: user, product, position: 0, height, power: row.node.power },
        heat: row.node.heat,
        weight: row.node.weight,
        liquid,
    };
    Ok(node::names(model, row.id, count).map(item).collect())
}

fn appliances(plan: &Plan<'_>, model: &Model<'_>, user: BlockId, room: u64) -> Result<Vec<Item>, String> {
    let Some(storage) = model.typed::<Storage>(user) else { return Ok(Vec::new()) };
    let (Some(product), Some(count)) = (storage.product, plan.storages.get(&storage.id).and_then(|row| row.appliances))
    else {
        return Ok(Vec::new());
    };
    let count = few_enough(model, user, count, room)?;
    let appliance = &model[product];
    let height = appliance.height.ok_or_else(|| no_height(model, product.block()))?;
    let power = appliance.max_power.given().map(|power| power.watts());
    let item = |number: u64| Item {
        device: Device {
            name: Arc::from(appliance_name(model.name(storage.id), number)),
            of: user,
            product: product.block(),
            position: 0,
            height: round::ceil_units(height.units()),
            power,
        },
        heat: warmer(power, appliance.heat.map(|heat| heat.watts())),
        weight: appliance.weight.map(|weight| weight.kilograms()),
        liquid: false,
    };
    Ok((1..=count).map(item).collect())
}

fn switches(plan: &Plan<'_>, model: &Model<'_>, user: BlockId, room: u64) -> Result<Vec<Item>, String> {
    let Some(fabric) = model.typed::<Fabric>(user) else { return Ok(Vec::new()) };
    let Some(count) = plan.fabrics.get(&fabric.id).and_then(|row| row.count.as_ref()) else { return Ok(Vec::new()) };
    few_enough(model, user, count.leaves.saturating_add(count.spines).saturating_add(count.cores), room)?;
    let switch = &model[fabric.switch];
    let height = switch.height.ok_or_else(|| no_height(model, fabric.switch.block()))?;
    // Without a maximum nothing is known: typical power would make a rack fit that does not.
    let power = switch.max_power.map(|power| power.watts());
    let item = |name: String| Item {
        device: Device {
            name: Arc::from(name),
            of: user,
            product: fabric.switch.block(),
            position: 0,
            height: round::ceil_units(height.units()),
            power,
        },
        heat: power,
        weight: switch.weight.map(|weight| weight.kilograms()),
        liquid: switch.cooling == Cooling::Liquid,
    };
    Ok(switch_names(model.name(fabric.id), count).into_iter().map(item).collect())
}

/// `scratch-01`.
pub fn appliance_name(storage: &str, number: u64) -> String {
    format!("{storage}-{number:02}")
}

/// `compute-leaf-01`, `compute-spine-01`, `compute-core-01`.
pub fn switch_names(fabric: &str, count: &super::formula::fabric::FabricCount) -> Vec<String> {
    let tier = |word: &'static str, number: u64| {
        let width = number.to_string().len().max(2);
        (1..=number).map(move |index| format!("{fabric}-{word}-{index:0width$}"))
    };
    tier("leaf", count.leaves).chain(tier("spine", count.spines)).chain(tier("core", count.cores)).collect()
}

/// The number of devices of a block, when each of them can get a place.
fn few_enough(model: &Model<'_>, user: BlockId, count: u64, room: u64) -> Result<u64, String> {
    if count <= room {
        return Ok(count);
    }
    let most = group(&MOST_DEVICES.to_string());
    Err(format!(
        "`{}` has {} devices, and no more than {most} of a platform are put into racks",
        model.address(user),
        group(&count.to_string())
    ))
}

fn warmer(power: Option<f64>, heat: Option<f64>) -> Option<f64> {
    match (power, heat) {
        (Some(power), Some(heat)) => Some(power.max(heat)),
        (power, heat) => power.or(heat),
    }
}

fn no_height(model: &Model<'_>, product: BlockId) -> String {
    let known = if model.block(product).origin == Origin::Catalogue { "the catalogue" } else { "the package" };
    format!("{known} does not say how high `{}` is", model.address(product))
}

/// Puts devices into racks, in order, each into the first open rack that takes it.
fn place(name: &str, items: &[Item], limits: &Limits) -> (Vec<FilledRack>, Vec<String>) {
    let mut racks: Vec<FilledRack> = Vec::new();
    let mut misfits = Vec::new();
    // Racks before this one have no room for anything of the current height.
    let mut open = 0;
    let mut product = None;
    for item in items {
        if product.replace(item.device.product) != Some(item.device.product) {
            open = 0;
        }
        if let Some(why) = never_fits(item, limits) {
            misfits.push(why);
            continue;
        }
        while racks.get(open).is_some_and(|rack| !takes(rack, item, limits)) {
            open += 1;
        }
        if open == racks.len() {
            if limits.count.is_some_and(|count| racks.len() as u64 >= count) {
                crowd(&mut racks, item, limits, &mut misfits);
                continue;
            }
            racks.push(FilledRack {
                name: String::new(),
                devices: Vec::new(),
                power: 0.0,
                heat: 0.0,
                used: 0,
                weight: 0.0,
                power_unknown: false,
                weight_unknown: false,
                liquid: false,
                feed: None,
                density: Density::default(),
                spot: Spot::default(),
            });
        }
        put(&mut racks[open], item);
    }
    let total = racks.len() as u64;
    for (rack, number) in racks.iter_mut().zip(1..) {
        rack.name = node::name(name, number, total);
    }
    (racks, misfits)
}

/// A device that no empty rack takes.
fn never_fits(item: &Item, limits: &Limits) -> Option<String> {
    let device = &item.device;
    let too_heavy = item.weight.zip(limits.weight).is_some_and(|(weight, limit)| round::exceeds(weight, limit));
    if device.height > limits.height {
        Some(format!("`{}` is {} U high, a rack has {} U", device.name, device.height, limits.height))
    } else if too_heavy {
        Some(format!("`{}` weighs more than a rack carries", device.name))
    } else {
        None
    }
}

fn takes(rack: &FilledRack, item: &Item, limits: &Limits) -> bool {
    let fits_height = rack.used + item.device.height <= limits.height;
    let weight = rack.weight + item.weight.unwrap_or(0.0);
    let fits_weight = limits.weight.is_none_or(|limit| !round::exceeds(weight, limit));
    // A number of nodes that the room sets goes before the power limit, which is then checked and not obeyed.
    let fits_number = match limits.nodes {
        Some(nodes) => (rack.devices.len() as u64) < nodes,
        None => {
            let power = rack.power + item.device.power.unwrap_or(0.0);
            rack.devices.is_empty() || limits.power.is_none_or(|limit| !round::exceeds(power, limit))
        }
    };
    fits_height && fits_weight && fits_number
}

/// All racks there are have been opened: the emptiest one takes the device if its height allows, whatever it draws.
fn crowd(racks: &mut [FilledRack], item: &Item, limits: &Limits, misfits: &mut Vec<String>) {
    let room = racks.iter_mut().filter(|rack| rack.used + item.device.height <= limits.height);
    match room.min_by(|a, b| a.power.total_cmp(&b.power)) {
        Some(rack) => put(rack, item),
        None => misfits.push(format!("`{}` finds no {} U free in any rack", item.device.name, item.device.height)),
    }
}

fn put(rack: &mut FilledRack, item: &Item) {
    rack.devices.push(Device { position: rack.used + 1, ..item.device.clone() });
    rack.used += item.device.height;
    rack.power += item.device.power.unwrap_or(0.0);
    rack.heat += item.heat.unwrap_or(0.0);
    rack.weight += item.weight.unwrap_or(0.0);
    rack.power_unknown |= item.device.power.is_none();
    rack.weight_unknown |= item.weight.is_none();
    rack.liquid |= item.liquid;
    rack.density = Density::of(rack.heat);
}
