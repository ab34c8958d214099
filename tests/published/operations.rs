//! Power, heat, money, hosts and data preparation.

use aipc::plan::formula::constants::{Name, find};
use aipc::plan::formula::cost::{Owned, per_gpu_hour, rented};
use aipc::plan::formula::dataprep::{CURATION_PER_NODE, FUZZY_DEDUP_PER_GPU, host_bytes, node_cores, seconds};
use aipc::plan::formula::power::{energy_of_job, heat_btu, node_watts};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Side, Topic};
use crate::world;

/// Watts, heat and energy.
pub fn power(case: &Case) -> Outcome {
    let check = |measure, value| Check::of(Topic::Power, measure, value);
    let hours = case.number(&["gpu_hours"]);
    if let (Some(hours), Some(watts)) = (hours, case.measured("gpu", Measure::Watts)) {
        let pue = case.need(&["pue"])?;
        return Ok(vec![check(Measure::WattHours, energy_of_job(hours, watts, pue))]);
    }
    let system = ["system", "node", "it"].iter().find_map(|stem| case.measured(stem, Measure::Watts));
    if let Some(watts) = system {
        return Ok(vec![check(Measure::Heat, heat_btu(watts))]);
    }
    if let Some(each) = case.measured("dgx", Measure::Watts) {
        let count = case.need_whole(&["dgx_per_rack", "nodes_per_rack"])?;
        let rack = node_watts(count, each, 1.0);
        let exceeds = case.unit().contains("exceeds");
        return Ok(vec![if exceeds {
            check(Measure::Watts, rack).note("published as exceeded")
        } else {
            check(Measure::Watts, rack)
        }]);
    }
    let gpus = case.gpus().ok_or("it does not say its `gpus`")?;
    let card = world::gpu_of(case);
    let watts = case
        .measured("gpu", Measure::Watts)
        .or_else(|| card.and_then(|card| card.watts))
        .ok_or("it does not say its `gpu_w`")?;
    if let Some(cpu) = case.measured("cpu", Measure::Watts) {
        let parts = node_watts(gpus, watts, 1.0) + cpu;
        let mut checks = vec![check(Measure::Watts, parts)];
        if let (Some(rest), Some(published)) = (case.measured("static", Measure::Watts), case.also("with_static")) {
            checks.push(check(Measure::Watts, parts + rest).against(published * 1e3));
        }
        return Ok(checks);
    }
    // Where the row does not name the GPU, its power tells it.
    let like = || world::cards().iter().find(|card| card.id.contains("sxm") && card.watts == Some(watts));
    let names = card.or_else(like).map(|card| card.names());
    let names: &[&str] = names.as_ref().map_or(&[], |names| names);
    let (factor, _) = find(Name::NodeOverGpu, names, "", "").ok_or("a constant is missing")?;
    let node = |factor: f64| node_watts(gpus, watts, factor);
    Ok(vec![check(Measure::Watts, node(factor.value)).bar(node(factor.low), node(factor.high))])
}

/// Money.
pub fn cost(case: &Case) -> Outcome {
    let capital = case.number(&["capex_usd", "purchase_usd", "capex", "total_usd"]);
    if let (Some(purchase), Some(years), Some(gpus)) = (capital, case.number(&["years"]), case.gpus()) {
        let number = |names: &[&str], otherwise: f64| case.number(names).unwrap_or(otherwise);
        let owned = Owned {
            purchase,
            support: number(&["support"], 0.0),
            residual: number(&["residual"], 0.0),
            years,
            it_kilowatts: number(&["it_kw", "node_kw"], 0.0),
            load: number(&["load"], 1.0),
            pue: number(&["pue"], 1.0),
            per_kilowatt_hour: number(&["usd_per_kwh"], 0.0),
            colocation: number(&["colo_usd_per_kw_month"], 0.0),
            operation: number(&["opex_usd_per_year"], 0.0),
        };
        let hour = per_gpu_hour(&owned, gpus, number(&["utilisation", "utilization"], 1.0));
        return Ok(vec![Check::of(Topic::Arithmetic, Measure::Money, hour)]);
    }
    let price = case.need(&["usd_per_gpu_hour", "price_per_gpu_hour", "usd_per_hour"])?;
    let hours = case
        .number(&["gpu_hours"])
        .or_else(|| Some(case.gpus_or_share()? * case.number(&["hours"])?))
        .ok_or("it does not say its `gpu_hours`")?;
    Ok(vec![Check::of(Topic::Arithmetic, Measure::Money, rented(hours, price, 1.0))])
}

impl Case {
    /// GPUs, also of a mean number of nodes that is no whole one.
    fn gpus_or_share(&self) -> Option<f64> {
        let nodes = self.number(&["nodes"]).zip(self.number(&["gpus_per_node"])).map(|(nodes, each)| nodes * each);
        self.number(&["gpus"]).or(nodes)
    }
}

/// Cores, memory and time of hosts.
pub fn hosts(case: &Case) -> Outcome {
    let unit = case.unit().to_lowercase();
    if unit.contains("core") {
        let gpus = case.gpus().ok_or("it does not say its `gpus`")?;
        let workers = case.need_whole(&["loader_workers_per_gpu", "workers_per_gpu", "workers"])?;
        let system = case.whole(&["os_cores", "system_cores"]).unwrap_or(4);
        let cores = node_cores(gpus, workers, system) as f64;
        return Ok(vec![Check::of(Topic::Arithmetic, Measure::Count, cores)]);
    }
    if let (Some(gpus), Some(each)) = (case.gpus(), case.measured("gpu_memory", Measure::Bytes)) {
        let factor = case.number(&["factor"]).unwrap_or(1.0);
        return Ok(vec![Check::of(Topic::Arithmetic, Measure::Bytes, host_bytes(gpus, each, factor))]);
    }
    if let (Some(raw), Some(nodes)) = (case.measured("raw", Measure::Bytes), case.whole(&["cpu_nodes", "nodes"])) {
        let time = seconds(raw, nodes, CURATION_PER_NODE);
        return Ok(vec![Check::bound(Side::AtMost, Measure::Seconds, time)]);
    }
    if let (Some(bytes), Some(gpus)) = (case.measured("dataset", Measure::Bytes), case.gpus()) {
        let time = |times: u64| seconds(bytes, gpus * times, FUZZY_DEDUP_PER_GPU);
        let check = |value| Check::of(Topic::Arithmetic, Measure::Seconds, value);
        let mut checks = vec![check(time(1))];
        for (name, times) in [("two_nodes", 2), ("four_nodes", 4)] {
            if let Some(hours) = case.also(name) {
                checks.push(check(time(times)).against(hours * 3600.0));
            }
        }
        return Ok(checks);
    }
    Err("it gives neither loaders nor data and nodes".into())
}
