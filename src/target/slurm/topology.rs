//! Which nodes are near each other, from the fabrics.
//!
//! Slurm's tree has one parent for each node, so what it calls a switch stands here for the leaves that serve the same
//! nodes: in a rail-optimised fabric all leaves of a scalable unit, otherwise the two leaves of nodes with two ports.
//! Every node of the cluster is under exactly one of them, and all of them are under one root.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::ids::Id;
use crate::model::kinds::{Fabric, Pool};
use crate::model::words;
use crate::plan::formula::round::{div_ceil, product};
use crate::plan::{FabricPlan, Plan};

use super::hosts::fold;
use super::machine::Machine;

/// What the topology of blocks is called where there are several.
pub const BLOCKS: &str = "nvlink";

/// A switch of Slurm's tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Switch {
    /// The fabric or pool it comes from; that of the cluster for the root.
    pub address: String,
    /// Its name.
    pub name: String,
    /// The switches below it.
    pub children: Option<String>,
    /// The nodes below it.
    pub nodes: Option<String>,
}

/// Blocks: nodes that one NVLink domain joins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Blocks {
    /// Nodes of the smallest block, and the multiples by powers of two that fit into all of them together.
    pub sizes: Vec<u64>,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Block {
    /// The pool it comes from.
    pub address: String,
    /// Its name.
    pub name: String,
    /// Its nodes.
    pub nodes: String,
}

/// The blocks of the machines whose NVLink domains are larger than a node; nothing without any.
pub fn blocks(plan: &Plan<'_>, machines: &[Machine]) -> Option<Blocks> {
    let (mut blocks, mut counts) = (Vec::new(), Vec::new());
    for machine in machines {
        let Some(domain) = machine.domain.and_then(|nodes| usize::try_from(nodes).ok()) else { continue };
        let pool = plan.model.name(machine.pool);
        let width = machine.names.len().div_ceil(domain).to_string().len().max(2);
        for (number, names) in (1..).zip(machine.names.chunks(domain)) {
            counts.push(names.len() as u64);
            blocks.push(Block {
                address: plan.model.address(machine.pool.block()),
                name: format!("{pool}-domain-{number:0width$}"),
                nodes: fold(names.iter().map(String::as_str)),
            });
        }
    }
    let base = counts.iter().copied().min()?;
    let together = base.saturating_mul(counts.len() as u64);
    let sizes = std::iter::successors(Some(base), |size| size.checked_mul(2)).take_while(|&size| size <= together);
    Some(Blocks { sizes: sizes.collect(), blocks })
}

/// The tree, leaves first and the root last; nothing where all nodes are equally near, or where nothing says how near.
pub fn tree(plan: &Plan<'_>, cluster: &str, machines: &[Machine]) -> Vec<Switch> {
    let placed = |machine: &Machine| machine.domain.is_some() || main_fabric(plan, machine.pool).is_some();
    if !machines.iter().any(placed) {
        return Vec::new();
    }
    let switches = all_switches(plan, cluster, machines);
    if switches.len() > 1 { switches } else { Vec::new() }
}

fn all_switches(plan: &Plan<'_>, cluster: &str, machines: &[Machine]) -> Vec<Switch> {
    let (mut switches, mut tops) = (Vec::new(), Vec::new());
    for (fabric, members) in by_fabric(plan, machines) {
        let (mut below, top) = match fabric {
            Some(fabric) => branch(plan, fabric, &members),
            None => apart(plan, &members),
        };
        switches.append(&mut below);
        tops.extend(top);
    }
    if tops.len() > 1 {
        switches.push(Switch {
            address: cluster.to_string(),
            name: String::from("root"),
            children: Some(fold(tops.iter().map(String::as_str))),
            nodes: None,
        });
    }
    switches
}

/// The fabric that gives a pool's nodes the most bandwidth; of equal ones the first by name.
pub fn main_fabric<'p>(plan: &'p Plan<'_>, pool: Id<Pool>) -> Option<&'p FabricPlan> {
    let model = &*plan.model;
    let bandwidth = |fabric: &FabricPlan| {
        let ports = fabric.pools.iter().find(|member| member.pool == pool)?.ports_per_node;
        Some(ports as f64 * model[fabric.id].speed.bytes_per_second())
    };
    let mut best: Option<(f64, &str, &FabricPlan)> = None;
    let traffic = |fabric: &&FabricPlan| model[fabric.id].role != Some(words::FabricRole::Management);
    for fabric in plan.fabrics.values().filter(traffic) {
        let Some(found) = bandwidth(fabric) else { continue };
        let name = model.name(fabric.id);
        if best.is_none_or(|(most, first, _)| found > most || (found == most && name < first)) {
            best = Some((found, name, fabric));
        }
    }
    best.map(|(_, _, fabric)| fabric)
}

/// A fabric, where there is one, and the machines on it.
type Group<'m> = (Option<Id<Fabric>>, Vec<&'m Machine>);

/// The machines of each fabric; those without one come last.
fn by_fabric<'m>(plan: &Plan<'_>, machines: &'m [Machine]) -> Vec<Group<'m>> {
    let mut groups: BTreeMap<(bool, String), Group<'m>> = BTreeMap::new();
    for machine in machines.iter().filter(|machine| !machine.names.is_empty()) {
        let fabric = main_fabric(plan, machine.pool).map(|fabric| fabric.id);
        let name = fabric.map_or(String::new(), |fabric| plan.model.name(fabric).to_string());
        groups.entry((fabric.is_none(), name)).or_insert_with(|| (fabric, Vec::new())).1.push(machine);
    }
    groups.into_values().collect()
}

/// The units of a fabric with the nodes that are in them, and a spine over them when there are several.
fn branch(plan: &Plan<'_>, id: Id<Fabric>, members: &[&Machine]) -> (Vec<Switch>, Vec<String>) {
    let name = plan.model.name(id);
    let address = plan.model.address(id.block());
    let units = unit_nodes(&plan.fabrics[&id], members, plan.model[id].topology);
    let width = units.keys().last().map_or(0, |last| (last + 1).to_string().len()).max(2);
    let leaves: Vec<Switch> = units
        .into_iter()
        .map(|(unit, nodes)| Switch {
            address: address.clone(),
            name: format!("{name}-unit-{:0width$}", unit + 1),
            children: None,
            nodes: Some(fold(nodes)),
        })
        .collect();
    let names: Vec<String> = leaves.iter().map(|leaf| leaf.name.clone()).collect();
    if leaves.len() < 2 {
        return (leaves, names);
    }
    let spine = Switch {
        address,
        name: format!("{name}-spine"),
        children: Some(fold(names.iter().map(String::as_str))),
        nodes: None,
    };
    let top = vec![spine.name.clone()];
    (leaves.into_iter().chain([spine]).collect(), top)
}

/// The nodes of each unit. Units are filled in the order of the fabric's pools, as they are cabled.
fn unit_nodes<'m>(
    fabric: &FabricPlan,
    members: &[&'m Machine],
    topology: words::Topology,
) -> BTreeMap<u64, Vec<&'m str>> {
    let mut units: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    let mut first = 0u64;
    for pool in &fabric.pools {
        let size = unit_size(fabric, topology, pool.ports_per_node);
        for machine in members.iter().filter(|machine| machine.pool == pool.pool) {
            for (position, name) in (first..).zip(&machine.names) {
                units.entry(size.map_or(0, |size| position / size)).or_default().push(name);
            }
        }
        first = first.saturating_add(pool.nodes);
    }
    units
}

/// Nodes of a unit; nothing when all nodes are equally near or the fabric could not be counted.
fn unit_size(fabric: &FabricPlan, topology: words::Topology, ports_per_node: u64) -> Option<u64> {
    let count = fabric.count.as_ref()?;
    let units = match topology {
        words::Topology::RailOptimized => count.scalable_units,
        words::Topology::CollapsedPair => 1,
        words::Topology::LeafSpine | words::Topology::FatTree => {
            let homes = ports_per_node.clamp(1, 2);
            // Leaves that do not pair up serve overlapping sets of nodes: no set is nearer than another.
            if count.leaves % homes == 0 { count.leaves / homes } else { 1 }
        }
    };
    let size = div_ceil(count.slots, units);
    (units > 1 && size > 0 && product([units, size]) >= count.slots).then_some(size)
}

/// Pools on no fabric, beside others that are on one: a switch each, because a node in no switch takes no part.
fn apart(plan: &Plan<'_>, members: &[&Machine]) -> (Vec<Switch>, Vec<String>) {
    let switch = |machine: &&Machine| Switch {
        address: plan.model.address(machine.pool.block()),
        name: format!("{}-nodes", plan.model.name(machine.pool)),
        children: None,
        nodes: Some(machine.hosts()),
    };
    let switches: Vec<Switch> = members.iter().map(switch).collect();
    let names = switches.iter().map(|switch| switch.name.clone()).collect();
    (switches, names)
}
