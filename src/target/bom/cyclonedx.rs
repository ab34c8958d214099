//! `bom.cdx.json`: the hardware and the licensed software as CycloneDX 1.6.
//!
//! One component a line with its quantity as a property, what is in one nested in it. Rent, energy, support, work and
//! options are no components: nothing of them stands in a rack. Single machines with their serial numbers are known to
//! those who built them, not to a plan.
//!
//! The serial number of the document is made of the package, so that the same package has the same one; a time stands
//! in it only where the package or the run says which day it is.

use serde::Serialize;

use crate::plan::Plan;
use crate::plan::bill::Category;

use super::rows::Row;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'p> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    bom_format: &'static str,
    spec_version: &'static str,
    serial_number: String,
    version: u64,
    metadata: Metadata<'p>,
    components: Vec<Component<'p>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    tools: Tools,
    component: Platform<'p>,
}

#[derive(Serialize)]
struct Tools {
    components: [Tool; 1],
}

#[derive(Serialize)]
struct Tool {
    r#type: &'static str,
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Platform<'p> {
    r#type: &'static str,
    bom_ref: &'static str,
    name: &'p str,
    version: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'p str>,
}

#[derive(Serialize)]
struct Component<'p> {
    r#type: &'static str,
    #[serde(rename = "bom-ref")]
    reference: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    manufacturer: Option<Party<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supplier: Option<Party<'p>>,
    name: &'p str,
    properties: Vec<Property>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<Component<'p>>,
}

/// A maker or a seller.
#[derive(Serialize)]
struct Party<'p> {
    name: &'p str,
}

#[derive(Serialize)]
struct Property {
    name: &'static str,
    value: String,
}

/// Writes it.
pub fn write(plan: &Plan<'_>, rows: &[Row<'_>]) -> String {
    let Some(platform) = plan.model.platform() else { return String::from("{}\n") };
    let document = Document {
        schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
        bom_format: "CycloneDX",
        spec_version: "1.6",
        serial_number: serial_number(&plan.digest),
        version: 1,
        metadata: Metadata {
            timestamp: plan.as_of.map(|date| format!("{date}T00:00:00Z")),
            tools: Tools {
                components: [Tool { r#type: "application", name: "aipc", version: env!("CARGO_PKG_VERSION") }],
            },
            component: Platform {
                r#type: "platform",
                bom_ref: "platform",
                name: plan.model.name(platform.id),
                version: &plan.digest,
                description: platform.title.as_deref(),
            },
        },
        components: components(rows),
    };
    // Only a map with keys that are no strings could fail.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// Lines with the parts that are in them.
fn components<'p>(rows: &'p [Row<'_>]) -> Vec<Component<'p>> {
    let mut components: Vec<Component<'p>> = Vec::new();
    // The number of the last line that is a component: parts belong to the line before them.
    let mut last: Option<&str> = None;
    for row in rows {
        let Some(sort) = sort(row.category()) else { continue };
        if row.part.is_none() && row.own().is_some_and(|line| line.quantity.1 > 0) {
            components.push(component(row, sort, row.quantity.1));
            last = Some(&row.number);
        } else if row.part.is_some() && last == row.parent.as_deref() {
            let parts = components.last_mut().map(|parent| &mut parent.components);
            parts.into_iter().for_each(|parts| parts.push(component(row, sort, row.per_parent.unwrap_or(1))));
        }
    }
    components
}

/// The type of a category; nothing for what is no component.
fn sort(category: Category) -> Option<&'static str> {
    match category {
        Category::Server
        | Category::Gpu
        | Category::Cpu
        | Category::Memory
        | Category::Disk
        | Category::Nic
        | Category::Psu
        | Category::Switch
        | Category::Cable
        | Category::Optic
        | Category::Fibre
        | Category::Storage
        | Category::Rack
        | Category::Pdu
        | Category::Spare => Some("device"),
        Category::License => Some("application"),
        Category::Instance | Category::Support | Category::Service | Category::Option | Category::Energy => None,
    }
}

fn component<'p>(row: &'p Row<'_>, sort: &'static str, quantity: u64) -> Component<'p> {
    let own = row.own();
    let mut properties = Vec::new();
    let mut add = |name, value: Option<String>| {
        properties.extend(value.map(|value| Property { name, value }));
    };
    add("cdx:device:quantity", Some(quantity.to_string()));
    add("cdx:device:function", Some(row.category().word().to_string()));
    add("cdx:device:location", Some(row.location.clone()).filter(|place| own.is_some() && !place.is_empty()));
    add("cdx:device:sku", own.and_then(|line| line.sku.as_deref()).map(str::to_string));
    add("aipc:mpn", row.part_number().map(str::to_string));
    add("aipc:line", Some(row.number.clone()));
    add("aipc:address", Some(row.address.clone()));
    add("aipc:lead-time-weeks", own.and_then(|line| line.lead_weeks).map(|weeks| format!("{weeks:.1}")));
    add("aipc:country-of-origin", own.and_then(|line| line.origin.as_ref()).map(|origin| origin.code().to_string()));
    add("aipc:hs-code", own.and_then(|line| line.hs_code.as_deref()).map(str::to_string));
    let alternates = own.is_some_and(|line| !line.alternates.is_empty());
    add("aipc:alternates", alternates.then(|| row.alternates.clone()));
    add("aipc:confidence", Some(row.confidence.to_string()));
    Component {
        r#type: sort,
        reference: &row.id,
        manufacturer: row.manufacturer().map(|name| Party { name }),
        supplier: row.quote.map(|quote| Party { name: &quote.vendor }),
        name: row.description(),
        properties,
        components: Vec::new(),
    }
}

/// A UUID of the digest of the package, marked as one that is made of a name (version 5), whatever the hash.
fn serial_number(digest: &str) -> String {
    use sha2::{Digest, Sha256};
    let mut bytes = [0u8; 16];
    let hash = Sha256::digest(format!("aipc bill of materials {digest}").as_bytes());
    bytes.iter_mut().zip(hash.iter()).for_each(|(byte, hashed)| *byte = *hashed);
    bytes[6] = (bytes[6] & 0x0F) | 0x50;
    bytes[8] = (bytes[8] & 0x3F) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let [a, b, c, d, e] = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)].map(|(from, to)| &hex[from..to]);
    format!("urn:uuid:{a}-{b}-{c}-{d}-{e}")
}

#[cfg(test)]
mod tests {
    use super::serial_number;

    #[test]
    fn the_same_package_has_the_same_number() {
        let number = serial_number("00");
        assert_eq!(number, serial_number("00"));
        assert_ne!(number, serial_number("01"));
        assert_eq!((number.len(), number.as_bytes()[23], number.starts_with("urn:uuid:")), (45, b'5', true));
    }
}
