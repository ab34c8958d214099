//! The port map: every link of a fabric once, with the port at both ends.
//!
//! Cables, optics, racks, Slurm's topology and NetBox read it; nobody counts links again.

mod arrange;

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::kinds::{Fabric, Kind, Storage};

use super::fabric::{Role, port_speed, role};
use super::formula::fabric::{FabricCount, FabricInput};
use super::formula::round::{div_ceil, product};
use super::formula::wiring::{self as formula, End};
use super::{FabricPlan, node, rack};

/// Links of a fabric that are named one by one; a larger fabric is a slip of the pen or no plan for a room.
pub const MOST_LINKS: u64 = 1_000_000;

/// What a link joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// A node, storage or another device to its leaf.
    Node,
    /// A leaf to a spine.
    Spine,
    /// A spine to a core switch.
    Core,
    /// A leaf to the other one of its pair.
    Peer,
}

/// A port of a device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// The device, as every output names it: `train-001`, `compute-leaf-01`.
    pub device: Arc<str>,
    /// The pool, fabric or storage it belongs to.
    pub of: BlockId,
    /// Which port, from 1: among those of its role on a node, among the logical ones of a switch.
    pub number: u64,
    /// What it is called: `compute-3` on a node, `17/2` (cage and lane) or `17` on a switch.
    pub name: Arc<str>,
    /// The cage of a switch, from 1; ports of one cage share a module.
    pub cage: Option<u64>,
}

/// A link: logical, at the speed of its fabric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What it joins.
    pub tier: Tier,
    /// Its plane, from 1.
    pub plane: u64,
    /// The lower end.
    pub from: Port,
    /// The upper end.
    pub to: Port,
}

/// The links of a fabric, from nodes up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wiring {
    /// Every link once.
    pub links: Vec<Link>,
}

impl Wiring {
    /// The links of a counted fabric; none when there are too many to be named.
    pub fn of(
        model: &Model<'_>,
        fabric: &Fabric,
        row: &FabricPlan,
        input: &FabricInput,
        count: &FabricCount,
    ) -> Wiring {
        let all = [count.node_links, count.leaf_spine_links, count.spine_core_links, count.peer_links];
        // Slots that are kept have switches without links, and planes may have nothing in them.
        let all = all.into_iter().chain([count.switches(), input.planes]);
        if all.fold(0, u64::saturating_add) > MOST_LINKS {
            return Wiring::default();
        }
        let names = Names::of(model, fabric, row, input, count);
        let mut in_plane = formula::plane(input, count);
        arrange::arrange(&mut in_plane, names.lanes, row.radix, |end| names.class(model, fabric, end));
        let links = (0..input.planes).flat_map(|plane| {
            let names = &names;
            in_plane.iter().filter_map(move |link| names.link(plane, link))
        });
        Wiring { links: links.collect() }
    }
}

/// A device with ports on the fabric.
#[derive(Debug, Clone)]
struct Attached {
    device: Arc<str>,
    of: BlockId,
    number: u64,
}

/// What ends are called.
struct Names {
    fabric: BlockId,
    planes: u64,
    word: &'static str,
    /// Ports of a switch that share a cage.
    lanes: u64,
    nodes: Vec<(Arc<str>, BlockId)>,
    attached: Vec<Attached>,
    leaves: Vec<Arc<str>>,
    spines: Vec<Arc<str>>,
    cores: Vec<Arc<str>>,
}

impl Names {
    fn of(model: &Model<'_>, fabric: &Fabric, row: &FabricPlan, input: &FabricInput, count: &FabricCount) -> Names {
        let widest = row.pools.iter().map(|pool| pool.ports_per_node).max().unwrap_or(0);
        let nodes_of = |pool: &super::FabricPool| {
            let of = pool.pool.block();
            node::names(model, pool.pool, pool.nodes).map(move |name| (Arc::<str>::from(name), of))
        };
        let (main, others): (Vec<_>, Vec<_>) = row.pools.iter().partition(|pool| pool.ports_per_node == widest);
        let mut attached: Vec<Attached> = Vec::new();
        for pool in others {
            for (device, of) in nodes_of(pool) {
                let port = |number| Attached { device: Arc::clone(&device), of, number };
                attached.extend((1..=pool.ports_per_node).map(port));
            }
        }
        attached.extend(storage_ports(model, row));
        attached.extend(switch_ports(model, row));
        let further: Arc<str> = Arc::from(further_name(model.name(fabric.id)));
        let further = |number| Attached { device: Arc::clone(&further), of: fabric.id.block(), number };
        attached.extend((1..=row.further_ports).map(further));
        let mut switches = rack::switch_names(model.name(fabric.id), count).into_iter().map(Arc::from);
        let mut take =
            |count: u64| -> Vec<Arc<str>> { (0..count).zip(switches.by_ref()).map(|(_, name)| name).collect() };
        let (leaves, spines, cores) = (take(count.leaves), take(count.spines), take(count.cores));
        let cages = model[fabric.switch].cages.filter(|&cages| cages > 0);
        Names {
            fabric: fabric.id.block(),
            planes: input.planes.max(1),
            word: match role(model, fabric) {
                Role::Compute => "compute",
                Role::Storage => "storage",
                Role::Management => "management",
            },
            lanes: cages.map_or(1, |cages| div_ceil(row.radix, cages)).max(1),
            nodes: main.into_iter().flat_map(nodes_of).collect(),
            attached,
            leaves,
            spines,
            cores,
        }
    }

    fn link(&self, plane: u64, link: &formula::Link) -> Option<Link> {
        let tier = match (link.from, link.to) {
            (End::Node { .. } | End::Attached { .. }, _) => Tier::Node,
            (End::Leaf { .. }, End::Leaf { .. }) => Tier::Peer,
            (End::Leaf { .. }, _) => Tier::Spine,
            (End::Spine { .. } | End::Core { .. }, _) => Tier::Core,
        };
        Some(Link { tier, plane: plane + 1, from: self.port(plane, link.from)?, to: self.port(plane, link.to)? })
    }

    fn port(&self, plane: u64, end: End) -> Option<Port> {
        let switch = |names: &[Arc<str>], index: u64, port: u64| {
            let of_plane = names.len() as u64 / self.planes;
            Some(self.switch_port(get(names, product([plane, of_plane]) + index)?, port))
        };
        match end {
            End::Node { node, port } => {
                let (device, of) = get(&self.nodes, node)?;
                Some(self.device_port(device, *of, product([port, self.planes]) + plane + 1))
            }
            End::Attached { index } => {
                let found = get(&self.attached, product([index, self.planes]) + plane)?;
                Some(self.device_port(&found.device, found.of, found.number))
            }
            End::Leaf { leaf, port } => switch(&self.leaves, leaf, port),
            End::Spine { spine, port } => switch(&self.spines, spine, port),
            End::Core { core, port } => switch(&self.cores, core, port),
        }
    }

    /// How fast the port of a device is, in bytes a second; nothing where that is not known.
    fn class(&self, model: &Model<'_>, fabric: &Fabric, end: End) -> Option<u64> {
        let owner = match end {
            End::Node { node, .. } => get(&self.nodes, node)?.1,
            End::Attached { index } => get(&self.attached, product([index, self.planes]))?.of,
            End::Leaf { .. } | End::Spine { .. } | End::Core { .. } => return None,
        };
        let speed = match model.block(owner).kind {
            Kind::Pool => port_speed(model, model.as_id(owner)?, fabric)?,
            Kind::Storage => model[model.typed::<Storage>(owner)?.product?].speed?.bytes_per_second(),
            _ => return None,
        };
        Some(speed.to_bits())
    }

    fn device_port(&self, device: &Arc<str>, of: BlockId, number: u64) -> Port {
        let name = Arc::from(format!("{}-{number}", self.word));
        Port { device: Arc::clone(device), of, number, name, cage: None }
    }

    fn switch_port(&self, device: &Arc<str>, port: u64) -> Port {
        let (cage, lane) = (port / self.lanes + 1, port % self.lanes + 1);
        let name = if self.lanes > 1 { format!("{cage}/{lane}") } else { cage.to_string() };
        let (device, name) = (Arc::clone(device), Arc::from(name));
        Port { device, of: self.fabric, number: port + 1, name, cage: Some(cage) }
    }
}

fn get<T>(list: &[T], index: u64) -> Option<&T> {
    list.get(usize::try_from(index).ok()?)
}

/// `compute-further`: what takes ports of a fabric and is described nowhere.
pub fn further_name(fabric: &str) -> String {
    format!("{fabric}-further")
}

/// Ports of the switches of other fabrics.
fn switch_ports(model: &Model<'_>, row: &FabricPlan) -> Vec<Attached> {
    let ports = row.switches.iter().filter(|switches| switches.ports_each > 0).flat_map(|switches| {
        let names = rack::switch_names(model.name(switches.fabric), &switches.count);
        let names = names.into_iter().map(Arc::<str>::from);
        names.flat_map(|device| {
            let of = switches.fabric.block();
            (1..=switches.ports_each).map(move |number| Attached { device: Arc::clone(&device), of, number })
        })
    });
    ports.collect()
}

/// Ports of storage: of its appliances in turn, or of the storage itself while no product is chosen.
fn storage_ports(model: &Model<'_>, row: &FabricPlan) -> Vec<Attached> {
    let mut ports = Vec::new();
    for storage in &row.storages {
        let name = model.name(storage.storage);
        let each = div_ceil(storage.ports, storage.appliances.unwrap_or(1).max(1)).max(1);
        ports.extend((0..storage.ports).map(|port| Attached {
            device: match storage.appliances {
                Some(_) => Arc::from(rack::appliance_name(name, port / each + 1)),
                None => Arc::from(name),
            },
            of: storage.storage.block(),
            number: port % each + 1,
        }));
    }
    ports
}
