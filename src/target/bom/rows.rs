//! The lines of the bill in the order they are printed, numbered, with what stands around them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use sha2::{Digest, Sha256};

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::{Currency, Money};
use crate::model::Model;
use crate::model::block::Origin;
use crate::model::ids::BlockId;
use crate::model::kinds::{Kind, Pool, Quote, Tenant};
use crate::model::value::Value;
use crate::plan::Plan;
use crate::plan::bill::price::known;
use crate::plan::bill::{Bill, Category, Included, Line, Paid, Priced, delivery};

/// What stands for `paid` at what is in the price of something else.
pub const INCLUDED: &str = "included";

/// One printed line.
pub struct Row<'p> {
    /// Its number: `1010`, `1010.1`.
    pub number: String,
    /// The number of the line that it belongs to.
    pub parent: Option<String>,
    /// How many belong to one of that.
    pub per_parent: Option<u64>,
    /// How many: the least and the most.
    pub quantity: (u64, u64),
    /// The same for the same block and product, whatever stands around it.
    pub id: String,
    /// The line of the plan.
    pub line: &'p Line,
    /// The part of one that it is; nothing for the line itself.
    pub part: Option<&'p Included>,
    /// The address of the block it comes from.
    pub address: String,
    /// The money the platform is counted in.
    pub currency: Currency,
    /// What one of the quote's money is in the platform's; nothing where nobody says.
    pub rate: Option<Number>,
    /// The quote its price is from.
    pub quote: Option<&'p Quote>,
    /// The tenant it is for alone.
    pub tenant: Option<&'p Tenant>,
    /// The same by name.
    pub tenant_name: &'p str,
    /// Watts of heat of one at most: the larger of the vendor's figure and the electrical maximum.
    pub heat: Option<f64>,
    /// Where it stands: its site and its racks.
    pub location: String,
    /// The last day to order it.
    pub order_by: Option<Date>,
    /// What may be delivered instead.
    pub alternates: String,
    /// How sure its facts are.
    pub confidence: &'static str,
    /// Why it has no price in the platform's money; empty when it has one.
    pub open: String,
    /// Titles and doc comments of the blocks it comes from, whole.
    pub notes: String,
}

impl Row<'_> {
    /// What it is.
    pub fn category(&self) -> Category {
        self.part.map_or(self.line.category, |part| part.category)
    }

    /// Who makes it.
    pub fn manufacturer(&self) -> Option<&str> {
        self.part.map_or(self.line.manufacturer.as_deref(), |part| part.manufacturer.as_deref())
    }

    /// The maker's part number.
    pub fn part_number(&self) -> Option<&str> {
        self.part.map_or(self.line.part_number.as_deref(), |part| part.part_number.as_deref())
    }

    /// What a buyer reads.
    pub fn description(&self) -> &str {
        self.part.map_or(&self.line.description, |part| &part.description)
    }

    /// Where its facts are from.
    pub fn source(&self) -> &str {
        self.part.map_or(&self.line.source, |part| &part.source)
    }

    /// The product, when it is one.
    pub fn product(&self) -> Option<BlockId> {
        self.part.map_or(self.line.product, |part| part.product)
    }

    /// True when a fact of it was written from memory.
    pub fn from_memory(&self) -> bool {
        self.part.map_or(self.line.from_memory, |part| part.from_memory)
    }

    /// In what it is counted.
    pub fn unit(&self) -> &'static str {
        if self.part.is_some() { "ea" } else { self.line.unit }
    }

    /// 1 for lines of their own, 2 for what belongs to one.
    pub fn level(&self) -> u64 {
        if self.parent.is_some() { 2 } else { 1 }
    }

    /// The line itself, and not a part of it.
    pub fn own(&self) -> Option<&Line> {
        if self.part.is_some() { None } else { Some(self.line) }
    }

    /// How often it is paid.
    pub fn paid(&self) -> &'static str {
        self.own().map_or(INCLUDED, |line| line.paid.word())
    }

    /// The price of one in the platform's money; what is included costs nothing more.
    pub fn each(&self) -> Option<Number> {
        let own = self.own().map(|line| known(&line.each).map(|money| money.amount));
        own.unwrap_or(Some(Number::ZERO))
    }

    /// The price of one as it is asked.
    pub fn list(&self) -> Option<Money> {
        let included = Money { amount: Number::ZERO, currency: self.currency };
        self.own().map_or(Some(included), |line| line.list)
    }

    /// False for a line whose amount nobody knows. What there is none of has no line.
    pub fn is_counted(&self) -> bool {
        self.quantity.1 > 0
    }

    /// What a quantity of it costs in the platform's money.
    pub fn extended(&self, quantity: u64) -> Option<Number> {
        self.each()?.times(Number::whole(quantity))
    }

    /// True for what a supplier is asked for: what is bought, licensed or done. Rent and energy come from elsewhere,
    /// support is asked for with what it supports.
    pub fn is_asked(&self) -> bool {
        let asked = |line: &Line| match line.category {
            Category::Energy | Category::Instance | Category::Support => false,
            Category::Storage => line.paid != Paid::Yearly,
            Category::Server
            | Category::Gpu
            | Category::Cpu
            | Category::Memory
            | Category::Disk
            | Category::Nic
            | Category::Psu
            | Category::Switch
            | Category::Cable
            | Category::Optic
            | Category::Fibre
            | Category::Rack
            | Category::Pdu
            | Category::License
            | Category::Service
            | Category::Spare
            | Category::Option => true,
        };
        self.own().is_some_and(asked) && self.quantity.1 > 0
    }
}

/// Every line of a bill, in order: by category, then by address; what belongs to a line follows it.
pub fn of<'p>(plan: &'p Plan<'_>, bill: &'p Bill) -> Vec<Row<'p>> {
    let model: &'p Model<'_> = &plan.model;
    let Some(currency) = model.platform().map(|platform| platform.currency) else { return Vec::new() };
    let lines = || bill.lines.iter();
    let bought: HashSet<_> = lines().filter(|line| is_bought(line)).map(owner).collect();
    let mut ordered: Vec<(Place, String, &Line)> =
        lines().map(|line| (Place::of(line, &bought), model.address(line.of), line)).collect();
    let product = |line: &Line| line.product.map(|product| model.address(product));
    // Texts that people write decide last, so that another wording moves no line.
    ordered.sort_by_cached_key(|(place, address, line)| {
        (*place, address.clone(), product(line), line.sort.clone(), line.description.clone())
    });
    let (parents, children): (Vec<_>, Vec<_>) = ordered.into_iter().partition(|(place, _, _)| !place.below);
    let mut below: BTreeMap<Owner, Vec<&Line>> = BTreeMap::new();
    for (_, _, line) in children {
        below.entry(owner(line)).or_default().push(line);
    }
    let mut numbers = Numbers::of(parents.iter().map(|(place, _, _)| place.thousand));
    let maker = Maker { model, currency, places: places(plan) };
    let (mut rows, mut ids) = (Vec::with_capacity(bill.lines.len()), BTreeSet::new());
    for (place, address, line) in parents {
        let number = numbers.next(place.thousand).to_string();
        // Lines below belong to the first line of their product, and only to one.
        let own = if is_bought(line) { below.remove(&owner(line)).unwrap_or_default() } else { Vec::new() };
        let mut children = 1u64..;
        let mut child = || children.next().map(|index| format!("{number}.{index}")).unwrap_or_default();
        let mut family = vec![maker.row(number.clone(), line, address.clone())];
        for supported in own {
            let row = maker.row(child(), supported, address.clone());
            family.push(Row { parent: Some(number.clone()), per_parent: Some(1), ..row });
        }
        family.extend(line.parts.iter().map(|part| maker.part(child(), &number, line, part, address.clone())));
        for row in &mut family {
            row.id = unique(&mut ids, model, row);
        }
        rows.append(&mut family);
    }
    rows
}

/// A line that support can stand below.
fn is_bought(line: &Line) -> bool {
    !matches!(line.category, Category::Support | Category::Spare | Category::Option)
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
        let rank = Category::OF_LINES.iter().position(|category| *category == line.category);
        let thousand = rank.unwrap_or(Category::OF_LINES.len()) as u64 + 1;
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

/// The identity of a row, of letters and digits; rows that are alike in everything are counted.
fn unique(taken: &mut BTreeSet<String>, model: &Model<'_>, row: &Row<'_>) -> String {
    let product = row.product().map(|product| model.address(product)).unwrap_or_default();
    let sort = row.own().map_or("", |line| &line.sort);
    let inside = row.part.map(|_| row.line.category.word()).unwrap_or_default();
    let parts = [&*row.address, row.category().word(), inside, &*product, sort];
    let mut number = 0u64;
    loop {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        hash.update(number.to_be_bytes());
        let id: String = hash.finalize().iter().take(5).map(|byte| format!("{byte:02x}")).collect();
        if taken.insert(id.clone()) {
            return id;
        }
        number += 1;
    }
}

/// The racks that the devices of a block stand in, in words.
fn places(plan: &Plan<'_>) -> BTreeMap<BlockId, String> {
    let mut racks: BTreeMap<BlockId, (BTreeSet<&str>, Vec<&str>)> = BTreeMap::new();
    for row in &plan.racks {
        for rack in &row.racks {
            for of in rack.devices.iter().map(|device| device.of).collect::<BTreeSet<_>>() {
                let (sites, names) = racks.entry(of).or_default();
                sites.insert(plan.model.name(row.site));
                names.push(&rack.name);
            }
        }
    }
    let shown = |(sites, names): (BTreeSet<&str>, Vec<&str>)| {
        let sites = sites.into_iter().collect::<Vec<_>>().join(", ");
        match names.as_slice() {
            [first, .., last] => format!("{sites}: {first} to {last} ({} racks)", names.len()),
            [only] => format!("{sites}: {only}"),
            [] => sites,
        }
    };
    racks.into_iter().map(|(of, found)| (of, shown(found))).collect()
}

/// What rows are made from.
struct Maker<'p> {
    model: &'p Model<'p>,
    currency: Currency,
    places: BTreeMap<BlockId, String>,
}

impl<'p> Maker<'p> {
    fn row(&self, number: String, line: &'p Line, address: String) -> Row<'p> {
        let model = self.model;
        let tenant = model.typed::<Pool>(line.of).and_then(|pool| pool.tenant);
        let alternates: Vec<String> = line.alternates.iter().map(|product| name(model, *product)).collect();
        Row {
            number,
            parent: None,
            per_parent: None,
            quantity: line.quantity,
            id: String::new(),
            line,
            part: None,
            address,
            currency: self.currency,
            rate: line.list.and_then(|list| rate(model, self.currency, list.currency)),
            quote: line.quote.and_then(|quote| model.typed::<Quote>(quote)),
            tenant: tenant.map(|tenant| &model[tenant]),
            tenant_name: tenant.map_or("", |tenant| model.name(tenant)),
            heat: heat(model, line),
            location: self.place(line),
            order_by: delivery::order_by(line),
            alternates: alternates.join("; or "),
            confidence: confidence(model, line.product, line.from_memory),
            open: open(line, self.currency),
            notes: notes(model, line),
        }
    }

    fn part(&self, number: String, parent: &str, line: &'p Line, part: &'p Included, address: String) -> Row<'p> {
        let times = |count: u64| count.saturating_mul(part.count);
        Row {
            number,
            parent: Some(parent.to_string()),
            per_parent: Some(part.count),
            quantity: (times(line.quantity.0), times(line.quantity.1)),
            part: Some(part),
            rate: Some(Number::ONE),
            quote: None,
            heat: None,
            order_by: None,
            alternates: String::new(),
            confidence: confidence(self.model, part.product, part.from_memory),
            open: String::new(),
            notes: String::new(),
            ..self.row(String::new(), line, address)
        }
    }

    /// Its racks, or its site where it has none.
    fn place(&self, line: &Line) -> String {
        if matches!(line.category, Category::Option | Category::Spare | Category::Support) {
            return String::new();
        }
        let site = || match self.model.value(line.of, "site") {
            Value::Block(site) => self.model.block(site).name.to_string(),
            _ if self.model.block(line.of).kind == Kind::Site => self.model.block(line.of).name.to_string(),
            _ => String::new(),
        };
        self.places.get(&line.of).cloned().unwrap_or_else(site)
    }
}

/// What one of a money is in the platform's.
pub fn rate(model: &Model<'_>, currency: Currency, from: Currency) -> Option<Number> {
    let one = Money { amount: Number::ONE, currency: from };
    crate::plan::bill::price::converted(model, currency, one).map(|money| money.amount)
}

/// The name of a product, or its address.
fn name(model: &Model<'_>, product: BlockId) -> String {
    match model.value(product, "product") {
        Value::Text(name) => name.to_string(),
        _ => model.address(product),
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

fn confidence(model: &Model<'_>, product: Option<BlockId>, from_memory: bool) -> &'static str {
    match product.map(|product| model.block(product).origin) {
        _ if from_memory => "from memory",
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
        Priced::Unknown if line.paid == Paid::IfDrawn => String::from("no price for the option"),
        Priced::Unknown => String::from("no price"),
    }
}

/// What people wrote about the block, and about a product that the package describes.
fn notes(model: &Model<'_>, line: &Line) -> String {
    let product = line.product.filter(|product| model.block(*product).origin == Origin::Package && *product != line.of);
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
