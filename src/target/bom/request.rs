//! A request for quotes: the lines that suppliers are asked for, without any price, in lots.
//!
//! A lot is what one supplier quoted so far; what nobody quoted is a lot of its own. What is in a line stands below it,
//! so that an equivalent can be judged. Nothing in it says what anybody asked before.

use std::collections::BTreeMap;

use crate::plan::Plan;
use crate::plan::bill::Category;

use super::rows::Row;
use super::workbook::{Cell, Form, Sheet, day};

/// The name of the lot of what nobody quoted.
pub const UNQUOTED: &str = "no supplier yet";

/// The columns that say what is wanted.
pub const ASKED: [&str; 12] = [
    "lot",
    "line",
    "id",
    "category",
    "manufacturer",
    "part number",
    "description",
    "unit",
    "quantity",
    "needed by",
    "deliver to",
    "why so many",
];

/// The columns that a supplier fills in.
pub const ANSWERED: [&str; 11] = [
    "offered part number",
    "unit price",
    "currency",
    "discount",
    "support a year",
    "warranty years",
    "lead time weeks",
    "origin",
    "customs tariff",
    "valid until",
    "remarks",
];

const WIDTHS: [f64; 12] = [20.0, 9.0, 12.0, 10.0, 15.0, 18.0, 52.0, 6.0, 10.0, 11.0, 24.0, 36.0];

/// The position of the quantity.
const QUANTITY: usize = 8;

/// The position of the date of need.
const NEEDED_BY: usize = 9;

/// A line of it.
pub struct Wanted<'r> {
    /// Its lot.
    pub lot: String,
    /// The line of the bill.
    pub row: &'r Row<'r>,
}

/// Everything that is asked for, lot after lot, each in the order of the bill.
pub fn of<'r>(rows: &'r [Row<'r>]) -> Vec<Wanted<'r>> {
    let mut lots: BTreeMap<(bool, &str), Vec<&'r Row<'r>>> = BTreeMap::new();
    // The lot of the last line that is asked for; parts belong to the line before them.
    let mut last: Option<((bool, &str), &str)> = None;
    for row in rows {
        if row.part.is_none() && row.is_asked() {
            let vendor = row.quote.map(|quote| &*quote.vendor);
            let lot = (vendor.is_none(), vendor.unwrap_or(UNQUOTED));
            lots.entry(lot).or_default().push(row);
            last = Some((lot, &row.number));
        } else if let Some((lot, number)) = last
            && row.part.is_some()
            && row.parent.as_deref() == Some(number)
        {
            lots.entry(lot).or_default().push(row);
        }
    }
    let numbered = (1..).zip(lots);
    let wanted = numbered.flat_map(|(number, ((_, name), rows))| {
        rows.into_iter().map(move |row| Wanted { lot: format!("{number}: {name}"), row })
    });
    wanted.collect()
}

impl Wanted<'_> {
    /// What is asked, in the order of [`ASKED`].
    pub fn cells(&self) -> [String; 12] {
        let row = self.row;
        let line = row.own();
        [
            self.lot.clone(),
            row.number.clone(),
            row.id.clone(),
            row.category().word().to_string(),
            row.manufacturer().unwrap_or_default().to_string(),
            row.part_number().unwrap_or_default().to_string(),
            self.description(),
            row.unit().to_string(),
            row.quantity.1.to_string(),
            line.and_then(|line| line.needed_by).map(|date| date.to_string()).unwrap_or_default(),
            row.location.clone(),
            line.map_or_else(
                || format!("in the price of {}", row.parent.as_deref().unwrap_or_default()),
                |line| line.derivation.clone(),
            ),
        ]
    }

    /// What is wanted, or something that does the same; a requirement and work have no other.
    fn description(&self) -> String {
        let row = self.row;
        let made = match row.category() {
            Category::Server
            | Category::Switch
            | Category::Cable
            | Category::Optic
            | Category::Fibre
            | Category::Storage
            | Category::Spare
            | Category::Option => row.product().is_some(),
            Category::Rack => true,
            Category::Gpu
            | Category::Cpu
            | Category::Memory
            | Category::Disk
            | Category::Nic
            | Category::Psu
            | Category::Pdu
            | Category::Instance
            | Category::Support
            | Category::License
            | Category::Service
            | Category::Energy => false,
        };
        format!("{}{}", row.description(), if made { ", or equivalent" } else { "" })
    }
}

/// The sheet that suppliers fill in: the cells to be written have a colour.
pub fn sheet(plan: &Plan<'_>, wanted: &[Wanted<'_>]) -> Sheet {
    let body = wanted.iter().map(|wanted| {
        let texts = wanted.cells().into_iter().enumerate();
        let mut cells: Vec<Cell> = texts
            .map(|(column, text)| match column {
                QUANTITY => Cell::Number(wanted.row.quantity.1 as f64, Form::Whole),
                NEEDED_BY => {
                    let needed = wanted.row.own().and_then(|line| line.needed_by);
                    needed.map_or(Cell::Empty, |date| Cell::Number(day(date), Form::Date))
                }
                _ if text.is_empty() => Cell::Empty,
                _ => Cell::Text(text),
            })
            .collect();
        let blank = |form| if wanted.row.part.is_some() { Cell::Empty } else { Cell::Wanted(form) };
        cells.extend(ANSWERED.iter().map(|column| blank(form(column))));
        cells
    });
    let asked = ASKED.iter().copied().zip(WIDTHS);
    let columns: Vec<(&str, f64)> = asked.chain(ANSWERED.iter().map(|column| (*column, 12.0))).collect();
    let mut rows: Vec<Vec<Cell>> = body.collect();
    if let Some(platform) = plan.model.platform() {
        let title = platform.title.as_deref().unwrap_or(plan.model.name(platform.id));
        let mut foot = vec![Cell::Empty; ASKED.len()];
        foot[6] = Cell::Text(format!("Request for {title}; prices without tax, for one, in any money that is named"));
        rows.push(foot);
    }
    Sheet { kept: 2, ..Sheet::new("Request", &columns, rows) }
}

fn form(column: &str) -> Form {
    match column {
        "unit price" => Form::Money,
        "discount" | "support a year" => Form::Share,
        "valid until" => Form::Date,
        _ => Form::Measure,
    }
}
