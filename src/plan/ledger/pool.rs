//! What a pool costs: its servers or instances, its share of networks and storage, its energy.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::number::Number;
use crate::base::quantity::Money;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Dataset, Kind, Platform, Pool, Storage};
use crate::model::words::StorageKind;

use crate::plan::bill::price::{Market, known};
use crate::plan::bill::{Line, Paid, Priced};
use crate::plan::figure::{Figure, Reason};
use crate::plan::formula::cost::{Owned, per_year};
use crate::plan::formula::round::ratio;
use crate::plan::load::{self, Bar, Known};
use crate::plan::occupancy::{self, Occupancies, YEAR};
use crate::plan::{FabricPool, Plan, PoolPlan, StoragePlan, energy};

use super::{Amount, Ledger, PoolCost, Units};

/// What an owned hour does not have in it.
const SCOPE: &str = "racks, floor space, staff and licences are not in it";

/// Every pool.
pub fn all(
    plan: &Plan<'_>,
    model: &Model<'_>,
    platform: &Platform,
    occupancies: &Occupancies,
) -> BTreeMap<Id<Pool>, PoolCost> {
    let books =
        Books { plan, model, years: platform.lifetime.seconds() / YEAR, market: Market::new(model, platform.currency) };
    plan.pools.values().map(|row| (row.id, cost(&books, row, occupancies))).collect()
}

/// What costs are read from.
struct Books<'p, 'm> {
    plan: &'p Plan<'p>,
    model: &'p Model<'m>,
    years: f64,
    market: Market<'p>,
}

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
    PoolCost { full, year, shares, idle }
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
    for fabric in books.plan.fabrics.values() {
        let ports = |pool: &FabricPool| pool.nodes.saturating_mul(pool.ports_per_node) as f64;
        let all: f64 = fabric.pools.iter().map(ports).sum::<f64>() + fabric.storage_ports as f64;
        let own: f64 = fabric.pools.iter().filter(|pool| pool.pool == row.id).map(ports).sum();
        if own > 0.0 {
            sum = sum.plus(&books.lines(fabric.id.block()).times(ratio(own, all)));
        }
    }
    let site = books.model[row.id].site;
    for storage in books.plan.storages.values().filter(|storage| books.model[storage.id].site == site) {
        let nodes = users(books, storage);
        let all: u64 = nodes.values().fold(0, |sum, nodes| sum.saturating_add(*nodes));
        if let Some(own) = nodes.get(&row.id) {
            sum = sum.plus(&books.lines(storage.id.block()).times(ratio(*own as f64, all as f64)));
        }
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

/// The pools of the storage's site whose workloads use it, with their nodes.
fn users(books: &Books<'_, '_>, storage: &StoragePlan) -> BTreeMap<Id<Pool>, u64> {
    let Books { plan, model, .. } = books;
    let direct = plan.uses.of_block(storage.id.block()).iter().map(|(user, _)| *user);
    let readers = |block: BlockId| plan.uses.of_block(block).iter().map(|(user, _)| *user);
    let blocks: BTreeSet<BlockId> = direct
        .flat_map(|user| match model.typed::<Dataset>(user) {
            Some(_) => readers(user).collect(),
            None => vec![user],
        })
        .collect();
    let site = model[storage.id].site;
    let pools = plan.pools.values().filter(|row| model[row.id].site == site && !row.node.rented);
    let uses = |row: &&PoolPlan| row.loads.iter().any(|load| blocks.contains(load));
    pools.filter(uses).map(|row| (row.id, row.nodes.high)).collect()
}

impl Books<'_, '_> {
    /// A year of the bill's lines for a block: what is bought over the years of use, what is paid every year whole.
    fn lines(&self, of: BlockId) -> Amount {
        let mut sum = Amount::zero();
        let lines: Vec<&Line> = self.plan.bill.lines.iter().filter(|line| line.of == of).collect();
        for line in &lines {
            match known(&line.each) {
                Some(each) => sum.known = sum.known.plus(Bar::exact(self.yearly(line, each))),
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
        let lines: BTreeSet<BlockId> =
            plan.bill.lines.iter().filter(|line| line.of == block).filter_map(|line| line.quote).collect();
        let explain = |figure: Figure| {
            let figure =
                lines.iter().fold(figure, |figure, quote| figure.because(Reason::Block(*quote))).of(block, "nodes");
            if row.node.rented { figure } else { owned_reasons(figure, model, &row) }
        };
        let formula = if row.node.rented { "nodes × price of an hour × hours of a year" } else { OWNED };
        let year = cost.year.times(1.0 / YEAR).figure(units.yearly, formula).map(explain);
        load::put_known(&mut plan.figures, block, "cost", year);
        let idle = cost.idle.clone().and_then(|idle| {
            let formula = "cost of all nodes × (1 − shares of its workloads)";
            let figure = idle.times(1.0 / YEAR).figure(units.yearly, formula)?.of(block, "cost");
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
