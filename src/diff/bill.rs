//! Lines of the bill: which came, which went, and how many at what price.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::model::ids::BlockId;
use crate::model::value::Value;
use crate::plan::Plan;
use crate::plan::bill::{Category, Line, Paid, Priced};

use super::Both;
use super::delta::{Amount, Side};
use super::pairs::Subject;
use super::reason::{Cause, Reasons};

/// A line that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChange {
    /// Whose it is: `pool.train`.
    pub of: String,
    /// `server`.
    pub category: &'static str,
    /// What a buyer reads.
    pub description: String,
    /// What a buyer read on the old side, where that is something else.
    pub was: Option<String>,
    /// `ea`.
    pub unit: &'static str,
    /// Paid every year.
    pub yearly: bool,
    /// How many, on each side.
    pub quantity: (Side, Side),
    /// What one costs, on each side.
    pub each: (Side, Side),
    /// What all of them cost, on each side.
    pub extended: (Side, Side),
    /// What it came from that was written differently.
    pub because: Vec<Cause>,
}

/// What makes a line the same line: what it is, whose (by its address on the new side), which product, and which of
/// several alike.
type Key = (Category, String, String, usize);

/// Every line that differs, in the order of the bill.
pub fn changes(both: &Both<'_>, reasons: &Reasons<'_, '_>) -> Vec<LineChange> {
    let new_name = |id: BlockId| both.new.model.address(id);
    let old_name = |id: BlockId| match both.pairs.new_of(id) {
        Some(id) => new_name(id),
        None => both.old.model.address(id),
    };
    let (old, new) = (keyed(both.old, old_name), keyed(both.new, new_name));
    let keys: BTreeSet<&Key> = old.keys().chain(new.keys()).collect();
    let one = |key: &&Key| change(both, reasons, &key.1, old.get(*key).copied(), new.get(*key).copied());
    keys.iter().filter_map(one).collect()
}

/// Lines without a price.
pub fn unpriced(plan: &Plan<'_>) -> usize {
    plan.bill.lines.iter().filter(|line| !matches!(line.each, Priced::Known(_))).count()
}

fn keyed<'p>(plan: &'p Plan<'_>, name: impl Fn(BlockId) -> String) -> BTreeMap<Key, &'p Line> {
    let mut lines: BTreeMap<Key, &'p Line> = BTreeMap::new();
    for line in &plan.bill.lines {
        let product = match line.category {
            // Two lengths of one cable are two things to buy.
            Category::Cable | Category::Optic | Category::Fibre | Category::Spare => line.description.clone(),
            _ => line.product.map(&name).unwrap_or_default(),
        };
        let mut key = (line.category, name(line.of), product, 0);
        while lines.contains_key(&key) {
            key.3 += 1;
        }
        lines.insert(key, line);
    }
    lines
}

fn change(
    both: &Both<'_>,
    reasons: &Reasons<'_, '_>,
    of: &str,
    old: Option<&Line>,
    new: Option<&Line>,
) -> Option<LineChange> {
    let sides = |side: fn(&Line) -> Side| (old.map_or(Side::Absent, side), new.map_or(Side::Absent, side));
    let (quantity, each, extended) = (sides(quantity), sides(each), sides(extended));
    let same = |sides: &(Side, Side)| sides.0.same(&sides.1, 0.0);
    let description = |line: &Line| line.description.clone();
    let was = old.map(description).filter(|text| Some(text) != new.map(description).as_ref());
    if same(&quantity) && same(&each) && same(&extended) && (was.is_none() || new.is_none()) {
        return None;
    }
    let line = new.or(old)?;
    Some(LineChange {
        of: of.to_string(),
        category: line.category.word(),
        description: line.description.clone(),
        was: was.filter(|_| new.is_some()),
        unit: line.unit,
        yearly: line.paid == Paid::Yearly,
        because: because(both, reasons, old, new, !same(&each)),
        quantity,
        each,
        extended,
    })
}

fn quantity(line: &Line) -> Side {
    Side::Known(Amount::count(line.quantity.0, line.quantity.1))
}

fn each(line: &Line) -> Side {
    match &line.each {
        Priced::Known(money) | Priced::Foreign(money) => Side::Known(amount(*money, *money, *money)),
        Priced::Tbd(why) => Side::Unknown(why.to_string()),
        Priced::Unknown => Side::Unknown(String::from("no price")),
    }
}

/// A price times a quantity, from the least to the most; money of another currency without a rate is no sum.
fn extended(line: &Line) -> Side {
    let Priced::Known(money) = &line.each else { return Side::Unknown(String::from("no price")) };
    let times = |count: u64| {
        let amount = money.amount.times(Number::whole(count))?;
        Some(Money { amount, currency: money.currency })
    };
    match (times(line.expected), times(line.quantity.0), times(line.quantity.1)) {
        (Some(expected), Some(low), Some(high)) => Side::Known(amount(expected, low, high)),
        (Some(_) | None, ..) => Side::Unknown(String::from("too large")),
    }
}

fn amount(value: Money, low: Money, high: Money) -> Amount {
    let exact = if low == high { value.to_string() } else { format!("{low} to {high}") };
    Amount {
        value: value.amount.to_f64(),
        low: low.amount.to_f64(),
        high: high.amount.to_f64(),
        unit: value.currency.code().to_string(),
        basis: None,
        exact: Some(exact),
    }
}

/// What the quantity of a line comes from.
fn counted(category: Category) -> &'static [&'static str] {
    match category {
        Category::Server | Category::Instance | Category::Support => {
            &["nodes", "server", "instance", "switches", "switch", "appliances", "product"]
        }
        Category::Gpu | Category::Cpu | Category::Memory | Category::Disk | Category::Nic | Category::Psu => {
            &["nodes", "server"]
        }
        Category::Switch => &["switches", "switch"],
        Category::Cable | Category::Optic | Category::Fibre => {
            &["node_links", "leaf_spine_links", "spine_core_links", "switch", "switches"]
        }
        Category::Spare => &["share", "least", "node_links", "leaf_spine_links", "nodes"],
        Category::License | Category::Service => &["per", "on", "nodes", "gpus", "switches", "count"],
        Category::Option => &["of", "count"],
        Category::Pdu => &["count", "racks", "feeds"],
        Category::Storage => &["appliances", "product", "capacity", "read", "write", "kind"],
        Category::Rack => &["count", "racks", "height"],
        Category::Energy => &["energy", "power_price"],
    }
}

fn because(
    both: &Both<'_>,
    reasons: &Reasons<'_, '_>,
    old: Option<&Line>,
    new: Option<&Line>,
    priced: bool,
) -> Vec<Cause> {
    let subject = Subject { old: old.map(|line| line.of), new: new.map(|line| line.of) };
    // A line that is on one side only may belong to a block that is on both.
    let subject = Subject {
        old: subject.old.or_else(|| subject.new.and_then(|id| both.pairs.old_of(id))),
        new: subject.new.or_else(|| subject.old.and_then(|id| both.pairs.new_of(id))),
    };
    let names = new.or(old).map_or(&[] as &[&str], |line| counted(line.category));
    let mut causes = reasons.of_any(subject, names.iter().copied());
    if priced {
        let price = Subject {
            old: old.and_then(|line| price_line(both.old, line)),
            new: new.and_then(|line| price_line(both.new, line)),
        };
        let more = reasons.of_any(price, ["each", "discount", "support"]);
        let more: Vec<Cause> = more.into_iter().filter(|cause| !causes.contains(cause)).collect();
        causes.extend(more);
    }
    causes
}

/// The line of a quote that a price is from.
fn price_line(plan: &Plan<'_>, line: &Line) -> Option<BlockId> {
    let model = &plan.model;
    let wanted = Value::Block(line.product.unwrap_or(line.of));
    model.block(line.quote?).children.iter().copied().find(|child| model.value(*child, "of") == wanted)
}
