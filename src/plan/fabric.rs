//! Fabrics: ports of nodes and storage to switches and links.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::phrase;
use crate::model::Model;
use crate::model::decode::Ratio;
use crate::model::ids::Id;
use crate::model::kinds::{Fabric, Kind, Pool, Server, Storage, Switch};
use crate::model::words;

use super::figure::{Basis, Figure};
use super::formula::fabric::{self as formula, FabricCount, FabricInput, Fill, Refusal, Topology};
use super::formula::round;
use super::wiring::{Tier, Wiring};
use super::{Plan, rack};

/// Ports of a storage that nobody has chosen yet: two, so that one switch may fail.
const LEAST_STORAGE_PORTS: u64 = 2;

/// A fabric, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricPlan {
    /// Which.
    pub id: Id<Fabric>,
    /// Pools it connects, with nodes and ports of a node.
    pub pools: Vec<FabricPool>,
    /// Storage on it, with its ports.
    pub storages: Vec<FabricStorage>,
    /// Switches of other fabrics on it, with their ports.
    pub switches: Vec<FabricSwitches>,
    /// Ports of what is described nowhere.
    pub further_ports: u64,
    /// Switches and links; nothing when it cannot be built.
    pub count: Option<FabricCount>,
    /// The same for exact fit, when whole units are cabled.
    pub exact: Option<FabricCount>,
    /// Every link with both ends.
    pub wiring: Wiring,
    /// What goes down and up each leaf.
    pub leaves: Vec<LeafLoad>,
    /// Logical ports of a switch at the fabric's speed.
    pub radix: u64,
    /// Why it cannot be built, in words.
    pub refusal: Option<String>,
}

/// Links of a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafLoad {
    /// The leaf, as every output names it.
    pub name: Arc<str>,
    /// Links to nodes, storage and other devices.
    pub down: u64,
    /// Links up, or across to its pair.
    pub up: u64,
}

/// A pool on a fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricPool {
    /// Which.
    pub pool: Id<Pool>,
    /// Its nodes at most.
    pub nodes: u64,
    /// Ports of a node on the fabric.
    pub ports_per_node: u64,
}

/// A storage on a fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricStorage {
    /// Which.
    pub storage: Id<Storage>,
    /// Its appliances; nothing while no product is chosen.
    pub appliances: Option<u64>,
    /// Ports of all of them on the fabric.
    pub ports: u64,
}

/// Switches of another fabric on a fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricSwitches {
    /// Whose switches.
    pub fabric: Id<Fabric>,
    /// How many.
    pub count: FabricCount,
    /// Ports of each on the fabric.
    pub ports_each: u64,
}

/// What the ports of a node on a fabric are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Traffic between GPUs.
    Compute,
    /// Data.
    Storage,
    /// Management of machines.
    Management,
}

/// Sizes a fabric.
pub fn size(plan: &mut Plan<'_>, id: Id<Fabric>) {
    let model = Arc::clone(&plan.model);
    let fabric = &model[id];
    let mut row = FabricPlan {
        id,
        pools: Vec::new(),
        storages: Vec::new(),
        switches: Vec::new(),
        further_ports: fabric.further_ports,
        count: None,
        exact: None,
        wiring: Wiring::default(),
        leaves: Vec::new(),
        radix: radix(&model[fabric.switch], fabric),
        refusal: None,
    };
    match ports(plan, &model, fabric) {
        Ok(ends) => {
            row.pools = ends.pools;
            row.storages = ends.storages;
            row.switches = ends.switches;
            count(&model, fabric, &mut row);
        }
        Err(why) => row.refusal = Some(why),
    }
    put_figures(plan, &row);
    plan.fabrics.insert(id, row);
}

/// Ports of a switch at the speed of the fabric: a fast port may be split, a slow one is no port.
fn radix(switch: &Switch, fabric: &Fabric) -> u64 {
    let (port, wanted) = (switch.speed.bytes_per_second(), fabric.speed.bytes_per_second());
    let ways = round::floor_units(round::ratio(port, wanted)).min(switch.split.max(1));
    switch.ports.saturating_mul(ways)
}

/// What a fabric connects.
#[derive(Debug, Default)]
struct Ends {
    pools: Vec<FabricPool>,
    storages: Vec<FabricStorage>,
    switches: Vec<FabricSwitches>,
}

/// Nodes and ports of every pool, and ports of every storage and switch.
fn ports(plan: &Plan<'_>, model: &Model<'_>, fabric: &Fabric) -> Result<Ends, String> {
    let role = role(model, fabric);
    let mut ends = Ends::default();
    for connected in &fabric.connects {
        match model.block(connected.block).kind {
            Kind::Pool => {
                let Some(pool) = model.as_id::<Pool>(connected.block) else { continue };
                let nodes = plan.pools.get(&pool).map_or(0, |row| row.nodes.high);
                let ports_per_node = node_ports(model, pool, role, fabric)?;
                ends.pools.push(FabricPool { pool, nodes, ports_per_node });
            }
            Kind::Fabric => {
                let Some(other) = model.as_id::<Fabric>(connected.block) else { continue };
                ends.switches.push(switches(plan, model, role, other)?);
            }
            _ => ends.storages.extend(model.as_id(connected.block).map(|id| storage(plan, model, id, fabric))),
        }
    }
    Ok(ends)
}

/// The switches of another fabric and their management ports.
fn switches(plan: &Plan<'_>, model: &Model<'_>, role: Role, other: Id<Fabric>) -> Result<FabricSwitches, String> {
    let address = model.address(other.block());
    if role != Role::Management {
        return Err(format!("it connects `{address}`, which only a fabric of role `management` does"));
    }
    let count = plan.fabrics.get(&other).and_then(|row| row.count);
    let count = count.ok_or_else(|| format!("the switches of `{address}` are not counted"))?;
    Ok(FabricSwitches { fabric: other, count, ports_each: model[model[other].switch].management_ports })
}

/// What it is said to carry; else a rail-optimised fabric carries the traffic between GPUs; one with storage on it carries data.
pub fn role(model: &Model<'_>, fabric: &Fabric) -> Role {
    match fabric.role {
        Some(words::FabricRole::Compute) => return Role::Compute,
        Some(words::FabricRole::Storage) => return Role::Storage,
        Some(words::FabricRole::Management) => return Role::Management,
        None => {}
    }
    let storage = fabric.connects.iter().any(|connected| model.block(connected.block).kind == Kind::Storage);
    if fabric.topology == words::Topology::RailOptimized || !storage { Role::Compute } else { Role::Storage }
}

/// Ports that a node of a pool has for the fabric: those of its role, else those of its network cards.
fn node_ports(model: &Model<'_>, pool: Id<Pool>, role: Role, fabric: &Fabric) -> Result<u64, String> {
    let unknown = || format!("the nodes of `{}` have no known ports for it", model.address(pool.block()));
    let server = &model[model[pool].server.ok_or_else(unknown)?];
    let of_role = match role {
        Role::Compute => server.compute_ports,
        Role::Storage => server.storage_ports,
        Role::Management => return server.management_ports.filter(|&ports| ports > 0).ok_or_else(unknown),
    };
    let other = || if role == Role::Compute { server.storage_ports } else { None };
    of_role.or_else(other).or_else(|| card_ports(model, server, fabric)).filter(|&ports| ports > 0).ok_or_else(unknown)
}

/// Bytes a second of a node's port on a fabric; nothing where that is not known.
pub fn port_speed(model: &Model<'_>, pool: Id<Pool>, fabric: &Fabric) -> Option<f64> {
    let server = &model[model[pool].server?];
    let speed = match role(model, fabric) {
        Role::Compute if server.compute_ports.is_some() => server.compute_speed,
        Role::Compute | Role::Storage => server.storage_speed,
        Role::Management => server.management_speed,
    };
    Some(speed?.bytes_per_second())
}

fn card_ports(model: &Model<'_>, server: &Server, fabric: &Fabric) -> Option<u64> {
    let cards = server.nics.iter().map(|part| (part.count, &model[part.item]));
    let fitting = cards.filter(|(_, card)| card.technology.is_empty() || card.technology.contains(&fabric.technology));
    let ports: u64 = fitting.map(|(count, card)| count.saturating_mul(card.ports)).fold(0, u64::saturating_add);
    (ports > 0).then_some(ports)
}

/// Ports of the appliances, or as many as the rates need when no product is chosen.
fn storage(plan: &Plan<'_>, model: &Model<'_>, id: Id<Storage>, fabric: &Fabric) -> FabricStorage {
    let row = plan.storages.get(&id);
    match (model[id].product, row.and_then(|row| row.appliances)) {
        (Some(product), Some(count)) => {
            let each = match role(model, fabric) {
                Role::Management => model[product].management_ports,
                Role::Compute | Role::Storage => model[product].ports.unwrap_or(LEAST_STORAGE_PORTS),
            };
            let ports = each.saturating_mul(count);
            FabricStorage { storage: id, appliances: Some(count), ports }
        }
        _ => {
            let rate = row.map_or(0.0, |row| row.read.unwrap_or(0.0).max(row.write.unwrap_or(0.0)));
            let ports = round::ceil_units(round::ratio(rate, fabric.speed.bytes_per_second())).max(LEAST_STORAGE_PORTS);
            FabricStorage { storage: id, appliances: None, ports }
        }
    }
}

/// Fills in the switches and links, or why there are none.
fn count(model: &Model<'_>, fabric: &Fabric, row: &mut FabricPlan) {
    let input = match input(model, fabric, row) {
        Ok(input) => input,
        Err(why) => {
            row.refusal = Some(why);
            return;
        }
    };
    match formula::count(&input) {
        Ok(mut count) => {
            row.wiring = Wiring::of(model, fabric, row, &input, &count);
            // Further ports are shared out evenly over the planes and counted rounded up; links are those there are.
            if !row.wiring.links.is_empty() {
                let of_nodes = row.wiring.links.iter().filter(|link| link.tier == Tier::Node);
                count.node_links = of_nodes.count() as u64;
            }
            row.count = Some(count);
        }
        Err(refusal) => row.refusal = Some(refused(&refusal)),
    }
    row.leaves = leaf_loads(model, fabric, row);
    if input.fill == Fill::ScalableUnit {
        row.exact = formula::count(&FabricInput { fill: Fill::Exact, ..input }).ok();
    }
}

/// The largest pool gives the ports of a node; in a leaf-spine fabric the ports of others are counted singly.
fn input(model: &Model<'_>, fabric: &Fabric, row: &FabricPlan) -> Result<FabricInput, String> {
    let rail = fabric.topology == words::Topology::RailOptimized;
    let widest = row.pools.iter().map(|pool| pool.ports_per_node).max().unwrap_or(0);
    let total = |pool: &FabricPool| pool.nodes.saturating_mul(pool.ports_per_node);
    if let Some(odd) = row.pools.iter().find(|pool| rail && pool.ports_per_node != widest) {
        let name = model.address(odd.pool.block());
        return Err(format!(
            "a node of `{name}` has {} ports, others have {widest}: rails need the same",
            odd.ports_per_node
        ));
    }
    let planes = fabric.planes.max(1);
    if !widest.is_multiple_of(planes) {
        return Err(format!("a node has {}, which {planes} planes do not share evenly", phrase::count(widest, "port")));
    }
    let main: u64 = row
        .pools
        .iter()
        .filter(|pool| pool.ports_per_node == widest)
        .map(|pool| pool.nodes)
        .fold(0, u64::saturating_add);
    let others: u64 =
        row.pools.iter().filter(|pool| pool.ports_per_node != widest).map(total).fold(0, u64::saturating_add);
    Ok(FabricInput {
        nodes: main,
        reserved_slots: fabric.reserved_slots,
        ports_per_node: round::div_ceil(widest, planes).max(1),
        attached_ports: round::div_ceil(attached(row, others), planes),
        planes,
        radix: row.radix,
        oversubscription: whole(fabric.oversubscription)
            .ok_or("the oversubscription is not a ratio of two numbers above 0")?,
        topology: match (fabric.topology, role(model, fabric)) {
            (words::Topology::LeafSpine | words::Topology::FatTree, Role::Management) => Topology::Access,
            (words::Topology::LeafSpine | words::Topology::FatTree, _) => Topology::LeafSpine,
            (words::Topology::RailOptimized, _) => Topology::RailOptimized,
            (words::Topology::CollapsedPair, _) => Topology::CollapsedPair,
        },
        fill: match fabric.fill {
            words::Fill::ScalableUnit if rail || fabric.topology == words::Topology::CollapsedPair => {
                Fill::ScalableUnit
            }
            words::Fill::ScalableUnit | words::Fill::Exact => Fill::Exact,
        },
    })
}

/// Ports besides those of the main pools.
fn attached(row: &FabricPlan, others: u64) -> u64 {
    let storages = row.storages.iter().map(|storage| storage.ports);
    let switches = row.switches.iter().map(|other| other.count.switches().saturating_mul(other.ports_each));
    storages.chain(switches).chain([row.further_ports]).fold(others, u64::saturating_add)
}

/// Links down and up each leaf, of the port map.
fn leaf_loads(model: &Model<'_>, fabric: &Fabric, row: &FabricPlan) -> Vec<LeafLoad> {
    // Without links there may be more leaves than anybody can name.
    let Some(count) = row.count.as_ref().filter(|_| !row.wiring.links.is_empty()) else { return Vec::new() };
    let names = rack::switch_names(model.name(fabric.id), count).into_iter().map(Arc::<str>::from);
    let mut loads: Vec<LeafLoad> =
        names.zip(0..count.leaves).map(|(name, _)| LeafLoad { name, down: 0, up: 0 }).collect();
    let places: HashMap<Arc<str>, usize> =
        loads.iter().enumerate().map(|(place, load)| (Arc::clone(&load.name), place)).collect();
    let mut add = |device: &Arc<str>, down: u64, up: u64| {
        if let Some(load) = places.get(device).and_then(|place| loads.get_mut(*place)) {
            load.down += down;
            load.up += up;
        }
    };
    for link in &row.wiring.links {
        match link.tier {
            Tier::Node => add(&link.to.device, 1, 0),
            Tier::Spine => add(&link.from.device, 0, 1),
            Tier::Peer => {
                add(&link.from.device, 0, 1);
                add(&link.to.device, 0, 1);
            }
            Tier::Core => {}
        }
    }
    loads
}

/// `1.5:1` as 3 to 2: both sides whole.
fn whole(ratio: Ratio) -> Option<(u64, u64)> {
    let mut scale = crate::base::number::Number::ONE;
    for _ in 0..6 {
        let (over, under) = (ratio.over.times(scale)?, ratio.under.times(scale)?);
        if let (Some(over), Some(under)) = (over.to_u64(), under.to_u64()) {
            return (over > 0 && under > 0).then_some((over, under));
        }
        scale = scale.times(crate::base::number::Number::whole(10))?;
    }
    None
}

fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::TooLarge { nodes, max } => format!("three tiers of this switch hold {max} nodes, {nodes} are wanted"),
        Refusal::PairTooSmall { nodes, max } => format!("a pair of this switch holds {max} nodes, {nodes} are wanted"),
        Refusal::NoFreePorts { wanted, free } => {
            format!("{wanted} further ports are wanted, the slots without a node have {free}")
        }
        Refusal::NoPorts { down, up } => format!("the oversubscription leaves a leaf {down} ports down and {up} up"),
        Refusal::Malformed => {
            String::from("the switch has no port of the fabric's speed, or there is nothing to connect")
        }
    }
}

/// A figure of a fabric: its name, where its number stands, its formula.
type Row = (&'static str, fn(&FabricCount) -> u64, &'static str);

fn put_figures(plan: &mut Plan<'_>, row: &FabricPlan) {
    let block = row.id.block();
    let is_management = role(&plan.model, &plan.model[row.id]) == Role::Management;
    const ROWS: &[Row] = &[
        ("leaf_switches", |count| count.leaves, "ports of nodes ÷ ports down of a leaf, whole rails"),
        (
            "spine_switches",
            |count| count.spines,
            "links up ÷ ports of a spine, raised until every leaf has the same number to each",
        ),
        ("core_switches", |count| count.cores, "links up of the spines ÷ ports of a core switch"),
        ("switches", FabricCount::switches, "leaf + spine + core switches"),
        ("node_links", |count| count.node_links, "ports of nodes, storage and fabric managers"),
        ("leaf_spine_links", |count| count.leaf_spine_links, "leaves × links up of a leaf"),
        ("spine_core_links", |count| count.spine_core_links, "as many as go from leaves to spines, with a third tier"),
        ("peer_links", |count| count.peer_links, "ports of a switch that would go up, between the two of a pair"),
        ("scalable_units", |count| count.scalable_units, "nodes and reserved slots ÷ nodes of a unit"),
    ];
    for (name, get, formula) in ROWS {
        match (&row.count, &row.refusal) {
            (Some(count), _) => {
                let mut figure = Figure::exact(get(count) as f64, "", formula).basis(Basis::Formula);
                for pool in &row.pools {
                    figure = figure.of(pool.pool.block(), "nodes");
                }
                figure = figure.of(block, "switch").of(block, "oversubscription").of(block, "fill");
                if is_management && *name == "switches" {
                    figure = figure.note("what goes up from them is not planned: it has cages of its own");
                }
                plan.figures.put(block, name, figure);
            }
            (None, why) => plan.figures.unknown(block, name, why.as_deref().unwrap_or("nothing is connected")),
        }
    }
    put_exact(plan, row);
    put_oversubscription(plan, row);
}

/// Switches without whole units, beside those that are planned.
fn put_exact(plan: &mut Plan<'_>, row: &FabricPlan) {
    let block = row.id.block();
    // Where the fill is exact the two are the same.
    let Some(exact) = row.exact.as_ref().or(row.count.as_ref()) else {
        plan.figures.unknown(block, "exact_switches", row.refusal.as_deref().unwrap_or("nothing is connected"));
        return;
    };
    let figure = Figure::exact(exact.switches() as f64, "", "switches for the nodes there are, without whole units");
    plan.figures.put(block, "exact_switches", figure.of(block, "switches").of(block, "fill"));
}

/// Links down over links up, of the fullest leaf and of all: what is cabled, not what was asked for.
fn put_oversubscription(plan: &mut Plan<'_>, row: &FabricPlan) {
    let block = row.id.block();
    let (down, up) = row.leaves.iter().fold((0, 0), |(down, up), leaf| (down + leaf.down, up + leaf.up));
    if up == 0 {
        let why = if row.count.is_some() { "no link goes up from a leaf" } else { "the fabric cannot be built" };
        plan.figures.unknown(block, "oversubscription_max", why);
        plan.figures.unknown(block, "oversubscription_all", why);
        return;
    }
    let ratio = |leaf: &LeafLoad| formula::oversubscription(leaf.down as f64, leaf.up as f64);
    let most = row.leaves.iter().map(ratio).fold(0.0, f64::max);
    let figure = Figure::exact(most, "", "links down ÷ links up of the leaf where that is largest");
    plan.figures.put(block, "oversubscription_max", figure.of(block, "node_links").of(block, "leaf_spine_links"));
    let all = formula::oversubscription(down as f64, up as f64);
    let figure = Figure::exact(all, "", "links down ÷ links up of all leaves");
    plan.figures.put(block, "oversubscription_all", figure.of(block, "node_links").of(block, "leaf_spine_links"));
}
