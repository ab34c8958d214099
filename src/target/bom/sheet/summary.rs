//! Summary: what the platform is, what it costs, and how much of that is known.

use crate::base::quantity::Money;
use crate::plan::Plan;
use crate::plan::bill::Paid;
use crate::target::bom::columns::{paid, position};
use crate::target::bom::rows::Row;
use crate::target::bom::workbook::{Cell, Form, Outcome, Sheet, range};
use crate::target::template;

use super::{lines, maybe, text};

/// The row of the currency, which the sums refer to.
const CURRENCY_ROW: usize = 5;

/// What stands where a sum has no line with a price.
const NOT_KNOWN: &str = "not known";

/// The sheet.
pub fn sheet(plan: &Plan<'_>, rows: &[Row<'_>]) -> Sheet {
    let columns = vec![("Item", 34.0), ("Value", 30.0), ("Note", 80.0)];
    let Some(platform) = plan.model.platform() else { return Sheet { name: "Summary", columns, rows: Vec::new() } };
    let currency = platform.currency.to_string();
    let sums = Sums { lines: rows.len(), currency: format!("$B${}", CURRENCY_ROW + 2) };
    let (capex, opex) = (plan.bill.capex, plan.bill.opex);
    let unpriced = rows.iter().filter(|row| !row.open.is_empty()).count();
    let yearly = "a year of what has a price: rent, support, energy";
    let rows = vec![
        row("Platform", text(plan.model.name(platform.id)), ""),
        row("Title", maybe(platform.title.as_deref()), ""),
        row("Owner", maybe(platform.owner.as_deref()), ""),
        row("Stage", text(platform.stage.to_string()), ""),
        row("About", text(plan.model.doc.as_str()), ""),
        row("Currency", text(currency), "only lines in this currency are in the sums"),
        row("To buy", sums.of(Paid::Once, "extended", capex), "of what has a price"),
        row("To run, least", sums.of(Paid::Yearly, "extended_least", opex.map(|(least, _)| least)), yearly),
        row("To run, most", sums.of(Paid::Yearly, "extended", opex.map(|(_, most)| most)), yearly),
        row("Lines", sums.count(rows.len()), ""),
        row("Lines without a price", sums.unpriced(unpriced), "not in the sums; see the sheet Open points"),
        row("Made by", text(template::generated(plan)), ""),
    ];
    Sheet { name: "Summary", columns, rows }
}

fn row(item: &str, value: Cell, note: &str) -> Vec<Cell> {
    vec![Cell::Text(item.to_string()), value, text(note)]
}

/// Formulas over the lines.
struct Sums {
    lines: usize,
    currency: String,
}

impl Sums {
    fn column(&self, key: &str) -> String {
        range(lines::NAME, position(key), self.lines)
    }

    /// Lines that have a price in the platform's currency.
    fn priced(&self) -> String {
        format!("{},{},{},\">=0\"", self.column("currency"), self.currency, self.column("unit_price"))
    }

    /// A sum; of which every line is missing there is none.
    fn of(&self, how: Paid, what: &str, result: Option<Money>) -> Cell {
        let paid = format!("{},\"{}\"", self.column("paid"), paid(how));
        let formula = format!(
            "IF(AND(COUNTIFS({paid})>0,COUNTIFS({paid},{priced})=0),\"{NOT_KNOWN}\",\
             SUMIFS({sum},{paid},{currency},{own}))",
            priced = self.priced(),
            sum = self.column(what),
            currency = self.column("currency"),
            own = self.currency,
        );
        let result = result.map_or(Outcome::Text(NOT_KNOWN), |money| Outcome::Number(money.amount.to_f64()));
        Cell::Formula(formula, result, Form::Money)
    }

    fn count(&self, lines: usize) -> Cell {
        Cell::Formula(format!("COUNTA({})", self.column("line")), Outcome::Number(lines as f64), Form::Whole)
    }

    fn unpriced(&self, unpriced: usize) -> Cell {
        let formula = format!("COUNTA({})-COUNTIFS({})", self.column("line"), self.priced());
        Cell::Formula(formula, Outcome::Number(unpriced as f64), Form::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::CURRENCY_ROW;
    use crate::target::bom::workbook::at;

    #[test]
    fn the_sums_look_at_the_currency() {
        assert_eq!(at(1, CURRENCY_ROW), "B7");
    }
}
