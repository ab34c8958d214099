//! Lines of licences and services, and what may be bought later.

use crate::model::Model;
use crate::model::decode::{Any, Counted};
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Kind, Kinded};
use crate::model::words::Per;

use crate::plan::Plan;
use crate::plan::formula::fabric::FabricCount;

use super::line::{Category, Line, Paid, line};
use super::part;
use super::price::{Market, Priced, Term};

/// Every licence, then every service.
pub(super) fn all(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for license in &model.tables.licenses {
        let (of, paid) = (license.id.block(), Paid::Yearly);
        lines.extend(extra(
            plan,
            model,
            market,
            Extra { of, category: Category::License, paid, per: license.per, on: &license.on },
        ));
    }
    for service in &model.tables.services {
        let (of, paid) = (service.id.block(), Paid::Once);
        lines.extend(extra(
            plan,
            model,
            market,
            Extra { of, category: Category::Service, paid, per: service.per, on: &service.on },
        ));
    }
}

/// What may be bought later, at the price that is asked for it today.
pub(super) fn options(model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for option in &model.tables.options {
        let product = option.of.block;
        let offer = market.offer(product, Term::Purchase);
        let count = (option.count, option.count);
        let basis = line(model, option.id.block(), Category::Option, Some(product), count, offer);
        let until = option.until.map_or(String::new(), |until| format!(", to be drawn until {until}"));
        lines.push(Line {
            description: format!("Option: {}{until}", basis.description),
            derivation: option.title.as_deref().unwrap_or("agreed now, bought later").to_string(),
            paid: Paid::IfDrawn,
            needed_by: None,
            parts: part::of(model, product),
            ..basis
        });
    }
}

/// A licence or a service.
struct Extra<'m> {
    of: BlockId,
    category: Category,
    /// How it is paid while nobody asks a price.
    paid: Paid,
    per: Per,
    on: &'m [Any<Counted>],
}

fn extra(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, extra: Extra<'_>) -> Option<Line> {
    let (count, derivation) = counted(plan, model, &extra);
    // What is counted on nothing is nothing; a rule says so.
    if count == Some(0) {
        return None;
    }
    let offer = market.offer(extra.of, Term::PurchaseOrYear);
    let paid = match offer.each {
        Priced::Known(_) | Priced::Foreign(_) if offer.yearly => Paid::Yearly,
        Priced::Known(_) | Priced::Foreign(_) => Paid::Once,
        Priced::Tbd(_) | Priced::Unknown => extra.paid,
    };
    let unit = match (paid, extra.category) {
        (Paid::Yearly, _) => "year",
        (Paid::Once | Paid::IfDrawn, _) => "ea",
    };
    let quantity = count.unwrap_or(0);
    let basis = line(model, extra.of, extra.category, Some(extra.of), (quantity, quantity), offer);
    // Without an amount there is no price either: the line stays in sight as one that is missing.
    let each = if count.is_some() { basis.each } else { Priced::Unknown };
    Some(Line { each, derivation, unit, paid, source: String::from("described in the package"), ..basis })
}

/// How many there are of what is counted, and of what, in words.
fn counted(plan: &Plan<'_>, model: &Model<'_>, extra: &Extra<'_>) -> (Option<u64>, String) {
    if extra.per == Per::Order {
        return (Some(1), String::from("once for all of it"));
    }
    let wanted = |kind: Kind| -> Vec<BlockId> {
        match extra.on {
            [] => model.blocks_of(kind).to_vec(),
            some => some.iter().map(|any| any.block).filter(|block| model.block(*block).kind == kind).collect(),
        }
    };
    let kind = match extra.per {
        Per::Gpu | Per::Node | Per::Core => Kind::Pool,
        Per::Switch => Kind::Fabric,
        Per::Rack => Kind::Rack,
        Per::Order => Kind::Platform,
    };
    let of = |block: BlockId| -> Option<u64> {
        match extra.per {
            Per::Gpu => id(model, block).and_then(|id| plan.pools.get(&id)).map(|row| row.gpus),
            Per::Node => id(model, block).and_then(|id| plan.pools.get(&id)).map(|row| row.nodes.high),
            Per::Core => {
                let row = id(model, block).and_then(|id| plan.pools.get(&id))?;
                row.node.cores.map(|cores| cores.saturating_mul(row.nodes.high))
            }
            Per::Switch => {
                let row = id(model, block).and_then(|id| plan.fabrics.get(&id))?;
                row.count.as_ref().map(FabricCount::switches)
            }
            Per::Rack => {
                let id = model.as_id(block)?;
                plan.racks.iter().find(|row| row.id == Some(id)).map(|row| row.racks.len() as u64)
            }
            Per::Order => Some(1),
        }
    };
    let mut blocks = wanted(kind);
    blocks.sort_unstable();
    blocks.dedup();
    let noun = match extra.per {
        Per::Gpu => "GPU",
        Per::Node => "node",
        Per::Core => "core",
        Per::Switch => "switch",
        Per::Rack => "rack",
        Per::Order => "order",
    };
    let mut sum = Some(0u64);
    let mut names = Vec::new();
    for block in blocks {
        let count = of(block);
        let shown = count.map_or_else(|| String::from("unknown"), |count| count.to_string());
        if count != Some(0) {
            names.push(format!("{shown} of {}", model.address(block)));
        }
        sum = sum.zip(count).map(|(sum, more)| sum.saturating_add(more));
    }
    (sum, format!("one for each {noun}: {}", listed(&names)))
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { String::from("there are none") } else { names.join(", ") }
}

fn id<K: Kinded>(model: &Model<'_>, block: BlockId) -> Option<Id<K>> {
    model.as_id(block)
}
