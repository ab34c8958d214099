//! A line: what is bought, rented or paid for, and what is known of it.

use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::catalog::Confidence;
use crate::model::Model;
use crate::model::decode::Country;
use crate::model::ids::BlockId;
use crate::model::kinds::{Kind, Pool, Server};
use crate::model::value::Value;

use crate::plan::formula::round;

use super::part::Included;
use super::price::{Offer, Priced};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// A server.
    Server,
    /// A GPU in a server.
    Gpu,
    /// A CPU in a server.
    Cpu,
    /// Main memory of a server.
    Memory,
    /// A disk in a server.
    Disk,
    /// A network card in a server.
    Nic,
    /// A power supply in a server.
    Psu,
    /// A network switch.
    Switch,
    /// A cable with fixed ends, or of copper pairs.
    Cable,
    /// A transceiver.
    Optic,
    /// A fibre cable.
    Fibre,
    /// A storage system, or a requirement for one.
    Storage,
    /// A rack.
    Rack,
    /// Power distribution in a rack.
    Pdu,
    /// A cloud instance.
    Instance,
    /// Support of something bought.
    Support,
    /// A software licence.
    License,
    /// Work that is bought.
    Service,
    /// Parts beside those in use.
    Spare,
    /// What may be bought later.
    Option,
    /// Electrical energy.
    Energy,
}

impl Category {
    /// Every category that has lines of its own, in the order of the bill.
    pub const OF_LINES: &'static [Category] = &[
        Category::Server,
        Category::Switch,
        Category::Storage,
        Category::Rack,
        Category::Instance,
        Category::Support,
        Category::Energy,
        Category::Cable,
        Category::Optic,
        Category::Fibre,
        Category::License,
        Category::Service,
        Category::Spare,
        Category::Option,
    ];

    /// The word in the bill.
    pub fn word(self) -> &'static str {
        match self {
            Category::Server => "server",
            Category::Gpu => "gpu",
            Category::Cpu => "cpu",
            Category::Memory => "memory",
            Category::Disk => "disk",
            Category::Nic => "nic",
            Category::Psu => "psu",
            Category::Switch => "switch",
            Category::Cable => "cable",
            Category::Optic => "optic",
            Category::Fibre => "fibre",
            Category::Storage => "storage",
            Category::Rack => "rack",
            Category::Pdu => "pdu",
            Category::Instance => "instance",
            Category::Support => "support",
            Category::License => "license",
            Category::Service => "service",
            Category::Spare => "spare",
            Category::Option => "option",
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
    /// Once, when an option is drawn; in no sum.
    IfDrawn,
}

impl Paid {
    /// The word in the bill.
    pub fn word(self) -> &'static str {
        match self {
            Paid::Once => "once",
            Paid::Yearly => "yearly",
            Paid::IfDrawn => "if drawn",
        }
    }
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
    /// The seller's number.
    pub sku: Option<Arc<str>>,
    /// What tells it from other lines of its block and product: the length of a cable.
    pub sort: String,
    /// What a buyer reads.
    pub description: String,
    /// How many: the least and the most.
    pub quantity: (u64, u64),
    /// How many are expected: the most of what is bought or held ready, the mean of energy.
    pub expected: u64,
    /// Why so many, in words.
    pub derivation: String,
    /// In what: `ea`, `h`, `kWh`.
    pub unit: &'static str,
    /// How often the price is paid.
    pub paid: Paid,
    /// Price of one, discount taken off.
    pub each: Priced,
    /// Price of one in the money of who asks it, before the discount.
    pub list: Option<Money>,
    /// Share taken off.
    pub discount: Option<Number>,
    /// For support: the share of the price of what is supported.
    pub share: Option<Number>,
    /// The quote that the price is from.
    pub quote: Option<BlockId>,
    /// Where a list price is from.
    pub price_source: Option<String>,
    /// The day of the price.
    pub price_date: Option<Date>,
    /// Weeks until it is there.
    pub lead_weeks: Option<f64>,
    /// The day that it must be there.
    pub needed_by: Option<Date>,
    /// Years that it is repaired for nothing.
    pub warranty_years: Option<f64>,
    /// What may be delivered instead.
    pub alternates: Vec<BlockId>,
    /// Where it is made.
    pub origin: Option<Country>,
    /// Its heading in the customs tariff.
    pub hs_code: Option<Arc<str>>,
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
    /// What is in one, at no further price.
    pub parts: Vec<Included>,
}

impl Line {
    /// True for what is bought and delivered: a date of need and a lead time mean something.
    pub fn is_delivered(&self) -> bool {
        self.paid == Paid::Once
    }
}

/// A line with what is known of its product.
pub(super) fn line(
    model: &Model<'_>,
    of: BlockId,
    category: Category,
    product: Option<BlockId>,
    quantity: (u64, u64),
    offer: Offer,
) -> Line {
    let text = |name: &str| product.and_then(|product| text(model, product, name));
    let (source, from_memory) = product.map_or((String::new(), false), |product| provenance(model, product));
    let (power, weight, height) = product.map_or((None, None, None), |product| physical(model, product));
    Line {
        of,
        category,
        product,
        manufacturer: text("vendor").or_else(|| text("provider")),
        part_number: text("part_number").or_else(|| text("type")),
        sku: offer.sku,
        sort: String::new(),
        description: description(model, of, product, text("product").or_else(|| text("type"))),
        quantity,
        expected: quantity.1,
        derivation: String::new(),
        unit: "ea",
        paid: Paid::Once,
        each: offer.each,
        list: offer.list,
        discount: offer.discount,
        share: None,
        quote: offer.quote,
        price_source: offer.source,
        price_date: offer.date,
        lead_weeks: offer.lead_weeks,
        needed_by: needed_by(model, of),
        warranty_years: offer.warranty_years,
        alternates: offer.alternates,
        origin: offer.origin,
        hs_code: offer.hs_code,
        power,
        weight,
        height,
        source,
        from_memory,
        parts: Vec::new(),
    }
}

/// A text of a product.
pub(super) fn text(model: &Model<'_>, product: BlockId, name: &str) -> Option<Arc<str>> {
    match model.value(product, name) {
        Value::Text(text) | Value::Word(text) => Some(text),
        _ => None,
    }
}

/// The day of a pool, else of the platform.
fn needed_by(model: &Model<'_>, of: BlockId) -> Option<Date> {
    let own = model.typed::<Pool>(of).and_then(|pool| pool.needed_by);
    own.or_else(|| model.platform().and_then(|platform| platform.needed_by))
}

/// The product's name; for one that the package describes itself, its parts.
fn description(model: &Model<'_>, of: BlockId, product: Option<BlockId>, name: Option<Arc<str>>) -> String {
    let Some(product) = product else { return model.address(of) };
    match name {
        Some(name) => name.to_string(),
        None => model.typed::<Server>(product).map_or_else(|| model.address(product), |server| parts(model, server)),
    }
}

/// `Server box: 2 × NVIDIA L40S, 2 × AMD EPYC 9354, 512 GiB memory`; the name alone where no part is known.
fn parts(model: &Model<'_>, server: &Server) -> String {
    let mut parts = Vec::new();
    let mut add = |count: u64, block: BlockId| {
        let name = match model.value(block, "product") {
            Value::Text(name) => name.to_string(),
            _ => model.address(block),
        };
        parts.push(format!("{count} × {name}"));
    };
    server.gpus.iter().for_each(|part| add(part.count, part.item.block()));
    server.cpus.iter().for_each(|part| add(part.count, part.item.block()));
    server.disks.iter().for_each(|part| add(part.count, part.item.block()));
    server.nics.iter().for_each(|part| add(part.count, part.item.block()));
    if let Value::Quantity(memory) = model.value(server.id.block(), "memory") {
        parts.push(format!("{memory} memory"));
    }
    let name = model.name(server.id);
    if parts.is_empty() { format!("Server {name}") } else { format!("Server {name}: {}", parts.join(", ")) }
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
        Kind::Optic => (number("power"), None, None),
        _ => (None, None, None),
    }
}

/// Where the facts of a product are from, each source once, and whether one is from memory.
pub(super) fn provenance(model: &Model<'_>, product: BlockId) -> (String, bool) {
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
