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
use crate::base::quantity::{Currency, Money};
use crate::model::Model;
use crate::model::ids::BlockId;

use super::Plan;
use super::figure::{Figure, Reason};

pub use line::{Category, Line, Paid};
pub use part::Included;
pub use price::Priced;

use price::{Market, Offer, Term, known};

const HOURS_PER_YEAR: u64 = 8_760;
const SECONDS_PER_HOUR: u64 = 3_600;

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
    let (mut capex, mut low, mut high) = (Some(zero), Some(zero), Some(zero));
    for line in &lines {
        let Some(each) = known(&line.each) else { continue };
        let add = |sum: Option<Money>, count: u64| {
            let amount = each.amount.times(Number::whole(count)).zip(sum).and_then(|(more, sum)| sum.amount.plus(more));
            amount.map(|amount| Money { amount, currency })
        };
        match line.paid {
            Paid::Once => capex = add(capex, line.quantity.1),
            Paid::Yearly => (low, high) = (add(low, line.quantity.0), add(high, line.quantity.1)),
            Paid::IfDrawn => {}
        }
    }
    // A sum of which every line is missing is no sum.
    let any = |paid: Paid| {
        let mut of = lines.iter().filter(|line| line.paid == paid).peekable();
        of.peek().is_none() || of.any(|line| known(&line.each).is_some())
    };
    let (capex, opex) = (capex.filter(|_| any(Paid::Once)), low.zip(high).filter(|_| any(Paid::Yearly)));
    Bill { lines, capex, opex }
}

fn put_figures(plan: &mut Plan<'_>, model: &Model<'_>, platform: BlockId) {
    let unpriced: Vec<BlockId> =
        plan.bill.lines.iter().filter(|line| known(&line.each).is_none()).map(|line| line.of).collect();
    let priced: Vec<BlockId> =
        plan.bill.lines.iter().filter(|line| known(&line.each).is_some()).map(|line| line.of).collect();
    let because = |figure: Figure, blocks: &[BlockId]| {
        let mut blocks = blocks.to_vec();
        blocks.dedup();
        blocks.into_iter().fold(figure, |figure, block| figure.because(Reason::Block(block)))
    };
    let count =
        Figure::exact(unpriced.len() as f64, "", "lines of the bill without a price in the platform's currency");
    plan.figures.put(platform, "unpriced", because(count, &unpriced));
    let currency =
        model.platform().map_or("EUR", |platform| crate::base::unit::currency_unit(platform.currency.code()));
    let yearly = crate::base::unit::yearly_unit(currency);
    if let Some(capex) = plan.bill.capex {
        let figure = Figure::exact(capex.amount.to_f64(), currency, "quantity × price of every line that has one");
        plan.figures.put(platform, "capex", because(figure, &priced));
    } else {
        plan.figures.unknown(platform, "capex", "no line to buy has a price");
    }
    if let Some((low, high)) = plan.bill.opex {
        let per_second = |money: Money| money.amount.to_f64() / (HOURS_PER_YEAR * SECONDS_PER_HOUR) as f64;
        let (low, high) = (per_second(low), per_second(high));
        let figure =
            Figure::between(high, low, high, yearly, "rent, support and energy of every line that has a price");
        plan.figures.put(platform, "opex", because(figure, &priced));
    } else {
        plan.figures.unknown(platform, "opex", "no line to run has a price");
    }
    let gpus: u64 = plan.pools.values().map(|row| row.gpus).fold(0, u64::saturating_add);
    let pools: Vec<BlockId> = plan.pools.keys().map(|id| id.block()).collect();
    plan.figures.put(platform, "gpus", because(Figure::exact(gpus as f64, "", "GPUs of all pools"), &pools));
    let power: f64 = plan.sites.values().map(|row| row.power).sum();
    let sites: Vec<BlockId> = plan.sites.keys().map(|id| id.block()).collect();
    plan.figures.put(
        platform,
        "power",
        because(Figure::exact(power, "kW", "power of all sites, with cooling"), &sites),
    );
}
