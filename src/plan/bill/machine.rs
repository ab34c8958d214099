//! Lines of machines, storage, racks and energy.

use std::sync::Arc;

use crate::base::number::Number;
use crate::base::phrase;
use crate::base::quantity::Money;
use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Instance;
use crate::model::value::Value;
use crate::model::words::{Provider, StorageKind};

use crate::plan::formula::fabric::FabricCount;
use crate::plan::formula::round;
use crate::plan::{Plan, PoolPlan, StoragePlan};

use super::HOURS_PER_YEAR;
use super::line::{Category, Line, Paid, line};
use super::part;
use super::price::{self, Market, Offer, Priced, Term, known};

const JOULES_PER_KWH: u64 = 3_600_000;

/// Every line of machines, and energy.
pub(super) fn all(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    pools(plan, model, market, lines);
    fabrics(plan, model, market, lines);
    storages(plan, model, market, lines);
    racks(plan, model, market, lines);
    energy(plan, model, market, lines);
}

fn pools(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.pools.values() {
        let Some(product) = row.node.product else { continue };
        let block = row.id.block();
        if row.node.rented {
            let pool = &model[row.id];
            let quoted = market.offer(product, Term::Hour);
            let listed =
                model.typed::<Instance>(product).and_then(|instance| market.list_price(instance, &model[pool.site]));
            let offer = if quoted.quote.is_none() { listed.unwrap_or(quoted) } else { quoted };
            let hours = |nodes: u64| nodes.saturating_mul(HOURS_PER_YEAR);
            let quantity = (hours(row.nodes.low), hours(row.nodes.high));
            lines.push(Line {
                unit: "h",
                paid: Paid::Yearly,
                derivation: format!("{} for every hour of a year", nodes_of(row)),
                ..line(model, block, Category::Instance, Some(product), quantity, offer)
            });
        } else {
            let why = nodes_of(row);
            bought(
                model,
                market,
                Want { of: block, category: Category::Server, product, count: row.nodes.high, why },
                lines,
            );
        }
    }
}

/// `2 to 3 nodes`, and how many of them are spare.
fn nodes_of(row: &PoolPlan) -> String {
    let nodes = phrase::count(row.nodes.high, "node");
    let range = if row.nodes.low < row.nodes.high { format!("{} to {nodes}", row.nodes.low) } else { nodes };
    if row.spare > 0 { format!("{range}, {} of them spare", row.spare) } else { range }
}

/// Something that is to be bought.
struct Want {
    of: BlockId,
    category: Category,
    product: BlockId,
    count: u64,
    why: String,
}

/// A line for something bought, and one for its support when the price says what that costs.
fn bought(model: &Model<'_>, market: &Market<'_>, want: Want, lines: &mut Vec<Line>) {
    let Want { of, category, product, count, why } = want;
    if count == 0 {
        return;
    }
    let offer = market.offer(product, Term::Purchase);
    let support = supported(&offer);
    let bought = line(model, of, category, Some(product), (count, count), offer);
    lines.push(Line { derivation: why, parts: part::of(model, product), ..bought });
    if let Some((share, offer)) = support {
        let support = line(model, of, Category::Support, Some(product), (count, count), offer);
        let description = format!("Support of {}, a year", support.description);
        lines.push(Line {
            description,
            derivation: String::from("one for each that is bought"),
            paid: Paid::Yearly,
            share: Some(share),
            needed_by: None,
            power: None,
            weight: None,
            height: None,
            part_number: None,
            ..support
        });
    }
}

/// What a year of support costs: its share of the price, discount taken off.
fn supported(offer: &Offer) -> Option<(Number, Offer)> {
    let (share, price) = offer.support.zip(known(&offer.each))?;
    let part = |money: Money| Some(Money { amount: money.amount.times(share)?, ..money });
    let net = offer.list.map(|list| price::discounted(list, offer.discount));
    let (quote, source, date) = (offer.quote, offer.source.clone(), offer.date);
    let each = part(price).map_or(Priced::Unknown, Priced::Known);
    Some((share, Offer { each, list: net.and_then(part), quote, source, date, ..Offer::none() }))
}

fn fabrics(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.fabrics.values() {
        let Some(count) = &row.count else { continue };
        let tiers = [(count.leaves, "leaf"), (count.spines, "spine"), (count.cores, "core")];
        let tiers: Vec<String> =
            tiers.into_iter().filter(|(count, _)| *count > 0).map(|(count, tier)| format!("{count} {tier}")).collect();
        let (of, product) = (row.id.block(), model[row.id].switch.block());
        let want = Want {
            of,
            category: Category::Switch,
            product,
            count: FabricCount::switches(count),
            why: tiers.join(" + "),
        };
        bought(model, market, want, lines);
    }
}

fn storages(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.storages.values() {
        let storage = &model[row.id];
        let block = row.id.block();
        match (storage.product, row.appliances) {
            (Some(product), Some(count)) => {
                let (product, why) = (product.block(), String::from("capacity and rates over those of one"));
                bought(model, market, Want { of: block, category: Category::Storage, product, count, why }, lines);
            }
            (Some(_), None) => {}
            // Disks in the nodes come with them; everything else is a requirement that somebody must price.
            (None, _) if storage.kind == StorageKind::LocalNvme => {}
            (None, _) => {
                let rented = model[storage.site].provider != Provider::OnPrem;
                let offer = market.offer(block, if rented { Term::Year } else { Term::Purchase });
                let paid = if rented { Paid::Yearly } else { Paid::Once };
                let description = requirement(plan, model, row);
                let basis = line(model, block, Category::Storage, None, (1, 1), offer);
                lines.push(Line { description, paid, source: String::from("requirement of the plan"), ..basis });
            }
        }
    }
}

/// `Storage scratch: lustre, 9.1 TB usable, 20 GB/s read`.
fn requirement(plan: &Plan<'_>, model: &Model<'_>, row: &StoragePlan) -> String {
    let mut text = format!("Storage {}: {}", model.name(row.id), model[row.id].kind);
    for (name, word) in [("capacity", "usable"), ("read", "read"), ("write", "write")] {
        let written = model.value(row.id.block(), name);
        let shown = match (&written, plan.figures.known(row.id.block(), name)) {
            (Value::Quantity(quantity), _) => Some(quantity.to_string()),
            (_, Some(figure)) => Some(figure.show()),
            _ => None,
        };
        if let Some(shown) = shown {
            text.push_str(&format!(", {shown} {word}"));
        }
    }
    text
}

fn racks(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.racks.iter().filter(|row| !row.racks.is_empty()) {
        let of = row.id.map_or(row.site.block(), Id::block);
        let count = row.racks.len() as u64;
        let offer = row.id.map_or_else(Offer::none, |id| market.offer(id.block(), Term::Purchase));
        let basis = line(model, of, Category::Rack, None, (count, count), offer);
        let description = format!("Rack {}, {} U", row.name, row.height);
        let derivation = format!("racks filled by {}", row.filled_by);
        let parts = row.id.map(|id| part::of_rack(model, id)).unwrap_or_default();
        lines.push(Line { description, derivation, parts, source: String::from("rack plan"), ..basis });
    }
}

/// A year of every site at its mean load: from the least to the most.
fn energy(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.sites.values().filter(|row| row.power > 0.0 || !row.power_unknown.is_empty()) {
        let site = &model[row.id];
        let list = site.power_price.given().map(|price| per_kilowatt_hour(price.0));
        let each = match (&site.power_price, list) {
            (_, Some(list)) => market.converted(list),
            (Setting::Tbd(why), None) => Priced::Tbd(Arc::clone(why)),
            (Setting::Given(_) | Setting::Auto | Setting::Absent, None) => Priced::Unknown,
        };
        // A line without an amount has no price either: it stays in sight as one that is missing.
        let (quantity, expected, each, how) = match &row.energy {
            Some(_) if row.power <= 0.0 => {
                ((0, 0), 0, Priced::Unknown, String::from(", whose machines' power is not known"))
            }
            Some(energy) => {
                let kwh = |joules: f64| round::ceil_units(joules / JOULES_PER_KWH as f64);
                let whose = if row.power_unknown.is_empty() { "" } else { " of machines whose power is known" };
                let how = format!("{whose}, a year at mean load with cooling");
                let joules = energy.joules;
                ((kwh(joules.low), kwh(joules.high)), kwh(joules.value), each, how)
            }
            None => ((0, 0), 0, Priced::Unknown, String::from(", whose PUE is not known")),
        };
        let list = list.filter(|_| each != Priced::Unknown);
        let basis =
            line(model, row.id.block(), Category::Energy, None, quantity, Offer { each, list, ..Offer::none() });
        let description = format!("Energy of {}{how}", model.name(row.id));
        let source = String::from("power plan");
        lines.push(Line { expected, description, unit: "kWh", paid: Paid::Yearly, source, ..basis });
    }
}

/// Money of a joule as money of a kWh.
fn per_kilowatt_hour(price: Money) -> Money {
    let amount = price.amount.times(Number::whole(JOULES_PER_KWH)).unwrap_or(price.amount).round(9);
    Money { amount, ..price }
}
