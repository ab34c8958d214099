//! BOM: the lines, with live prices. The yellow cells are prices that somebody still has to write.

use crate::base::date::Date;
use crate::plan::bill::Line;
use crate::target::bom::columns::{self, COLUMNS, position};
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{Cell, Form, Outcome, Sheet, at, day};

use super::rates;

/// Its name.
pub const NAME: &str = "BOM";

/// What stands for a price or day that cannot be computed yet; sums pass over it.
pub const OPEN: &str = "open";

/// The last column that is printed: what a buyer signs. The others are there to be looked up.
const LAST_PRINTED: &str = "open";

/// The columns that stay in view.
const KEPT: &str = "line";

/// The sheet; parts of a line fold away below it.
pub fn sheet(rows: &[Row<'_>], rates: usize) -> Sheet {
    let columns: Vec<(&str, f64)> = COLUMNS.iter().map(|column| (column.title, column.width)).collect();
    let cells = Cells { rates, parents: parents(rows) };
    let body = rows.iter().enumerate().map(|(index, row)| cells.of(index, row)).collect();
    let after = |key| u16::try_from(position(key) + 1).unwrap_or(u16::MAX);
    let sheet = Sheet::new(NAME, &columns, body);
    Sheet { kept: after(KEPT), printed: Some(after(LAST_PRINTED)), folds: folds(rows), ..sheet }
}

/// The position of the line that each line belongs to.
fn parents(rows: &[Row<'_>]) -> Vec<usize> {
    let mut last = 0;
    let parent = |(index, row): (usize, &Row<'_>)| {
        if row.parent.is_none() {
            last = index;
        }
        last
    };
    rows.iter().enumerate().map(parent).collect()
}

/// Runs of parts.
fn folds(rows: &[Row<'_>]) -> Vec<(u32, u32)> {
    let mut folds: Vec<(u32, u32)> = Vec::new();
    for (index, _) in (0u32..).zip(rows).filter(|(_, row)| row.part.is_some()) {
        match folds.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            Some(_) | None => folds.push((index, index)),
        }
    }
    folds
}

/// What cells are made with.
struct Cells {
    /// How many rates there are.
    rates: usize,
    parents: Vec<usize>,
}

impl Cells {
    fn of(&self, index: usize, row: &Row<'_>) -> Vec<Cell> {
        let cell = |column: &columns::Column| match (column.key, (column.cell)(row)) {
            ("quantity_least" | "quantity", cell) if row.part.is_some() => {
                self.quantity(index, column.key, plain(column.form, cell))
            }
            ("list_price", cell) => self.list_price(index, row, plain(column.form, cell)),
            ("rate", cell) => self.rate(index, plain(column.form, cell)),
            ("unit_price", cell) => unit_price(index, plain(column.form, cell)),
            ("extended", cell) => extended(index, "quantity", plain(column.form, cell)),
            ("extended_least", cell) => extended(index, "quantity_least", plain(column.form, cell)),
            ("order_by", cell) => order_by(index, row.own(), plain(column.form, cell)),
            (_, cell) => plain(column.form, cell),
        };
        COLUMNS.iter().map(cell).collect()
    }

    /// As many as are in one, for each of those.
    fn quantity(&self, index: usize, key: &str, cell: Cell) -> Cell {
        let of_parent = at(position(key), self.parents.get(index).copied().unwrap_or_default());
        let formula = format!("{}*{of_parent}", at(position("per_parent"), index));
        with(cell, |number, form| Cell::Formula(formula, Outcome::Number(number), form))
    }

    /// The price that was asked; that of support is a share of the net price of what it supports.
    fn list_price(&self, index: usize, row: &Row<'_>, cell: Cell) -> Cell {
        let share = row.own().and_then(|line| line.share).filter(|_| row.parent.is_some());
        match (cell, share) {
            (Cell::Number(number, form), Some(share)) => {
                let parent = self.parents.get(index).copied().unwrap_or_default();
                let (list, discount) = (at(position("list_price"), parent), at(position("discount"), parent));
                let formula = format!("IF(ISNUMBER({list}),{list}*(1-N({discount}))*{share},\"{OPEN}\")");
                Cell::Formula(formula, Outcome::Number(number), form)
            }
            (Cell::Empty, _) => Cell::Wanted(Form::Money),
            (cell, _) => cell,
        }
    }

    fn rate(&self, index: usize, cell: Cell) -> Cell {
        let currency = at(position("list_currency"), index);
        // Also a line without a price has a rate: that of the money that the cell beside it names.
        let list = at(position("list_price"), index);
        let formula = format!("IF(ISNUMBER({list}),{},\"{OPEN}\")", rates::look_up(&currency, self.rates, OPEN));
        computed(formula, cell, Form::Measure)
    }
}

/// The list price without the discount, in the platform's money.
fn unit_price(index: usize, cell: Cell) -> Cell {
    let [list, discount, rate] = ["list_price", "discount", "rate"].map(|key| at(position(key), index));
    let formula = format!("IF(AND(ISNUMBER({list}),ISNUMBER({rate})),{list}*(1-N({discount}))*{rate},\"{OPEN}\")");
    computed(formula, cell, Form::Money)
}

/// Quantity × price, once there is a price.
fn extended(index: usize, quantity: &str, cell: Cell) -> Cell {
    let [price, quantity] = ["unit_price", quantity].map(|key| at(position(key), index));
    computed(format!("IF(ISNUMBER({price}),{quantity}*{price},\"{OPEN}\")"), cell, Form::Money)
}

/// The day of need less the lead time, for lines that are delivered.
fn order_by(index: usize, line: Option<&Line>, cell: Cell) -> Cell {
    if !line.is_some_and(|line| line.is_delivered() && line.needed_by.is_some()) {
        return cell;
    }
    let [needed, lead] = ["needed_by", "lead_weeks"].map(|key| at(position(key), index));
    // A hundredth of a day: lead times are shown rounded.
    let formula = format!("IF(AND(ISNUMBER({needed}),ISNUMBER({lead})),{needed}-ROUNDUP({lead}*7-0.01,0),\"{OPEN}\")");
    computed(formula, cell, Form::Date)
}

/// A formula with the result that the bill has; without one it computes to what stands for it.
fn computed(formula: String, cell: Cell, form: Form) -> Cell {
    match cell {
        Cell::Number(number, _) => Cell::Formula(formula, Outcome::Number(number), form),
        Cell::Empty | Cell::Wanted(_) | Cell::Text(_) | Cell::Formula(..) => {
            Cell::Formula(formula, Outcome::Text(OPEN), form)
        }
    }
}

fn with(cell: Cell, make: impl FnOnce(f64, Form) -> Cell) -> Cell {
    match cell {
        Cell::Number(number, form) => make(number, form),
        other => other,
    }
}

/// A cell without a formula.
fn plain(form: columns::Form, cell: columns::Cell) -> Cell {
    let number = match form {
        columns::Form::Whole => Form::Whole,
        columns::Form::Money => Form::Money,
        columns::Form::Share => Form::Share,
        columns::Form::Text | columns::Form::Measure | columns::Form::Date => Form::Measure,
    };
    match cell {
        columns::Cell::Empty => Cell::Empty,
        columns::Cell::Text(text) if form == columns::Form::Date => {
            Date::parse(&text).map_or(Cell::Text(text), |date| Cell::Number(day(date), Form::Date))
        }
        columns::Cell::Text(text) => Cell::Text(text),
        columns::Cell::Number(value) => Cell::Number(value.to_f64(), number),
    }
}
