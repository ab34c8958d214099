//! Sites: power, heat and racks of a room.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Site;
use crate::model::words::Provider;

use super::figure::{Basis, Figure, Reason};
use super::formula::power;
use super::lack::Lack;
use super::{Plan, SiteEnergy, load, rack};

/// A site, summed.
#[derive(Debug, Clone, PartialEq)]
pub struct SitePlan {
    /// Which.
    pub id: Id<Site>,
    /// Electrical power of the machines at most, of what is known.
    pub it_power: f64,
    /// The same with cooling.
    pub power: f64,
    /// Heat at most, of what is known.
    pub heat: f64,
    /// Racks.
    pub racks: u64,
    /// Products whose power is not known, and pools, fabrics and storages of which nobody knows what or how many they are.
    pub power_unknown: Vec<BlockId>,
    /// Energy of a year; nothing where a factor of it is not known.
    pub energy: Option<SiteEnergy>,
}

/// Sums a site.
pub fn sum(plan: &mut Plan<'_>, id: Id<Site>) {
    let model = Arc::clone(&plan.model);
    let site = &model[id];
    let block = id.block();
    if site.provider != Provider::OnPrem {
        for figure in ["it_power", "power", "heat", "heat_btu", "racks"] {
            plan.figures.unknown(block, figure, "the cloud carries it");
        }
        return;
    }
    rack::fill_rest(plan, id);
    let users = rack::users(plan, &model, id);
    let power_unknown = rack::unknown::power(plan, &model, &users);
    let here = || plan.racks.iter().filter(|row| row.site == id).flat_map(|row| &row.racks);
    let it_power: f64 = here().map(|rack| rack.power).sum::<f64>() + 0.0;
    let heat: f64 = here().map(|rack| rack.heat).sum::<f64>() + 0.0;
    let racks = here().count() as u64;
    // Without a PUE the machines alone are known, which is the least that the building must give.
    let pue = site.pue.given().map_or(1.0, |pue| pue.fraction());
    let facility = power::facility_watts(it_power, pue);
    let owners: BTreeSet<BlockId> = here().flat_map(|rack| &rack.devices).map(|device| device.of).collect();
    let because = |figure: Figure| owners.iter().fold(figure, |figure, owner| figure.because(Reason::Block(*owner)));
    let row = SitePlan { id, it_power, power: facility, heat, racks, power_unknown, energy: None };
    let (lack, building) = (lack(plan, &model, &row), building_lack(plan, &model, &row));
    let it = Figure::exact(it_power, "kW", "maximum electrical power of the devices").basis(Basis::Vendor);
    let total = Figure::exact(facility, "kW", "IT power × PUE").of(block, "it_power").of(block, "pue");
    let formula = "the larger of power and the vendor's heat figure";
    let warm = Figure::exact(heat, "kW", formula).basis(Basis::Vendor);
    let btu = Figure::exact(heat, "BTU/h", "heat in BTU an hour").basis(Basis::Vendor).of(block, "heat");
    let count = Figure::exact(racks as f64, "", "racks of all sorts");
    let sizes = rack::unknown::size(plan, &model, &users);
    let figures = &mut plan.figures;
    lack.put(figures, block, "it_power", because(it));
    building.put(figures, block, "power", total);
    lack.put(figures, block, "heat", because(warm));
    lack.put(figures, block, "heat_btu", btu);
    sizes.put(figures, block, "racks", because(count));
    plan.sites.insert(id, row);
}

/// What sums over the machines of a site lack.
pub fn lack(plan: &Plan<'_>, model: &Model<'_>, row: &SitePlan) -> Lack {
    let lack = Lack::of(model, "power", row.power_unknown.iter().copied());
    let crowded = plan.racks.iter().filter(|rack| rack.site == row.id && !rack.misfits.is_empty());
    crowded.fold(lack, |lack, rack| lack.and(format!("what finds no place in `{}` is not in it", rack.name)))
}

/// What the power of a site lacks: that of machines, and the share of cooling.
pub fn building_lack(plan: &Plan<'_>, model: &Model<'_>, row: &SitePlan) -> Lack {
    let lack = lack(plan, model, row);
    match load::setting(model, row.id, "pue", &model[row.id].pue) {
        Ok(_) => lack,
        Err(why) => lack.and(&*why),
    }
}
