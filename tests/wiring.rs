//! The port map: every port once, as many links as are counted, the same names as racks have.

use std::collections::{BTreeMap, BTreeSet};

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::plan::Plan;
use aipc::plan::wiring::Tier;

fn with(text: &str, look: impl FnOnce(&Plan<'_>)) {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let found: Vec<&str> = compiled.problems.iter().map(|one| one.message.as_str()).collect();
    look(compiled.plan.as_ref().unwrap_or_else(|| panic!("no plan: {found:?}")));
}

fn holds(plan: &Plan<'_>) {
    for fabric in plan.fabrics.values() {
        let Some(count) = &fabric.count else { continue };
        let mut ports = BTreeSet::new();
        let mut tiers: BTreeMap<Tier, u64> = BTreeMap::new();
        for link in &fabric.wiring.links {
            *tiers.entry(link.tier).or_default() += 1;
            for port in [&link.from, &link.to] {
                assert!(ports.insert((port.device.clone(), port.name.clone())), "{} {} twice", port.device, port.name);
                assert!(port.cage.is_none() || port.number <= fabric.radix, "{} {}", port.device, port.name);
            }
        }
        let counted = [
            (Tier::Node, count.node_links),
            (Tier::Spine, count.leaf_spine_links),
            (Tier::Core, count.spine_core_links),
        ];
        for (tier, links) in counted {
            assert_eq!(tiers.get(&tier).copied().unwrap_or(0), links, "{tier:?} of {}", plan.model.name(fabric.id));
        }
        let devices: BTreeSet<&str> = plan
            .racks
            .iter()
            .flat_map(|racks| &racks.racks)
            .flat_map(|rack| &rack.devices)
            .map(|device| device.name.as_ref())
            .collect();
        let switches = fabric.wiring.links.iter().map(|link| link.to.device.as_ref());
        for switch in switches.filter(|_| !devices.is_empty()) {
            assert!(devices.contains(switch), "{switch} stands in no rack");
        }
    }
}

#[test]
fn the_examples_are_wired_as_they_are_counted() {
    for example in ["aurora", "superpod", "clinic-chat"] {
        let text = std::fs::read_to_string(format!("examples/{example}/main.aip")).expect("an example");
        with(&text, holds);
    }
}

#[test]
fn two_planes_are_two_fabrics() {
    let text = "
platform p { stage = poc, currency = EUR }
site dc { provider = on-prem, country = DE }
pool train { site = site.dc, server = catalog.server.dgx-h100, nodes = 64 }
fabric compute { technology = infiniband, topology = rail-optimized, speed = 400 Gbps, switch = catalog.switch.qm9700, connects = [pool.train], planes = 2 }";
    with(text, |plan| {
        holds(plan);
        let fabric = plan.fabrics.values().next().expect("a fabric");
        let switches = |plane: u64| -> BTreeSet<&str> {
            let links = fabric.wiring.links.iter().filter(|link| link.plane == plane);
            links.map(|link| link.to.device.as_ref()).collect()
        };
        assert!(switches(1).is_disjoint(&switches(2)));
        assert!(!switches(1).is_empty() && !switches(2).is_empty());
    });
}
