//! Devices that want a place in a rack: nodes, appliances, switches.

use std::sync::Arc;

use crate::base::quantity::group;
use crate::model::Model;
use crate::model::block::Origin;
use crate::model::ids::BlockId;
use crate::model::kinds::{Fabric, Kind, Server, Storage};
use crate::model::words::Cooling;

use crate::plan::formula::fabric::FabricCount;
use crate::plan::formula::round;
use crate::plan::{Plan, node};

/// Devices of a platform that get a place of their own; a larger number is a slip of the pen or no plan for a room.
pub const MOST_DEVICES: u64 = 100_000;

/// A device in a rack.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Its name in every output: `train-001`, `compute-leaf-01`.
    pub name: Arc<str>,
    /// The pool, fabric or storage it belongs to.
    pub of: BlockId,
    /// The server, switch or appliance that it is.
    pub product: BlockId,
    /// Lowest rack unit it takes, from 1.
    pub position: u64,
    /// Rack units it takes.
    pub height: u64,
    /// Electrical power at most.
    pub power: Option<f64>,
}

/// A device that wants a place.
#[derive(Debug, Clone)]
pub struct Item {
    /// What it is.
    pub device: Device,
    /// Watts that it gives off.
    pub heat: Option<f64>,
    /// Kilograms.
    pub weight: Option<f64>,
    /// True when it needs liquid.
    pub liquid: bool,
}

/// The devices of some blocks, and what could not become one.
pub fn items(plan: &Plan<'_>, model: &Model<'_>, users: &[BlockId]) -> (Vec<Item>, Vec<String>) {
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
pub fn switch_names(fabric: &str, count: &FabricCount) -> Vec<String> {
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
