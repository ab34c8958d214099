//! Collectives and fabrics.

use aipc::plan::formula::collectives::{Collective, Domain, hierarchical_seconds, seconds, wire_factor};
use aipc::plan::formula::constants::{Name, find};
use aipc::plan::formula::fabric::{FabricInput, Fill, Topology, count};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Side, Topic};

fn constant(name: Name) -> Result<(f64, f64, f64), String> {
    let (found, _) = find(name, &[], "", "").ok_or("a constant is missing")?;
    Ok((found.value, found.low, found.high))
}

fn operation(case: &Case) -> Collective {
    let words = format!("{} {}", case.text(&["collective", "operation", "op"]).unwrap_or_default(), case.unit());
    let words = words.to_lowercase().replace([' ', '-'], "_");
    if words.contains("all_gather") || words.contains("allgather") {
        Collective::AllGather
    } else if words.contains("reduce_scatter") {
        Collective::ReduceScatter
    } else if words.contains("all_to_all") || words.contains("alltoall") {
        Collective::AllToAll
    } else {
        Collective::AllReduce
    }
}

/// Times and bus bandwidths.
pub fn collective(case: &Case) -> Outcome {
    let ranks = case.gpus().ok_or("it does not say its `gpus`")?;
    let payload = case.measured("payload", Measure::Bytes).or_else(|| case.measured("message", Measure::Bytes));
    let check = |measure, value| Check::of(Topic::Collectives, measure, value);
    let nodes = case.whole(&["nodes"]).unwrap_or(1).max(1);
    if let (Some(bytes), Some(rate)) = (payload, case.measured("busbw", Measure::ByteRate)) {
        return Ok(vec![check(Measure::Seconds, seconds(operation(case), bytes, ranks, rate, 0.0))]);
    }
    if let (Some(bytes), Some(nic)) = (payload, case.measured("nic", Measure::ByteRate)) {
        let (share, low, high) = constant(Name::NicEfficiency)?;
        let inside = case.measured("link", Measure::ByteRate).unwrap_or(f64::INFINITY);
        let time = |share: f64| {
            let domain = Domain { gpus: ranks / nodes, nodes, inside, outside: nic * share };
            hierarchical_seconds(bytes, &domain, true)
        };
        let check = check(Measure::Seconds, time(share)).bar(time(high), time(low));
        return Ok(vec![check]);
    }
    if let Some(link) = case.measured("link", Measure::ByteRate) {
        let algorithm = case.text(&["algorithm"]).unwrap_or_default().to_lowercase();
        if algorithm.contains("nvls") || algorithm.contains("sharp") || algorithm.contains("in-switch") {
            // A switch that adds up moves the bytes once, so the rate as a ring would need it may exceed the link.
            let most = link * wire_factor(Collective::AllReduce, ranks);
            return Ok(vec![Check::bound(Side::AtMost, Measure::ByteRate, most)]);
        }
        let (share, low, high) = constant(Name::LinkEfficiency)?;
        return Ok(vec![check(Measure::ByteRate, link * share).bar(link * low, link * high)]);
    }
    Err("it gives neither a payload with a rate nor the rate of a link".into())
}

/// Counts of switches.
pub fn fabric(case: &Case) -> Outcome {
    let radix = case.need_whole(&["switch_radix", "radix", "ports_per_switch"])?;
    let gpus = case.gpus();
    let nodes = case
        .whole(&["nodes"])
        .or_else(|| Some(gpus? / case.whole(&["gpus_per_node"]).unwrap_or(8)))
        .ok_or("it does not say its `nodes`")?;
    let each = gpus.map(|gpus| gpus.div_ceil(nodes.max(1)) * case.whole(&["nic_per_gpu"]).unwrap_or(1));
    let ports =
        case.whole(&["rails", "ports_per_node", "nics_per_node"]).or(each).ok_or("it does not say its `rails`")?;
    let counted = count(&FabricInput {
        nodes,
        reserved_slots: case.whole(&["reserved_slots"]).unwrap_or(0),
        ports_per_node: ports,
        attached_ports: 0,
        planes: case.whole(&["planes"]).unwrap_or(1),
        radix,
        oversubscription: (1, 1),
        topology: Topology::RailOptimized,
        fill: Fill::ScalableUnit,
    })
    .map_err(|refusal| format!("the fabric cannot be built: {refusal:?}"))?;
    let unit = case.unit().to_lowercase();
    let main = if unit.contains("cable") || unit.contains("link") {
        counted.node_links + counted.leaf_spine_links + counted.spine_core_links
    } else if unit.contains("leaf+spine") || unit.contains("total") || unit.starts_with("switches") {
        counted.switches()
    } else if unit.contains("leaf") || unit.contains("leaves") {
        counted.leaves
    } else if unit.contains("spine") {
        counted.spines
    } else {
        counted.switches()
    };
    let check = |value: u64| Check::of(Topic::Fabric, Measure::Count, value as f64);
    let mut checks = vec![check(main)];
    let links = counted.leaf_spine_links + counted.spine_core_links + counted.node_links;
    for (name, value) in
        [("leaf", counted.leaves), ("spine", counted.spines), ("core", counted.cores), ("cables", links)]
    {
        if let Some(published) = case.also(name) {
            checks.push(check(value).against(published));
        }
    }
    Ok(checks)
}
