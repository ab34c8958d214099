//! The plan as JSON, its schema, and the digest of what was said.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::ser::Formatter;
use sha2::{Digest, Sha256};

use crate::model::Model;
use crate::model::block::{Block, Origin, SetBy};
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::value::Value;

use super::Plan;
use super::bill::{Line, Priced};
use super::figure::{Estimate, Figure, Reason};

/// The version of this form; a reader that knows it can read the plan.
const VERSION: u64 = 1;

/// Digest of what was said: the same for the same package, whatever its files and the order of its blocks.
pub fn digest(model: &Model<'_>) -> String {
    let mut blocks: Vec<(String, BlockId)> = model.package_blocks().map(|(id, _)| (model.address(id), id)).collect();
    blocks.sort();
    let mut hash = Sha256::new();
    for (address, id) in blocks {
        hash.update(address.as_bytes());
        let block = model.block(id);
        hash.update(block.doc.as_bytes());
        for slot in &block.slots {
            let text = slot.value.as_ref().map(|value| model.show(value)).unwrap_or_default();
            let written =
                slot.expr.map(|expr| &model.sources[expr.span]).filter(|_| slot.value.is_none()).unwrap_or("");
            hash.update([0]);
            hash.update(block.attribute(slot.attribute).name.as_bytes());
            hash.update([1]);
            hash.update(text.as_bytes());
            written.split_whitespace().for_each(|word| hash.update(word.as_bytes()));
        }
        hash.update([2]);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The plan as JSON: a line for each attribute and figure, keys in a fixed order, ends with a newline.
pub fn to_string(plan: &Plan<'_>) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Lines::default());
    // Writing to memory does not fail, and every key is a string.
    let written = Document(plan).serialize(&mut serializer);
    debug_assert!(written.is_ok(), "the plan is JSON");
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

/// Breaks lines down to the entries of a block, and keeps what is in them on one line.
#[derive(Default)]
struct Lines {
    depth: usize,
    filled: bool,
}

impl Lines {
    /// Levels that stand on lines of their own: document, blocks, block, attributes.
    const BROKEN: usize = 4;

    fn open<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn next<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        match (self.depth <= Lines::BROKEN, first) {
            (true, true) => self.line(writer, self.depth),
            (true, false) => writer.write_all(b",").and_then(|()| self.line(writer, self.depth)),
            (false, true) => Ok(()),
            (false, false) => writer.write_all(b", "),
        }
    }

    fn close<W: Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.filled && self.depth < Lines::BROKEN {
            self.line(writer, self.depth)?;
        }
        self.filled = true;
        writer.write_all(bracket)
    }

    fn line<W: Write + ?Sized>(&self, writer: &mut W, depth: usize) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Lines {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

struct Document<'p>(&'p Plan<'p>);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let plan = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", &VERSION)?;
        map.serialize_entry("generator", concat!("aipc ", env!("CARGO_PKG_VERSION")))?;
        map.serialize_entry("platform", plan.model.platform().map_or("", |platform| plan.model.name(platform.id)))?;
        map.serialize_entry("source", &plan.digest)?;
        map.serialize_entry("blocks", &Blocks(plan))?;
        map.serialize_entry("racks", &Racks(plan))?;
        map.serialize_entry("bill", &BillJson(plan))?;
        let open: Vec<_> = plan.model.open_points.iter().map(|point| Open { plan, point }).collect();
        map.serialize_entry("open", &open)?;
        map.end()
    }
}

/// Every block that the plan stands on, by address.
struct Blocks<'p>(&'p Plan<'p>);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let model = &self.0.model;
        let mut blocks: Vec<(String, BlockId, &Block<'_>)> =
            model.all_blocks().map(|(id, block)| (model.address(id), id, block)).collect();
        blocks.retain(|(_, id, block)| stands_on(self.0, *id, block));
        blocks.sort_by(|a, b| a.0.cmp(&b.0));
        let mut map = serializer.serialize_map(Some(blocks.len()))?;
        for (address, id, block) in blocks {
            map.serialize_entry(&address, &Body { plan: self.0, id, block })?;
        }
        map.end()
    }
}

/// True unless the catalogue's entry was only looked at when cables were chosen.
fn stands_on(plan: &Plan<'_>, id: BlockId, block: &Block<'_>) -> bool {
    block.kind != Kind::Optic
        || block.origin != Origin::Catalogue
        || !plan.uses.of_block(id).is_empty()
        || plan.cabling.has(id)
}

struct Body<'p> {
    plan: &'p Plan<'p>,
    id: BlockId,
    block: &'p Block<'p>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.block.kind.schema().word)?;
        map.serialize_entry("name", &*self.block.name)?;
        if self.block.origin == Origin::Catalogue {
            map.serialize_entry("catalogue", &true)?;
        }
        if !self.block.doc.is_empty() {
            map.serialize_entry("doc", &*self.block.doc)?;
        }
        map.serialize_entry("attributes", &Attributes(self))?;
        let figures = self.plan.figures.of(self.id);
        map.serialize_entry("figures", &Figures { plan: self.plan, all: figures.collect() })?;
        map.end()
    }
}

/// Attributes as written or by default; expressions are left out.
struct Attributes<'b>(&'b Body<'b>);

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Body { plan, id, block } = *self.0;
        let mut map = serializer.serialize_map(None)?;
        for (position, row) in (0u16..).zip(block.kind.schema().attributes) {
            let value = plan.model.value(id, row.name);
            let source = match block.slot(position).map(|slot| &slot.set_by) {
                None => "default",
                Some(SetBy::Block) => "source",
                Some(SetBy::Environment(_)) => "environment",
                Some(SetBy::CommandLine) => "command line",
                Some(SetBy::Catalogue(_)) => "catalogue",
            };
            if value != Value::Null {
                map.serialize_entry(row.name, &Written { plan, value: &value, source })?;
            }
        }
        map.end()
    }
}

struct Written<'p> {
    plan: &'p Plan<'p>,
    value: &'p Value,
    source: &'static str,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &Json { plan: self.plan, value: self.value })?;
        if let Value::Quantity(quantity) = self.value
            && !quantity.unit.is_empty()
        {
            map.serialize_entry("text", &quantity.to_string())?;
        }
        map.serialize_entry("set_by", self.source)?;
        map.end()
    }
}

/// A value: numbers in base units, references by address, what is open as an object that says so.
struct Json<'p> {
    plan: &'p Plan<'p>,
    value: &'p Value,
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Null | Value::Poison => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Quantity(quantity) => number(quantity.value.to_f64(), serializer),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for value in items {
                    list.serialize_element(&Json { plan: self.plan, value })?;
                }
                list.end()
            }
            Value::Range(ends) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("min", &ends.0.value.to_f64())?;
                map.serialize_entry("max", &ends.1.value.to_f64())?;
                map.end()
            }
            Value::Tbd(why) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("tbd", &**why)?;
                map.end()
            }
            other => serializer.serialize_str(&self.plan.model.show(other)),
        }
    }
}

/// Whole numbers without a point, others without the noise of binary fractions.
fn number<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        serializer.serialize_i64(value as i64)
    } else {
        serializer.serialize_f64(rounded(value))
    }
}

/// Without the noise of binary fractions.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

struct Amount(f64);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        number(self.0, serializer)
    }
}

struct Figures<'p> {
    plan: &'p Plan<'p>,
    all: Vec<(&'static str, &'p Estimate)>,
}

impl Serialize for Figures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.all.len()))?;
        for (name, estimate) in &self.all {
            map.serialize_entry(name, &OneFigure { plan: self.plan, estimate })?;
        }
        map.end()
    }
}

struct OneFigure<'p> {
    plan: &'p Plan<'p>,
    estimate: &'p Estimate,
}

impl Serialize for OneFigure<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.estimate {
            Estimate::Unknown(why) => map.serialize_entry("unknown", &**why)?,
            Estimate::Known(figure) => self.known(figure, &mut map)?,
        }
        map.end()
    }
}

impl OneFigure<'_> {
    fn known<M: SerializeMap>(&self, figure: &Figure, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("value", &Amount(figure.value))?;
        map.serialize_entry("low", &Amount(figure.low))?;
        map.serialize_entry("high", &Amount(figure.high))?;
        map.serialize_entry("text", &figure.show())?;
        map.serialize_entry("basis", figure.basis.word())?;
        map.serialize_entry("formula", figure.formula)?;
        let because: Vec<String> = figure.because.iter().map(|reason| reason_text(self.plan, reason)).collect();
        map.serialize_entry("because", &because)
    }
}

/// A reason in one line.
pub fn reason_text(plan: &Plan<'_>, reason: &Reason) -> String {
    match reason {
        Reason::Of(block, attribute) => format!("{}.{attribute}", plan.model.address(*block)),
        Reason::Block(block) => plan.model.address(*block),
        Reason::Constant(constant) => format!("{} {}: {}", constant.name, constant.value, constant.source),
        Reason::Note(text) => text.to_string(),
    }
}

struct Racks<'p>(&'p Plan<'p>);

impl Serialize for Racks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let racks = || self.0.racks.iter().flat_map(|row| &row.racks);
        let mut list = serializer.serialize_seq(Some(racks().count()))?;
        for rack in racks() {
            let devices: Vec<_> =
                rack.devices.iter().map(|device| (&*device.name, device.position, device.height)).collect();
            list.serialize_element(&RackJson {
                name: &rack.name,
                power: Amount(rack.power),
                heat: Amount(rack.heat),
                used: rack.used,
                weight: Amount(rack.weight),
                devices,
            })?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct RackJson<'p> {
    name: &'p str,
    power: Amount,
    heat: Amount,
    used: u64,
    weight: Amount,
    /// Name, lowest rack unit, rack units.
    devices: Vec<(&'p str, u64, u64)>,
}

struct BillJson<'p>(&'p Plan<'p>);

impl Serialize for BillJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.bill.lines.len()))?;
        for line in &self.0.bill.lines {
            list.serialize_element(&LineJson::of(self.0, line))?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct LineJson<'p> {
    of: String,
    category: &'static str,
    description: &'p str,
    quantity: u64,
    least: u64,
    expected: u64,
    unit: &'static str,
    paid: &'static str,
    each: Option<String>,
    currency: Option<String>,
    open: Option<&'p str>,
    source: &'p str,
}

impl<'p> LineJson<'p> {
    fn of(plan: &Plan<'_>, line: &'p Line) -> LineJson<'p> {
        let (each, currency, open) = match &line.each {
            Priced::Known(money) | Priced::Foreign(money) => {
                (Some(money.amount.to_string()), Some(money.currency.to_string()), None)
            }
            Priced::Tbd(why) => (None, None, Some(&**why)),
            Priced::Unknown => (None, None, Some("no price")),
        };
        LineJson {
            of: plan.model.address(line.of),
            category: line.category.word(),
            description: &line.description,
            quantity: line.quantity.1,
            least: line.quantity.0,
            expected: line.expected,
            unit: line.unit,
            paid: line.paid.word(),
            each,
            currency,
            open,
            source: &line.source,
        }
    }
}

struct Open<'p> {
    plan: &'p Plan<'p>,
    point: &'p crate::model::OpenPoint,
}

impl Serialize for Open<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        let address = format!("{}.{}", self.plan.model.address(self.point.block), self.point.attribute);
        map.serialize_entry("of", &address)?;
        map.serialize_entry("why", &*self.point.why)?;
        map.end()
    }
}

/// The JSON schema of [`to_string`].
pub fn schema() -> String {
    let text = |description: &str| serde_json::json!({ "type": "string", "description": description });
    let amount = |description: &str| serde_json::json!({ "type": "number", "description": description });
    let document = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "aipc plan",
        "description": "A platform with everything sized and every default filled. Numbers are in base units: bytes, seconds, watts, metres, kilograms, rack units, tokens, requests, money.",
        "type": "object",
        "required": ["version", "generator", "platform", "source", "blocks", "racks", "bill", "open"],
        "additionalProperties": false,
        "properties": {
            "version": { "const": VERSION },
            "generator": text("the compiler and its version"),
            "platform": text("name of the platform"),
            "source": text("digest of what was said, whatever its files and the order of its blocks"),
            "blocks": { "type": "object", "description": "by address", "additionalProperties": { "$ref": "#/$defs/block" } },
            "racks": { "type": "array", "items": { "$ref": "#/$defs/rack" } },
            "bill": { "type": "array", "items": { "$ref": "#/$defs/line" } },
            "open": { "type": "array", "items": {
                "type": "object", "required": ["of", "why"], "additionalProperties": false,
                "properties": { "of": text("address of what is left open"), "why": text("what is still missing") }
            } }
        },
        "$defs": {
            "block": {
                "type": "object", "required": ["kind", "name", "attributes", "figures"], "additionalProperties": false,
                "properties": {
                    "kind": text("word of the kind"), "name": text("its name"), "catalogue": { "const": true }, "doc": text("what the source says of it"),
                    "attributes": { "type": "object", "additionalProperties": {
                        "type": "object", "required": ["value", "set_by"], "additionalProperties": false,
                        "properties": {
                            "value": { "description": "numbers in base units; references by address; {min, max} for a range; {tbd} when open" },
                            "text": text("as written"),
                            "set_by": { "enum": ["source", "environment", "command line", "catalogue", "default"] }
                        }
                    } },
                    "figures": { "type": "object", "additionalProperties": { "oneOf": [
                        { "type": "object", "required": ["unknown"], "additionalProperties": false, "properties": { "unknown": text("why it is not known") } },
                        {
                            "type": "object", "required": ["value", "low", "high", "text", "basis", "formula", "because"], "additionalProperties": false,
                            "properties": {
                                "value": amount("in base units"), "low": amount("not below this"), "high": amount("not above this"),
                                "text": text("in a readable unit"),
                                "basis": { "enum": ["given", "measured", "formula", "vendor", "published", "assumed"] },
                                "formula": text("in words"),
                                "because": { "type": "array", "items": { "type": "string" } }
                            }
                        }
                    ] } }
                }
            },
            "rack": {
                "type": "object", "required": ["name", "power", "heat", "used", "weight", "devices"], "additionalProperties": false,
                "properties": {
                    "name": text("name of the rack"), "power": amount("watts at most, of what is known"), "heat": amount("watts"),
                    "used": amount("rack units"), "weight": amount("kilograms, of what is known"),
                    "devices": { "type": "array", "items": { "type": "array", "prefixItems": [
                        text("name"), amount("lowest rack unit"), amount("rack units")
                    ], "minItems": 3, "maxItems": 3 } }
                }
            },
            "line": {
                "type": "object",
                "required": ["of", "category", "description", "quantity", "least", "expected", "unit", "paid", "each", "currency", "open", "source"],
                "additionalProperties": false,
                "properties": {
                    "of": text("address"), "category": text("what it is"), "description": text("what a buyer reads"),
                    "quantity": amount("at most"), "least": amount("at least"), "expected": amount("as expected"),
                    "unit": text("in what"),
                    "paid": { "enum": ["once", "yearly", "if drawn"] },
                    "each": { "type": ["string", "null"], "description": "exact decimal" },
                    "currency": { "type": ["string", "null"] },
                    "open": { "type": ["string", "null"], "description": "why there is no price" },
                    "source": text("where its facts are from")
                }
            }
        }
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
