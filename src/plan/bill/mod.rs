//! The bill: what is bought and rented, what it costs, and who asked for it.

mod cabling;
pub mod delivery;
mod extra;
mod line;
mod machine;
mod part;
pub mod price;
pub mod rent;
mod spare;

use std::sync::Arc;

use crate::base::number::Number;
use crate::base::quantity::{Currency, Money, group, with_unit};
use crate::model::Model;
use crate::model::ids::BlockId;

use super::figure::{Figure, Reason};
use super::lack::Lack;
use super::{Plan, pool, site};

pub use line::{Category, Line, Paid};
pub use part::Included;
pub use price::Priced;

use price::{Market, Offer, Term, known};

const HOURS_PER_YEAR: u64 = 8_760;
const SECONDS_PER_HOUR: u64 = 3_600;
/// Digits of a price of one that people read.
const PRICE_DIGITS: u32 = 6;

/// Every line, and the sums of those that have a price.
#[derive(Debug, Clone, Default)]
pub struct Bill {
    /// In the order they are printed.
    pub lines: Vec<Line>,
    /// To buy everything that has a price, in the platform's currency.
    pub capex: Option<Money>,
    /// A year of everything that has a price: rent, support, energy.
    pub opex: Option<Yearly>,
}

/// Money of a year.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Yearly {
    /// At least.
    pub least: Money,
    /// As it is expected: machines held ready at most, energy at its mean.
    pub expected: Money,
    /// At most.
    pub most: Money,
}

/// Writes the bill of a sized platform, and the sums of it.
pub fn sum(plan: &mut Plan<'_>) {
    let model = Arc::clone(&plan.model);
    let Some(platform) = model.platform() else { return };
    plan.bill = priced(plan, &Market::new(&model, platform.currency));
    put_figures(plan, &model, platform.id.block());
}

/// The bill of a sized platform with a quote whose prices go before all others; what it does not price stays as it is.
pub fn with_quote(plan: &Plan<'_>, quote: BlockId) -> Bill {
    let Some(platform) = plan.model.platform() else { return Bill::default() };
    priced(plan, &Market::new(&plan.model, platform.currency).preferring(Some(quote)))
}

/// What every quote asks for what a line is, in the order of the quotes.
pub fn offers(market: &Market<'_>, line: &Line) -> Vec<Offer> {
    let product = line.product.unwrap_or(line.of);
    match line.category {
        // These have no quote of their own.
        Category::Support | Category::Energy => Vec::new(),
        Category::Instance => market.offers(product, Term::Hour),
        Category::License | Category::Service => market.offers(product, Term::PurchaseOrYear),
        Category::Storage if line.paid == Paid::Yearly => market.offers(product, Term::Year),
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
        | Category::Storage
        | Category::Rack
        | Category::Pdu
        | Category::Spare
        | Category::Option => market.offers(product, Term::Purchase),
    }
}

fn priced(plan: &Plan<'_>, market: &Market<'_>) -> Bill {
    let model = &plan.model;
    let mut lines = Vec::new();
    machine::all(plan, model, market, &mut lines);
    cabling::all(plan, model, market, &mut lines);
    extra::all(plan, model, market, &mut lines);
    spare::all(model, market, &mut lines);
    extra::options(model, market, &mut lines);
    total(lines, market.currency())
}

/// Sums lines with a known price.
fn total(lines: Vec<Line>, currency: Currency) -> Bill {
    let zero = Money { amount: Number::ZERO, currency };
    let (mut capex, mut least, mut expected, mut most) = (Some(zero), Some(zero), Some(zero), Some(zero));
    for line in &lines {
        let Some(each) = known(&line.each) else { continue };
        let add = |sum: Option<Money>, count: u64| {
            let amount = each.amount.times(Number::whole(count)).zip(sum).and_then(|(more, sum)| sum.amount.plus(more));
            amount.map(|amount| Money { amount, currency })
        };
        match line.paid {
            Paid::Once => capex = add(capex, line.quantity.1),
            Paid::Yearly => {
                least = add(least, line.quantity.0);
                expected = add(expected, line.expected);
                most = add(most, line.quantity.1);
            }
            Paid::IfDrawn => {}
        }
    }
    // A sum of which every line is missing is no sum.
    let any = |paid: Paid| {
        let mut of = lines.iter().filter(|line| line.paid == paid).peekable();
        of.peek().is_none() || of.any(|line| known(&line.each).is_some())
    };
    let yearly = || Some(Yearly { least: least?, expected: expected?, most: most? });
    let (capex, opex) = (capex.filter(|_| any(Paid::Once)), yearly().filter(|_| any(Paid::Yearly)));
    Bill { lines, capex, opex }
}

fn put_figures(plan: &mut Plan<'_>, model: &Model<'_>, platform: BlockId) {
    let because = |figure: Figure, blocks: &[BlockId]| {
        let mut blocks = blocks.to_vec();
        blocks.dedup();
        blocks.into_iter().fold(figure, |figure, block| figure.because(Reason::Block(block)))
    };
    let unpriced: Vec<BlockId> =
        plan.bill.lines.iter().filter(|line| known(&line.each).is_none()).map(|line| line.of).collect();
    let count =
        Figure::exact(unpriced.len() as f64, "", "lines of the bill without a price in the platform's currency");
    plan.figures.put(platform, "unpriced", because(count, &unpriced));
    let currency =
        model.platform().map_or("EUR", |platform| crate::base::unit::currency_unit(platform.currency.code()));
    let yearly = crate::base::unit::yearly_unit(currency);
    if let Some(capex) = plan.bill.capex {
        let figure = Figure::exact(capex.amount.to_f64(), currency, "quantity × price of every line that has one");
        plan.figures.put(platform, "capex", made_of(figure, &plan.bill.lines, Paid::Once));
    } else {
        plan.figures.unknown(platform, "capex", "no line to buy has a price");
    }
    if let Some(Yearly { least, expected, most }) = plan.bill.opex {
        let per_second = |money: Money| money.amount.to_f64() / (HOURS_PER_YEAR * SECONDS_PER_HOUR) as f64;
        let (value, low, high) = (per_second(expected), per_second(least), per_second(most));
        let formula = "rent, support and energy of every line that has a price";
        let figure = Figure::between(value, low, high, yearly, formula);
        plan.figures.put(platform, "opex", made_of(figure, &plan.bill.lines, Paid::Yearly));
    } else {
        plan.figures.unknown(platform, "opex", "no line to run has a price");
    }
    let gpus: u64 = plan.pools.values().map(|row| row.gpus).fold(0, u64::saturating_add);
    let pools: Vec<BlockId> = plan.pools.keys().map(|id| id.block()).collect();
    let figure = because(Figure::exact(gpus as f64, "", "GPUs of all pools"), &pools);
    pool::nodes_lack(plan, &pools).put(&mut plan.figures, platform, "gpus", figure);
    put_power(plan, model, platform);
}

/// Watts of all sites of our own.
fn put_power(plan: &mut Plan<'_>, model: &Model<'_>, platform: BlockId) {
    if plan.sites.is_empty() && !model.tables.sites.is_empty() {
        plan.figures.unknown(platform, "power", "the cloud carries it");
        return;
    }
    let watts = plan.sites.values().map(|row| row.power).sum::<f64>() + 0.0;
    let figure = Figure::exact(watts, "kW", "power of all sites on premises, with cooling");
    let figure = plan.sites.keys().fold(figure, |figure, id| figure.of(id.block(), "power"));
    let lacks = plan.sites.values().map(|row| site::building_lack(plan, model, row));
    let lack = lacks.fold(Lack::default(), |sum, lack| sum.plus(&lack));
    lack.put(&mut plan.figures, platform, "power", figure);
}

/// Adds to a sum the lines that it is made of, and what their amounts come from.
fn made_of(figure: Figure, lines: &[Line], paid: Paid) -> Figure {
    let priced = lines.iter().filter(|line| line.paid == paid).filter_map(|line| Some((line, known(&line.each)?)));
    priced.fold(figure, |figure, (line, each)| {
        let from = match line.category {
            Category::Energy => ["energy", "power_price"].map(|attribute| Reason::Of(line.of, attribute)).to_vec(),
            _ => vec![Reason::Block(line.of)],
        };
        let figure = from.into_iter().fold(figure, |figure, reason| {
            // A block with several lines is named once.
            if figure.because.contains(&reason) { figure } else { figure.because(reason) }
        });
        figure.note(amount(line, each))
    })
}

/// `Energy of room: 16_099 kWh × 0.21 EUR = 3380.79 EUR`.
fn amount(line: &Line, each: Money) -> String {
    let quantity = with_unit(&group(&line.expected.to_string()), if line.unit == "ea" { "" } else { line.unit });
    let product = each.amount.times(Number::whole(line.expected));
    let sum = product.map_or(String::new(), |amount| format!(" = {}", Money { amount, ..each }));
    // A price of a kWh has more digits than a sum.
    let price = with_unit(&group(&each.amount.round(PRICE_DIGITS).to_string()), each.currency.code());
    format!("{}: {quantity} × {price}{sum}", line.description)
}
