//! Which port of a fabric meets which: every link once, with both ends.
//!
//! Numbers are of one plane and from 0. Node ports come first on a leaf, uplinks after them; on a spine links from leaves come
//! first, links to cores after them.

use super::fabric::{FabricCount, FabricInput, Topology};
use super::round::{div_ceil, product};

/// An end of a link in one plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// A port of a node, by slot.
    Node {
        /// Which node.
        node: u64,
        /// Which of its ports in the plane: the rail.
        port: u64,
    },
    /// A further port: of storage, of other nodes.
    Attached {
        /// Which.
        index: u64,
    },
    /// A port of a leaf.
    Leaf {
        /// Which leaf.
        leaf: u64,
        /// Which port.
        port: u64,
    },
    /// A port of a spine.
    Spine {
        /// Which spine.
        spine: u64,
        /// Which port.
        port: u64,
    },
    /// A port of a core switch.
    Core {
        /// Which core switch.
        core: u64,
        /// Which port.
        port: u64,
    },
}

/// A link, the lower end first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Node, attached port, leaf or spine.
    pub from: End,
    /// Leaf, spine or core.
    pub to: End,
}

/// Every link of one plane of a counted fabric.
///
/// Rails: port r of every node of a unit goes to leaf r of that unit; further ports take the slots without a node.
/// Leaf-spine: ports of a node go to different leaves, nodes in order to the same leaves as long as these have room, every
/// leaf about equally full. A leaf has the same number of links to each spine of its part, a core about as many links as every
/// other. A pair takes ports in turn, so that a node with two ports or more is on both; access leaves are filled one after
/// the other. Source: NVIDIA DGX SuperPOD reference architectures for rails; Al-Fares et al. 2008 for three tiers.
pub fn plane(input: &FabricInput, count: &FabricCount) -> Vec<Link> {
    let mut links = match input.topology {
        Topology::RailOptimized => rails(input, count),
        Topology::LeafSpine => leaves(input, count),
        Topology::CollapsedPair => in_turn(input, |index| (index % 2, index / 2)),
        Topology::Access => in_turn(input, |index| (index / input.radix.max(1), index % input.radix.max(1))),
    };
    links.extend(peers(input, count));
    let fabric = Fabric::of(input, count);
    links.extend(uplinks(&fabric));
    links.extend(core_links(&fabric));
    links
}

/// The switches of one plane.
struct Fabric {
    groups: u64,
    leaves_per_group: u64,
    parts: u64,
    leaves_per_part: u64,
    spines_per_part: u64,
    cores: u64,
    uplinks: u64,
    downlinks: u64,
    spine_down: u64,
    rails: bool,
}

impl Fabric {
    fn of(input: &FabricInput, count: &FabricCount) -> Fabric {
        let planes = input.planes.max(1);
        let parts = count.parts.max(1);
        let pods = if count.tiers == 3 { product([count.groups, parts]) } else { 1 };
        Fabric {
            groups: count.groups.max(1),
            leaves_per_group: count.leaves_per_group,
            parts,
            leaves_per_part: div_ceil(count.leaves_per_group, parts),
            spines_per_part: count.spines / planes / pods.max(1),
            cores: count.cores / planes,
            uplinks: count.uplinks_per_leaf,
            downlinks: count.downlinks_per_leaf,
            spine_down: input.radix / 2,
            rails: input.topology == Topology::RailOptimized,
        }
    }

    /// Leaf `member` of a group: leaves of a unit stand together, one of each rail.
    fn leaf(&self, group: u64, member: u64) -> u64 {
        if self.rails { member * self.groups + group } else { group * self.leaves_per_group + member }
    }
}

fn rails(input: &FabricInput, count: &FabricCount) -> Vec<Link> {
    let rails = input.ports_per_node.max(1);
    let leaves = count.leaves / input.planes.max(1);
    let units = if leaves == 1 { 1 } else { count.scalable_units.max(1) };
    let of_unit = div_ceil(count.slots, units).max(1);
    let leaves_of_unit = (leaves / units).max(1);
    let rails_of_leaf = div_ceil(rails, leaves_of_unit);
    let place = |slot: u64, rail: u64| {
        let leaf = (slot / of_unit) * leaves_of_unit + rail / rails_of_leaf;
        End::Leaf { leaf, port: (slot % of_unit) * rails_of_leaf + rail % rails_of_leaf }
    };
    let of_nodes = (0..input.nodes)
        .flat_map(|node| (0..rails).map(move |port| Link { from: End::Node { node, port }, to: place(node, port) }));
    let free = (input.nodes..count.slots).flat_map(|slot| (0..rails).map(move |rail| (slot, rail)));
    let attached = (0..input.attached_ports).zip(free);
    let attached = attached.map(|(index, (slot, rail))| Link { from: End::Attached { index }, to: place(slot, rail) });
    of_nodes.chain(attached).collect()
}

fn leaves(input: &FabricInput, count: &FabricCount) -> Vec<Link> {
    let mut room = Room::of(input, count);
    let ports = input.ports_per_node.max(1);
    let mut links = Vec::new();
    for node in 0..input.nodes {
        let chosen = room.leaves_for(ports);
        links.extend((0..ports).zip(chosen).map(|(port, to)| Link { from: End::Node { node, port }, to }));
    }
    links.extend((0..input.attached_ports).map(|index| Link { from: End::Attached { index }, to: room.emptiest() }));
    links
}

/// Ports of nodes, then further ones, each at the leaf and port that its place in the row gives.
fn in_turn(input: &FabricInput, place: impl Fn(u64) -> (u64, u64)) -> Vec<Link> {
    let ports = input.ports_per_node;
    let nodes = (0..input.nodes).flat_map(|node| (0..ports).map(move |port| End::Node { node, port }));
    let ends = nodes.chain((0..input.attached_ports).map(|index| End::Attached { index }));
    let links = (0u64..).zip(ends).map(|(index, from)| {
        let (leaf, port) = place(index);
        Link { from, to: End::Leaf { leaf, port } }
    });
    links.collect()
}

/// Links between the two leaves of a pair, on the ports that would go up.
fn peers(input: &FabricInput, count: &FabricCount) -> Vec<Link> {
    let peer = |index| {
        let port = count.downlinks_per_leaf + index;
        Link { from: End::Leaf { leaf: 0, port }, to: End::Leaf { leaf: 1, port } }
    };
    (0..count.peer_links / input.planes.max(1)).map(peer).collect()
}

/// Ports that leaves have left for what is below them.
struct Room {
    used: Vec<u64>,
    /// Ports that each is to use, so that all are about equally full.
    fair: u64,
    /// Leaves that take the ports of one node and of its neighbours; 0 when leaves cannot be grouped evenly.
    together: usize,
    /// The first of them, or the next leaf in turn.
    next: usize,
}

impl Room {
    fn of(input: &FabricInput, count: &FabricCount) -> Room {
        let leaves = usize::try_from(count.leaves / input.planes.max(1)).unwrap_or(0).max(1);
        let ports = product([input.nodes, input.ports_per_node]).saturating_add(input.attached_ports);
        let homes = usize::try_from(input.ports_per_node).unwrap_or(leaves).clamp(1, leaves);
        let together = if leaves.is_multiple_of(homes) { homes } else { 0 };
        Room { used: vec![0; leaves], fair: div_ceil(ports, leaves as u64), together, next: 0 }
    }

    /// Ports for a node, on different leaves as far as there are so many.
    fn leaves_for(&mut self, ports: u64) -> Vec<End> {
        if self.together == 0 {
            return (0..ports).map(|_| self.in_turn()).collect();
        }
        let each = div_ceil(ports, self.together as u64);
        let group = self.used.get(self.next..self.next + self.together).unwrap_or(&[]);
        if group.iter().any(|used| used + each > self.fair) && self.next + self.together < self.used.len() {
            self.next += self.together;
        }
        let wanted = |port: u64| self.next + usize::try_from(port % self.together as u64).unwrap_or(0);
        let wanted: Vec<usize> = (0..ports).map(wanted).collect();
        wanted
            .into_iter()
            .map(|leaf| if self.used[leaf] < self.fair { self.take(leaf) } else { self.emptiest() })
            .collect()
    }

    fn in_turn(&mut self) -> End {
        let leaf = self.next;
        self.next = (self.next + 1) % self.used.len();
        self.take(leaf)
    }

    fn emptiest(&mut self) -> End {
        let leaf = (0..self.used.len()).min_by_key(|leaf| self.used[*leaf]).unwrap_or(0);
        self.take(leaf)
    }

    fn take(&mut self, leaf: usize) -> End {
        let port = self.used[leaf];
        self.used[leaf] += 1;
        End::Leaf { leaf: leaf as u64, port }
    }
}

/// Bundles of equal size from every leaf to every spine of its part.
fn uplinks(fabric: &Fabric) -> Vec<Link> {
    let Some(bundle) = fabric.uplinks.checked_div(fabric.spines_per_part).filter(|bundle| *bundle > 0) else {
        return Vec::new();
    };
    let mut links = Vec::new();
    for group in 0..fabric.groups {
        for member in 0..fabric.leaves_per_group {
            let (part, in_part) = (member / fabric.leaves_per_part, member % fabric.leaves_per_part);
            // Up to two tiers all groups share their spines, so a leaf's place below them counts over all groups.
            let (pod, below) =
                if fabric.cores > 0 { (group * fabric.parts + part, in_part) } else { (0, fabric.leaf(group, member)) };
            let leaf = fabric.leaf(group, member);
            links.extend((0..fabric.uplinks).map(|up| Link {
                from: End::Leaf { leaf, port: fabric.downlinks + up },
                to: End::Spine {
                    spine: pod * fabric.spines_per_part + up / bundle,
                    port: below * bundle + up % bundle,
                },
            }));
        }
    }
    links
}

/// As many links from every spine to the cores as it has from leaves, dealt out to the cores in turn.
fn core_links(fabric: &Fabric) -> Vec<Link> {
    let bundle = fabric.uplinks.checked_div(fabric.spines_per_part).unwrap_or(0);
    if fabric.cores == 0 || bundle == 0 {
        return Vec::new();
    }
    let mut links = Vec::new();
    let mut dealt = 0;
    for pod in 0..product([fabric.groups, fabric.parts]) {
        let first = (pod % fabric.parts) * fabric.leaves_per_part;
        let leaves = fabric.leaves_per_group.saturating_sub(first).min(fabric.leaves_per_part);
        for spine in 0..fabric.spines_per_part {
            for up in 0..leaves * bundle {
                links.push(Link {
                    from: End::Spine { spine: pod * fabric.spines_per_part + spine, port: fabric.spine_down + up },
                    to: End::Core { core: dealt % fabric.cores, port: dealt / fabric.cores },
                });
                dealt += 1;
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::fabric::{FabricInput, Fill, Topology, count};
    use super::{End, plane};

    const TOPOLOGIES: [Topology; 4] =
        [Topology::RailOptimized, Topology::LeafSpine, Topology::CollapsedPair, Topology::Access];

    fn input(nodes: u64, radix: u64, topology: Topology, fill: Fill) -> FabricInput {
        FabricInput {
            nodes,
            reserved_slots: 0,
            ports_per_node: 8,
            attached_ports: 0,
            planes: 1,
            radix,
            oversubscription: (1, 1),
            topology,
            fill,
        }
    }

    /// Every port once, no port beyond the switch, counts as counted, every leaf even to its spines.
    fn holds(input: &FabricInput) {
        let Ok(counted) = count(input) else { return };
        let links = plane(input, &counted);
        let planes = input.planes;
        let mut ends = BTreeSet::new();
        let mut bundles: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        let (mut below, mut middle, mut above, mut across) = (0, 0, 0, 0);
        for link in &links {
            for end in [link.from, link.to] {
                assert!(ends.insert(end), "{end:?} twice in {input:?}");
                let port = match end {
                    End::Leaf { leaf, port } => {
                        assert!(leaf < counted.leaves / planes, "{end:?} of {counted:?}");
                        port
                    }
                    End::Spine { spine, port } => {
                        assert!(spine < counted.spines / planes, "{end:?} of {counted:?}");
                        port
                    }
                    End::Core { core, port } => {
                        assert!(core < counted.cores / planes, "{end:?} of {counted:?}");
                        port
                    }
                    End::Node { .. } | End::Attached { .. } => 0,
                };
                assert!(port < input.radix, "{end:?} of {input:?}");
            }
            match (link.from, link.to) {
                (End::Leaf { leaf, .. }, End::Spine { spine, .. }) => {
                    middle += 1;
                    *bundles.entry((leaf, spine)).or_default() += 1;
                }
                (End::Spine { .. }, End::Core { .. }) => above += 1,
                (End::Leaf { leaf: 0, .. }, End::Leaf { leaf: 1, .. }) => across += 1,
                (End::Node { .. } | End::Attached { .. }, End::Leaf { .. }) => below += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(
            (below, middle, above),
            (counted.node_links / planes, counted.leaf_spine_links / planes, counted.spine_core_links / planes),
            "{input:?}"
        );
        assert_eq!(across, counted.peer_links / planes, "{input:?}");
        let sizes: BTreeSet<u64> = bundles.values().copied().collect();
        assert!(sizes.len() <= 1, "{sizes:?} of {input:?}");
    }

    #[test]
    fn every_port_once() {
        for radix in [16, 40, 64, 128, 144] {
            for nodes in [1, 2, 3, 7, 31, 63, 64, 95, 127, 256, 300, 512] {
                for topology in TOPOLOGIES {
                    for fill in [Fill::ScalableUnit, Fill::Exact] {
                        for ports_per_node in [1, 2, 6, 8] {
                            for (oversubscription, attached_ports) in [((1, 1), 0), ((2, 1), 3), ((3, 2), 17)] {
                                let plain = input(nodes, radix, topology, fill);
                                let reserved_slots = if attached_ports > 0 { 3 } else { 0 };
                                holds(&FabricInput {
                                    ports_per_node,
                                    oversubscription,
                                    attached_ports,
                                    reserved_slots,
                                    ..plain
                                });
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rails_meet_their_leaf_and_pairs_two_leaves() {
        let pod = input(127, 64, Topology::RailOptimized, Fill::ScalableUnit);
        let pod = FabricInput { reserved_slots: 1, attached_ports: 4, ..pod };
        let counted = count(&pod).expect("it can be built");
        for link in plane(&pod, &counted) {
            if let (End::Node { node, port }, End::Leaf { leaf, port: down }) = (link.from, link.to) {
                assert_eq!((leaf, down), (node / 32 * 8 + port, node % 32));
            }
        }
        let pairs = FabricInput { ports_per_node: 2, ..input(40, 64, Topology::LeafSpine, Fill::Exact) };
        let counted = count(&pairs).expect("it can be built");
        let mut homes: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for link in plane(&pairs, &counted) {
            if let (End::Node { node, .. }, End::Leaf { leaf, .. }) = (link.from, link.to) {
                homes.entry(node).or_default().insert(leaf);
            }
        }
        assert!(homes.values().all(|leaves| leaves.len() == 2), "{homes:?}");
    }
}
