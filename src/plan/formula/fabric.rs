//! Switches and links of a fabric: rail-optimised or leaf-spine, one to three tiers, one or more planes.

use super::round::{div_ceil, div_floor, product, ratio, sum};

/// Most ports of a switch that are believed.
const LARGEST_RADIX: u64 = 65_536;

/// How nodes meet leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topology {
    /// Port i of every node of a scalable unit goes to leaf i of that unit.
    RailOptimized,
    /// Ports go to any leaf; a node with two ports or more goes to two leaves.
    LeafSpine,
    /// Two leaves without spines, joined to each other by the ports that would go up.
    CollapsedPair,
    /// Leaves with every port down; what goes up has cages of its own and is not counted.
    Access,
}

/// What a rail-optimised fabric is sized for. Leaf-spine is always exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Whole scalable units, cabled between the switches in full.
    ScalableUnit,
    /// The nodes there are: below one unit several rails share a leaf, and uplinks follow the used downlinks.
    Exact,
}

/// What a fabric connects, and with which switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FabricInput {
    /// Nodes, N.
    pub nodes: u64,
    /// Node slots kept for fabric management, X.
    pub reserved_slots: u64,
    /// Ports of a node in one plane; the rails R of a rail-optimised fabric.
    pub ports_per_node: u64,
    /// Further ports of one plane: storage, gateways, managers. In a rail-optimised fabric they live in slots without a
    /// node.
    pub attached_ports: u64,
    /// Planes, P: separate fabrics with one port of each GPU each.
    pub planes: u64,
    /// Logical ports of a switch at the speed of the node's port, k.
    pub radix: u64,
    /// Oversubscription of a leaf, down to up: (1, 1), (4, 3).
    pub oversubscription: (u64, u64),
    /// How nodes meet leaves.
    pub topology: Topology,
    /// What to size for.
    pub fill: Fill,
}

/// A counted fabric. Switches and links are of all planes together; links are logical, at the speed of the node's port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FabricCount {
    /// Scalable units; 0 for leaf-spine.
    pub scalable_units: u64,
    /// Node slots the leaves are sized for.
    pub slots: u64,
    /// Tiers of switches: 1, 2 or 3; 0 when there is nothing to connect.
    pub tiers: u64,
    /// Leaf switches.
    pub leaves: u64,
    /// Spine switches.
    pub spines: u64,
    /// Core switches.
    pub cores: u64,
    /// Links of nodes and attached ports.
    pub node_links: u64,
    /// Links between leaves and spines.
    pub leaf_spine_links: u64,
    /// Links between spines and cores.
    pub spine_core_links: u64,
    /// Links between the two leaves of a pair.
    pub peer_links: u64,
    /// Cabled uplinks of a leaf.
    pub uplinks_per_leaf: u64,
    /// Ports of a leaf that downlinks may use.
    pub downlinks_per_leaf: u64,
    /// Groups of leaves in a plane that spines of a third tier keep apart: the rails.
    pub groups: u64,
    /// Leaves of such a group.
    pub leaves_per_group: u64,
    /// Parts that a group is divided into, each with spines of its own; 1 up to two tiers.
    pub parts: u64,
}

impl FabricCount {
    /// Switches of all tiers. Source: arithmetic.
    pub fn switches(&self) -> u64 {
        sum([self.leaves, self.spines, self.cores])
    }
}

/// Why a fabric cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Three tiers of this switch, or a pair of them, hold fewer nodes.
    TooLarge {
        /// Nodes wanted, reserved slots not counted.
        nodes: u64,
        /// Nodes three tiers hold.
        max: u64,
    },
    /// A pair of this switch holds fewer nodes.
    PairTooSmall {
        /// Nodes wanted, reserved slots not counted.
        nodes: u64,
        /// Nodes a pair holds.
        max: u64,
    },
    /// The slots without a node have fewer ports than are to be attached to each plane.
    NoFreePorts {
        /// Ports wanted.
        wanted: u64,
        /// Ports there are.
        free: u64,
    },
    /// The oversubscription leaves a leaf without downlinks or without uplinks.
    NoPorts {
        /// Downlinks of a leaf.
        down: u64,
        /// Uplinks of a leaf.
        up: u64,
    },
    /// Planes, ports of a node or ports of the switch are 0, or the switch has an unbelievable number of them.
    Malformed,
}

/// Counts a fabric.
///
/// Symbols: k radix, o oversubscription, `D = floor(k o/(1+o))` downlinks and `U = k - D` uplinks of a leaf, R rails, N
/// nodes, X reserved slots, P planes.
///
/// * Rail-optimised, whole units: `units = ceil((N+X)/D)`, R leaves a unit. Exact: below one unit whole rails share
///   leaves, `ceil(R / floor(D/(N+X)))`; from one unit on a multiple of R, with uplinks for the used downlinks only.
/// * Leaf-spine: `ceil(ports/D)` leaves, at least two if nodes have two ports.
/// * Collapsed pair: two leaves with D ports down each, so `2 D / R` nodes, which is `k/R` at 1:1; U links between them,
///   or as many as the used ports need where the fill is exact.
/// * Access: `ceil(ports/k)` leaves.
/// * Everything on one switch is one leaf and no spine.
/// * Two tiers up to k leaves: the fewest spines S that hold all uplinks in bundles of equal size from every leaf, so S
///   divides the uplinks of a leaf. Three tiers: each rail in groups of at most k/2 leaves with spines of their own by
///   the same rule on k/2 ports, and `ceil(uplinks/k)` cores.
///
/// Every row read of NVIDIA's H100, B200 and B300 SuperPOD tables comes out. Source: NVIDIA DGX SuperPOD reference
/// architectures (H100 table 4, B200 and B300 architecture tables); Al-Fares et al. 2008 for the three-tier bound.
pub fn count(input: &FabricInput) -> Result<FabricCount, Refusal> {
    let leaf = Leaf::of(input)?;
    if input.nodes == 0 && input.attached_ports == 0 {
        return Ok(FabricCount::default());
    }
    match input.topology {
        Topology::CollapsedPair => return pair(input, &leaf),
        Topology::Access => return Ok(access(input)),
        Topology::RailOptimized | Topology::LeafSpine => {}
    }
    if input.nodes > max_nodes(input, &leaf) {
        return Err(Refusal::TooLarge { nodes: input.nodes, max: max_nodes(input, &leaf) });
    }
    let layout = match (input.topology, input.fill) {
        (Topology::LeafSpine | Topology::CollapsedPair | Topology::Access, _) => leaf_spine(input, &leaf),
        (Topology::RailOptimized, Fill::ScalableUnit) => whole_units(input, &leaf),
        (Topology::RailOptimized, Fill::Exact) => exact_rails(input, &leaf),
    };
    attached_fit(input, &layout)?;
    let tiers = tiers(input, &leaf, &layout);
    tiers
        .map(|plane| all_planes(input, &plane))
        .ok_or(Refusal::TooLarge { nodes: input.nodes, max: max_nodes(input, &leaf) })
}

/// Logical ports of a switch: cages times the node ports one cage splits into; 0 when a cage is slower than the port.
///
/// 32 cages of 800 Gb/s are 64 ports of 400 or 128 of 200. Source: NVIDIA QM9700, Q3400 and Spectrum-4 data sheets.
pub fn logical_ports(cages: u64, cage_gbps: u64, port_gbps: u64) -> u64 {
    cage_gbps.checked_div(port_gbps).map_or(0, |lanes| product([cages, lanes]))
}

/// Nodes a pair of switches holds that use half their ports for nodes and half for each other: `k/R`; 0 for nodes
/// without ports.
///
/// 8 nodes of eight 400G ports on two switches of 64. Source: NVIDIA DGX BasePOD reference architecture.
pub fn collapsed_pair_nodes(radix: u64, ports_per_node: u64) -> u64 {
    radix.checked_div(ports_per_node).unwrap_or(0)
}

/// Oversubscription as it is: node bandwidth over uplink bandwidth, any one unit; below 1 is undersubscribed, infinite
/// without uplinks. Source: Juniper JVD for AI data centers, GPU backend fabric.
pub fn oversubscription(node_bandwidth: f64, uplink_bandwidth: f64) -> f64 {
    ratio(node_bandwidth, uplink_bandwidth)
}

/// Switches of a management network: `ceil(ports / ports of a switch)`. Source: NVIDIA DGX SuperPOD reference
/// architectures (SN2201, 48).
pub fn management_switches(ports: u64, ports_per_switch: u64) -> u64 {
    div_ceil(ports, ports_per_switch)
}

/// Ports of a leaf.
struct Leaf {
    down: u64,
    up: u64,
}

impl Leaf {
    fn of(input: &FabricInput) -> Result<Self, Refusal> {
        let radix = input.radix;
        if input.planes == 0 || input.ports_per_node == 0 || radix == 0 || radix > LARGEST_RADIX {
            return Err(Refusal::Malformed);
        }
        if input.topology == Topology::Access {
            return Ok(Self { down: radix, up: 0 });
        }
        let (over, under) = input.oversubscription;
        let down = div_floor(product([radix, over]), sum([over, under])).min(radix);
        let up = radix - down;
        if down == 0 || up == 0 { Err(Refusal::NoPorts { down, up }) } else { Ok(Self { down, up }) }
    }
}

/// Leaves of one plane.
#[derive(Clone)]
struct Layout {
    units: u64,
    slots: u64,
    /// Groups of leaves that spines of a third tier keep apart: the rails.
    groups: u64,
    leaves_per_group: u64,
    /// Uplinks the fullest leaf needs.
    uplinks: u64,
}

/// Switches and links of one plane.
struct Plane {
    layout: Layout,
    tiers: u64,
    spines: u64,
    cores: u64,
    uplinks: u64,
    downlinks: u64,
    parts: u64,
}

/// Two leaves and what joins them.
fn pair(input: &FabricInput, leaf: &Leaf) -> Result<FabricCount, Refusal> {
    let slots = sum([input.nodes, input.reserved_slots]);
    let most = product([2, leaf.down]);
    let max = (most / input.ports_per_node).saturating_sub(input.reserved_slots);
    if input.nodes > max {
        return Err(Refusal::PairTooSmall { nodes: input.nodes, max });
    }
    let free = most - product([slots, input.ports_per_node]);
    if input.attached_ports > free {
        return Err(Refusal::NoFreePorts { wanted: input.attached_ports, free });
    }
    let used = div_ceil(sum([product([slots, input.ports_per_node]), input.attached_ports]), 2);
    let peers = match input.fill {
        Fill::ScalableUnit => leaf.up,
        Fill::Exact => uplinks_for(used, input, leaf),
    };
    let layout = Layout { units: 0, slots, groups: 1, leaves_per_group: 2, uplinks: 0 };
    let plane = Plane { layout, tiers: 1, spines: 0, cores: 0, uplinks: 0, downlinks: leaf.down, parts: 1 };
    let peer_links = product([peers, input.planes]);
    Ok(FabricCount { peer_links, uplinks_per_leaf: peers, ..all_planes(input, &plane) })
}

/// Leaves that nothing stands above.
fn access(input: &FabricInput) -> FabricCount {
    let slots = sum([input.nodes, input.reserved_slots]);
    let ports = sum([product([slots, input.ports_per_node]), input.attached_ports]);
    let leaves = management_switches(ports, input.radix);
    let layout = Layout { units: 0, slots, groups: 1, leaves_per_group: leaves, uplinks: 0 };
    let plane = Plane { layout, tiers: 1, spines: 0, cores: 0, uplinks: 0, downlinks: input.radix, parts: 1 };
    all_planes(input, &plane)
}

fn whole_units(input: &FabricInput, leaf: &Leaf) -> Layout {
    let units = div_ceil(sum([input.nodes, input.reserved_slots]), leaf.down);
    Layout {
        units,
        slots: product([units, leaf.down]),
        groups: input.ports_per_node,
        leaves_per_group: units,
        uplinks: leaf.up,
    }
}

fn exact_rails(input: &FabricInput, leaf: &Leaf) -> Layout {
    let slots = sum([input.nodes, input.reserved_slots]);
    let units = div_ceil(slots, leaf.down);
    let rails = input.ports_per_node;
    if product([slots, rails]) <= input.radix {
        return Layout { units, slots, groups: 1, leaves_per_group: 1, uplinks: 0 };
    }
    if units == 1 {
        let rails_per_leaf = div_floor(leaf.down, slots).clamp(1, rails);
        let uplinks = uplinks_for(product([slots, rails_per_leaf]), input, leaf);
        return Layout { units, slots, groups: 1, leaves_per_group: div_ceil(rails, rails_per_leaf), uplinks };
    }
    let uplinks = uplinks_for(div_ceil(slots, units), input, leaf);
    Layout { units, slots, groups: rails, leaves_per_group: units, uplinks }
}

fn leaf_spine(input: &FabricInput, leaf: &Leaf) -> Layout {
    let slots = sum([input.nodes, input.reserved_slots]);
    let ports = sum([product([slots, input.ports_per_node]), input.attached_ports]);
    let homes = if input.nodes == 0 { 1 } else { input.ports_per_node.min(2) };
    if homes == 1 && ports <= input.radix {
        return Layout { units: 0, slots, groups: 1, leaves_per_group: 1, uplinks: 0 };
    }
    let leaves = div_ceil(ports, leaf.down).max(homes);
    Layout {
        units: 0,
        slots,
        groups: 1,
        leaves_per_group: leaves,
        uplinks: uplinks_for(div_ceil(ports, leaves), input, leaf),
    }
}

/// Uplinks for a number of used downlinks at the oversubscription, at least one.
fn uplinks_for(used: u64, input: &FabricInput, leaf: &Leaf) -> u64 {
    let (over, under) = input.oversubscription;
    div_ceil(product([used, under]), over).clamp(1, leaf.up)
}

fn attached_fit(input: &FabricInput, layout: &Layout) -> Result<(), Refusal> {
    let free = product([layout.slots.saturating_sub(input.nodes), input.ports_per_node]);
    match input.topology {
        Topology::RailOptimized if input.attached_ports > free => {
            Err(Refusal::NoFreePorts { wanted: input.attached_ports, free })
        }
        Topology::RailOptimized | Topology::LeafSpine | Topology::CollapsedPair | Topology::Access => Ok(()),
    }
}

fn tiers(input: &FabricInput, leaf: &Leaf, layout: &Layout) -> Option<Plane> {
    let leaves = product([layout.groups, layout.leaves_per_group]);
    let layout = layout.clone();
    if leaves == 1 {
        return Some(Plane { layout, tiers: 1, spines: 0, cores: 0, uplinks: 0, downlinks: input.radix, parts: 1 });
    }
    if leaves <= input.radix {
        let (spines, uplinks) = bundles(leaves, layout.uplinks, leaf.up, input.radix)?;
        return Some(Plane { layout, tiers: 2, spines, cores: 0, uplinks, downlinks: leaf.down, parts: 1 });
    }
    let half = input.radix / 2;
    let parts = div_ceil(layout.leaves_per_group, half);
    let pods = product([layout.groups, parts]);
    if pods > input.radix {
        return None;
    }
    let (each, uplinks) = bundles(div_ceil(layout.leaves_per_group, parts), layout.uplinks, leaf.up, half)?;
    let cores = div_ceil(product([leaves, uplinks]), input.radix);
    Some(Plane { layout, tiers: 3, spines: product([pods, each]), cores, uplinks, downlinks: leaf.down, parts })
}

/// Fewest spines, and the uplinks of a leaf that are then an even bundle to each, at most `most`.
fn bundles(leaves: u64, needed: u64, most: u64, spine_ports: u64) -> Option<(u64, u64)> {
    let fewest = div_ceil(product([leaves, needed]), spine_ports).max(1);
    (fewest..=most).find_map(|spines| {
        let uplinks = product([div_ceil(needed, spines), spines]);
        (uplinks <= most && product([leaves, uplinks]) <= product([spines, spine_ports])).then_some((spines, uplinks))
    })
}

fn all_planes(input: &FabricInput, plane: &Plane) -> FabricCount {
    let leaves = product([plane.layout.groups, plane.layout.leaves_per_group]);
    let leaf_spine_links = product([leaves, plane.uplinks, input.planes]);
    FabricCount {
        scalable_units: plane.layout.units,
        slots: plane.layout.slots,
        tiers: plane.tiers,
        leaves: product([leaves, input.planes]),
        spines: product([plane.spines, input.planes]),
        cores: product([plane.cores, input.planes]),
        node_links: product([sum([product([input.nodes, input.ports_per_node]), input.attached_ports]), input.planes]),
        leaf_spine_links,
        spine_core_links: if plane.tiers == 3 { leaf_spine_links } else { 0 },
        peer_links: 0,
        uplinks_per_leaf: plane.uplinks,
        downlinks_per_leaf: plane.downlinks,
        groups: plane.layout.groups,
        leaves_per_group: plane.layout.leaves_per_group,
        parts: plane.parts,
    }
}

/// Nodes three tiers hold: `D floor(k/R) (k/2) - X`, which is `k^3/(4R) - X` at 1:1; leaf-spine counts ports instead of
/// rails.
fn max_nodes(input: &FabricInput, leaf: &Leaf) -> u64 {
    let half = (input.radix / 2).max(1);
    let slots = match input.topology {
        Topology::RailOptimized => product([leaf.down, input.radix / input.ports_per_node.max(1), half]),
        Topology::LeafSpine | Topology::CollapsedPair | Topology::Access => {
            let ports = product([leaf.down, input.radix, half]).saturating_sub(input.attached_ports);
            ports / input.ports_per_node.max(1)
        }
    };
    slots.saturating_sub(input.reserved_slots)
}

#[cfg(test)]
mod tests {
    use super::{
        FabricCount, FabricInput, Fill, Refusal, Topology, collapsed_pair_nodes, count, logical_ports,
        management_switches, oversubscription,
    };

    fn rails(nodes: u64, radix: u64) -> FabricInput {
        FabricInput {
            nodes,
            reserved_slots: 0,
            ports_per_node: 8,
            attached_ports: 0,
            planes: 1,
            radix,
            oversubscription: (1, 1),
            topology: Topology::RailOptimized,
            fill: Fill::ScalableUnit,
        }
    }

    fn leaf_spine(nodes: u64, ports_per_node: u64, radix: u64) -> FabricInput {
        FabricInput { ports_per_node, topology: Topology::LeafSpine, ..rails(nodes, radix) }
    }

    fn counted(input: &FabricInput) -> FabricCount {
        count(input).unwrap_or_default()
    }

    /// Units, leaves, spines, cores, node links, leaf-spine links.
    fn row(input: &FabricInput) -> [u64; 6] {
        let fabric = counted(input);
        [fabric.scalable_units, fabric.leaves, fabric.spines, fabric.cores, fabric.node_links, fabric.leaf_spine_links]
    }

    #[test]
    fn superpod_h100() {
        // DGX SuperPOD H100 RA, network fabrics, table 4: one node a fabric makes room for the manager's four links.
        let managed = |nodes| FabricInput { reserved_slots: 1, attached_ports: 4, ..rails(nodes, 64) };
        assert_eq!(row(&managed(31)), [1, 8, 4, 0, 252, 256]);
        assert_eq!(row(&managed(63)), [2, 16, 8, 0, 508, 512]);
        assert_eq!(row(&managed(95)), [3, 24, 16, 0, 764, 768]);
        assert_eq!(row(&managed(127)), [4, 32, 16, 0, 1020, 1024]);
    }

    #[test]
    fn superpod_b200() {
        // DGX SuperPOD B200 RA, larger configurations.
        assert_eq!(row(&rails(64, 64)), [2, 16, 8, 0, 512, 512]);
        assert_eq!(row(&rails(256, 64)), [8, 64, 32, 0, 2048, 2048]);
        for (nodes, published) in [(512, [16, 128, 128, 64, 4096, 4096]), (2048, [64, 512, 512, 256, 16384, 16384])] {
            assert_eq!(row(&rails(nodes, 64)), published);
            assert_eq!(counted(&rails(nodes, 64)).spine_core_links, published[5]);
            assert_eq!(counted(&rails(nodes, 64)).tiers, 3);
        }
        // The 512-node explainer of apetops-us.com: 320 switches. DGX SuperPOD H100 RA, table 3: 1024 nodes, 640
        // switches, 24,576 cables.
        assert_eq!(counted(&rails(512, 64)).switches(), 320);
        let large = counted(&rails(1024, 64));
        assert_eq!((large.leaves, large.spines, large.cores), (256, 256, 128));
        assert_eq!(large.node_links + large.leaf_spine_links + large.spine_core_links, 24576);
    }

    #[test]
    fn superpod_b300_xdr() {
        // DGX SuperPOD B300 XDR RA, table 3. Its last row prints 9216 GPUs beside 10,368 cables; 1296 nodes have 10,368
        // GPUs.
        assert_eq!(row(&rails(72, 144)), [1, 8, 4, 0, 576, 576]);
        assert_eq!(row(&rails(144, 144)), [2, 16, 8, 0, 1152, 1152]);
        assert_eq!(row(&rails(576, 144)), [8, 64, 36, 0, 4608, 4608]);
        assert_eq!(row(&rails(1296, 144)), [18, 144, 72, 0, 10368, 10368]);
        // A 32-node plan on the same switch (kedios.io): whole unit 8 + 4; the exact fit needs two spines.
        assert_eq!(counted(&rails(32, 144)).switches(), 12);
        assert_eq!(counted(&FabricInput { fill: Fill::Exact, ..rails(32, 144) }).spines, 2);
    }

    #[test]
    fn superpod_b300_two_planes() {
        // DGX SuperPOD B300 (Spectrum-X) RA, table 3, which counts one 800G cable where there are two 400G links.
        for (nodes, published) in
            [(64, [1, 16, 8, 0, 512, 512]), (256, [4, 64, 32, 0, 2048, 2048]), (512, [8, 128, 64, 0, 4096, 4096])]
        {
            let [units, leaves, spines, cores, node_links, leaf_spine_links] =
                row(&FabricInput { planes: 2, ..rails(nodes, 128) });
            assert_eq!([units, leaves, spines, cores, node_links / 2, leaf_spine_links / 2], published);
        }
    }

    #[test]
    fn superpod_a100() {
        // DGX SuperPOD A100 RA as remembered: 140 nodes on switches of 40 ports.
        assert_eq!(row(&rails(140, 40)), [7, 56, 80, 28, 1120, 1120]);
        assert_eq!(counted(&rails(140, 40)).spine_core_links, 1120);
    }

    #[test]
    fn without_rails() {
        // Gaudi 3: 16 nodes of six ports on switches of 64 need three leaves.
        let gaudi = counted(&leaf_spine(16, 6, 64));
        assert_eq!((gaudi.leaves, gaudi.spines, gaudi.uplinks_per_leaf, gaudi.scalable_units), (3, 2, 32, 0));
        // One port each on one switch: no spine. Two ports each: two leaves, and a spine between them.
        let one = counted(&leaf_spine(40, 1, 64));
        assert_eq!((one.leaves, one.spines, one.tiers, one.uplinks_per_leaf, one.downlinks_per_leaf), (1, 0, 1, 0, 64));
        let two = counted(&leaf_spine(4, 2, 64));
        assert_eq!((two.leaves, two.spines, two.leaf_spine_links), (2, 1, 8));
        // Oversubscription 4:3 on 64 ports: 36 down, 28 up; storage ports count.
        let storage = FabricInput { oversubscription: (4, 3), attached_ports: 32, ..leaf_spine(127, 2, 64) };
        let fabric = counted(&storage);
        assert_eq!((fabric.leaves, fabric.downlinks_per_leaf, fabric.node_links), (8, 36, 286));
        assert_eq!(fabric.uplinks_per_leaf % fabric.spines, 0);
        assert!(fabric.leaf_spine_links <= fabric.spines * 64);
        assert_eq!(counted(&leaf_spine(3000, 1, 64)).tiers, 3);
    }

    #[test]
    fn exact_rails() {
        let exact = |nodes| FabricInput { fill: Fill::Exact, ..rails(nodes, 64) };
        let small = counted(&exact(2));
        assert_eq!((small.leaves, small.spines, small.tiers), (1, 0, 1));
        let nine = counted(&exact(9));
        assert_eq!((nine.leaves, nine.spines, nine.uplinks_per_leaf, nine.leaf_spine_links), (3, 2, 28, 84));
        let forty = counted(&exact(40));
        assert_eq!((forty.leaves, forty.spines, forty.leaf_spine_links), (16, 5, 320));
        assert_eq!(counted(&exact(64)), FabricCount { ..counted(&rails(64, 64)) });
    }

    #[test]
    fn limits_and_refusals() {
        // Two tiers hold 256 nodes at 64 ports, three hold k^3/(4R) = 8192.
        assert_eq!((counted(&rails(256, 64)).tiers, counted(&rails(257, 64)).tiers), (2, 3));
        assert_eq!(counted(&rails(8192, 64)).leaves, 2048);
        assert_eq!(count(&rails(8193, 64)), Err(Refusal::TooLarge { nodes: 8193, max: 8192 }));
        assert_eq!(count(&rails(u64::MAX, 64)), Err(Refusal::TooLarge { nodes: u64::MAX, max: 8192 }));
        let crowded = FabricInput { attached_ports: 9, reserved_slots: 1, ..rails(31, 64) };
        assert_eq!(count(&crowded), Err(Refusal::NoFreePorts { wanted: 9, free: 8 }));
        assert_eq!(
            count(&FabricInput { oversubscription: (1, 0), ..rails(4, 64) }),
            Err(Refusal::NoPorts { down: 64, up: 0 })
        );
        assert_eq!(count(&FabricInput { planes: 0, ..rails(4, 64) }), Err(Refusal::Malformed));
        assert_eq!(count(&rails(0, 64)), Ok(FabricCount::default()));
    }

    #[test]
    fn every_count_is_possible() {
        for radix in [4, 40, 64, 128, 144] {
            for over in [(1, 1), (2, 1), (4, 3), (3, 1)] {
                for (topology, fill) in [
                    (Topology::RailOptimized, Fill::ScalableUnit),
                    (Topology::RailOptimized, Fill::Exact),
                    (Topology::LeafSpine, Fill::Exact),
                ] {
                    for nodes in 1..300 {
                        let input = FabricInput { oversubscription: over, topology, fill, ..rails(nodes, radix) };
                        let Ok(fabric) = count(&input) else { continue };
                        assert!(fabric.node_links <= fabric.leaves * fabric.downlinks_per_leaf, "{input:?} {fabric:?}");
                        assert!(
                            fabric.leaf_spine_links + fabric.spine_core_links <= fabric.spines * radix,
                            "{input:?} {fabric:?}"
                        );
                        assert!(fabric.spine_core_links <= fabric.cores * radix, "{input:?} {fabric:?}");
                        let used = fabric.node_links.div_ceil(fabric.leaves);
                        assert!(
                            fabric.tiers == 1
                                || fabric.uplinks_per_leaf * over.0 >= used * over.1
                                || fabric.uplinks_per_leaf + fabric.downlinks_per_leaf == radix
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn ports_pairs_and_ratios() {
        // QM9700: 32 cages of 800G; Q3400: 72 of 1600G.
        assert_eq!(
            (logical_ports(32, 800, 400), logical_ports(32, 800, 200), logical_ports(72, 1600, 800)),
            (64, 128, 144)
        );
        assert_eq!((logical_ports(32, 800, 0), logical_ports(32, 100, 400)), (0, 0));
        // DGX BasePOD: 8 nodes at 400G, 16 at 200G.
        assert_eq!(
            (collapsed_pair_nodes(64, 8), collapsed_pair_nodes(128, 8), collapsed_pair_nodes(64, 0)),
            (8, 16, 0)
        );
        // Juniper JVD: 16 leaves of 4 uplinks at 200, 400 and 800G with 4 and 8 nodes.
        for (uplink, four, eight) in [(200.0, 1.0, 2.0), (400.0, 0.5, 1.0), (800.0, 0.25, 0.5)] {
            assert_eq!(oversubscription(4.0 * 8.0 * 400.0, 16.0 * 4.0 * uplink), four);
            assert_eq!(oversubscription(8.0 * 8.0 * 400.0, 16.0 * 4.0 * uplink), eight);
        }
        assert_eq!((management_switches(49, 48), management_switches(0, 48)), (2, 0));
    }
}
