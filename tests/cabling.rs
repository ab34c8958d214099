//! Cables and modules: every end once, nothing that does not fit, sums that agree with the port map and the plan.

use std::collections::{BTreeMap, BTreeSet};

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::model::words::Medium;
use aipc::plan::Plan;
use aipc::plan::cabling::{Cable, Sums};
use proptest::prelude::{Strategy, prop_oneof, proptest};
use proptest::strategy::Just;

fn compiled(text: &str, look: impl FnOnce(Option<&Plan<'_>>, &[String])) {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let found: Vec<String> = compiled.problems.iter().map(|one| format!("{}: {}", one.code, one.message)).collect();
    look(compiled.plan.as_ref(), &found);
}

fn with(text: &str, look: impl FnOnce(&Plan<'_>)) {
    compiled(text, |plan, found| look(plan.unwrap_or_else(|| panic!("no plan: {found:?}"))));
}

fn example(name: &str) -> String {
    std::fs::read_to_string(format!("examples/{name}/main.aip")).expect("an example")
}

/// Everything that holds of any plan.
fn holds(plan: &Plan<'_>) {
    cables_are_the_port_map(plan);
    modules_are_the_cages_of_fibres(plan);
    sums_are_the_cables(plan);
    racks_take_what_stands_in_them(plan);
}

fn cables_are_the_port_map(plan: &Plan<'_>) {
    let mut used = BTreeSet::new();
    let mut labels = BTreeSet::new();
    let mut links: BTreeMap<_, u64> = BTreeMap::new();
    for cable in &plan.cabling.cables {
        assert!(labels.insert(cable.label.clone()), "{} twice", cable.label);
        assert!(!cable.from.is_empty() && cable.from.len() == cable.to.len(), "{}", cable.label);
        *links.entry(cable.fabric).or_default() += cable.links();
        for port in cable.from.iter().chain(&cable.to) {
            let radix = plan.fabrics[&cable.fabric].radix;
            assert!(port.cage.is_none() || port.number <= radix, "{} of {radix}: {}", port.number, cable.label);
            assert!(
                used.insert((cable.fabric, port.device.clone(), port.name.clone())),
                "{} {}",
                port.device,
                port.name
            );
        }
        assert_eq!(cable.product.is_none(), cable.open.is_some(), "{}", cable.label);
        assert!(cable.product.is_none() || (cable.length.is_some() && cable.medium.is_some()), "{}", cable.label);
        if let (Some(length), Some(product)) = (cable.length, cable.product) {
            let optic = plan.model.typed::<aipc::model::kinds::Optic>(product).expect("an optic");
            assert!(length <= optic.reach.expect("a reach").metres(), "{} is {length} m", cable.label);
        }
    }
    for (id, row) in &plan.fabrics {
        let wired = row.wiring.links.len() as u64;
        assert_eq!(links.get(id).copied().unwrap_or(0), wired, "links of {}", plan.model.name(*id));
        let ends = used.iter().filter(|(fabric, ..)| fabric == id).count() as u64;
        assert_eq!(ends, 2 * wired, "ends of {}", plan.model.name(*id));
        let count = row.count.unwrap_or_default();
        let runs = count.node_links + count.leaf_spine_links + count.spine_core_links + count.peer_links;
        assert_eq!(wired, runs, "runs of {}", plan.model.name(*id));
        let (down, up) = row.leaves.iter().fold((0, 0), |(down, up), leaf| (down + leaf.down, up + leaf.up));
        assert_eq!((down, up), (count.node_links, count.leaf_spine_links + 2 * count.peer_links));
    }
}

fn is_fibre(cable: &Cable) -> bool {
    matches!(cable.medium, Some(Medium::Multimode | Medium::SingleMode))
}

fn modules_are_the_cages_of_fibres(plan: &Plan<'_>) {
    let mut cages = BTreeSet::new();
    let mut ports: BTreeMap<_, u64> = BTreeMap::new();
    for module in &plan.cabling.modules {
        assert!(cages.insert((module.device.clone(), module.cage.clone())), "{} {}", module.device, module.cage);
        *ports.entry(module.fabric).or_default() += module.ports;
    }
    for (id, row) in &plan.fabrics {
        let fibres = plan.cabling.cables.iter().filter(|cable| cable.fabric == *id && is_fibre(cable));
        assert_eq!(ports.get(id).copied().unwrap_or(0), fibres.map(|cable| 2 * cable.links()).sum::<u64>());
        let switch = &plan.model[plan.model[*id].switch];
        let Some(most) = switch.cages else { continue };
        let mut of_switch: BTreeMap<&str, u64> = BTreeMap::new();
        for module in plan.cabling.modules.iter().filter(|module| module.of == row.id.block()) {
            *of_switch.entry(&module.device).or_default() += 1;
        }
        assert!(of_switch.values().all(|count| *count <= most), "more modules than cages: {of_switch:?}");
    }
}

fn sums_are_the_cables(plan: &Plan<'_>) {
    for (id, sums) in &plan.cabling.fabrics {
        let cables = || plan.cabling.cables.iter().filter(|cable| cable.fabric == *id);
        let mut again = Sums::default();
        for cable in cables() {
            again.total += 1;
            again.unplaced += u64::from(cable.length.is_none());
            again.unknown += u64::from(cable.product.is_none());
            cable.open.iter().for_each(|why| *again.open.entry(why.clone()).or_default() += 1);
            if let (Some(product), Some(length)) = (cable.product, cable.length) {
                *again.cables.entry(product).or_default() += 1;
                *again.lengths.entry((product, (length * 100.0).round() as u64)).or_default() += 1;
            }
        }
        for module in plan.cabling.modules.iter().filter(|module| module.fabric == *id) {
            *again.modules.entry(module.product).or_default() += 1;
        }
        assert_eq!(*sums, again, "{}", plan.model.name(*id));
        let figure = |name| plan.figures.value(id.block(), name).expect("a figure");
        assert_eq!((figure("cables"), figure("cables_unknown")), (sums.total as f64, sums.unknown as f64));
    }
}

fn racks_take_what_stands_in_them(plan: &Plan<'_>) {
    let mut spots = BTreeSet::new();
    for row in &plan.racks {
        let rack = row.id.map(|id| &plan.model[id]);
        for filled in &row.racks {
            assert!(spots.insert((row.site, filled.spot)) && filled.spot.row > 0, "{} stands in another", filled.name);
            let taken: BTreeSet<u64> =
                filled.devices.iter().flat_map(|device| device.position..device.position + device.height).collect();
            assert_eq!(taken.len() as u64, filled.used, "{}", filled.name);
            assert!(taken.last().is_none_or(|top| *top <= row.height), "{}", filled.name);
            let Some(rack) = rack else { continue };
            if let Some(limit) = rack.weight_limit {
                assert!(filled.weight <= limit.kilograms() * (1.0 + 1e-9), "{}", filled.name);
            }
            // One device alone may draw more than a rack gives, and a number set by the room goes first: rules say so.
            let obeyed = filled.devices.len() > 1 && rack.nodes_per_rack.is_none() && rack.count.given().is_none();
            if let Some(limit) = rack.power_limit.given().filter(|_| obeyed) {
                assert!(filled.power <= limit.watts() * (1.0 + 1e-9), "{}", filled.name);
            }
            if let (Some(most), true) = (rack.nodes_per_rack, rack.count.given().is_none()) {
                assert!(filled.devices.len() as u64 <= most, "{}", filled.name);
            }
            let feed = filled.feed.expect("a described rack has feeds");
            assert!((feed.normal * feed.feeds as f64 - filled.power).abs() < 1e-6 * filled.power.max(1.0));
        }
    }
}

#[test]
fn the_examples_are_cabled() {
    for name in ["aurora", "superpod", "clinic-chat"] {
        with(&example(name), holds);
    }
}

/// Products, lengths and open points of a fabric, a line each.
fn summary(plan: &Plan<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let name = |block| plan.model.block(block).name.to_string();
    for (id, sums) in &plan.cabling.fabrics {
        let modules: u64 = sums.modules.values().sum();
        let fabric = plan.model.name(*id);
        lines.push(format!("{fabric}: {} cables, {} unknown, {modules} modules", sums.total, sums.unknown));
        let mut by_length: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((product, centimetres), count) in &sums.lengths {
            let length = format!("{count} x {} m", *centimetres as f64 / 100.0);
            by_length.entry(name(*product)).or_default().push(length);
        }
        lines.extend(by_length.iter().map(|(product, lengths)| format!("  {product}: {}", lengths.join(", "))));
        lines.extend(sums.modules.iter().map(|(product, count)| format!("  {}: {count}", name(*product))));
        lines.extend(sums.open.iter().map(|(why, count)| format!("  open {count}: {why}")));
    }
    lines
}

/// Beside each other: what is on sale at which length, and what stays open.
const SUPERPOD: &str = "
compute: 2021 cables, 0 unknown, 2006 modules
  dac-osfp-800g: 11 x 1 m, 5 x 1.5 m
  fibre-mpo12-multimode: 17 x 5 m, 269 x 7 m, 1511 x 10 m, 205 x 15 m
  lacc-osfp-800g: 3 x 5 m
  mma4z00-ns: 1498
  mma4z00-ns-flt: 508
storage: 462 cables, 0 unknown, 438 modules
  aoc-osfp-400g-2x-qsfp56: 36 x 10 m
  dac-osfp-400g-2x-qsfp56: 4 x 1 m
  dac-osfp-800g: 100 x 1 m, 12 x 1.5 m
  fibre-mpo12-multimode: 94 x 7 m, 134 x 10 m, 82 x 15 m
  mma1z00-ns400: 254
  mma4z00-ns: 184
";

#[test]
fn the_superpod_reads_like_a_reference_design() {
    with(&example("superpod"), |plan| {
        let lines = summary(plan).join("\n");
        assert_eq!(lines, SUPERPOD.trim(), "\n{lines}");
        let (id, compute) = plan.cabling.fabrics.first_key_value().expect("the compute fabric");
        assert_eq!((plan.model.name(*id), compute.unknown), ("compute", 0));
        // DGX H100: eight ports in four twin-port cages, flat on top; fins at the switches. 127 nodes are 508 modules.
        let count = |name: &str| {
            let of = compute.modules.iter().filter(|(product, _)| *plan.model.block(**product).name == *name);
            of.map(|(_, count)| *count).sum::<u64>()
        };
        assert_eq!(count("mma4z00-ns-flt"), 4 * 127);
        // What a hall of 37 racks needs: nothing beyond the reach of multimode.
        let longest = plan.cabling.cables.iter().filter_map(|cable| cable.length).fold(0.0, f64::max);
        assert!((7.0..=30.0).contains(&longest), "{longest}");
    });
}

const HEAD: &str = "platform p { stage = poc, currency = EUR }\nsite dc { provider = on-prem, country = DE }\n";

#[test]
fn a_short_link_to_two_nodes_is_one_split_cable() {
    let text = format!(
        "{HEAD}rack r {{ site = site.dc, height = 48 U }}
        pool train {{ site = site.dc, server = catalog.server.gpu-8x-h100-hgx, nodes = 4, rack = rack.r }}
        fabric compute {{ technology = infiniband, topology = rail-optimized, speed = 400 Gbps, fill = exact,
          switch = catalog.switch.qm9700, connects = [pool.train], rack = rack.r }}"
    );
    with(&text, |plan| {
        holds(plan);
        // Four nodes of eight ports on one switch in the same rack: 16 cages, each split to two cards of one node.
        let cables = &plan.cabling.cables;
        assert_eq!((cables.len(), plan.cabling.modules.len()), (16, 0));
        assert!(cables.iter().all(|cable| cable.tails == 2 && cable.medium == Some(Medium::Dac)), "{cables:#?}");
    });
}

#[test]
fn half_speed_links_share_a_split_fibre() {
    let text = format!(
        "{HEAD}pool train {{ site = site.dc, server = catalog.server.cpu-2s-64c, nodes = 64 }}
        fabric data {{ technology = infiniband, topology = leaf-spine, speed = 200 Gbps, switch = catalog.switch.qm9700,
          connects = [pool.train] }}"
    );
    with(&text, |plan| {
        holds(plan);
        let split = |cable: &&Cable| cable.tails == 2 && is_fibre(cable);
        let (split, all): (Vec<&Cable>, Vec<&Cable>) =
            (plan.cabling.cables.iter().filter(split).collect(), plan.cabling.cables.iter().collect());
        assert!(!split.is_empty(), "{:?}", summary(plan));
        assert!(split.iter().all(|cable| cable.from.len() <= 2 && cable.to.len() <= 2));
        assert!(all.iter().all(|cable| cable.product.is_some()), "{:?}", summary(plan));
    });
}

#[test]
fn nothing_is_filled_in_by_likeness() {
    // Ports of 200 Gbps of an unknown connector, no rack for a rented node: no medium, no product, and a reason.
    let text = format!(
        "{HEAD}server box {{ max_power = 1 kW, height = 1 U, storage_ports = 2, storage_speed = 200 Gbps }}
        pool train {{ site = site.dc, server = server.box, nodes = 3 }}
        fabric data {{ technology = ethernet, topology = leaf-spine, speed = 200 Gbps, switch = catalog.switch.sn3700,
          connects = [pool.train] }}"
    );
    with(&text, |plan| {
        holds(plan);
        let open: Vec<&Cable> = plan.cabling.cables.iter().filter(|cable| cable.open.is_some()).collect();
        assert_eq!(open.len(), 6);
        assert!(open.iter().all(|cable| cable.medium.is_none() && cable.length.is_some()), "{open:#?}");
    });
}

#[test]
fn the_slower_end_gives_the_speed() {
    let text = format!(
        "{HEAD}pool train {{ site = site.dc, server = catalog.server.management-1s, nodes = 3 }}
        fabric data {{ technology = ethernet, topology = leaf-spine, speed = 100 Gbps, switch = catalog.switch.sn3700c,
          connects = [pool.train] }}"
    );
    with(&text, |plan| {
        holds(plan);
        let to_nodes = plan.cabling.cables.iter().filter(|cable| cable.from[0].cage.is_none());
        let speeds: Vec<f64> = to_nodes.map(|cable| cable.speed).collect();
        assert_eq!(speeds, [25e9 / 8.0; 6]);
    });
}

#[test]
fn management_reaches_every_machine() {
    let text = format!(
        "{HEAD}pool train {{ site = site.dc, server = catalog.server.dgx-h100, nodes = 40 }}
        fabric compute {{ technology = infiniband, topology = rail-optimized, speed = 400 Gbps,
          switch = catalog.switch.qm9700, connects = [pool.train], reserved_slots = 1, further_ports = 4 }}
        fabric oob {{ technology = ethernet, topology = leaf-spine, role = management, speed = 1 Gbps,
          switch = catalog.switch.sn2201, connects = [pool.train, fabric.compute], further_ports = 10 }}"
    );
    with(&text, |plan| {
        holds(plan);
        let value = |name: &str, figure| {
            let fabric = plan.fabrics.keys().find(|id| plan.model.name(**id) == name).expect("a fabric");
            plan.figures.value(fabric.block(), figure).expect("a figure")
        };
        // 16 leaves and 8 spines; 40 + 24 + 10 ports on switches of 48.
        assert_eq!((value("compute", "switches"), value("compute", "node_links")), (24.0, 324.0));
        assert_eq!((value("oob", "switches"), value("oob", "node_links"), value("oob", "cables")), (2.0, 74.0, 74.0));
        assert_eq!(value("oob", "cables_unknown"), 10.0);
    });
}

#[test]
fn a_pair_joins_its_switches_and_refuses_a_ninth_node() {
    let text = |nodes: u64| {
        format!(
            "{HEAD}pool train {{ site = site.dc, server = catalog.server.dgx-h100, nodes = {nodes} }}
            fabric compute {{ technology = infiniband, topology = collapsed-pair, speed = 400 Gbps,
              switch = catalog.switch.qm9700, connects = [pool.train] }}"
        )
    };
    with(&text(8), |plan| {
        holds(plan);
        let fabric = plan.fabrics.values().next().expect("a fabric");
        let count = fabric.count.expect("it can be built");
        assert_eq!((count.leaves, count.spines, count.node_links, count.peer_links), (2, 0, 64, 32));
        assert!(fabric.leaves.iter().all(|leaf| (leaf.down, leaf.up) == (32, 32)));
    });
    compiled(&text(9), |_, found| {
        assert!(found.iter().any(|one| one.contains("a pair of this switch holds 8 nodes, 9 are wanted")), "{found:?}");
    });
}

#[test]
fn racks_are_filled_up_to_what_their_feeds_give() {
    let text = |feeds: u64, limit: &str| {
        format!(
            "{HEAD}rack r {{ site = site.dc, height = 48 U, feeds = {feeds}, voltage = 415 V, current = 60 A{limit} }}
            pool train {{ site = site.dc, server = catalog.server.dgx-h100, nodes = 12, rack = rack.r }}"
        )
    };
    // 415 V and 60 A are 34.5 kW a feed: three nodes of 10.2 kW on two feeds, six on three, two where the room gives 25 kW.
    for (feeds, limit, racks) in [(2, "", 4), (3, "", 2), (2, ", power_limit = 25 kW", 6)] {
        with(&text(feeds, limit), |plan| {
            holds(plan);
            let row = plan.racks.first().expect("racks");
            assert_eq!(row.racks.len(), racks, "{feeds} feeds{limit}");
            let feed = row.racks[0].feed.expect("a described rack has feeds");
            assert!((feed.capacity.expect("it is known") / 34_500.0 - 1.0).abs() < 0.001);
            let value = |figure| plan.figures.value(row.id.expect("a rack").block(), figure).expect("a figure");
            assert!(value("feed_load") <= value("feed_limit"));
        });
    }
}

#[test]
fn supplies_are_judged_by_the_loss_of_a_feed() {
    let warned = |server: &str, feeds: u64| {
        let text = format!(
            "{HEAD}rack r {{ site = site.dc, height = 48 U, feeds = {feeds} }}
            pool train {{ site = site.dc, server = catalog.server.{server}, nodes = 2, rack = rack.r }}"
        );
        let mut warned = false;
        compiled(&text, |_, found| warned = found.iter().any(|one| one.starts_with("AIP3045")));
        warned
    };
    // DGX H100 needs four of six supplies: two on each of three feeds may go. DGX B200 needs five: three of a pair of feeds,
    // or two of three, may not; one of six may.
    assert_eq!([warned("dgx-h100", 2), warned("dgx-h100", 3)], [true, false]);
    assert_eq!([warned("dgx-b200", 2), warned("dgx-b200", 3), warned("dgx-b200", 6)], [true, true, false]);
}

#[test]
fn oversubscription_is_that_of_the_fullest_leaf() {
    let text = format!(
        "{HEAD}pool train {{ site = site.dc, server = catalog.server.dgx-h100, nodes = 40 }}
        fabric compute {{ technology = infiniband, topology = rail-optimized, speed = 400 Gbps,
          switch = catalog.switch.qm9700, connects = [pool.train] }}"
    );
    with(&text, |plan| {
        let id = plan.fabrics.keys().next().expect("a fabric").block();
        let value = |figure| plan.figures.value(id, figure).expect("a figure");
        // Two units of 32 slots: the first is full, the second has eight nodes; exact fit needs fewer spines.
        assert_eq!((value("oversubscription_max"), value("oversubscription_all")), (1.0, 320.0 / 512.0));
        assert_eq!((value("switches"), value("exact_switches")), (24.0, 21.0));
    });
}

#[test]
fn eight_thousand_nodes_are_cabled() {
    let text = "
        platform p { stage = poc, currency = EUR }
        site dc { provider = on-prem, country = DE, racks_in_row = 40 }
        rack r { site = site.dc }
        pool train { site = site.dc, server = catalog.server.dgx-h100, nodes = 8192, rack = rack.r }
        fabric compute { technology = infiniband, topology = rail-optimized, speed = 400 Gbps,
          switch = catalog.switch.qm9700, connects = [pool.train], rack = rack.r }";
    with(text, |plan| {
        let sums = plan.cabling.fabrics.values().next().expect("sums");
        assert_eq!(sums.total, 196_608);
        // Twin-port modules of these nodes reach 100 m, which such a hall exceeds in places.
        assert!(sums.unknown < 10_000, "{:#?}", summary(plan));
    });
}

fn platform() -> impl Strategy<Value = String> {
    let servers = prop_oneof![
        Just("dgx-h100"),
        Just("dgx-b200"),
        Just("dgx-b300"),
        Just("dgx-a100-640gb"),
        Just("gpu-8x-h100-hgx"),
        Just("gpu-4x-l40s"),
        Just("cpu-2s-64c"),
        Just("management-1s"),
        Just("dell-xe9680l-h200"),
    ];
    let switches = prop_oneof![
        Just(("qm9700", "infiniband", 400)),
        Just(("qm9700", "infiniband", 200)),
        Just(("qm8790", "infiniband", 200)),
        Just(("q3400-ra", "infiniband", 800)),
        Just(("sn5600", "ethernet", 400)),
        Just(("sn3700", "ethernet", 200)),
        Just(("sn3700", "ethernet", 100)),
        Just(("sn5400", "ethernet", 400)),
        Just(("sn5600", "ethernet", 800)),
    ];
    let topologies = prop_oneof![Just("rail-optimized"), Just("leaf-spine"), Just("fat-tree"), Just("collapsed-pair")];
    let shape = (1u64..140, 1u64..30, 0u64..3, 0u64..6, 1u64..3);
    let room = (20u64..60, 12u64..80, 200u64..1600, 1u64..4, 1u64..12, proptest::option::of(1u64..6));
    let words = (
        topologies,
        prop_oneof![Just("scalable-unit"), Just("exact")],
        prop_oneof![Just("1:1"), Just("2:1"), Just("4:3")],
    );
    (servers.clone(), servers, switches, shape, room, words).prop_map(|(main, other, switch, shape, room, words)| {
        let (nodes, others, reserved, further, planes) = shape;
        let (height, kilowatts, kilograms, feeds, in_row, per_rack) = room;
        let (topology, fill, ratio) = words;
        let (switch, technology, speed) = switch;
        let per_rack = per_rack.map(|nodes| format!(", nodes_per_rack = {nodes}")).unwrap_or_default();
        let connects = if topology == "rail-optimized" { "pool.a" } else { "pool.a, pool.b, storage.s" };
        format!(
            "platform p {{ stage = poc, currency = EUR }}
            site dc {{ provider = on-prem, country = DE, racks_in_row = {in_row} }}
            rack r {{ site = site.dc, height = {height} U, power_limit = {kilowatts} kW, weight_limit = {kilograms} kg, feeds = {feeds}{per_rack} }}
            rack n {{ site = site.dc, voltage = 400 V, current = 32 A }}
            pool a {{ site = site.dc, server = catalog.server.{main}, nodes = {nodes}, rack = rack.r }}
            pool b {{ site = site.dc, server = catalog.server.{other}, nodes = {others} }}
            storage s {{ tier = hot, site = site.dc, kind = lustre, product = catalog.appliance.ddn-ai400x2, capacity = 2 PB, rack = rack.n }}
            fabric f {{ technology = {technology}, topology = {topology}, speed = {speed} Gbps, fill = {fill}, oversubscription = {ratio},
              switch = catalog.switch.{switch}, connects = [{connects}], reserved_slots = {reserved}, further_ports = {further},
              planes = {planes}, rack = rack.n }}
            fabric m {{ technology = ethernet, topology = leaf-spine, role = management, speed = 1 Gbps, switch = catalog.switch.sn2201,
              connects = [pool.a, pool.b, storage.s, fabric.f], further_ports = {further}, rack = rack.n }}"
        )
    })
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(96))]
    #[test]
    fn any_platform_is_cabled_as_it_is_counted(text in platform()) {
        compiled(&text, |plan, found| {
            let plan = plan.unwrap_or_else(|| panic!("no plan: {found:?}\n{text}"));
            holds(plan);
        });
    }
}
