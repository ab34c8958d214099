//! Summary: what the platform is, what it costs, when it comes, and how much of that is known.

use crate::base::number::Number;
use crate::base::phrase;
use crate::base::quantity::Money;
use crate::plan::Plan;
use crate::plan::bill::{Bill, Line, Paid, delivery};
use crate::target::bom::columns::position;
use crate::target::bom::rows::{INCLUDED, Row};
use crate::target::bom::totals::{self, CategorySum};
use crate::target::bom::workbook::{Cell, Form, Outcome, Sheet, range};
use crate::target::template;

use super::{date, lines, maybe, measure, text};

/// What stands where a sum has no line with a price.
const NOT_KNOWN: &str = "not known";

/// The sheet.
pub fn sheet(plan: &Plan<'_>, bill: &Bill, rows: &[Row<'_>]) -> Sheet {
    let columns = [("Item", 38.0), ("Value", 24.0), ("Lines", 9.0), ("Without a price", 10.0), ("Note", 80.0)];
    let Some(platform) = plan.model.platform() else { return Sheet::new("Summary", &columns, Vec::new()) };
    let sums = Sums { lines: rows.len() };
    let (capex, opex) = (bill.capex, bill.opex);
    let own = rows.iter().filter(|row| row.own().is_some());
    let unpriced = own.clone().filter(|row| !row.open.is_empty()).count();
    let (bought, run) =
        ("of what has a price, in the money above", "a year of what has a price: rent, support, energy, licences");
    let mut body = vec![
        row("Platform", text(plan.model.name(platform.id)), ""),
        row("Title", maybe(platform.title.as_deref()), ""),
        row("Owner", maybe(platform.owner.as_deref()), ""),
        row("Stage", text(platform.stage.to_string()), ""),
        row("About", text(plan.model.doc.as_str()), ""),
        row(
            "Currency",
            text(platform.currency.to_string()),
            "other money is converted at the rates of the sheet Rates",
        ),
        sums.row("To buy", Paid::Once, "extended", capex.map(amount), bought),
        sums.row("To run a year, least", Paid::Yearly, "extended_least", opex.map(|year| amount(year.least)), run),
        sums.row("To run a year, most", Paid::Yearly, "extended", opex.map(|year| amount(year.most)), run),
        row("Lines", sums.count(own.count()), "parts of a line are not counted"),
        row("Lines without a price", sums.unpriced(unpriced), "not in the sums; see the sheet Open points"),
    ];
    body.extend(totals::of(rows).iter().map(|sum| sums.of_category(sum)));
    body.extend(deliveries(plan, bill, rows));
    body.push(row("Made by", text(template::generated(plan)), ""));
    Sheet::new("Summary", &columns, body)
}

fn amount(money: Money) -> Number {
    money.amount
}

fn row(item: &str, value: Cell, note: &str) -> Vec<Cell> {
    vec![Cell::Text(item.to_string()), value, Cell::Empty, Cell::Empty, text(note)]
}

/// Need, the line that decides, and when it must be ordered.
fn deliveries(plan: &Plan<'_>, bill: &Bill, rows: &[Row<'_>]) -> Vec<Vec<Cell>> {
    let Some(platform) = plan.model.platform() else { return Vec::new() };
    let mut body = Vec::new();
    if let Some(needed) = platform.needed_by {
        body.push(row("Needed by", date(Some(needed)), ""));
    }
    let Some(longest) = delivery::longest(&bill.lines) else { return body };
    let number = rows.iter().find(|row| row.own().is_some_and(|line| std::ptr::eq(line, longest)));
    let which = format!("line {}: {}", number.map_or("", |row| &row.number), longest.description);
    body.push(row("Longest lead time, weeks", longest.lead_weeks.map_or(Cell::Empty, measure), &which));
    let undated = delivery::undated(&bill.lines);
    if undated > 0 {
        let note = format!("{} have no lead time and may take longer", phrase::count(undated as u64, "line"));
        body.push(row("Lines without a lead time", super::whole(undated as u64), &note));
    }
    let earliest = bill.lines.iter().filter_map(|line| Some((delivery::order_by(line)?, line)));
    if let Some((order, line)) = earliest.min_by_key(|(order, _)| *order) {
        let note = order_note(plan, line);
        body.push(row("First order at the latest", date(Some(order)), &note));
    }
    if let Some(today) = plan.as_of {
        let last = bill.lines.iter().filter_map(|line| delivery::arrives(line, today)).max();
        let note = format!("of what has a lead time, ordered on {today}");
        body.extend(last.map(|last| row("All there", date(Some(last)), &note)));
    }
    body
}

fn order_note(plan: &Plan<'_>, line: &Line) -> String {
    let late = plan.as_of.zip(line.needed_by).and_then(|(today, needed)| {
        let arrives = delivery::arrives(line, today)?;
        (arrives > needed).then(|| format!("; ordered on {today} it comes on {arrives}, needed is {needed}"))
    });
    format!("{}{}", line.description, late.unwrap_or_default())
}

/// Formulas over the lines.
struct Sums {
    lines: usize,
}

impl Sums {
    fn column(&self, key: &str) -> String {
        range(lines::NAME, position(key), self.lines)
    }

    fn row(&self, item: &str, how: Paid, what: &str, result: Option<Number>, note: &str) -> Vec<Cell> {
        let paid = format!("{},\"{}\"", self.column("paid"), how.word());
        row(item, self.sum(&paid, what, result), note)
    }

    /// What the lines of a category come to.
    fn of_category(&self, sum: &CategorySum) -> Vec<Cell> {
        let how = match sum.paid {
            Paid::Once => "",
            Paid::Yearly => ", a year at most",
            Paid::IfDrawn => ", if drawn, in no sum",
        };
        let conditions = format!(
            "{},\"{}\",{},\"{}\"",
            self.column("category"),
            sum.category.word(),
            self.column("paid"),
            sum.paid.word()
        );
        let known = sum.most.filter(|_| sum.unpriced < sum.lines);
        let count = |conditions: &str, result: usize| {
            Cell::Formula(format!("COUNTIFS({conditions})"), Outcome::Number(result as f64), Form::Whole)
        };
        let without = format!("{conditions},{},\"{}\"", self.column("extended"), lines::OPEN);
        vec![
            Cell::Text(format!("Sum of category {}{how}", sum.category.word())),
            self.sum(&conditions, "extended", known),
            count(&conditions, sum.lines),
            count(&without, sum.unpriced),
            Cell::Empty,
        ]
    }

    /// A sum; of which every line is missing there is none.
    fn sum(&self, conditions: &str, what: &str, result: Option<Number>) -> Cell {
        let sum = self.column(what);
        let formula = format!(
            "IF(AND(COUNTIFS({conditions})>0,COUNTIFS({conditions},{sum},\">=0\")=0),\"{NOT_KNOWN}\",\
             SUMIFS({sum},{conditions}))",
        );
        let result = result.map_or(Outcome::Text(NOT_KNOWN), |amount| Outcome::Number(amount.to_f64()));
        Cell::Formula(formula, result, Form::Money)
    }

    fn count(&self, lines: usize) -> Cell {
        let formula = format!("COUNTA({})-{}", self.column("line"), self.included());
        Cell::Formula(formula, Outcome::Number(lines as f64), Form::Whole)
    }

    fn unpriced(&self, unpriced: usize) -> Cell {
        let formula = format!("COUNTIFS({},\"{}\")", self.column("extended"), lines::OPEN);
        Cell::Formula(formula, Outcome::Number(unpriced as f64), Form::Whole)
    }

    fn included(&self) -> String {
        format!("COUNTIFS({},\"{INCLUDED}\")", self.column("paid"))
    }
}
