//! The columns of a line: what each is called, how it looks, and what stands in it. All three files read this table.

use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::plan::bill::{Paid, Priced};

use super::rows::Row;

/// BTU an hour in a watt.
pub const BTU_PER_WATT_HOUR: f64 = 3.412_142;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing: not known, or there is none.
    Empty,
    /// A text.
    Text(String),
    /// An exact number.
    Number(Number),
}

/// How a column looks in a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A text.
    Text,
    /// A whole number.
    Whole,
    /// Money.
    Money,
    /// A measured number.
    Measure,
}

/// One column.
pub struct Column {
    /// Its name in `bom.csv` and `bom.json`.
    pub key: &'static str,
    /// Its title in the workbook.
    pub title: &'static str,
    /// Its width in the workbook, in characters.
    pub width: f64,
    /// How it looks.
    pub form: Form,
    /// What stands in it.
    pub cell: fn(&Row<'_>) -> Cell,
}

macro_rules! columns {
    ($( $key:literal, $title:literal, $width:literal, $form:ident, $cell:expr; )+) => {
        /// Every column, in order.
        pub const COLUMNS: &[Column] =
            &[ $( Column { key: $key, title: $title, width: $width, form: Form::$form, cell: $cell } ),+ ];
    };
}

columns! {
    "line", "Line", 9.0, Text, |row| text(&row.number);
    "category", "Category", 11.0, Text, |row| text(row.line.category.word());
    "manufacturer", "Manufacturer", 16.0, Text, |row| maybe(row.line.manufacturer.as_deref());
    "part_number", "Part number", 20.0, Text, |row| maybe(row.line.part_number.as_deref());
    "description", "Description", 48.0, Text, |row| text(&row.line.description);
    "unit", "Unit", 6.0, Text, |row| text(row.line.unit);
    "quantity_least", "Quantity, least", 12.0, Whole, |row| whole(row.line.quantity.0);
    "quantity", "Quantity", 12.0, Whole, |row| whole(row.line.quantity.1);
    "unit_price", "Unit price", 14.0, Money, |row| each(row);
    "currency", "Currency", 9.0, Text, |row| text(price(row).map_or(row.currency, |money| money.currency).code());
    "extended_least", "Extended price, least", 16.0, Money, |row| extended(row, row.line.quantity.0);
    "extended", "Extended price", 16.0, Money, |row| extended(row, row.line.quantity.1);
    "paid", "Paid", 8.0, Text, |row| text(paid(row.line.paid));
    "open", "Open", 26.0, Text, |row| text(&row.open);
    "lead_weeks", "Lead time, weeks", 10.0, Measure, |row| measure(row.line.lead_weeks);
    "quote_vendor", "Quote of", 16.0, Text, |row| maybe(row.quote.map(|quote| &*quote.vendor));
    "quote_reference", "Quote reference", 16.0, Text, |row| maybe(row.quote.and_then(|quote| quote.reference.as_deref()));
    "quote_date", "Quote date", 11.0, Text, |row| shown(row.quote.and_then(|quote| quote.date));
    "quote_valid_until", "Quote valid until", 11.0, Text, |row| shown(row.quote.and_then(|quote| quote.valid_until));
    "price_source", "Price source", 30.0, Text, |row| maybe(row.line.price_source.as_deref());
    "price_date", "Price date", 11.0, Text, |row| shown(row.line.price_date);
    "power_w", "Power of one, W", 11.0, Measure, |row| measure(row.line.power);
    "heat_btu_h", "Heat of one, BTU/h", 11.0, Measure, |row| measure(row.heat.map(|watts| watts * BTU_PER_WATT_HOUR));
    "weight_kg", "Weight of one, kg", 11.0, Measure, |row| measure(row.line.weight);
    "rack_units", "Rack units of one", 8.0, Whole, |row| row.line.height.map_or(Cell::Empty, whole);
    "address", "Address", 24.0, Text, |row| text(&row.address);
    "tenant", "Tenant", 14.0, Text, |row| text(row.tenant_name);
    "tenant_owner", "Tenant's owner", 22.0, Text, |row| maybe(row.tenant.and_then(|tenant| tenant.owner.as_deref()));
    "cost_center", "Cost center", 12.0, Text, |row| maybe(row.tenant.and_then(|tenant| tenant.cost_center.as_deref()));
    "source", "Source of the facts", 40.0, Text, |row| text(&row.line.source);
    "confidence", "Confidence", 13.0, Text, |row| text(row.confidence);
    "notes", "Notes", 60.0, Text, |row| text(&row.notes);
}

/// The position of a column.
pub fn position(key: &str) -> usize {
    COLUMNS.iter().position(|column| column.key == key).expect("only columns of the table are asked for")
}

/// The price of one, in whatever money it is.
pub fn price(row: &Row<'_>) -> Option<Money> {
    match row.line.each {
        Priced::Known(money) | Priced::Foreign(money) => Some(money),
        Priced::Tbd(_) | Priced::Unknown => None,
    }
}

/// The word for how often a price is paid.
pub fn paid(paid: Paid) -> &'static str {
    match paid {
        Paid::Once => "once",
        Paid::Yearly => "yearly",
    }
}

fn each(row: &Row<'_>) -> Cell {
    price(row).map_or(Cell::Empty, |money| Cell::Number(money.amount))
}

fn whole(number: u64) -> Cell {
    Cell::Number(Number::whole(number))
}

fn extended(row: &Row<'_>, quantity: u64) -> Cell {
    let amount = price(row).and_then(|money| money.amount.times(Number::whole(quantity)));
    amount.map_or(Cell::Empty, Cell::Number)
}

fn text(text: &str) -> Cell {
    if text.is_empty() { Cell::Empty } else { Cell::Text(text.to_string()) }
}

fn maybe(found: Option<&str>) -> Cell {
    found.map_or(Cell::Empty, text)
}

fn shown(found: Option<impl std::fmt::Display>) -> Cell {
    found.map_or(Cell::Empty, |found| Cell::Text(found.to_string()))
}

fn measure(value: Option<f64>) -> Cell {
    value.and_then(Number::from_f64).map_or(Cell::Empty, |number| Cell::Number(number.round(3)))
}
