//! Power and cooling: nodes, racks, heat and energy.

use super::round::{ceil_units, div_ceil, exceeds, floor_units, ratio};

/// BTU/h of one watt. Source: definition of the international table BTU.
pub const BTU_PER_WATT: f64 = 3.412_14;
/// Watts of one ton of refrigeration, 12,000 BTU/h. Source: definition.
pub const WATTS_PER_TON: f64 = 12_000.0 / BTU_PER_WATT;
/// Hours of a year of 365 days. Source: definition.
pub const HOURS_PER_YEAR: f64 = 8760.0;

/// Watts of a node from its GPUs: `count * gpu * factor`, the factor being 1.8 to 2.0 for CPUs, NICs, switches and
/// fans. Source: DGX A100, H100 and B200 user guides.
pub fn node_watts(gpus: u64, gpu_watts: f64, factor: f64) -> f64 {
    gpus as f64 * gpu_watts * factor
}

/// Heat in BTU/h: `W * 3.41214`. DGX A100: 6.5 kW are 22,179. Source: definition.
pub fn heat_btu(watts: f64) -> f64 {
    watts * BTU_PER_WATT
}

/// Tons of refrigeration: `W / 3517`. Source: definition.
pub fn cooling_tons(watts: f64) -> f64 {
    watts / WATTS_PER_TON
}

/// Watts to cool: the larger of electrical maximum and the vendor's heat figure in BTU/h, if it gives one.
///
/// DGX H100 lists 38,557 BTU/h (11.3 kW) beside 10.2 kW. Source: DGX H100 user guide.
pub fn cooling_watts(watts: f64, vendor_btu: Option<f64>) -> f64 {
    vendor_btu.map_or(watts, |heat| watts.max(heat / BTU_PER_WATT))
}

/// Airflow in CFM: `3.16 W / dT`, dT in degrees Fahrenheit; infinite at 0. A rule of thumb for sea level. Source:
/// common HVAC practice.
pub fn airflow_cfm(watts: f64, delta_fahrenheit: f64) -> f64 {
    ratio(3.16 * watts, delta_fahrenheit)
}

/// Facility watts: `IT * PUE`. Source: ISO/IEC 30134-2.
pub fn facility_watts(it_watts: f64, pue: f64) -> f64 {
    it_watts * pue
}

/// Watt-hours of a year: `W * load * PUE * 8760`. Source: arithmetic.
pub fn energy_per_year(it_watts: f64, load: f64, pue: f64) -> f64 {
    it_watts * load * pue * HOURS_PER_YEAR
}

/// Mean power over the maximum of a machine that is busy for a share of the time: `idle + (full - idle) busy`.
///
/// Both ends are shares of the maximum. Source: Fan, Weber and Barroso 2007, power grows about linearly with use.
pub fn mean_load(busy: f64, idle: f64, full: f64) -> f64 {
    idle + (full - idle) * busy.clamp(0.0, 1.0)
}

/// Watt-hours of a job: GPU-hours times watts a GPU times PUE.
///
/// With the GPU's own power it gives the published model-card figures, which leave out the node (1.8 times more).
/// Source: LLaMA paper, table 15; BLOOM.
pub fn energy_of_job(gpu_hours: f64, watts_per_gpu: f64, pue: f64) -> f64 {
    gpu_hours * watts_per_gpu * pue
}

/// What a rack offers and a node takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RackFit {
    /// Watts for equipment, derating applied.
    pub rack_watts: f64,
    /// Free height units.
    pub rack_units: u64,
    /// Payload, kg; `None` if not known.
    pub rack_kilograms: Option<f64>,
    /// Most nodes the site allows in a rack, if it says so.
    pub cap: Option<u64>,
    /// Maximum watts of a node.
    pub node_watts: f64,
    /// Height units of a node.
    pub node_units: u64,
    /// Mass of a node, kg; `None` if not known.
    pub node_kilograms: Option<f64>,
}

/// What limits the nodes of a rack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Power.
    Power,
    /// Height.
    Height,
    /// Mass.
    Mass,
    /// The site's own limit.
    Cap,
}

/// Nodes of a rack and what limits them: the least of power, height, payload and cap; the first of equals.
///
/// A node that takes nothing is not limited by it. 40.8 kW hold four nodes of 10.2 kW. Source: NVIDIA DGX SuperPOD
/// reference architectures.
pub fn nodes_per_rack(fit: &RackFit) -> (u64, Limit) {
    let mass = fit.rack_kilograms.zip(fit.node_kilograms).map(|(rack, node)| floor_units(ratio(rack.max(0.0), node)));
    let candidates = [
        (Some(free(fit.rack_watts, fit.node_watts)), Limit::Power),
        (Some(free(fit.rack_units as f64, fit.node_units as f64)), Limit::Height),
        (mass, Limit::Mass),
        (fit.cap, Limit::Cap),
    ];
    let mut best = (u64::MAX, Limit::Power);
    for (nodes, limit) in candidates {
        if let Some(nodes) = nodes.filter(|nodes| *nodes < best.0) {
            best = (nodes, limit);
        }
    }
    best
}

/// Racks for `nodes`; `u64::MAX` when a rack holds none. Source: arithmetic.
pub fn racks(nodes: u64, nodes_per_rack: u64) -> u64 {
    div_ceil(nodes, nodes_per_rack)
}

/// Watts of a three-phase feed: `sqrt(3) V I pf derate`, derate 0.8 for continuous load in North America. 415 V and 60
/// A are 34.5 kW. Source: NFPA 70 (National Electrical Code), article 210.
pub fn three_phase_watts(volts: f64, amperes: f64, power_factor: f64, derate: f64) -> f64 {
    3.0_f64.sqrt() * volts * amperes * power_factor * derate
}

/// True when supplies left after a loss carry the load: `(supplies - lost) * watts >= load`. Source: DGX H100 and B200
/// user guides.
pub fn survives(supplies: u64, lost: u64, supply_watts: f64, load: f64) -> bool {
    !exceeds(load, supplies.saturating_sub(lost) as f64 * supply_watts)
}

/// Power shelves for a busbar rack: `ceil(load / shelf) + spare`. Source: OCP Open Rack V3; NVIDIA NVL72 reference
/// architecture.
pub fn power_shelves(load: f64, shelf_watts: f64, spare: u64) -> u64 {
    ceil_units(ratio(load, shelf_watts)).saturating_add(spare)
}

/// Whole nodes in a budget; a node that takes nothing always fits, whatever the budget.
fn free(budget: f64, each: f64) -> u64 {
    if each <= 0.0 { u64::MAX } else { floor_units(budget.max(0.0) / each) }
}

#[cfg(test)]
mod tests {
    use super::{
        Limit, RackFit, airflow_cfm, cooling_tons, cooling_watts, energy_of_job, energy_per_year, facility_watts,
        heat_btu, mean_load, node_watts, nodes_per_rack, power_shelves, racks, survives, three_phase_watts,
    };

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    fn dgx_h100(rack_watts: f64, cap: Option<u64>) -> RackFit {
        RackFit {
            rack_watts,
            rack_units: 42,
            rack_kilograms: Some(1360.0),
            cap,
            node_watts: 10_200.0,
            node_units: 8,
            node_kilograms: Some(130.0),
        }
    }

    #[test]
    fn heat() {
        // DGX A100 guide: 22,179 BTU/h. DGX H100 guide: 38,557 BTU/h, 11.3 kW.
        near(heat_btu(6500.0), 22_179.0, 1e-4);
        near(cooling_watts(10_200.0, Some(38_557.0)), 11_300.0, 0.001);
        assert_eq!((cooling_watts(10_200.0, None), cooling_watts(10_200.0, Some(100.0))), (10_200.0, 10_200.0));
        near(cooling_tons(3517.0), 1.0, 0.001);
        near(airflow_cfm(10_200.0, 30.0), 1074.0, 0.001);
    }

    #[test]
    fn energy() {
        // LLaMA paper, table 15: 7B 36 MWh, BLOOM 475 MWh, both with 400 W and PUE 1.1.
        near(energy_of_job(82_432.0, 400.0, 1.1) / 1e6, 36.0, 0.01);
        near(energy_of_job(1_082_880.0, 400.0, 1.1) / 1e6, 475.0, 0.01);
        near(energy_per_year(1000.0, 0.5, 1.2), 1000.0 * 0.5 * 1.2 * 8760.0, 1e-12);
        near(facility_watts(1e6, 1.3), 1.3e6, 1e-12);
        // Measured on eight H100: 8.4 kW of 10.2 kW at most, 82 %.
        near(10.2 * mean_load(1.0, 0.25, 0.82), 8.4, 0.005);
        assert_eq!((mean_load(0.0, 0.25, 0.76), mean_load(2.0, 0.25, 0.76)), (0.25, 0.76));
        // DGX guides: 6.5, 10.2 and 14.3 kW.
        near(node_watts(8, 700.0, 1.82), 10_200.0, 0.002);
        near(node_watts(8, 1000.0, 1.79), 14_300.0, 0.002);
    }

    #[test]
    fn racks_of_the_superpod() {
        // DGX SuperPOD H100: four nodes in a rack of 40.8 kW; 127 nodes are 32 racks of 38 (6 for the rest).
        assert_eq!(nodes_per_rack(&dgx_h100(40_800.0, None)), (4, Limit::Power));
        assert_eq!(nodes_per_rack(&dgx_h100(40_000.0, None)), (3, Limit::Power));
        assert_eq!(nodes_per_rack(&dgx_h100(100_000.0, None)), (5, Limit::Height));
        assert_eq!(nodes_per_rack(&dgx_h100(100_000.0, Some(2))), (2, Limit::Cap));
        assert_eq!(nodes_per_rack(&RackFit { node_kilograms: Some(700.0), ..dgx_h100(1e6, None) }), (1, Limit::Mass));
        assert_eq!((racks(127, 4), racks(1, 0)), (32, u64::MAX));
    }

    #[test]
    fn feeds() {
        // DGX H100: 6 x 3.3 kW survive two; DGX B200: half of six do not carry 14.3 kW. 415 V and 60 A are 34.5 kW.
        assert!(
            survives(6, 2, 3300.0, 10_200.0) && survives(6, 1, 3300.0, 14_300.0) && !survives(6, 3, 3300.0, 14_300.0)
        );
        near(three_phase_watts(415.0, 60.0, 1.0, 0.8), 34_500.0, 0.001);
        // GB300 NVL72: shelves of 33 kW, up to 142 kW.
        assert_eq!(power_shelves(142e3, 33e3, 1), 6);
    }
}
