//! What a pool costs: its servers or instances, its share of networks and storage, its energy.

use std::collections::BTreeMap;

use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Dataset, Kind, Platform, Pool, Storage};
use crate::model::value::Value;
use crate::model::words::StorageKind;

use crate::plan::bill::price::{Market, known};
use crate::plan::bill::{Category, Line, Paid, Priced};
use crate::plan::figure::{Figure, Reason};
use crate::plan::formula::cost::{Owned, per_year};
use crate::plan::formula::round::ratio;
use crate::plan::load::{self, Bar, Known};
use crate::plan::occupancy::{self, Occupancies, YEAR};
use crate::plan::{FabricPool, Plan, PoolPlan, StoragePlan, energy};

use super::{Amount, Ledger, PoolCost, Units};

/// What an owned hour does not have in it.
const SCOPE: &str = "racks, cables without a price, spares, floor space, staff and licences are not in it";

/// Every pool.
pub fn all(
    plan: &Plan<'_>,
    model: &Model<'_>,
    platform: &Platform,
    occupancies: &Occupancies,
) -> BTreeMap<Id<Pool>, PoolCost> {
    let mut lines: BTreeMap<BlockId, Vec<&Line>> = BTreeMap::new();
    plan.bill.lines.iter().for_each(|line| lines.entry(line.of).or_default().push(line));
    let market = Market::new(model, platform.currency);
    let books =
        Books { plan, model, years: platform.lifetime.seconds() / YEAR, market, lines, shared: shared(plan, model) };
    plan.pools.values().map(|row| (row.id, cost(&books, row, occupancies))).collect()
}

/// What costs are read from.
struct Books<'p, 'm> {
    plan: &'p Plan<'p>,
    model: &'p Model<'m>,
    years: f64,
    market: Market<'p>,
    /// The lines of each block.
    lines: BTreeMap<BlockId, Vec<&'p Line>>,
    /// What pools share.
    shared: Shared,
}

/// For each pool the fabrics and storages that it shares with others, and its part of them.
type Shared = BTreeMap<Id<Pool>, Vec<(BlockId, f64)>>;

fn cost(books: &Books<'_, '_>, row: &PoolPlan, occupancies: &Occupancies) -> PoolCost {
    let full = if row.nodes.high == 0 {
        let mut none = Amount::zero();
        none.missing.insert(format!("`{}`, whose nodes are not known", books.model.address(row.id.block())));
        none
    } else if row.node.rented {
        books.lines(row.id.block())
    } else {
        owned(books, row)
    };
    let least = ratio(row.nodes.low as f64, row.nodes.high as f64);
    let year = if row.node.rented {
        Amount { known: Bar { low: full.known.low * least, ..full.known }, missing: full.missing.clone() }
    } else {
        full.clone()
    };
    let (shares, held) = shares(row, occupancies);
    let idle = held.map(|held| idle(row, &full, &year, held));
    let lines = books.lines.get(&row.id.block()).map_or(&[][..], Vec::as_slice);
    let quotes = lines.iter().filter_map(|line| line.quote).collect();
    PoolCost { full, year, shares, idle, quotes }
}

/// The workloads' shares and their sum: no more than the pool together, whatever they ask for.
fn shares(row: &PoolPlan, occupancies: &Occupancies) -> (BTreeMap<BlockId, Bar>, Known<Bar>) {
    let held = occupancy::held(row, occupancies);
    let over = held.as_ref().map_or(1.0, |held| held.value.max(1.0));
    let known = row.loads.iter().filter_map(|load| Some((*load, occupancies.get(load)?.as_ref().ok()?)));
    let shares = known.map(|(load, one)| (load, one.held.times(1.0 / over))).collect();
    (shares, held.map(|held| held.times(1.0 / over)))
}

/// What the workloads leave: of the most nodes when they hold the most, of the fewest when they hold the least.
fn idle(row: &PoolPlan, full: &Amount, year: &Amount, held: Bar) -> Amount {
    let left = |cost: f64, held: f64| cost.max(held) - held;
    let value = left(full.known.value, full.known.value * held.value);
    let ends = if row.node.rented {
        [left(full.known.high, full.known.high * held.high), left(year.known.low, full.known.low * held.low)]
    } else {
        [left(full.known.low, full.known.low * held.high), left(full.known.high, full.known.high * held.low)]
    };
    let known = Bar { value, low: ends[0].min(ends[1]).min(value), high: ends[0].max(ends[1]).max(value) };
    Amount { known, missing: full.missing.clone() }
}

fn owned(books: &Books<'_, '_>, row: &PoolPlan) -> Amount {
    let block = row.id.block();
    let servers = books.lines(block);
    // A sum without what weighs most in it says nothing, not even what it is at least.
    let known = if servers.is_whole() { 1.0 } else { 0.0 };
    let mut sum = servers.plus(&power(books, row));
    for (block, part) in books.shared.get(&row.id).map_or(&[][..], Vec::as_slice) {
        sum = sum.plus(&books.lines(*block).times(*part));
    }
    sum.times(known)
}

/// The energy of the nodes at the price of the site.
fn power(books: &Books<'_, '_>, row: &PoolPlan) -> Amount {
    let mut sum = Amount::zero();
    let site = books.model[row.id].site;
    let energy = books.plan.figures.known(row.id.block(), "energy");
    let price = energy::price(books.model, site).ok().map(|price| books.market.converted(price));
    match (energy, price) {
        (Some(energy), Some(Priced::Known(price))) => {
            let joules = Bar { value: energy.value, low: energy.low, high: energy.high };
            sum.known = joules.times(price.amount.to_f64());
        }
        (None, _) => {
            sum.missing
                .insert(format!("energy of `{}`, whose power is not known", books.model.address(row.id.block())));
        }
        (Some(_), _) => {
            sum.missing.insert(format!("energy of `{}`", books.model.address(site.block())));
        }
    }
    sum
}

/// Fabrics by ports, storages by nodes of the pools that use them.
fn shared(plan: &Plan<'_>, model: &Model<'_>) -> Shared {
    let mut shared = Shared::new();
    for fabric in plan.fabrics.values() {
        let ports = |pool: &FabricPool| pool.nodes.saturating_mul(pool.ports_per_node) as f64;
        let all = fabric.pools.iter().map(ports).sum::<f64>()
            + fabric.storages.iter().map(|storage| storage.ports as f64).sum::<f64>();
        for pool in fabric.pools.iter().filter(|pool| ports(pool) > 0.0) {
            shared.entry(pool.pool).or_default().push((fabric.id.block(), ratio(ports(pool), all)));
        }
    }
    for storage in plan.storages.values() {
        let nodes = users(plan, model, storage);
        let all = nodes.values().fold(0u64, |sum, nodes| sum.saturating_add(*nodes));
        for (pool, own) in nodes {
            shared.entry(pool).or_default().push((storage.id.block(), ratio(own as f64, all as f64)));
        }
    }
    shared
}

/// The pools of the storage's site whose workloads use it, with their nodes.
fn users(plan: &Plan<'_>, model: &Model<'_>, storage: &StoragePlan) -> BTreeMap<Id<Pool>, u64> {
    let users = |block: BlockId| plan.uses.of_block(block).iter().map(|(user, _)| *user);
    let loads = users(storage.id.block()).flat_map(|user| match model.typed::<Dataset>(user) {
        Some(_) => users(user).collect(),
        None => vec![user],
    });
    let site = model[storage.id].site;
    let pools = loads.filter_map(|load| match model.value(load, "runs_on") {
        Value::Block(pool) => model.as_id::<Pool>(pool).and_then(|id| plan.pools.get(&id)),
        _ => None,
    });
    pools.filter(|row| model[row.id].site == site && !row.node.rented).map(|row| (row.id, row.nodes.high)).collect()
}

impl Books<'_, '_> {
    /// A year of the bill's lines for a block: what is bought over the years of use, what is paid every year whole.
    fn lines(&self, of: BlockId) -> Amount {
        let mut sum = Amount::zero();
        let lines = self.lines.get(&of).map_or(&[][..], Vec::as_slice);
        for line in lines {
            match known(&line.each) {
                Some(each) => sum.known = sum.known.plus(Bar::exact(self.yearly(line, each))),
                // What weighs little does not make the whole unknown; the figure says that it is not in it.
                None if matches!(line.category, Category::Cable | Category::Optic | Category::Fibre) => {}
                None => {
                    sum.missing.insert(self.missing(line));
                }
            }
        }
        if lines.is_empty() && !self.is_free(of) {
            sum.missing.insert(format!("`{}`", self.model.address(of)));
        }
        sum
    }

    fn yearly(&self, line: &Line, each: Money) -> f64 {
        let amount = each.amount.times(Number::whole(line.quantity.1)).unwrap_or(each.amount).to_f64();
        match line.paid {
            Paid::Yearly => amount,
            Paid::Once => per_year(&Owned { purchase: amount, years: self.years, ..Owned::NOTHING }),
            Paid::IfDrawn => 0.0,
        }
    }

    fn missing(&self, line: &Line) -> String {
        let address = self.model.address(line.of);
        match &line.each {
            Priced::Foreign(price) => format!("`{address}`, in {} without a rate", price.currency),
            Priced::Tbd(why) => format!("`{address}` ({why})"),
            Priced::Known(_) | Priced::Unknown => format!("`{address}`"),
        }
    }

    /// Disks of nodes come with them, and a fabric without switches is none.
    fn is_free(&self, of: BlockId) -> bool {
        match self.model.block(of).kind {
            Kind::Storage => {
                let storage = self.model.typed::<Storage>(of);
                storage.is_some_and(|storage| storage.product.is_none() && storage.kind == StorageKind::LocalNvme)
            }
            Kind::Fabric => {
                let row = self.model.as_id(of).and_then(|id| self.plan.fabrics.get(&id));
                row.and_then(|row| row.count.as_ref()).is_some_and(|count| count.switches() == 0)
            }
            _ => false,
        }
    }
}

/// Cost, hours and what is left idle.
pub fn put_figures(plan: &mut Plan<'_>, model: &Model<'_>, ledger: &Ledger, occupancies: &Occupancies, units: Units) {
    for (id, cost) in &ledger.pools {
        let block = id.block();
        let Some(row) = plan.pools.get(id).cloned() else { continue };
        let explain = |figure: Figure| {
            let figure = cost
                .quotes
                .iter()
                .fold(figure, |figure, quote| figure.because(Reason::Block(*quote)))
                .of(block, "nodes");
            if row.node.rented { figure } else { owned_reasons(figure, model, &row) }
        };
        let formula = if row.node.rented { "nodes × price of an hour × hours of a year" } else { OWNED };
        let year = cost.year.times(1.0 / YEAR).figure(units.yearly, formula).map(explain);
        load::put_known(&mut plan.figures, block, "cost", year);
        let idle = cost.idle.clone().and_then(|idle| {
            let formula = "cost of all nodes × (1 − shares of its workloads)";
            let figure = idle.times(1.0 / YEAR).figure(units.yearly, formula)?.of(block, "cost");
            let figure = figure.basis(occupancy::basis(&row.loads, occupancies));
            let of = cost.shares.keys().filter_map(|load| occupancies.get(load)?.as_ref().ok());
            Ok(of.flat_map(|one| &one.because).fold(figure, |figure, reason| figure.because(reason.clone())))
        });
        load::put_known(&mut plan.figures, block, "idle_cost", idle);
    }
}

const OWNED: &str = "purchase ÷ years of use + support + share of networks and storage + energy";

fn owned_reasons(figure: Figure, model: &Model<'_>, row: &PoolPlan) -> Figure {
    let figure = match model.platform() {
        Some(platform) => figure.of(platform.id.block(), "lifetime"),
        None => figure,
    };
    let figure = figure.of(row.id.block(), "energy").of(model[row.id].site.block(), "power_price");
    figure.note("networks by ports, storage by nodes of the pools that use it").note(SCOPE)
}
