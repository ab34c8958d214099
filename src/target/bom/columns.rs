//! The columns of a line: what each is called, how it looks, and what stands in it. All three files read this table.

use crate::base::number::Number;

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
    /// A share of a hundred.
    Share,
    /// A date, as `2027-03-31`.
    Date,
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
    "category", "Category", 10.0, Text, |row| text(row.category().word());
    "manufacturer", "Manufacturer", 13.0, Text, |row| maybe(row.manufacturer());
    "part_number", "Part number", 18.0, Text, |row| maybe(row.part_number());
    "sku", "Supplier's number", 12.0, Text, |row| maybe(row.own().and_then(|line| line.sku.as_deref()));
    "description", "Description", 44.0, Text, |row| text(row.description());
    "unit", "Unit", 6.0, Text, |row| text(row.unit());
    "per_parent", "In one of those", 9.0, Whole, |row| row.per_parent.map_or(Cell::Empty, whole);
    "quantity", "Quantity", 11.0, Whole, |row| counted(row, row.quantity.1);
    "list_price", "List price", 14.0, Money, |row| row.list().map_or(Cell::Empty, |money| Cell::Number(money.amount));
    "list_currency", "Currency of it", 9.0, Text, |row| text(row.list().map_or(row.currency, |money| money.currency).code());
    "discount", "Discount", 9.0, Share, |row| row.own().and_then(|line| line.discount).map_or(Cell::Empty, Cell::Number);
    "unit_price", "Net price of one", 14.0, Money, |row| row.each().map_or(Cell::Empty, Cell::Number);
    "extended", "Extended price", 16.0, Money, |row| extended(row, row.quantity.1);
    "paid", "Paid", 9.0, Text, |row| text(row.paid());
    "lead_weeks", "Lead time, weeks", 10.0, Measure, |row| measure(row.own().and_then(|line| line.lead_weeks));
    "open", "Open", 22.0, Text, |row| text(&row.open);
    "level", "Level", 6.0, Whole, |row| whole(row.level());
    "parent", "Part of", 9.0, Text, |row| maybe(row.parent.as_deref());
    "quantity_least", "Quantity, least", 11.0, Whole, |row| counted(row, row.quantity.0);
    "rate", "Rate", 9.0, Measure, |row| row.list().and(row.rate).map_or(Cell::Empty, Cell::Number);
    "currency", "Currency", 9.0, Text, |row| text(row.currency.code());
    "extended_least", "Extended price, least", 16.0, Money, |row| extended(row, row.quantity.0);
    "lead_observed", "Lead time as of", 11.0, Date, |row| shown(row.own().filter(|line| line.lead_weeks.is_some()).and_then(|line| line.price_date));
    "needed_by", "Needed by", 11.0, Date, |row| shown(row.own().filter(|line| line.is_delivered()).and_then(|line| line.needed_by));
    "order_by", "Order by", 11.0, Date, |row| shown(row.order_by);
    "alternates", "May be instead", 24.0, Text, |row| text(&row.alternates);
    "warranty_years", "Warranty, years", 9.0, Measure, |row| measure(row.own().and_then(|line| line.warranty_years));
    "power_w", "Power of one, W", 11.0, Measure, |row| measure(row.own().and_then(|line| line.power));
    "heat_btu_h", "Heat of one, BTU/h", 11.0, Measure, |row| measure(row.heat.map(|watts| watts * BTU_PER_WATT_HOUR));
    "weight_kg", "Weight of one, kg", 11.0, Measure, |row| measure(row.own().and_then(|line| line.weight));
    "rack_units", "Rack units of one", 8.0, Whole, |row| row.own().and_then(|line| line.height).map_or(Cell::Empty, whole);
    "location", "Where", 26.0, Text, |row| text(&row.location);
    "origin", "Origin", 8.0, Text, |row| maybe(row.own().and_then(|line| line.origin.as_ref()).map(|origin| origin.code()));
    "hs_code", "Customs tariff", 12.0, Text, |row| maybe(row.own().and_then(|line| line.hs_code.as_deref()));
    "quote_vendor", "Quote of", 16.0, Text, |row| maybe(row.quote.map(|quote| &*quote.vendor));
    "quote_reference", "Quote reference", 16.0, Text, |row| maybe(row.quote.and_then(|quote| quote.reference.as_deref()));
    "quote_date", "Quote date", 11.0, Date, |row| shown(row.quote.and_then(|quote| quote.date));
    "quote_valid_until", "Quote valid until", 11.0, Date, |row| shown(row.quote.and_then(|quote| quote.valid_until));
    "price_source", "Price source", 30.0, Text, |row| price_source(row);
    "price_date", "Price date", 11.0, Date, |row| shown(row.own().and_then(|line| line.price_date));
    "address", "Address", 24.0, Text, |row| text(&row.address);
    "tenant", "Tenant", 14.0, Text, |row| text(row.tenant_name);
    "tenant_owner", "Tenant's owner", 22.0, Text, |row| maybe(row.tenant.and_then(|tenant| tenant.owner.as_deref()));
    "cost_center", "Cost center", 12.0, Text, |row| maybe(row.tenant.and_then(|tenant| tenant.cost_center.as_deref()));
    "derivation", "Why so many", 36.0, Text, |row| derivation(row);
    "source", "Source of the facts", 40.0, Text, |row| text(row.source());
    "confidence", "Confidence", 13.0, Text, |row| text(row.confidence);
    "notes", "Notes", 60.0, Text, |row| text(&row.notes);
    "id", "Id", 12.0, Text, |row| text(&row.id);
}

/// The position of a column.
pub fn position(key: &str) -> usize {
    COLUMNS.iter().position(|column| column.key == key).expect("only columns of the table are asked for")
}

/// Who says what it costs; what is included says in what.
fn price_source(row: &Row<'_>) -> Cell {
    match (&row.part, &row.parent) {
        (Some(_), Some(parent)) => Cell::Text(format!("in the price of {parent}")),
        (Some(_), None) | (None, _) => maybe(row.line.price_source.as_deref()),
    }
}

fn derivation(row: &Row<'_>) -> Cell {
    match (&row.part, &row.parent) {
        (Some(part), Some(parent)) => Cell::Text(format!("{} in each of {parent}", part.count)),
        (Some(_), None) | (None, _) => text(&row.line.derivation),
    }
}

fn whole(number: u64) -> Cell {
    Cell::Number(Number::whole(number))
}

/// An amount that is not known is empty, not 0.
fn counted(row: &Row<'_>, quantity: u64) -> Cell {
    if row.is_counted() { whole(quantity) } else { Cell::Empty }
}

fn extended(row: &Row<'_>, quantity: u64) -> Cell {
    row.extended(quantity).map_or(Cell::Empty, Cell::Number)
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
