//! Lines of cables, fibres and transceivers: the one place that turns the cabling into what is bought.
//!
//! Cables of one product, length and number of tails are one line. Those that no product matches are a line without a
//! price that says why: a link never goes without a cable in the bill.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::phrase;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Fabric, Optic};
use crate::model::words::Medium;

use crate::plan::Plan;
use crate::plan::cabling::Cable;
use crate::plan::formula::fabric::FabricCount;

use super::line::{Category, Line, line};
use super::price::{Market, Offer, Term};

const CENTIMETRES: f64 = 100.0;

/// What cables must have in common to be one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sort {
    fabric: Id<Fabric>,
    product: Option<BlockId>,
    /// Nothing while the places of the ends are not known.
    centimetres: Option<u64>,
    tails: u64,
    /// Why it is not all known.
    open: Option<Arc<str>>,
}

/// Every line, fabric after fabric.
pub(super) fn all(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    let mut cables: BTreeMap<Sort, (u64, u64)> = BTreeMap::new();
    for cable in &plan.cabling.cables {
        let (count, links) = cables.entry(sort(cable)).or_default();
        (*count, *links) = (count.saturating_add(1), links.saturating_add(cable.links()));
    }
    let mut modules: BTreeMap<(Id<Fabric>, BlockId), u64> = BTreeMap::new();
    for module in &plan.cabling.modules {
        let count = modules.entry((module.fabric, module.product)).or_default();
        *count = count.saturating_add(1);
    }
    lines.extend(cables.iter().map(|(sort, (count, links))| cable_line(model, market, sort, *count, *links)));
    lines
        .extend(modules.iter().map(|((fabric, product), count)| module_line(model, market, *fabric, *product, *count)));
    lines.extend(uncabled(plan, model));
}

fn sort(cable: &Cable) -> Sort {
    Sort {
        fabric: cable.fabric,
        product: cable.product,
        centimetres: cable.length.map(|metres| (metres * CENTIMETRES).round() as u64),
        tails: cable.tails,
        open: cable.open.clone(),
    }
}

fn cable_line(model: &Model<'_>, market: &Market<'_>, sort: &Sort, count: u64, links: u64) -> Line {
    let optic = sort.product.and_then(|product| model.typed::<Optic>(product));
    let category = match optic.and_then(|optic| optic.medium) {
        Some(Medium::Fibre | Medium::Multimode | Medium::SingleMode) => Category::Fibre,
        Some(Medium::Dac | Medium::Acc | Medium::Aoc | Medium::TwistedPair) | None => Category::Cable,
    };
    let offer = sort.product.map_or_else(Offer::none, |product| market.offer(product, Term::Purchase));
    let basis = line(model, sort.fabric.block(), category, sort.product, (count, count), offer);
    let name = match sort.product {
        Some(_) => basis.description.clone(),
        None => format!("Cable of {}, product not known", model.name(sort.fabric)),
    };
    let length = sort
        .centimetres
        .map_or(String::from(", length not known"), |centimetres| format!(", {} m", centimetres as f64 / CENTIMETRES));
    let split = sort.tails > optic.map_or(1, |optic| optic.tails);
    let tails = if split { format!(", 1 to {} tails", sort.tails) } else { String::new() };
    let open = sort.open.as_ref().map_or(String::new(), |open| format!(": {open}"));
    Line {
        sort: format!("{:08} cm, {} tails", sort.centimetres.unwrap_or_default(), sort.tails),
        description: format!("{name}{length}{tails}{open}"),
        derivation: format!("{} of the port map", phrase::count(links, "link")),
        source: if basis.source.is_empty() { String::from("port map") } else { basis.source },
        ..basis
    }
}

fn module_line(model: &Model<'_>, market: &Market<'_>, fabric: Id<Fabric>, product: BlockId, count: u64) -> Line {
    let offer = market.offer(product, Term::Purchase);
    let basis = line(model, fabric.block(), Category::Optic, Some(product), (count, count), offer);
    Line { derivation: String::from("one for each cage that a fibre or copper pair reaches"), ..basis }
}

/// Fabrics with links that nobody could cable one by one.
fn uncabled<'p>(plan: &'p Plan<'_>, model: &'p Model<'_>) -> impl Iterator<Item = Line> + 'p {
    let links = |count: &FabricCount| {
        [count.node_links, count.leaf_spine_links, count.spine_core_links].into_iter().fold(0, u64::saturating_add)
    };
    plan.fabrics.values().filter_map(move |row| {
        let links = row.count.as_ref().map(links).filter(|links| *links > 0)?;
        if plan.cabling.cables.iter().any(|cable| cable.fabric == row.id) {
            return None;
        }
        let basis = line(model, row.id.block(), Category::Cable, None, (links, links), Offer::none());
        Some(Line {
            description: format!("Cables of {}, not planned one by one", model.name(row.id)),
            derivation: format!("{} of the fabric", phrase::count(links, "link")),
            source: String::from("port map"),
            ..basis
        })
    })
}
