//! A supplier's quote, read from whatever columns it has: they are found by their titles, in any order.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::base::number::Number;
use crate::base::quantity::Currency;

use super::super::failure::Failure;
use super::super::package;
use super::amount::{self, Mark};
use super::delimited::{self, SEPARATORS};
use super::grid::{Cell, Grid};
use super::workbook;

/// The largest file that is read.
const MOST_BYTES: u64 = 32 << 20;

/// The most rows of a sheet.
const MOST_ROWS: usize = 100_000;

/// Titles are looked for in so many rows; letterheads come before them.
const HEAD_ROWS: usize = 60;

/// The first bytes of a workbook, and of one of the time before 2007.
const ZIP: &[u8] = b"PK";
const OLD_WORKBOOK: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0];

/// A number that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// There is none.
    Absent,
    /// It is this.
    Known(Number),
    /// Something stands there that is no number, or two: the text.
    Unclear(String),
}

/// A line of a quote.
#[derive(Debug, Clone)]
pub struct Supplied {
    /// Where it stands: `row 12`, `Sheet1, row 12`.
    pub place: String,
    /// Our id of it.
    pub id: Option<String>,
    /// The number of our line.
    pub line: Option<String>,
    /// The part number.
    pub part_number: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// How many.
    pub quantity: Given,
    /// The price of one.
    pub price: Given,
    /// In this money.
    pub currency: Option<Currency>,
    /// What a year of support costs, as a share.
    pub support: Given,
}

/// A quote as read.
pub struct Quoted {
    /// Its lines, in their order.
    pub lines: Vec<Supplied>,
    /// Rows that say no part, line or quantity: sums and remarks.
    pub skipped: usize,
    /// True when no money is named anywhere.
    pub unnamed_money: bool,
}

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Id,
    Line,
    Offered,
    PartNumber,
    Description,
    Quantity,
    Net,
    Price,
    List,
    ListCurrency,
    Currency,
    Discount,
    Support,
}

/// Titles in letters and digits alone, the surest first for each field.
const TITLES: &[(Field, &[&str])] = &[
    (Field::Id, &["id", "lineid"]),
    (Field::Line, &["line", "lineno", "linenumber", "pos", "position", "itemno", "item", "no"]),
    (Field::Offered, &["offeredpartnumber"]),
    (
        Field::PartNumber,
        &[
            "partnumber",
            "mpn",
            "partno",
            "manufacturerpartnumber",
            "part",
            "productnumber",
            "productcode",
            "articlenumber",
            "article",
            "artikelnummer",
            "artikelnr",
            "artikel",
            "sku",
            "teilenummer",
        ],
    ),
    (Field::Description, &["description", "product", "productdescription", "name", "bezeichnung", "beschreibung"]),
    (Field::Quantity, &["quantity", "qty", "menge", "anzahl", "count", "units"]),
    (Field::Net, &["netpriceofone", "netunitprice", "unitpricenet", "netprice", "unitnetprice", "nettopreis"]),
    (Field::Price, &["unitprice", "priceperunit", "price", "priceeach", "each", "einzelpreis", "stückpreis", "preis"]),
    (Field::List, &["listprice", "unitlistprice", "listenpreis"]),
    (Field::ListCurrency, &["listcurrency", "currencyofit"]),
    (Field::Currency, &["currency", "curr", "währung"]),
    (Field::Discount, &["discount", "rabatt"]),
    (Field::Support, &["supportayear", "support", "annualsupport"]),
];

/// Reads a file.
pub fn read(path: &Path) -> Result<Quoted, Failure> {
    let bytes = bytes(path)?;
    let grids = grids(path, &bytes)?;
    let found = grids.iter().filter_map(|grid| head(grid).map(|head| (grid, head)));
    // Of several sheets with titles the one with the most of them, the first of these.
    let best = found.reduce(|best, next| if next.1.fields.len() > best.1.fields.len() { next } else { best });
    let (grid, head) = best.ok_or_else(|| no_head(path))?;
    Ok(quoted(grid, &head))
}

fn no_head(path: &Path) -> Failure {
    let why = format!("no row among its first {HEAD_ROWS} has the titles of a quote");
    Failure::path("read", path, why).help(
        "a quote has columns such as `part number`, `quantity`, `unit price` and `currency`, in any order; \
         `aipc bom --rfq --format csv` writes one to be filled in",
    )
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error| Failure::path("read", path, error);
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        let why = format!("it is larger than {} MiB", MOST_BYTES >> 20);
        return Err(Failure::path("read", path, why).help("keep the sheet with the quote, without pictures"));
    }
    Ok(bytes)
}

fn grids(path: &Path, bytes: &[u8]) -> Result<Vec<Grid>, Failure> {
    if bytes.starts_with(ZIP) {
        let read = workbook::read(bytes, MOST_ROWS);
        return read.map_err(|why| Failure::path("read", path, why).help("save it as `.xlsx` or as CSV in UTF-8"));
    }
    if bytes.starts_with(OLD_WORKBOOK) {
        let failure = Failure::path("read", path, "it is a workbook of the time before 2007, or one with a password");
        return Err(failure.help("save it as `.xlsx` without a password, or as CSV in UTF-8"));
    }
    if bytes.contains(&0) {
        return Err(Failure::path("read", path, "it is neither text nor a workbook").help("save it as CSV in UTF-8"));
    }
    let text =
        package::utf8(bytes.to_vec()).map_err(|why| Failure::path("read", path, why).help("save it as UTF-8"))?;
    let grid = |separator: &char| {
        let rows = delimited::rows(&text, *separator, MOST_ROWS);
        let cell = |text: String| if text.trim().is_empty() { Cell::Empty } else { Cell::Text(text) };
        let rows = rows.into_iter().map(|row| row.into_iter().map(cell).collect());
        Grid { name: None, first_row: 1, rows: rows.collect() }
    };
    Ok(SEPARATORS.iter().map(grid).collect())
}

/// Which row has the titles, and which column is what.
struct Head {
    row: usize,
    fields: Vec<(Field, usize)>,
}

impl Head {
    fn column(&self, field: Field) -> Option<usize> {
        self.fields.iter().find(|(known, _)| *known == field).map(|(_, column)| *column)
    }
}

/// The row with the most titles, which say at least what is offered and how many or at what price.
fn head(grid: &Grid) -> Option<Head> {
    let heads = grid.rows.iter().take(HEAD_ROWS).enumerate().map(|(row, cells)| Head { row, fields: fields(cells) });
    let complete = heads.filter(|head| {
        let has = |fields: &[Field]| fields.iter().any(|field| head.column(*field).is_some());
        has(&[Field::Id, Field::Line, Field::PartNumber, Field::Description])
            && has(&[Field::Quantity, Field::Net, Field::Price, Field::List])
            && head.fields.len() >= 2
    });
    complete.reduce(|best, next| if next.fields.len() > best.fields.len() { next } else { best })
}

fn fields(cells: &[Cell]) -> Vec<(Field, usize)> {
    let titles: Vec<String> = cells.iter().map(title).collect();
    let column = |names: &[&str]| names.iter().find_map(|name| titles.iter().position(|title| title == name));
    TITLES.iter().filter_map(|(field, names)| Some((*field, column(names)?))).collect()
}

fn title(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) if text.len() <= 100 => text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect(),
        Cell::Text(_) | Cell::Empty | Cell::Number(_) | Cell::Broken(_) => String::new(),
    }
}

fn quoted(grid: &Grid, head: &Head) -> Quoted {
    let mark = mark(grid, head);
    let mut quoted = Quoted { lines: Vec::new(), skipped: 0, unnamed_money: false };
    let body = grid.rows.iter().enumerate().skip(head.row + 1);
    for (index, cells) in body.filter(|(_, cells)| cells.iter().any(|cell| *cell != Cell::Empty)) {
        let number = grid.first_row.saturating_add(index as u64);
        let place = match &grid.name {
            Some(name) => format!("{name}, row {number}"),
            None => format!("row {number}"),
        };
        let line = supplied(place, cells, head, mark);
        let named = line.id.is_some() || line.line.is_some() || line.part_number.is_some();
        if named || (line.description.is_some() && line.quantity != Given::Absent) {
            quoted.lines.push(line);
        } else {
            quoted.skipped += 1;
        }
    }
    let priced = |line: &&Supplied| matches!(line.price, Given::Known(_));
    quoted.unnamed_money = quoted.lines.iter().filter(priced).all(|line| line.currency.is_none())
        && quoted.lines.iter().any(|line| priced(&line));
    quoted
}

/// The mark before fractions, when the numbers of the file agree on one.
fn mark(grid: &Grid, head: &Head) -> Option<Mark> {
    let numbers = [Field::Quantity, Field::Net, Field::Price, Field::List, Field::Discount, Field::Support];
    let columns: Vec<usize> = numbers.iter().filter_map(|field| head.column(*field)).collect();
    let mut found = None;
    for cells in grid.rows.iter().skip(head.row + 1) {
        let texts = columns.iter().filter_map(|column| match cells.get(*column) {
            Some(Cell::Text(text)) => amount::evidence(text),
            _ => None,
        });
        for mark in texts {
            if found.is_some_and(|known| known != mark) {
                return None;
            }
            found = Some(mark);
        }
    }
    found
}

fn supplied(place: String, cells: &[Cell], head: &Head, mark: Option<Mark>) -> Supplied {
    let cell = |field| head.column(field).and_then(|column| cells.get(column));
    let text = |field| cell(field).and_then(shown);
    let number = |field| cell(field).map_or((Given::Absent, None), |cell| given(cell, mark));
    let named = |field| text(field).and_then(|text| Currency::parse(text.trim().to_uppercase().as_str()));
    let (net, price, list) = (number(Field::Net), number(Field::Price), number(Field::List));
    let discount = number(Field::Discount).0;
    // A net price is what it says; other prices have the discount that stands beside them still in them, unless there
    // is a list price too, which then is the one before it.
    let ((price, beside), currency) = if net.0 != Given::Absent {
        (net, named(Field::Currency))
    } else if price.0 != Given::Absent && list.0 != Given::Absent {
        (price, named(Field::Currency))
    } else if price.0 != Given::Absent {
        ((discounted(price.0, &discount), price.1), named(Field::Currency))
    } else {
        let currency = named(Field::ListCurrency).or_else(|| named(Field::Currency));
        ((discounted(list.0, &discount), list.1), currency)
    };
    Supplied {
        place,
        id: text(Field::Id),
        line: text(Field::Line),
        part_number: text(Field::Offered).or_else(|| text(Field::PartNumber)),
        description: text(Field::Description),
        quantity: number(Field::Quantity).0,
        price,
        currency: beside.or(currency),
        support: number(Field::Support).0,
    }
}

/// A price with a discount taken off; a discount of 5 is one of 5 %.
fn discounted(price: Given, discount: &Given) -> Given {
    match (&price, discount) {
        (Given::Known(amount), Given::Known(discount)) => {
            let share = if *discount > Number::ONE { discount.over(Number::whole(100)) } else { Some(*discount) };
            let left = share.and_then(|share| Number::ONE.minus(share)).filter(|left| !left.is_negative());
            let net = left.and_then(|left| amount.times(left));
            net.map_or_else(|| Given::Unclear(format!("{amount} less {discount}")), Given::Known)
        }
        (Given::Known(amount), Given::Unclear(text)) => Given::Unclear(format!("{amount} less {text}")),
        _ => price,
    }
}

fn shown(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text.trim().to_string()).filter(|text| !text.is_empty()),
        Cell::Number(number) => Some(number.to_string()),
        Cell::Empty | Cell::Broken(_) => None,
    }
}

/// Words that stand where a number is still to come.
const NO_NUMBER: &[&str] = &["open", "tbd", "-", "n/a", "na"];

fn given(cell: &Cell, mark: Option<Mark>) -> (Given, Option<Currency>) {
    match cell {
        Cell::Empty => (Given::Absent, None),
        Cell::Number(number) => (Given::Known(*number), None),
        Cell::Broken(what) => (Given::Unclear(what.clone()), None),
        Cell::Text(text) if NO_NUMBER.contains(&text.trim().to_lowercase().as_str()) => (Given::Absent, None),
        Cell::Text(text) => match amount::read(text, mark) {
            Some(amount) => (Given::Known(amount.value), amount.currency),
            None => (Given::Unclear(format!("`{}`", crate::base::phrase::excerpt(text, 40))), None),
        },
    }
}
