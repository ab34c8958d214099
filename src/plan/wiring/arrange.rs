//! Which ports of a switch links take: those of one speed, and those to one switch, begin at a cage of their own.
//!
//! A cage holds one module or one plug, so links that share it share speed and medium, and a bundle between two switches
//! that fills cages at both ends needs straight cables alone. Where a switch has no room for that, its ports stay as counted.

use std::collections::HashMap;

use crate::plan::formula::round::{div_ceil, product};
use crate::plan::formula::wiring::{End, Link};

/// What a port of a switch leads to, as far as cages matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Far {
    /// A device with ports of this class of speed.
    Device(Option<u64>),
    /// A switch that several links of this one go to.
    Switch(End),
    /// Switches with one link each: a cage of its own for every link would waste modules.
    Alone,
}

/// Moves the links of a plane to the ports that suit their cages. `lanes` ports of a switch share a cage; `class` says of a
/// device's end how fast its port is.
pub(super) fn arrange(links: &mut [Link], lanes: u64, radix: u64, class: impl Fn(End) -> Option<u64>) {
    if lanes < 2 {
        return;
    }
    let mut ports: HashMap<End, Vec<(u64, Far, usize, bool)>> = HashMap::new();
    for (index, link) in links.iter().enumerate() {
        let ends = [(link.from, link.to, false), (link.to, link.from, true)];
        for (near, far, upper) in ends {
            let Some((switch, port)) = switch(near) else { continue };
            let far = self::switch(far).map_or_else(|| Far::Device(class(far)), |(far, _)| Far::Switch(far));
            ports.entry(switch).or_default().push((port, far, index, upper));
        }
    }
    for mut ports in ports.into_values() {
        ports.sort_unstable_by_key(|(port, ..)| *port);
        let wanted: Vec<(u64, Far)> = ports.iter().map(|(port, far, ..)| (*port, *far)).collect();
        let Some(moved) = moved(&wanted, lanes, radix) else { continue };
        for ((.., index, upper), port) in ports.into_iter().zip(moved) {
            let link = &mut links[index];
            let end = if upper { &mut link.to } else { &mut link.from };
            *end = at(*end, port);
        }
    }
}

/// The ports of one switch in their order, each at its new place; nothing where they do not fit.
fn moved(ports: &[(u64, Far)], lanes: u64, radix: u64) -> Option<Vec<u64>> {
    let mut links: HashMap<Far, usize> = HashMap::new();
    for (_, far) in ports {
        *links.entry(*far).or_default() += 1;
    }
    let mut places: HashMap<Far, usize> = HashMap::new();
    let mut bundles: Vec<Vec<usize>> = Vec::new();
    for (index, (_, far)) in ports.iter().enumerate() {
        let far = if matches!(far, Far::Switch(_)) && links[far] == 1 { Far::Alone } else { *far };
        let place = *places.entry(far).or_insert_with(|| {
            bundles.push(Vec::new());
            bundles.len() - 1
        });
        bundles[place].push(index);
    }
    let mut moved = vec![0; ports.len()];
    let mut next = 0;
    for bundle in bundles {
        // Ports that are kept free below stay free.
        let free = bundle.first().map_or(next, |first| ports[*first].0.max(next));
        next = product([div_ceil(free, lanes), lanes]);
        for index in bundle {
            moved[index] = next;
            next += 1;
        }
    }
    (next <= radix).then_some(moved)
}

/// A switch, with its port 0 for a name, and the port.
fn switch(end: End) -> Option<(End, u64)> {
    match end {
        End::Node { .. } | End::Attached { .. } => None,
        End::Leaf { port, .. } | End::Spine { port, .. } | End::Core { port, .. } => Some((at(end, 0), port)),
    }
}

/// The same switch at another port.
fn at(end: End, port: u64) -> End {
    match end {
        End::Node { .. } | End::Attached { .. } => end,
        End::Leaf { leaf, .. } => End::Leaf { leaf, port },
        End::Spine { spine, .. } => End::Spine { spine, port },
        End::Core { core, .. } => End::Core { core, port },
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::{End, Link};
    use super::arrange;

    fn down(index: u64, port: u64) -> Link {
        Link { from: End::Attached { index }, to: End::Leaf { leaf: 0, port } }
    }

    fn up(port: u64, spine: u64, far: u64) -> Link {
        Link { from: End::Leaf { leaf: 0, port }, to: End::Spine { spine, port: far } }
    }

    fn ports(links: &[Link]) -> Vec<u64> {
        let leaf = |link: &Link| match (link.from, link.to) {
            (End::Leaf { port, .. }, _) | (_, End::Leaf { port, .. }) => port,
            _ => unreachable!("every link here has a leaf"),
        };
        links.iter().map(leaf).collect()
    }

    #[test]
    fn speeds_and_bundles_begin_at_a_cage() {
        let class = |end| matches!(end, End::Attached { index } if index < 3).then_some(200);
        let mut links: Vec<Link> = (0..5).map(|index| down(index, index)).collect();
        links.extend((0..3).map(|far| up(6 + far, 0, far)));
        links.extend((0..2).map(|far| up(9 + far, 1, far)));
        arrange(&mut links, 4, 64, class);
        assert_eq!(ports(&links), [0, 1, 2, 4, 5, 8, 9, 10, 12, 13]);
    }

    #[test]
    fn single_links_share_cages_and_a_full_switch_stays() {
        let mut links: Vec<Link> = (0..3).map(|spine| up(5 + spine, spine, 0)).collect();
        arrange(&mut links, 4, 64, |_| None);
        assert_eq!(ports(&links), [8, 9, 10]);
        let mut full: Vec<Link> = (0..3).map(|index| down(index, index)).chain([up(3, 0, 0)]).collect();
        let counted = full.clone();
        arrange(&mut full, 2, 4, |_| None);
        assert_eq!(full, counted);
    }
}
