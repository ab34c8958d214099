//! Cables and modules: every end once, nothing that does not fit, sums that agree.

use std::collections::{BTreeMap, BTreeSet};

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::plan::Plan;

fn with(text: &str, look: impl FnOnce(&Plan<'_>)) {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let found: Vec<&str> = compiled.problems.iter().map(|one| one.message.as_str()).collect();
    look(compiled.plan.as_ref().unwrap_or_else(|| panic!("no plan: {found:?}")));
}

/// Products, lengths and open points of a fabric, a line each.
fn summary(plan: &Plan<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let name = |block| plan.model.address(block);
    for (id, sums) in &plan.cabling.fabrics {
        let fabric = plan.model.name(*id);
        lines.push(format!(
            "{fabric}: {} cables, {} unknown, {} unplaced, {} modules",
            sums.total,
            sums.unknown,
            sums.unplaced,
            sums.modules.values().sum::<u64>()
        ));
        let mut by_length: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((product, centimetres), count) in &sums.lengths {
            let length = format!("{count} × {} m", *centimetres as f64 / 100.0);
            by_length.entry(name(*product)).or_default().push(length);
        }
        lines.extend(by_length.iter().map(|(product, lengths)| format!("  {product}: {}", lengths.join(", "))));
        lines.extend(sums.modules.iter().map(|(product, count)| format!("  {}: {count}", name(*product))));
        lines.extend(sums.open.iter().map(|(why, count)| format!("  open {count}: {why}")));
    }
    lines
}

#[test]
fn show() {
    let text = std::fs::read_to_string("examples/superpod/main.aip").expect("an example");
    with(&text, |plan| {
        summary(plan).iter().for_each(|line| println!("{line}"));
        for row in &plan.racks {
            for rack in &row.racks {
                println!(
                    "{} {:?} U{} {:.1}kW {:?} {:?}",
                    rack.name,
                    rack.spot,
                    rack.used,
                    rack.power / 1e3,
                    rack.devices.first().map(|d| d.name.clone()),
                    rack.devices.last().map(|d| d.name.clone())
                );
            }
        }
        for c in plan.cabling.cables.iter().step_by(201) {
            println!("{} {:?} {:?} {:?}", c.label, c.length, c.medium, c.tails);
        }
        for c in plan.cabling.modules.iter().step_by(201) {
            println!("{} {} {:?}", c.device, c.cage, c.ports);
        }
        let _ = BTreeSet::<u64>::new();
    });
}
