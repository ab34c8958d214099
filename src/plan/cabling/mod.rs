//! Cables, transceivers and fibres of every fabric, from its port map and the places of its devices.
//!
//! A cable is one thing that is bought and pulled: it carries one logical link or several, when a cage has several. What
//! cannot be matched has no product and says why; nothing is filled in by likeness.

mod cage;
mod choose;
mod group;
mod place;
mod stock;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Fabric;
use crate::model::words::Medium;

use super::figure::Figure;
use super::wiring::{Link, Port, Tier};
use super::{FabricPlan, Plan, rack};

use cage::Cages;
use choose::{Choice, Chooser, Need, Pick};
use group::Groups;
use place::Places;
use stock::Stock;

pub use place::width;

/// Everything that is plugged between the devices of a platform.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cabling {
    /// Every cable once: by fabric, in the order of its port map.
    pub cables: Vec<Cable>,
    /// Every transceiver once, in the order in which cables reach it. Cables with fixed ends have none.
    pub modules: Vec<Module>,
    /// Sums by fabric, of the fabrics that have links.
    pub fabrics: BTreeMap<Id<Fabric>, Sums>,
}

impl Cabling {
    /// True when a cable or module is of this product.
    pub fn has(&self, product: BlockId) -> bool {
        self.fabrics.values().any(|sums| sums.cables.contains_key(&product) || sums.modules.contains_key(&product))
    }
}

/// A cable: with fixed ends, of copper pairs, or a patch of fibre between transceivers.
#[derive(Debug, Clone, PartialEq)]
pub struct Cable {
    /// Stable, the same in every output: `<fabric>-<from device>-<port>--<to device>-<port>`, of its first link.
    pub label: Arc<str>,
    /// Whose it is.
    pub fabric: Id<Fabric>,
    /// What it joins.
    pub tier: Tier,
    /// Its plane, from 1.
    pub plane: u64,
    /// Lower ends of the links it carries: the nth of them meets the nth of `to`.
    pub from: Vec<Port>,
    /// Upper ends, as many.
    pub to: Vec<Port>,
    /// Bytes a second of one of its links: the slower end.
    pub speed: f64,
    /// Metres: slack included, a length that is sold; nothing while a place is not known.
    pub length: Option<f64>,
    /// What it is made of; nothing while it is not matched.
    pub medium: Option<Medium>,
    /// The `optic` block: the cable itself, for fibre the patch cable.
    pub product: Option<BlockId>,
    /// Plugs on the side that splits: 1 for a straight cable, 2 for one that ends at two devices.
    pub tails: u64,
    /// The group of cages whose cables are alike, numbered within the fabric from 1: ends of one module are of one kind.
    pub group: u64,
    /// Why product, medium or length is not known.
    pub open: Option<Arc<str>>,
}

impl Cable {
    /// Logical links it carries.
    pub fn links(&self) -> u64 {
        self.from.len() as u64
    }
}

/// A transceiver in a cage.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// The device, as every output names it.
    pub device: Arc<str>,
    /// The pool, fabric or storage that the device belongs to.
    pub of: BlockId,
    /// Whose cables it serves.
    pub fabric: Id<Fabric>,
    /// The cage: `17` on a switch, `compute-3` or `compute-3+4` on a node.
    pub cage: Arc<str>,
    /// The `optic` block.
    pub product: BlockId,
    /// Ports of it that are used.
    pub ports: u64,
}

/// What a fabric's cables add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    /// Cables by product; those without one are left out.
    pub cables: BTreeMap<BlockId, u64>,
    /// The same by length in centimetres too, as they are ordered.
    pub lengths: BTreeMap<(BlockId, u64), u64>,
    /// Transceivers by product.
    pub modules: BTreeMap<BlockId, u64>,
    /// Cables of all sorts, known and unknown.
    pub total: u64,
    /// Cables without a product.
    pub unknown: u64,
    /// Cables without a length.
    pub unplaced: u64,
    /// Why cables are not known, with their number.
    pub open: BTreeMap<Arc<str>, u64>,
}

/// Chooses cables and modules for every fabric of a plan whose racks stand.
pub fn lay(plan: &mut Plan<'_>) {
    let wired = |row: &FabricPlan| !row.wiring.links.is_empty();
    if plan.fabrics.is_empty() {
        return;
    }
    let model = Arc::clone(&plan.model);
    let places = Places::of(plan, &model);
    let mut cabling = Cabling::default();
    for row in plan.fabrics.values().filter(|row| wired(row)) {
        of_fabric(&model, row, &places, &mut cabling);
    }
    plan.cabling = cabling;
    put_figures(plan);
}

fn of_fabric(model: &Model<'_>, row: &FabricPlan, places: &Places<'_>, cabling: &mut Cabling) {
    let mut cages = Cages::of(model, row);
    let groups = group::cut(row, &mut cages);
    let links = &row.wiring.links;
    let needs = needs(model, row, places, &cages, &groups);
    let stock = Stock::of(model, &model[row.id]);
    let chooser = Chooser { links, needs: &needs, groups: &groups, cages: &cages, stock: &stock };
    let mut sums = Sums::default();
    for (number, group) in (1..).zip(&groups.groups) {
        let Choice { cables, modules } = chooser.choose(group);
        for pick in cables {
            let cable = cable(model, row, number, pick, &needs);
            sums.add(&cable);
            cabling.cables.push(cable);
        }
        for (slot, product) in modules {
            *sums.modules.entry(product).or_default() += 1;
            cabling.modules.push(module(row, &groups, &cages, slot, product));
        }
    }
    cabling.fabrics.insert(row.id, sums);
}

/// Speed and length of every link.
fn needs(model: &Model<'_>, row: &FabricPlan, places: &Places<'_>, cages: &Cages<'_>, groups: &Groups) -> Vec<Need> {
    let fabric = model[row.id].speed.bytes_per_second();
    let speed = |slot: usize| cages.known(groups.slots[slot].sort).as_ref().map_or(fabric, |cage| cage.speed);
    let homes: Vec<Option<place::Place>> =
        groups.slots.iter().map(|slot| places.get(&end(&row.wiring.links, slot.first).device)).collect();
    let ends = row.wiring.links.iter().zip(&groups.ends);
    ends.map(|(link, &(from, to))| {
        let length = match (homes[from], homes[to]) {
            (None, _) => Err(homeless(model, &link.from)),
            (_, None) => Err(homeless(model, &link.to)),
            (Some(low), Some(high)) => {
                places.length(low, high).ok_or_else(|| Arc::from("its ends are at different sites"))
            }
        };
        Need { speed: fabric.min(speed(from)).min(speed(to)), length }
    })
    .collect()
}

fn homeless(model: &Model<'_>, port: &Port) -> Arc<str> {
    Arc::from(format!("a device of `{}` stands in no rack", model.address(port.of)))
}

fn end(links: &[Link], (link, upper): (usize, bool)) -> &Port {
    if upper { &links[link].to } else { &links[link].from }
}

fn cable(model: &Model<'_>, row: &FabricPlan, group: u64, pick: Pick, needs: &[Need]) -> Cable {
    let links = &row.wiring.links;
    let lengths = || pick.links.iter().map(|link| needs[*link].length.as_ref().ok().copied());
    let length = lengths().try_fold(0.0, |longest: f64, length| length.map(|length| longest.max(length)));
    let first = &links[pick.links[0]];
    let label = format!(
        "{}-{}-{}--{}-{}",
        model.name(row.id),
        first.from.device,
        first.from.name,
        first.to.device,
        first.to.name
    );
    Cable {
        label: Arc::from(label),
        fabric: row.id,
        tier: first.tier,
        plane: first.plane,
        from: pick.links.iter().map(|link| links[*link].from.clone()).collect(),
        to: pick.links.iter().map(|link| links[*link].to.clone()).collect(),
        speed: needs[pick.links[0]].speed,
        length,
        medium: pick.medium,
        product: pick.product,
        tails: pick.tails,
        group,
        open: pick.open,
    }
}

fn module(row: &FabricPlan, groups: &Groups, cages: &Cages<'_>, slot: usize, product: BlockId) -> Module {
    let slot = &groups.slots[slot];
    let port = end(&row.wiring.links, slot.first);
    let links = cages.known(slot.sort).as_ref().map_or(1, |cage| cage.links);
    let cage = match port.cage {
        Some(cage) => Arc::from(cage.to_string()),
        None if links > 1 => {
            let (word, first) =
                (port.name.rsplit_once('-').map_or("", |(word, _)| word), port.number - (port.number - 1) % links);
            let numbers: Vec<String> = (first..first + links).map(|number| number.to_string()).collect();
            Arc::from(format!("{word}-{}", numbers.join("+")))
        }
        None => Arc::clone(&port.name),
    };
    Module { device: Arc::clone(&port.device), of: port.of, fabric: row.id, cage, product, ports: slot.used }
}

impl Sums {
    fn add(&mut self, cable: &Cable) {
        self.total += 1;
        self.unplaced += u64::from(cable.length.is_none());
        if let Some(why) = &cable.open {
            *self.open.entry(Arc::clone(why)).or_default() += 1;
        }
        let Some(product) = cable.product else {
            self.unknown += 1;
            return;
        };
        *self.cables.entry(product).or_default() += 1;
        if let Some(length) = cable.length {
            *self.lengths.entry((product, centimetres(length))).or_default() += 1;
        }
    }
}

/// Lengths are sold in half metres at least, so this is exact.
fn centimetres(length: f64) -> u64 {
    super::formula::round::floor_units(length * 100.0)
}

fn put_figures(plan: &mut Plan<'_>) {
    let model = Arc::clone(&plan.model);
    let mut metres: BTreeMap<Id<Fabric>, f64> = BTreeMap::new();
    for cable in &plan.cabling.cables {
        *metres.entry(cable.fabric).or_default() += cable.length.unwrap_or(0.0);
    }
    for (id, row) in &plan.fabrics {
        let block = id.block();
        let Some(sums) = plan.cabling.fabrics.get(id) else {
            let why = row.refusal.as_deref().unwrap_or("it has no links that are named one by one");
            for name in ["cables", "cables_unknown", "cables_unplaced", "cable_length", "modules"] {
                plan.figures.unknown(block, name, why);
            }
            continue;
        };
        let count = |number: u64, formula| {
            let figure = Figure::exact(number as f64, "", formula);
            figure.of(block, "node_links").of(block, "leaf_spine_links")
        };
        let open = |figure: Figure| {
            sums.open.iter().fold(figure, |figure, (why, count)| figure.note(format!("{count}: {why}")))
        };
        plan.figures.put(block, "cables", count(sums.total, "cables that carry all links: one or several links each"));
        plan.figures.put(block, "cables_unknown", open(count(sums.unknown, "cables for which nothing fits every end")));
        plan.figures.put(block, "cables_unplaced", count(sums.unplaced, "cables with an end that stands in no rack"));
        plan.figures.put(block, "modules", count(sums.modules.values().sum(), "cages that fibres lead to"));
        let length = metres.get(id).copied().unwrap_or(0.0);
        plan.figures.put(block, "cable_length", run_length(&model, *id, length));
    }
}

/// The length of all cables, with the plan of the room that it is measured on.
fn run_length(model: &Model<'_>, fabric: Id<Fabric>, metres: f64) -> Figure {
    let formula = "up to the tray, along the row, across the rows, down, spare, to a length on sale";
    let figure = Figure::exact(metres, "m", formula).of(fabric.block(), "cables");
    let figure = figure.note("racks of switches stand in the middle of the room");
    match rack::site_of(model, &model[fabric]) {
        Some(site) => ["racks_in_row", "row_pitch", "tray", "cable_slack"]
            .into_iter()
            .fold(figure, |figure, name| figure.of(site.block(), name)),
        None => figure,
    }
}
