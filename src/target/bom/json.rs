//! `bom.json`: the lines for programs, every text as the source said it.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::model::value::Value;
use crate::plan::Plan;
use crate::plan::bill::Bill;

use super::columns::{COLUMNS, Cell, Form};
use super::rows::Row;
use super::totals::{self, CategorySum};

/// The version of this form; a reader that knows it can read the file.
const VERSION: u64 = 2;

/// Money is a string, so that no reader turns it into a binary fraction; what is unknown is `null`.
#[derive(Serialize)]
struct Document<'p> {
    version: u64,
    generator: &'static str,
    platform: Platform<'p>,
    currency: &'p str,
    /// To buy what is priced.
    capex: Option<String>,
    /// A year of what is priced.
    opex: Option<Opex>,
    /// Lines without a price in the currency.
    unpriced: usize,
    totals: Vec<Total>,
    lines: Vec<LineJson<'p>>,
    notes: Vec<Note>,
}

/// A sum of a category.
#[derive(Serialize)]
struct Total {
    category: &'static str,
    paid: &'static str,
    lines: usize,
    unpriced: usize,
    /// Nothing when no line has a price.
    least: Option<String>,
    most: Option<String>,
}

impl Total {
    fn of(sum: &CategorySum) -> Total {
        let amount =
            |amount: Option<Number>| amount.filter(|_| sum.unpriced < sum.lines).map(|amount| amount.to_string());
        Total {
            category: sum.category.word(),
            paid: sum.paid.word(),
            lines: sum.lines,
            unpriced: sum.unpriced,
            least: amount(sum.least),
            most: amount(sum.most),
        }
    }
}

#[derive(Serialize)]
struct Platform<'p> {
    name: &'p str,
    title: Option<&'p str>,
    owner: Option<&'p str>,
    stage: String,
    source: &'p str,
    doc: &'p str,
}

#[derive(Serialize)]
struct Opex {
    least: String,
    most: String,
}

/// What somebody wrote about a block.
#[derive(Debug, Clone, Serialize)]
pub struct Note {
    /// Its address.
    pub address: String,
    /// What it is called where people read.
    pub title: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// `##` lines above it.
    pub doc: Option<String>,
}

struct LineJson<'p>(&'p Row<'p>);

impl Serialize for LineJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(COLUMNS.len()))?;
        for column in COLUMNS {
            match (column.cell)(self.0) {
                Cell::Empty => map.serialize_entry(column.key, &None::<()>)?,
                Cell::Text(text) => map.serialize_entry(column.key, &text)?,
                Cell::Number(number) if column.form == Form::Money => {
                    map.serialize_entry(column.key, &number.to_string())?;
                }
                Cell::Number(number) => match number.to_u64() {
                    Some(whole) => map.serialize_entry(column.key, &whole)?,
                    None => map.serialize_entry(column.key, &number.to_f64())?,
                },
            }
        }
        map.end()
    }
}

/// Writes it.
pub fn write(plan: &Plan<'_>, bill: &Bill, rows: &[Row<'_>]) -> String {
    let Some(platform) = plan.model.platform() else { return String::from("{}\n") };
    let amount = |money: Money| money.amount.to_string();
    let document = Document {
        version: VERSION,
        generator: concat!("aipc ", env!("CARGO_PKG_VERSION")),
        platform: Platform {
            name: plan.model.name(platform.id),
            title: platform.title.as_deref(),
            owner: platform.owner.as_deref(),
            stage: platform.stage.to_string(),
            source: &plan.digest,
            doc: &plan.model.doc,
        },
        currency: platform.currency.code(),
        capex: bill.capex.map(amount),
        opex: bill.opex.map(|year| Opex { least: amount(year.least), most: amount(year.most) }),
        unpriced: rows.iter().filter(|row| !row.open.is_empty()).count(),
        totals: totals::of(rows).iter().map(Total::of).collect(),
        lines: rows.iter().map(LineJson).collect(),
        notes: notes(plan),
    };
    // Only a map with keys that are no strings could fail.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// What people wrote about the blocks of the package, by address.
pub fn notes(plan: &Plan<'_>) -> Vec<Note> {
    let model = &plan.model;
    let text = |id, name| match model.value(id, name) {
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    };
    let notes = model.package_blocks().filter_map(|(id, block)| {
        let (title, owner) = (text(id, "title"), text(id, "owner"));
        let doc = Some(block.doc.to_string()).filter(|doc| !doc.is_empty());
        let said = title.is_some() || owner.is_some() || doc.is_some();
        said.then(|| Note { address: model.address(id), title, owner, doc })
    });
    let mut notes: Vec<Note> = notes.collect();
    notes.sort_by(|a, b| a.address.cmp(&b.address));
    notes
}
