//! Comparison: what every quote asks for every line. None of them is chosen here: the column that says which one counts
//! repeats the rule of the bill.

use crate::base::number::Number;
use crate::model::ids::BlockId;
use crate::model::kinds::Quote;
use crate::plan::Plan;
use crate::plan::bill::price::{Market, Offer, known};
use crate::plan::bill::{self};
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{Cell, Form, Outcome, Sheet, at};

use super::{money, text, whole};

const NAME: &str = "Comparison";

/// More quotes than this get no column each.
const QUOTES: usize = 40;

/// Columns before those of the quotes.
const FIXED: usize = 6;

const QUANTITY: usize = 4;

/// The sheet: lines, then a sum for each quote.
pub fn sheet(plan: &Plan<'_>, rows: &[Row<'_>]) -> Sheet {
    let model = &plan.model;
    let mut quotes: Vec<&Quote> = model.tables.quotes.iter().collect();
    quotes.sort_by_key(|quote| model.name(quote.id));
    quotes.truncate(QUOTES);
    let mut columns: Vec<(String, f64)> = [
        ("Line", 9.0),
        ("Description", 44.0),
        ("Counts", 18.0),
        ("Net price that counts", 14.0),
        ("Quantity", 10.0),
        ("Quotes with a price", 9.0),
    ]
    .map(|(title, width)| (title.to_string(), width))
    .into();
    for quote in &quotes {
        let name = model.name(quote.id);
        columns.extend([(format!("{name}: net price of one"), 14.0), (format!("{name}: extended"), 16.0)]);
    }
    let mut body = Vec::new();
    if let Some(platform) = model.platform() {
        let market = Market::new(model, platform.currency);
        let compared = rows.iter().filter_map(|row| {
            let offers = bill::offers(&market, row.own()?);
            (!offers.is_empty()).then_some((row, offers))
        });
        body.extend(compared.enumerate().map(|(index, (row, offers))| line(plan, index, row, &offers, &quotes)));
        body.push(sums(body.len(), &body, quotes.len()));
    }
    Sheet { kept: 2, columns, ..Sheet::new(NAME, &[], body) }
}

fn line(plan: &Plan<'_>, index: usize, row: &Row<'_>, offers: &[Offer], quotes: &[&Quote]) -> Vec<Cell> {
    let counts = row.line.quote.map(|quote| plan.model.block(quote).name.to_string()).unwrap_or_default();
    let priced = offers.iter().filter(|offer| known(&offer.each).is_some()).count();
    let mut cells = vec![
        text(row.number.as_str()),
        text(row.description()),
        text(counts),
        money(row.each()),
        whole(row.quantity.1),
        whole(priced as u64),
    ];
    for (position, quote) in quotes.iter().enumerate() {
        let each = asked(offers, quote.id.block());
        let column = FIXED + position * 2;
        let extended = each.and_then(|each| each.times(Number::whole(row.quantity.1)));
        cells.push(money(each));
        cells.push(extended.map_or(Cell::Empty, |amount| {
            let formula = format!("{}*{}", at(column, index), at(QUANTITY, index));
            Cell::Formula(formula, Outcome::Number(amount.to_f64()), Form::Money)
        }));
    }
    cells
}

/// What a quote asks for one, in the platform's money; the lowest where it says it twice.
fn asked(offers: &[Offer], quote: BlockId) -> Option<Number> {
    let own = offers.iter().filter(|offer| offer.quote == Some(quote));
    own.filter_map(|offer| known(&offer.each)).map(|money| money.amount).min()
}

/// The sum of what each quote prices, and of how many lines that is.
fn sums(count: usize, body: &[Vec<Cell>], quotes: usize) -> Vec<Cell> {
    let mut cells = vec![Cell::Empty; FIXED];
    cells[1] = text("Sum of the lines that a quote prices, whose number stands before it");
    for column in (0..quotes).map(|position| FIXED + position * 2) {
        let numbers = body.iter().filter_map(|row| match row.get(column + 1) {
            Some(Cell::Formula(_, Outcome::Number(number), _)) => Some(*number),
            _ => None,
        });
        let (priced, sum) = numbers.fold((0u64, 0.0), |(priced, sum), number| (priced + 1, sum + number));
        let over = |column| format!("{}:{}", at(column, 0), at(column, count.max(1) - 1));
        if count == 0 {
            cells.extend([Cell::Empty, Cell::Empty]);
            continue;
        }
        cells.push(Cell::Formula(format!("COUNT({})", over(column)), Outcome::Number(priced as f64), Form::Whole));
        cells.push(Cell::Formula(format!("SUM({})", over(column + 1)), Outcome::Number(sum), Form::Money));
    }
    cells
}
