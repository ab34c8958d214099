//! What is in one of a line at no further price: the parts of a server, the power distribution of a rack.

use std::sync::Arc;

use crate::base::quantity::with_unit;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Rack, Server};
use crate::model::value::Value;

use super::line::{Category, provenance, text};

/// A part that comes with what it is in.
#[derive(Debug, Clone, PartialEq)]
pub struct Included {
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
    /// How many are in one.
    pub count: u64,
    /// Where its facts are from.
    pub source: String,
    /// True when a fact of it was written from memory.
    pub from_memory: bool,
}

/// The parts of a server, as far as they are known; other products have none.
pub(super) fn of(model: &Model<'_>, product: BlockId) -> Vec<Included> {
    let Some(server) = model.typed::<Server>(product) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut add = |category, count: u64, block| parts.push(part(model, category, count, block));
    server.gpus.iter().for_each(|part| add(Category::Gpu, part.count, part.item.block()));
    server.cpus.iter().for_each(|part| add(Category::Cpu, part.count, part.item.block()));
    server.disks.iter().for_each(|part| add(Category::Disk, part.count, part.item.block()));
    server.nics.iter().for_each(|part| add(Category::Nic, part.count, part.item.block()));
    let shown = |name: &str| match model.value(product, name) {
        Value::Quantity(quantity) => Some(quantity.to_string()),
        _ => None,
    };
    if let Some(memory) = shown("memory") {
        parts.push(described(model, product, Category::Memory, 1, format!("Main memory, {memory}")));
    }
    if let Some(count) = server.psus {
        let power = shown("psu_power").map_or(String::new(), |power| format!(", {power}"));
        parts.push(described(model, product, Category::Psu, count, format!("Power supply{power}")));
    }
    parts.retain(|part| part.count > 0);
    parts
}

/// One power distribution unit for each feed of a rack, when its feeds are known.
pub(super) fn of_rack(model: &Model<'_>, id: Id<Rack>) -> Vec<Included> {
    let rack = &model[id];
    let limit = rack.power_limit.given().map(|limit| with_unit(&format!("{}", limit.watts() / 1_000.0), "kW"));
    let limit = limit.map_or(String::new(), |limit| format!(", for {limit} a rack"));
    let feeds = Some(rack.feeds).filter(|feeds| *feeds > 0);
    let unit = |feeds| Included {
        category: Category::Pdu,
        product: None,
        manufacturer: None,
        part_number: None,
        description: format!("Power distribution unit, one for each feed{limit}"),
        count: feeds,
        source: String::from("feeds of the rack"),
        from_memory: false,
    };
    feeds.map(unit).into_iter().collect()
}

fn part(model: &Model<'_>, category: Category, count: u64, block: BlockId) -> Included {
    let (source, from_memory) = provenance(model, block);
    Included {
        category,
        product: Some(block),
        manufacturer: text(model, block, "vendor"),
        part_number: text(model, block, "part_number"),
        description: text(model, block, "product").map_or_else(|| model.address(block), |name| name.to_string()),
        count,
        source,
        from_memory,
    }
}

/// A part that is no block of its own.
fn described(model: &Model<'_>, of: BlockId, category: Category, count: u64, description: String) -> Included {
    let (source, from_memory) = provenance(model, of);
    Included { category, product: None, manufacturer: None, part_number: None, description, count, source, from_memory }
}
