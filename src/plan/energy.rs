//! Energy of pools and sites over a year: what the machines draw on average, not what they draw at most.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Fabric, Kind, Site};
use crate::model::words::Provider;

use super::figure::{Basis, Figure, Reason};
use super::formula::power::{energy_per_year, mean_load};
use super::formula::round::ratio;
use super::load::{self, Bar, Known};
use super::occupancy::{self, Occupancies};
use super::{Plan, PoolPlan, site};

/// Power of a node without work over its maximum. Assumption: eight idle H100 draw 70 to 120 W each, fans and CPUs the
/// rest.
const IDLE: Bar = Bar { value: 0.25, low: 0.15, high: 0.40 };
/// Power of a node at work over its maximum. Source: Newkirk et al. 2025 (76 %), Latif et al. 2025 (82 % at most), both
/// on eight H100; the lower end is an assumption for serving, which waits for memory.
const FULL: Bar = Bar { value: 0.76, low: 0.60, high: 0.90 };
/// Share of the time that nodes work of which nobody says it. Assumption.
const UNSAID: Bar = Bar { value: 0.5, low: 0.0, high: 1.0 };
/// Mean power of switches and storage over their maximum where the catalogue has no typical power. Assumption.
const STEADY: Bar = Bar { value: 0.7, low: 0.4, high: 1.0 };

/// Joules of a watt-hour.
const WATT_HOUR: f64 = 3_600.0;
/// From here on energy is read in MWh.
const LARGE: f64 = 1e4 * 1e3 * WATT_HOUR;

/// Energy of a site over a year, with cooling.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteEnergy {
    /// Joules of the machines whose power is known.
    pub joules: Bar,
    /// Mean power over the maximum.
    pub load: Bar,
}

/// Figures of every pool and site.
pub fn sum(plan: &mut Plan<'_>, occupancies: &Occupancies) {
    let model = Arc::clone(&plan.model);
    let rows: Vec<PoolPlan> = plan.pools.values().cloned().collect();
    for row in &rows {
        pool(plan, &model, row, occupancies);
    }
    // One sum for each pool: a site asks for it once a device.
    let means: BTreeMap<BlockId, Bar> = rows.iter().map(|row| (row.id.block(), node_load(row, occupancies))).collect();
    for site in &model.tables.sites {
        of_a_site(plan, &model, site.id, &means);
    }
}

fn pool(plan: &mut Plan<'_>, model: &Model<'_>, row: &PoolPlan, occupancies: &Occupancies) {
    let block = row.id.block();
    let busy = occupancy::busy(row, occupancies).map(|bar| {
        let figure = bar.figure("%", "share of capacity × share of the year, over all its workloads");
        reasons(figure.basis(occupancy::basis(&row.loads, occupancies)), row, occupancies)
    });
    load::put_known(&mut plan.figures, block, "busy", busy);
    let power = load::reason(&plan.figures, block, "power").map_or(Ok(()), Err);
    let energy = power.and_then(|()| of_pool(model, row, occupancies)).map(|joules| {
        let figure = energy_figure(joules, "power at most × mean load × PUE × a year").of(block, "power");
        let figure = figure.of(block, "busy").of(model[row.id].site.block(), "pue");
        loads(figure, model, row, occupancies)
    });
    load::put_known(&mut plan.figures, block, "energy", energy);
}

fn reasons(figure: Figure, row: &PoolPlan, occupancies: &Occupancies) -> Figure {
    let of = row.loads.iter().filter_map(|load| occupancies.get(load)?.as_ref().ok());
    of.flat_map(|one| &one.because).fold(figure, |figure, reason| figure.because(reason.clone()))
}

/// Joules of a year in the unit that people read.
fn energy_figure(joules: Bar, formula: &'static str) -> Figure {
    let unit = if joules.value.abs() >= LARGE { "MWh" } else { "kWh" };
    joules.figure(unit, formula).basis(Basis::Assumed)
}

/// What the mean load stands on.
fn loads(figure: Figure, model: &Model<'_>, row: &PoolPlan, occupancies: &Occupancies) -> Figure {
    let figure =
        figure.because(constant("power of an idle node over its maximum", IDLE, "assumption")).because(constant(
            "power of a busy node over its maximum",
            FULL,
            "Newkirk et al. 2025 and Latif et al. 2025, measured on eight H100",
        ));
    if row.loads.is_empty() || occupancy::busy(row, occupancies).is_err() {
        let address = model.address(row.id.block());
        figure.note(format!("how busy `{address}` is nobody says: half of the time is assumed, from never to always"))
    } else {
        figure
    }
}

fn constant(name: &'static str, bar: Bar, source: &'static str) -> Reason {
    Reason::constant(name, format!("{} ({} to {})", bar.value, bar.low, bar.high), source)
}

/// Mean power of a pool's nodes over their maximum.
fn node_load(row: &PoolPlan, occupancies: &Occupancies) -> Bar {
    let busy = match occupancy::busy(row, occupancies) {
        Ok(busy) if !row.loads.is_empty() => busy,
        Ok(_) | Err(_) => UNSAID,
    };
    Bar {
        value: mean_load(busy.value, IDLE.value, FULL.value),
        low: mean_load(busy.low, IDLE.low, FULL.low),
        high: mean_load(busy.high, IDLE.high, FULL.high),
    }
}

/// Joules of a year of the nodes of a pool, with cooling.
fn of_pool(model: &Model<'_>, row: &PoolPlan, occupancies: &Occupancies) -> Known<Bar> {
    if row.node.rented {
        return Err(Arc::from("the cloud carries it"));
    }
    let watts = row.power.ok_or_else(|| Arc::from("the maximum power of a node is not known"))?;
    let site = model[row.id].site;
    let pue = load::setting(model, site, "pue", &model[site].pue)?.fraction();
    Ok(node_load(row, occupancies).times(energy_per_year(watts, 1.0, pue) * WATT_HOUR))
}

fn of_a_site(plan: &mut Plan<'_>, model: &Model<'_>, id: Id<Site>, means: &BTreeMap<BlockId, Bar>) {
    let block = id.block();
    let of_site = if model[id].provider == Provider::OnPrem {
        of_site(plan, model, id, means)
    } else {
        Err(Arc::from("the cloud carries it"))
    };
    let lack = plan.sites.get(&id).map(|row| site::lack(plan, model, row)).unwrap_or_default();
    let sum = of_site.clone().map(|one| {
        let figure = energy_figure(one.joules, "power at most × mean load × PUE × a year, over all machines");
        let pools = plan.pools.values().filter(|row| model[row.id].site == id && row.power.is_some());
        let figure = pools.fold(figure, |figure, row| figure.of(row.id.block(), "energy"));
        figure.of(block, "it_power").of(block, "power_load").of(block, "pue")
    });
    lack.put_known(&mut plan.figures, block, "energy", sum);
    let load = of_site.clone().and_then(|one| {
        let figure = one.load.figure("%", "mean power over power at most, by the power of the machines");
        // A mean over a part of the machines is not even the least of all.
        if !lack.is_whole() {
            return Err(Arc::from(lack.words()));
        }
        Ok(figure
            .basis(Basis::Assumed)
            .because(constant("power of switches and storage without a typical figure", STEADY, "assumption"))
            .note("nodes by how busy they are, switches by their typical power"))
    });
    load::put_known(&mut plan.figures, block, "power_load", load);
    let co2 = of_site.clone().and_then(|one| {
        let intensity = load::setting(model, id, "carbon_intensity", &model[id].carbon_intensity)?;
        let figure = one.joules.times(intensity.kilograms_per_joule()).figure("t", "energy × carbon intensity");
        Ok(figure.basis(Basis::Assumed).of(block, "energy").of(block, "carbon_intensity"))
    });
    lack.put_known(&mut plan.figures, block, "co2", co2);
    if let (Ok(energy), Some(row)) = (of_site, plan.sites.get_mut(&id)) {
        row.energy = Some(energy);
    }
}

/// Joules of a year of all machines of a site, as far as their power is known, and mean over maximum.
fn of_site(plan: &Plan<'_>, model: &Model<'_>, id: Id<Site>, means: &BTreeMap<BlockId, Bar>) -> Known<SiteEnergy> {
    let pue = load::setting(model, id, "pue", &model[id].pue)?.fraction();
    let racks = plan.racks.iter().filter(|row| row.site == id).flat_map(|row| &row.racks);
    let (mut most, mut mean) = (0.0, Bar::exact(0.0));
    for device in racks.flat_map(|rack| &rack.devices) {
        let Some(watts) = device.power else { continue };
        most += watts;
        mean = mean.plus(device_load(model, device.of, watts, means).times(watts));
    }
    let part = |watts: f64| ratio(watts, most);
    Ok(SiteEnergy {
        joules: mean.times(energy_per_year(1.0, 1.0, pue) * WATT_HOUR),
        load: Bar { value: part(mean.value), low: part(mean.low), high: part(mean.high) },
    })
}

fn device_load(model: &Model<'_>, of: BlockId, watts: f64, means: &BTreeMap<BlockId, Bar>) -> Bar {
    match model.block(of).kind {
        Kind::Pool => means.get(&of).copied().unwrap_or(UNSAID),
        Kind::Fabric => {
            let switch = model.typed::<Fabric>(of).map(|fabric| &model[fabric.switch]);
            switch.and_then(|switch| switch.typical_power).map_or(STEADY, |typical| {
                let typical = ratio(typical.watts(), watts).min(1.0);
                Bar { value: typical, low: typical, high: 1.0 }
            })
        }
        _ => STEADY,
    }
}

/// What a site pays for a joule, in the money it is written in; or why that is not known.
pub fn price(model: &Model<'_>, id: Id<Site>) -> Known<crate::base::quantity::Money> {
    match &model[id].power_price {
        Setting::Given(price) => Ok(price.0),
        Setting::Tbd(why) => Err(Arc::from(format!("`{}.power_price` is open: {why}", model.address(id.block())))),
        Setting::Auto | Setting::Absent => Err(load::absent(model, id, "power_price")),
    }
}
