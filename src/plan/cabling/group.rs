//! Cages whose cables depend on each other: those that links join, directly or by way of further cages.

use crate::plan::FabricPlan;

use super::cage::Cages;
use std::collections::HashMap;

/// A cage of a device.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// What sort it is.
    pub sort: usize,
    /// Links of the fabric that end in it.
    pub used: u64,
    /// The first link and whether its upper end is in it: for names.
    pub first: (usize, bool),
}

/// Cages and links that get cables of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    /// Links, in the order of the port map.
    pub links: Vec<usize>,
    /// Cages, in the order in which links reach them.
    pub slots: Vec<usize>,
}

/// A fabric cut into groups.
pub(super) struct Groups {
    /// Every cage with a link.
    pub slots: Vec<Slot>,
    /// The cage of both ends of each link.
    pub ends: Vec<(usize, usize)>,
    /// In the order of their first link.
    pub groups: Vec<Group>,
}

/// Cuts a fabric into groups.
pub(super) fn cut(row: &FabricPlan, cages: &mut Cages<'_>) -> Groups {
    let mut slots: Vec<Slot> = Vec::new();
    let mut devices: HashMap<&str, usize> = HashMap::new();
    let mut places: HashMap<(usize, u64), usize> = HashMap::new();
    let mut ends = Vec::with_capacity(row.wiring.links.len());
    for (index, link) in row.wiring.links.iter().enumerate() {
        let mut slot = |port, upper| {
            let sort = cages.sort(port);
            let next = devices.len();
            let device = *devices.entry(&port.device).or_insert(next);
            let slot = *places.entry((device, cages.index(sort, port))).or_insert_with(|| {
                slots.push(Slot { sort, used: 0, first: (index, upper) });
                slots.len() - 1
            });
            slots[slot].used += 1;
            slot
        };
        ends.push((slot(&link.from, false), slot(&link.to, true)));
    }
    let mut parents: Vec<usize> = (0..slots.len()).collect();
    for &(from, to) in &ends {
        let (from, to) = (root(&mut parents, from), root(&mut parents, to));
        parents[from.max(to)] = from.min(to);
    }
    let mut numbers: Vec<Option<usize>> = vec![None; slots.len()];
    let mut groups: Vec<Group> = Vec::new();
    let mut seen = vec![false; slots.len()];
    for (link, &(from, to)) in ends.iter().enumerate() {
        let number = *numbers[root(&mut parents, from)].get_or_insert_with(|| {
            groups.push(Group::default());
            groups.len() - 1
        });
        groups[number].links.push(link);
        for slot in [from, to] {
            if !std::mem::replace(&mut seen[slot], true) {
                groups[number].slots.push(slot);
            }
        }
    }
    Groups { slots, ends, groups }
}

fn root(parents: &mut [usize], mut slot: usize) -> usize {
    while parents[slot] != slot {
        parents[slot] = parents[parents[slot]];
        slot = parents[slot];
    }
    slot
}
