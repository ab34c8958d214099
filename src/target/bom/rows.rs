//! The lines of the bill in the order they are printed, numbered, with what stands around them.

use std::collections::{BTreeMap, HashSet};

use crate::base::quantity::Currency;
use crate::model::Model;
use crate::model::block::Origin;
use crate::model::ids::BlockId;
use crate::model::kinds::{Pool, Quote, Tenant};
use crate::model::value::Value;
use crate::plan::Plan;
use crate::plan::bill::{Category, Line, Priced};

/// One printed line.
pub struct Row<'p> {
    /// Its number: `1010`, `1010.1`.
    pub number: String,
    /// The line of the plan.
    pub line: &'p Line,
    /// The address of the block it comes from.
    pub address: String,
    /// The money the platform is counted in.
    pub currency: Currency,
    /// The quote its price is from.
    pub quote: Option<&'p Quote>,
    /// The tenant it is for alone.
    pub tenant: Option<&'p Tenant>,
    /// The same by name.
    pub tenant_name: &'p str,
    /// Watts of heat of one at most: the larger of the vendor's figure and the electrical maximum.
    pub heat: Option<f64>,
    /// How sure its facts are.
    pub confidence: &'static str,
    /// Why it has no price in the platform's money; empty when it has one.
    pub open: String,
    /// Titles and doc comments of the blocks it comes from, whole.
    pub notes: String,
}

/// Every line, in order: by category, then by address; what belongs to a line follows it.
pub fn of<'p>(plan: &'p Plan<'_>) -> Vec<Row<'p>> {
    let model: &'p Model<'_> = &plan.model;
    let Some(currency) = model.platform().map(|platform| platform.currency) else { return Vec::new() };
    let lines = || plan.bill.lines.iter();
    let bought: HashSet<_> = lines().filter(|line| line.category != Category::Support).map(owner).collect();
    let mut ordered: Vec<(Place, String, &Line)> =
        lines().map(|line| (Place::of(line, &bought), model.address(line.of), line)).collect();
    ordered.sort_by(|a, b| (a.0, &a.1, &a.2.description).cmp(&(b.0, &b.1, &b.2.description)));
    let (parents, children): (Vec<_>, Vec<_>) = ordered.into_iter().partition(|(place, _, _)| !place.below);
    let mut below: BTreeMap<Owner, Vec<&Line>> = BTreeMap::new();
    for (_, _, line) in children {
        below.entry(owner(line)).or_default().push(line);
    }
    let mut numbers = Numbers::of(parents.iter().map(|(place, _, _)| place.thousand));
    let mut rows = Vec::with_capacity(plan.bill.lines.len());
    for (place, address, line) in parents {
        let number = numbers.next(place.thousand);
        // Lines below belong to the first line of their product, and only to one.
        let own = below.remove(&owner(line)).unwrap_or_default();
        let row = |number, line, address| row(model, currency, number, line, address);
        rows.push(row(number.to_string(), line, address.clone()));
        rows.extend((1..).zip(own).map(|(index, line)| row(format!("{number}.{index}"), line, address.clone())));
    }
    rows
}

/// What a line and those below it have in common.
type Owner = (BlockId, Option<BlockId>);

fn owner(line: &Line) -> Owner {
    (line.of, line.product)
}

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    thousand: u64,
    /// True when it stands below another line.
    below: bool,
}

impl Place {
    fn of(line: &Line, bought: &HashSet<Owner>) -> Place {
        let thousand = match line.category {
            Category::Server => 1,
            Category::Switch => 2,
            Category::Storage => 3,
            Category::Rack => 4,
            Category::Instance => 5,
            Category::Support => 6,
            Category::Energy => 7,
        };
        let below = line.category == Category::Support && bought.contains(&owner(line));
        Place { thousand, below }
    }
}

/// Counts lines in tens within their category.
struct Numbers {
    /// The distance of two categories: 1,000, or more when one of them has more than 99 lines.
    step: u64,
    last: BTreeMap<u64, u64>,
}

impl Numbers {
    fn of(categories: impl Iterator<Item = u64>) -> Numbers {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        categories.for_each(|category| *counts.entry(category).or_default() += 1);
        let most = counts.values().max().copied().unwrap_or_default();
        let mut step = 1_000;
        while most * 10 >= step {
            step *= 10;
        }
        Numbers { step, last: BTreeMap::new() }
    }

    fn next(&mut self, category: u64) -> u64 {
        let last = self.last.entry(category).or_default();
        *last += 10;
        category * self.step + *last
    }
}

fn row<'p>(model: &'p Model<'_>, currency: Currency, number: String, line: &'p Line, address: String) -> Row<'p> {
    let tenant = model.typed::<Pool>(line.of).and_then(|pool| pool.tenant);
    Row {
        number,
        line,
        address,
        currency,
        quote: line.quote.and_then(|quote| model.typed::<Quote>(quote)),
        tenant: tenant.map(|tenant| &model[tenant]),
        tenant_name: tenant.map_or("", |tenant| model.name(tenant)),
        heat: heat(model, line),
        confidence: confidence(model, line),
        open: open(line, currency),
        notes: notes(model, line),
    }
}

fn heat(model: &Model<'_>, line: &Line) -> Option<f64> {
    let power = line.power?;
    let vendor = line.product.map(|product| model.value(product, "heat"));
    match vendor {
        Some(Value::Quantity(heat)) => Some(power.max(heat.value.to_f64())),
        _ => Some(power),
    }
}

fn confidence(model: &Model<'_>, line: &Line) -> &'static str {
    match line.product.map(|product| model.block(product).origin) {
        _ if line.from_memory => "from memory",
        Some(Origin::Catalogue) => "read",
        Some(Origin::Package) => "given",
        None => "computed",
    }
}

fn open(line: &Line, currency: Currency) -> String {
    match &line.each {
        Priced::Known(_) => String::new(),
        Priced::Foreign(money) => format!("price in {}, no rate to {currency}, not in the sums", money.currency),
        Priced::Tbd(why) => format!("to be decided: {why}"),
        Priced::Unknown => String::from("no price"),
    }
}

/// What people wrote about the block, and about a product that the package describes.
fn notes(model: &Model<'_>, line: &Line) -> String {
    let product = line.product.filter(|product| model.block(*product).origin == Origin::Package);
    let texts = [Some(line.of), product].into_iter().flatten().flat_map(|block| {
        let title = match model.value(block, "title") {
            Value::Text(title) => title.to_string(),
            _ => String::new(),
        };
        [title, model.block(block).doc.to_string()]
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn lines_count_in_tens_within_their_category() {
        let mut numbers = Numbers::of([1, 1, 2].into_iter());
        assert_eq!([numbers.next(1), numbers.next(1), numbers.next(2)], [1010, 1020, 2010]);
    }

    #[test]
    fn many_lines_never_run_into_the_next_category() {
        let mut numbers = Numbers::of(std::iter::repeat_n(1, 100).chain([2]));
        assert_eq!((numbers.next(1), numbers.next(2)), (10_010, 20_010));
        let last = (1..100).map(|_| numbers.next(1)).fold(0, u64::max);
        assert_eq!(last, 11_000);
    }
}
