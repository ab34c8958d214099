//! The bill: what is bought and rented, what it costs, and who asked for it.

use std::sync::Arc;

use crate::base::date::Date;
use crate::base::quantity::Money;
use crate::model::ids::BlockId;

use super::Plan;

/// Every line, and the sums of those that have a price.
#[derive(Debug, Clone, Default)]
pub struct Bill {
    /// In the order they are printed.
    pub lines: Vec<Line>,
    /// To buy everything that has a price, in the platform's currency.
    pub capex: Option<Money>,
    /// A year of everything that has a price: rent (low and high), support, energy.
    pub opex: Option<(Money, Money)>,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// A server.
    Server,
    /// A network switch.
    Switch,
    /// A storage system, or a requirement for one.
    Storage,
    /// A rack.
    Rack,
    /// A cloud instance.
    Instance,
    /// Support of something bought.
    Support,
    /// Electrical energy.
    Energy,
}

impl Category {
    /// The word in the bill.
    pub fn word(self) -> &'static str {
        match self {
            Category::Server => "server",
            Category::Switch => "switch",
            Category::Storage => "storage",
            Category::Rack => "rack",
            Category::Instance => "instance",
            Category::Support => "support",
            Category::Energy => "energy",
        }
    }
}

/// How often a price is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// Once.
    Once,
    /// Every year.
    Yearly,
}

/// A price of one, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Priced {
    /// Known, in the platform's currency, with the discount taken off.
    Known(Money),
    /// Known in another currency, and no `rate` block converts it.
    Foreign(Money),
    /// A supplier still has to answer.
    Tbd(Arc<str>),
    /// Nobody gave one.
    Unknown,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The block it comes from: a pool, a fabric, a storage.
    pub of: BlockId,
    /// What it is.
    pub category: Category,
    /// The product, when it is one.
    pub product: Option<BlockId>,
    /// Who makes it.
    pub manufacturer: Option<Arc<str>>,
    /// The maker's part number.
    pub part_number: Option<Arc<str>>,
    /// What a buyer reads.
    pub description: String,
    /// How many: the least and the most.
    pub quantity: (u64, u64),
    /// In what: `ea`, `h`, `kWh`.
    pub unit: &'static str,
    /// How often the price is paid.
    pub paid: Paid,
    /// Price of one.
    pub each: Priced,
    /// The quote that the price is from.
    pub quote: Option<BlockId>,
    /// Where a list price is from.
    pub price_source: Option<String>,
    /// The day of the price.
    pub price_date: Option<Date>,
    /// Weeks until it is there.
    pub lead_weeks: Option<f64>,
    /// Watts of one at most.
    pub power: Option<f64>,
    /// Kilograms of one.
    pub weight: Option<f64>,
    /// Rack units of one.
    pub height: Option<u64>,
    /// Where its facts are from, and how sure they are.
    pub source: String,
    /// True when a fact of it was written from memory.
    pub from_memory: bool,
}

/// Sums a planned platform.
pub fn sum(_plan: &mut Plan<'_>) {}
