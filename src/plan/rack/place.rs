//! Places: which rack takes a device.

use crate::base::phrase;
use crate::plan::formula::round;
use crate::plan::node;

use super::device::{Device, Item};
use super::{Density, FilledRack, Spot};

/// What one rack can take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Rack units.
    pub height: u64,
    /// Watts.
    pub power: Option<f64>,
    /// Kilograms.
    pub weight: Option<f64>,
    /// Nodes that the room puts into one rack.
    pub nodes: Option<u64>,
    /// Racks there are, when somebody said.
    pub count: Option<u64>,
}

impl Limits {
    /// What decides when a rack is full: `height, power and weight`.
    pub fn words(&self) -> String {
        let said = [
            (true, "height"),
            (self.nodes.is_some(), "number of nodes"),
            // A number of nodes that the room sets goes before the power limit.
            (self.nodes.is_none() && self.power.is_some(), "power"),
            (self.weight.is_some(), "weight"),
        ];
        let words: Vec<&str> = said.into_iter().filter_map(|(said, word)| said.then_some(word)).collect();
        match words.as_slice() {
            [only] => format!("{only} alone"),
            some => phrase::together(some),
        }
    }
}

/// Puts devices into racks, in order, each into the first open rack that takes it.
pub fn place(name: &str, items: &[Item], limits: &Limits) -> (Vec<FilledRack>, Vec<String>) {
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
