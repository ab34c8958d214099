//! The lines: what is bought and rented, and what it is.

use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::catalog::Confidence;
use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Instance, Kind, Server};
use crate::model::value::Value;
use crate::model::words::{Provider, StorageKind};

use crate::plan::formula::fabric::FabricCount;
use crate::plan::formula::round;
use crate::plan::{Plan, StoragePlan};

use super::HOURS_PER_YEAR;
use super::price::{Market, Offer, Priced, known};

const JOULES_PER_KWH: u64 = 3_600_000;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// A server.
    Server,
    /// A network switch.
    Switch,
    /// A storage system, or a requirement for one.
    Storage,
    /// A rack.
    Rack,
    /// A cloud instance.
    Instance,
    /// Support of something bought.
    Support,
    /// Electrical energy.
    Energy,
}

impl Category {
    /// The word in the bill.
    pub fn word(self) -> &'static str {
        match self {
            Category::Server => "server",
            Category::Switch => "switch",
            Category::Storage => "storage",
            Category::Rack => "rack",
            Category::Instance => "instance",
            Category::Support => "support",
            Category::Energy => "energy",
        }
    }
}

/// How often a price is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// Once.
    Once,
    /// Every year.
    Yearly,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The block it comes from: a pool, a fabric, a storage.
    pub of: BlockId,
    /// What it is.
    pub category: Category,
    /// The product, when it is one.
    pub product: Option<BlockId>,
    /// Who makes it.
    pub manufacturer: Option<Arc<str>>,
    /// The maker's part number.
    pub part_number: Option<Arc<str>>,
    /// What a buyer reads.
    pub description: String,
    /// How many: the least and the most.
    pub quantity: (u64, u64),
    /// In what: `ea`, `h`, `kWh`.
    pub unit: &'static str,
    /// How often the price is paid.
    pub paid: Paid,
    /// Price of one.
    pub each: Priced,
    /// The quote that the price is from.
    pub quote: Option<BlockId>,
    /// Where a list price is from.
    pub price_source: Option<String>,
    /// The day of the price.
    pub price_date: Option<Date>,
    /// Weeks until it is there.
    pub lead_weeks: Option<f64>,
    /// Watts of one at most.
    pub power: Option<f64>,
    /// Kilograms of one.
    pub weight: Option<f64>,
    /// Rack units of one.
    pub height: Option<u64>,
    /// Where its facts are from, and how sure they are.
    pub source: String,
    /// True when a fact of it was written from memory.
    pub from_memory: bool,
}

/// Every line of a sized platform.
pub(super) fn all(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    pools(plan, model, market, &mut lines);
    fabrics(plan, model, market, &mut lines);
    storages(plan, model, market, &mut lines);
    racks(plan, model, &mut lines);
    energy(plan, model, market, &mut lines);
    lines
}

fn pools(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.pools.values() {
        let Some(product) = row.node.product else { continue };
        let block = row.id.block();
        if row.node.rented {
            let pool = &model[row.id];
            let quoted = market.offer(product, true);
            let listed =
                model.typed::<Instance>(product).and_then(|instance| market.list_price(instance, &model[pool.site]));
            let offer = if quoted.quote.is_none() { listed.unwrap_or(quoted) } else { quoted };
            let hours = |nodes: u64| nodes.saturating_mul(HOURS_PER_YEAR);
            let quantity = (hours(row.nodes.low), hours(row.nodes.high));
            lines.push(Line {
                unit: "h",
                paid: Paid::Yearly,
                ..line(model, block, Category::Instance, Some(product), quantity, offer)
            });
        } else {
            bought(model, market, block, Category::Server, product, row.nodes.high, lines);
        }
    }
}

/// A line for something bought, and one for its support when the price says what that costs.
fn bought(
    model: &Model<'_>,
    market: &Market<'_>,
    of: BlockId,
    category: Category,
    product: BlockId,
    count: u64,
    lines: &mut Vec<Line>,
) {
    if count == 0 {
        return;
    }
    let offer = market.offer(product, false);
    let support = offer.support.zip(known(&offer.each));
    let quote = (offer.quote, offer.source.clone(), offer.date);
    lines.push(line(model, of, category, Some(product), (count, count), offer));
    if let Some((share, price)) = support {
        let each = price.amount.times(share).map_or(Priced::Unknown, |amount| Priced::Known(Money { amount, ..price }));
        let offer = Offer { each, quote: quote.0, source: quote.1, date: quote.2, ..Offer::none() };
        let support = line(model, of, Category::Support, Some(product), (count, count), offer);
        let description = format!("Support of {}, a year", support.description);
        lines.push(Line {
            description,
            paid: Paid::Yearly,
            power: None,
            weight: None,
            height: None,
            part_number: None,
            ..support
        });
    }
}

fn fabrics(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.fabrics.values() {
        let count = row.count.as_ref().map_or(0, FabricCount::switches);
        bought(model, market, row.id.block(), Category::Switch, model[row.id].switch.block(), count, lines);
    }
}

fn storages(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.storages.values() {
        let storage = &model[row.id];
        let block = row.id.block();
        match (storage.product, row.appliances) {
            (Some(product), Some(count)) => {
                bought(model, market, block, Category::Storage, product.block(), count, lines)
            }
            (Some(_), None) => {}
            // Disks in the nodes come with them; everything else is a requirement that somebody must price.
            (None, _) if storage.kind == StorageKind::LocalNvme => {}
            (None, _) => {
                let rented = model[storage.site].provider != Provider::OnPrem;
                let offer = market.offer(block, rented);
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

fn racks(plan: &Plan<'_>, model: &Model<'_>, lines: &mut Vec<Line>) {
    for row in plan.racks.iter().filter(|row| !row.racks.is_empty()) {
        let of = row.id.map_or(row.site.block(), Id::block);
        let count = row.racks.len() as u64;
        let basis = line(model, of, Category::Rack, None, (count, count), Offer::none());
        let description = format!("Rack {}, {} U", row.name, row.height);
        lines.push(Line { description, source: String::from("rack plan"), ..basis });
    }
}

/// A year of every site at its mean load: from the least to the most.
fn energy(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.sites.values().filter(|row| row.power > 0.0) {
        let site = &model[row.id];
        let each = match &site.power_price {
            Setting::Given(price) => market.converted(per_kilowatt_hour(price.0)),
            Setting::Tbd(why) => Priced::Tbd(Arc::clone(why)),
            Setting::Auto | Setting::Absent => Priced::Unknown,
        };
        let (quantity, each, how) = match &row.energy {
            Some(energy) => {
                let kwh = |joules: f64| round::ceil_units(joules / JOULES_PER_KWH as f64);
                let whose = if energy.missing.is_empty() { "" } else { " of machines whose power is known" };
                let how = format!("{whose}, a year at mean load with cooling");
                ((kwh(energy.joules.low), kwh(energy.joules.high)), each, how)
            }
            // A line without an amount has no price either: it stays in sight as one that is missing.
            None => ((0, 0), Priced::Unknown, String::from(", whose PUE is not known")),
        };
        let basis = line(model, row.id.block(), Category::Energy, None, quantity, Offer { each, ..Offer::none() });
        let description = format!("Energy of {}{how}", model.name(row.id));
        lines.push(Line { description, unit: "kWh", paid: Paid::Yearly, source: String::from("power plan"), ..basis });
    }
}

/// Money of a joule as money of a kWh.
fn per_kilowatt_hour(price: Money) -> Money {
    let amount = price.amount.times(Number::whole(JOULES_PER_KWH)).unwrap_or(price.amount).round(9);
    Money { amount, ..price }
}

/// A line with what is known of its product.
fn line(
    model: &Model<'_>,
    of: BlockId,
    category: Category,
    product: Option<BlockId>,
    quantity: (u64, u64),
    offer: Offer,
) -> Line {
    let text = |name: &str| match product.map(|product| model.value(product, name)) {
        Some(Value::Text(text) | Value::Word(text)) => Some(text),
        _ => None,
    };
    let (source, from_memory) = product.map_or((String::new(), false), |product| provenance(model, product));
    let (power, weight, height) = product.map_or((None, None, None), |product| physical(model, product));
    Line {
        of,
        category,
        product,
        manufacturer: text("vendor").or_else(|| text("provider")),
        part_number: text("part_number").or_else(|| text("type")),
        description: description(model, of, product, text("product").or_else(|| text("type"))),
        quantity,
        unit: "ea",
        paid: Paid::Once,
        each: offer.each,
        quote: offer.quote,
        price_source: offer.source,
        price_date: offer.date,
        lead_weeks: offer.lead_weeks,
        power,
        weight,
        height,
        source,
        from_memory,
    }
}

/// The product's name; for one that the package describes itself, its parts.
fn description(model: &Model<'_>, of: BlockId, product: Option<BlockId>, name: Option<Arc<str>>) -> String {
    let Some(product) = product else { return model.address(of) };
    match name {
        Some(name) => name.to_string(),
        None => model.typed::<Server>(product).map_or_else(|| model.address(product), |server| parts(model, server)),
    }
}

/// `Server box: 2 × NVIDIA L40S, 2 × AMD EPYC 9354, 512 GiB`.
fn parts(model: &Model<'_>, server: &Server) -> String {
    let mut text = format!("Server {}:", model.name(server.id));
    let mut add = |count: u64, block: BlockId| {
        let name = match model.value(block, "product") {
            Value::Text(name) => name.to_string(),
            _ => model.address(block),
        };
        text.push_str(&format!(" {count} × {name},"));
    };
    server.gpus.iter().for_each(|part| add(part.count, part.item.block()));
    server.cpus.iter().for_each(|part| add(part.count, part.item.block()));
    server.disks.iter().for_each(|part| add(part.count, part.item.block()));
    server.nics.iter().for_each(|part| add(part.count, part.item.block()));
    match model.value(server.id.block(), "memory") {
        Value::Quantity(memory) => format!("{text} {memory} memory"),
        _ => text.trim_end_matches(',').to_string(),
    }
}

/// Watts, kilograms and rack units of one.
fn physical(model: &Model<'_>, product: BlockId) -> (Option<f64>, Option<f64>, Option<u64>) {
    let number = |name: &str| match model.value(product, name) {
        Value::Quantity(quantity) => Some(quantity.value.to_f64()),
        _ => None,
    };
    let height = number("height").map(round::ceil_units);
    match model.block(product).kind {
        Kind::Server | Kind::Switch | Kind::Appliance => (number("max_power"), number("weight"), height),
        _ => (None, None, None),
    }
}

/// Where the facts of a product are from, each source once, and whether one is from memory.
fn provenance(model: &Model<'_>, product: BlockId) -> (String, bool) {
    let block = model.block(product);
    let sources =
        block.slots.iter().filter_map(|slot| model.fact_source(product, block.attribute(slot.attribute).name));
    let mut titles: Vec<String> = Vec::new();
    let mut memory = false;
    for source in sources {
        let from_memory = source.confidence == Confidence::Memory;
        memory |= from_memory;
        let title = if from_memory && !source.title.contains("from memory") {
            format!("{} (from memory)", source.title)
        } else {
            source.title.clone()
        };
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    if titles.is_empty() {
        titles.push(String::from("described in the package"));
    }
    (titles.join("; "), memory)
}
