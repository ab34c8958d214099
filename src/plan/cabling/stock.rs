//! What cables and modules there are: of the package first, then of the catalogue.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::model::Model;
use crate::model::block::Origin;
use crate::model::ids::BlockId;
use crate::model::kinds::{Fabric, Optic};
use crate::model::words::Medium;
use crate::plan::formula::round;

use super::cage::{Cage, form};

/// Media with a plug at each end that no module is needed for, the cheapest first.
const FIXED: [Medium; 4] = [Medium::TwistedPair, Medium::Dac, Medium::Acc, Medium::Aoc];
/// Media of modules and fibres, the cheaper first.
const FIBRE: [Medium; 2] = [Medium::Multimode, Medium::SingleMode];
/// The form of what is no module.
const CABLE: &str = "cable";

/// A cable or module with everything that a match asks for; one with a gap is not in stock.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub block: BlockId,
    pub medium: Medium,
    /// Bytes a second of one of its links.
    pub speed: f64,
    pub links: u64,
    pub lanes: Option<u64>,
    pub tails: u64,
    pub reach: f64,
    /// `MPO-12/APC`, also of a twin-port module.
    pub connector: Arc<str>,
    near: Plug,
    far: Plug,
    own: bool,
    name: Arc<str>,
}

/// What goes into a cage.
#[derive(Debug, Clone)]
struct Plug {
    form: Arc<str>,
    /// Flat or finned; nothing where that is not known.
    flat: Option<bool>,
}

impl Plug {
    fn fits(&self, cage: &Cage) -> bool {
        let heat = &*self.form != "OSFP" || self.flat == Some(cage.flat);
        heat && (self.form == cage.form || older(&self.form, &cage.form))
    }
}

/// True for a plug that a newer cage of the same size takes too.
fn older(plug: &str, cage: &str) -> bool {
    // Cages of 400 Gbps are of two sorts: eight lanes of 50 Gbps or four of 100 Gbps, which do not take each other's.
    const SIZES: [&[&str]; 3] = [
        &["SFP+", "SFP28", "SFP56", "SFP112"],
        &["QSFP+", "QSFP28", "QSFP56", "QSFP112"],
        &["QSFP+", "QSFP28", "QSFP56", "QSFP-DD"],
    ];
    SIZES.iter().any(|size| {
        let place = |form: &str| size.iter().position(|one| *one == form);
        place(plug).zip(place(cage)).is_some_and(|(plug, cage)| plug < cage)
    })
}

/// Everything that can be chosen for a fabric.
pub(super) struct Stock {
    fixed: Vec<Item>,
    modules: Vec<Item>,
    fibres: Vec<Item>,
}

impl Stock {
    /// What speaks the technology of a fabric.
    pub(super) fn of(model: &Model<'_>, fabric: &Fabric) -> Stock {
        let speaks = |optic: &&Optic| optic.technology.is_empty() || optic.technology.contains(&fabric.technology);
        let mut items: Vec<Item> =
            model.tables.optics.iter().filter(speaks).filter_map(|one| item(model, one)).collect();
        items.sort_by(first);
        let is_fibre = |item: &Item| FIBRE.contains(&item.medium);
        let of = |wanted: &dyn Fn(&Item) -> bool| items.iter().filter(|item| wanted(item)).cloned().collect();
        Stock {
            fixed: of(&|item| FIXED.contains(&item.medium)),
            modules: of(&|item| is_fibre(item) && &*item.near.form != CABLE),
            fibres: of(&|item| is_fibre(item) && &*item.near.form == CABLE),
        }
    }

    /// The cable with fixed ends between two cages, for as many links as go straight from one to the other.
    pub(super) fn straight(&self, from: &Cage, to: &Cage, links: u64, speed: f64, length: f64) -> Option<&Item> {
        self.fixed.iter().find(|item| {
            let fits = (item.near.fits(from) && item.far.fits(to)) || (item.near.fits(to) && item.far.fits(from));
            item.tails == 1 && item.links == links && item.carries(speed, length) && fits
        })
    }

    /// The cable with fixed ends from one cage to several, one link each.
    pub(super) fn split(&self, near: &Cage, far: &[&Cage], speed: f64, length: f64) -> Option<&Item> {
        let count = far.len() as u64;
        self.fixed.iter().find(|item| {
            let fits = item.near.fits(near) && far.iter().all(|cage| item.far.fits(cage));
            item.tails == count && item.links == count && item.carries(speed, length) && fits
        })
    }

    /// Modules that fit a cage and speak at a speed, the shortest reach that is enough first.
    pub(super) fn modules<'s>(&'s self, cage: &'s Cage, speed: f64) -> impl Iterator<Item = &'s Item> {
        self.modules.iter().filter(move |item| {
            let ways = item.ways(speed);
            let holds = if cage.links == 1 { item.links == 1 } else { item.links.saturating_mul(ways) == cage.links };
            ways > 0 && holds && item.near.fits(cage)
        })
    }

    /// The fibre between modules of a kind.
    pub(super) fn fibre(&self, module: &Item, tails: u64, length: f64) -> Option<&Item> {
        self.fibres.iter().find(|fibre| {
            let same = fibre.medium == module.medium && fibre.connector == module.connector;
            same && fibre.tails == tails && !round::exceeds(length, fibre.reach)
        })
    }
}

impl Item {
    fn carries(&self, speed: f64, length: f64) -> bool {
        self.speed == speed && !round::exceeds(length, self.reach)
    }

    /// Links of a speed that one fibre of it carries; 0 when it does not.
    pub(super) fn ways(&self, speed: f64) -> u64 {
        [1, 2].into_iter().find(|&ways| self.speed == speed * ways as f64).unwrap_or(0)
    }

    /// True when light of one is understood by the other.
    pub(super) fn speaks_to(&self, other: &Item) -> bool {
        let same = self.medium == other.medium && self.speed == other.speed && self.connector == other.connector;
        // Without the number of lanes only two of one sort are known to agree.
        same && (self.block == other.block || (self.lanes.is_some() && self.lanes == other.lanes))
    }
}

/// The cheaper medium, those of the package before those of the catalogue, the shorter reach, the name.
fn first(a: &Item, b: &Item) -> Ordering {
    let medium = |item: &Item| FIXED.iter().chain(&FIBRE).position(|medium| *medium == item.medium);
    (medium(a).cmp(&medium(b)))
        .then(b.own.cmp(&a.own))
        .then(a.reach.total_cmp(&b.reach))
        .then_with(|| a.name.cmp(&b.name))
}

fn item(model: &Model<'_>, optic: &Optic) -> Option<Item> {
    let block = optic.id.block();
    let near = optic.form_factor.clone()?;
    let flat = |text: &Option<Arc<str>>| match text.as_deref() {
        Some("flat") => Some(true),
        Some("finned") => Some(false),
        _ => None,
    };
    let near = Plug { form: if &*near == CABLE { near } else { form(&near) }, flat: flat(&optic.heat_sink) };
    let far = Plug {
        form: optic.far_form_factor.as_deref().map_or_else(|| Arc::clone(&near.form), form),
        flat: if optic.far_heat_sink.is_some() { flat(&optic.far_heat_sink) } else { near.flat },
    };
    Some(Item {
        block,
        medium: optic.medium?,
        speed: optic.speed.bytes_per_second() / optic.links.max(1) as f64,
        links: optic.links.max(1),
        lanes: optic.lanes,
        tails: optic.tails.max(1),
        reach: optic.reach?.metres(),
        connector: single(optic.connector.as_deref()?),
        near,
        far,
        own: model.block(block).origin == Origin::Package,
        name: Arc::clone(&model.block(block).name),
    })
}

/// `MPO-12/APC` of `2 x MPO-12/APC`.
fn single(connector: &str) -> Arc<str> {
    match connector.split_once(" x ") {
        Some((count, one)) if count.parse::<u64>().is_ok() => Arc::from(one),
        _ => Arc::from(connector),
    }
}
