//! What the fabric and rack formulas say about a published row.
//!
//! A row has `input`, `published` and the place where it was read. What is predicted has the names of the published fields;
//! a field that does not follow from the input is left out.

use std::collections::BTreeMap;

use aipc::plan::formula::fabric::{
    FabricInput, Fill, Topology, collapsed_pair_nodes, count, management_switches, oversubscription,
};
use serde_json::{Value, json};

/// Links of the fabric managers in a fabric that keeps a slot for them: DGX SuperPOD H100 RA, table 4.
const MANAGER_LINKS: u64 = 4;
/// GPUs of an NVL72 rack.
const NVL72: u64 = 72;

/// Every field that follows from the input of a row.
pub fn predict(row: &Value) -> BTreeMap<String, Value> {
    let input = &row["input"];
    let mut found = BTreeMap::new();
    gpus(row, input, &mut found);
    ratios(input, &mut found);
    power(row, input, &mut found);
    pair(row, input, &mut found);
    if let (Some(nodes), Some(radix)) = (whole(&input["nodes"]), radix(input)) {
        switches(input, nodes, radix, &mut found);
    }
    if let Some(ports) = whole(&input["management_ports"]) {
        put(&mut found, "management_switches", json!(management_switches(ports, radix(input).unwrap_or(48))));
    }
    found
}

/// True when a published value is the predicted one: numbers up to a share, texts as they are, `>25` as a bound.
pub fn agrees(published: &Value, predicted: &Value, share: f64) -> bool {
    match (published, predicted) {
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| agrees(left, right, share))
        }
        (Value::String(text), Value::Number(number)) => {
            let bound = text.strip_prefix('>').and_then(|bound| bound.trim().parse::<f64>().ok());
            bound.zip(number.as_f64()).is_some_and(|(bound, number)| number > bound)
        }
        _ => match (published.as_f64(), predicted.as_f64()) {
            (Some(left), Some(right)) => (left - right).abs() <= share * left.abs(),
            _ => published == predicted,
        },
    }
}

/// Fields whose published number is rounded or means a typical node; they agree up to a share.
pub fn tolerance(field: &str) -> f64 {
    if matches!(field, "rack_kw" | "tdp_mw") { 0.05 } else { 0.0 }
}

fn put(found: &mut BTreeMap<String, Value>, field: &str, value: Value) {
    found.insert(field.to_string(), value);
}

/// `127`, or the larger end of `2-8`.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.rsplit('-').next()?.trim().parse().ok(),
        other => other.as_u64(),
    }
}

/// Ports of a switch at the speed of the nodes: `64`, or `128` of `64x400=128x200` for nodes of 200 Gb/s.
fn radix(input: &Value) -> Option<u64> {
    let Value::String(text) = &input["radix"] else { return input["radix"].as_u64() };
    let speed = input["nic_gbps"].as_u64().map(|speed| speed.to_string());
    let pairs = text.split(['=', '/', ' ', ',']).filter_map(|pair| pair.split_once('x'));
    let of_speed = pairs.filter(|(_, each)| Some(*each) == speed.as_deref());
    of_speed.map(|(count, _)| count).next().or(text.split('x').next())?.parse().ok()
}

fn ratio(text: &str) -> Option<(u64, u64)> {
    let (over, under) = text.split_once(':')?;
    Some((over.trim().parse().ok()?, under.trim().parse().ok()?))
}

fn ports(input: &Value) -> u64 {
    let fields = ["osfp_per_node", "nics_per_node", "gpus_per_node"];
    fields.iter().find_map(|field| input[field].as_u64()).unwrap_or(8)
}

fn gpus(row: &Value, input: &Value, found: &mut BTreeMap<String, Value>) {
    if let (Some(nodes), Some(each)) = (whole(&input["nodes"]), input["gpus_per_node"].as_u64()) {
        put(found, "gpus", json!(nodes * each));
    }
    let rack_scale = row["id"].as_str().is_some_and(|id| id.starts_with("GB"));
    if let Some(racks) = input["racks"].as_u64().filter(|_| rack_scale) {
        put(found, "gpus", json!(racks * NVL72));
        if let Some(most) = row["published"]["max_racks"].as_u64() {
            put(found, "max_gpus", json!(most * NVL72));
        }
    }
}

fn switches(input: &Value, nodes: u64, radix: u64, found: &mut BTreeMap<String, Value>) {
    let reserved = input["reserved_node_slots"].as_u64().unwrap_or(0);
    let planes = input["planes"].as_u64().unwrap_or(1);
    let hint = input["topology"].as_str().unwrap_or_default();
    let rails = input["osfp_per_node"].is_null() && !matches!(hint, "leaf-spine" | "fat-tree" | "tor");
    let counted = count(&FabricInput {
        nodes,
        reserved_slots: reserved,
        ports_per_node: ports(input),
        attached_ports: if reserved > 0 { MANAGER_LINKS } else { 0 },
        planes,
        radix,
        oversubscription: input["oversubscription"].as_str().and_then(ratio).unwrap_or((1, 1)),
        topology: if rails { Topology::RailOptimized } else { Topology::LeafSpine },
        fill: if input["fill"] == "exact" { Fill::Exact } else { Fill::ScalableUnit },
    });
    let Ok(counted) = counted else { return };
    // Tables of two planes count a cable for each port of 800 Gb/s, which is a link of each plane.
    let cables = |links: u64| json!(links / planes.max(1));
    put(found, "su", json!(counted.scalable_units));
    put(found, "leaf", json!(counted.leaves));
    put(found, "spine", json!(counted.spines));
    put(found, "core", json!(counted.cores));
    put(found, "total", json!(counted.switches()));
    put(found, "compute_and_ufm_cables", cables(counted.node_links));
    put(found, "node_leaf_cables", cables(counted.node_links));
    put(found, "leaf_spine_cables", cables(counted.leaf_spine_links));
    put(found, "spine_core_cables", cables(counted.spine_core_links));
    put(found, "total_cables", cables(counted.node_links + counted.leaf_spine_links + counted.spine_core_links));
}

/// Nodes that a pair of switches holds.
fn pair(row: &Value, input: &Value, found: &mut BTreeMap<String, Value>) {
    if let Some(radix) = radix(input).filter(|_| !row["published"]["max_nodes"].is_null()) {
        put(found, "max_nodes", json!(collapsed_pair_nodes(radix, ports(input))));
    }
}

/// Bandwidth of servers and uplinks, and their ratios for half of the nodes and all of them.
fn ratios(input: &Value, found: &mut BTreeMap<String, Value>) {
    let field = |name: &str| input[name].as_u64();
    let (Some(nodes), Some(leaves), Some(uplinks), Some(speed), Some(speeds)) =
        (field("nodes"), field("leaf"), field("uplinks_per_leaf"), field("nic_gbps"), input["uplink_gbps"].as_array())
    else {
        return;
    };
    let up: Vec<f64> = speeds.iter().filter_map(Value::as_f64).map(|each| (leaves * uplinks) as f64 * each).collect();
    put(found, "leaf_spine_tbps", json!(up.iter().map(|gbps| gbps / 1000.0).collect::<Vec<_>>()));
    for nodes in [nodes / 2, nodes] {
        let down = (nodes * ports(input) * speed) as f64;
        put(found, &format!("server_tbps_{nodes}_nodes"), json!(down / 1000.0));
        let words = up.iter().map(|up| words(oversubscription(down, *up)));
        put(found, &format!("ratio_{nodes}"), json!(words.collect::<Vec<_>>()));
    }
}

/// `2:1`, `1:4`.
fn words(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{ratio}:1") } else { format!("1:{}", 1.0 / ratio) }
}

/// Kilowatts of a rack of nodes, and of a power shelf.
fn power(row: &Value, input: &Value, found: &mut BTreeMap<String, Value>) {
    // Vendors' maximum: DGX B200 user guide; DGX B300 as the catalogue has it.
    const NODES: [(&str, f64); 2] = [("B200", 14.3), ("B300", 14.5)];
    let id = row["id"].as_str().unwrap_or_default();
    let node = NODES.iter().find(|(name, _)| id.starts_with(name)).map(|(_, watts)| *watts);
    if let Some((nodes, each)) = input["nodes_per_rack"].as_f64().zip(node) {
        put(found, "rack_kw", json!(nodes * each));
    }
    if let Some((supplies, each)) = input["psu_per_shelf"].as_f64().zip(input["psu_kw"].as_f64()) {
        put(found, "shelf_kw", json!(supplies * each));
    }
}
