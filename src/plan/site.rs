//! Sites: power, heat and racks of a room.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Site;
use crate::model::words::{Provider, StorageKind};

use super::figure::{Basis, Figure, Reason};
use super::formula::power;
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
    /// Heat at most.
    pub heat: f64,
    /// Racks.
    pub racks: u64,
    /// Products whose power is not known, and storages of which no product is chosen.
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
    let here = || plan.racks.iter().filter(|row| row.site == id).flat_map(|row| &row.racks);
    let it_power: f64 = here().map(|rack| rack.power).sum();
    let heat: f64 = here().map(|rack| rack.heat).sum();
    let racks = here().count() as u64;
    let devices = here().flat_map(|rack| &rack.devices);
    let machines = devices.filter(|device| device.power.is_none()).map(|device| device.product);
    let unknown: BTreeSet<BlockId> = machines.chain(unchosen(plan, &model, id)).collect();
    // Without a PUE the machines alone are known, which is the least that the building must give.
    let pue = site.pue.given().map_or(1.0, |pue| pue.fraction());
    let facility = power::facility_watts(it_power, pue);
    let owners: BTreeSet<BlockId> = here().flat_map(|rack| &rack.devices).map(|device| device.of).collect();
    let of_owners = |figure: Figure| owners.iter().fold(figure, |figure, owner| figure.because(Reason::Block(*owner)));
    let because = |figure: Figure| {
        let figure = of_owners(figure);
        unknown.iter().fold(figure, |figure, product| {
            figure.note(format!("the power of `{}` is not known and not in it", model.address(*product)))
        })
    };
    let it = because(Figure::exact(it_power, "kW", "maximum electrical power of the devices").basis(Basis::Vendor));
    let total = load::setting(&model, id, "pue", &site.pue)
        .map(|_| Figure::exact(facility, "kW", "IT power × PUE").of(block, "it_power").of(block, "pue"));
    let warm =
        because(Figure::exact(heat, "kW", "the larger of power and the vendor's heat figure").basis(Basis::Vendor));
    let btu = Figure::exact(heat, "BTU/h", "heat in BTU an hour").basis(Basis::Vendor).of(block, "heat");
    let count = of_owners(Figure::exact(racks as f64, "", "racks of all sorts"));
    plan.figures.put(block, "it_power", it);
    load::put_known(&mut plan.figures, block, "power", total);
    plan.figures.put(block, "heat", warm);
    plan.figures.put(block, "heat_btu", btu);
    plan.figures.put(block, "racks", count);
    let power_unknown = unknown.into_iter().collect();
    let row = SitePlan { id, it_power, power: facility, heat, racks, power_unknown, energy: None };
    plan.sites.insert(id, row);
}

/// Storages of a site that will draw power, of which nobody has said yet what they are. Disks in the nodes draw theirs there.
fn unchosen(plan: &Plan<'_>, model: &Model<'_>, site: Id<Site>) -> Vec<BlockId> {
    let here = plan.storages.keys().map(|id| &model[*id]).filter(|storage| storage.site == site);
    let open = here.filter(|storage| storage.product.is_none() && storage.kind != StorageKind::LocalNvme);
    open.map(|storage| storage.id.block()).collect()
}
