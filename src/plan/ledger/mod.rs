//! Who costs what: pools from the lines of the bill, workloads by their share of a pool, tenants by their workloads.
//!
//! The shares of the workloads and what is left idle add up to the pool.

mod amount;
mod load;
mod pool;
mod tenant;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::unit;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Pool;

use super::Plan;
use super::load::{Bar, Known};
use super::occupancy::Occupancies;

pub use amount::Amount;

/// Money a year, in the platform's currency.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Of each pool.
    pub pools: BTreeMap<Id<Pool>, PoolCost>,
    /// Of each workload; why it is not known.
    pub loads: BTreeMap<BlockId, Known<Amount>>,
    /// Of each tenant; why it is not known.
    pub tenants: BTreeMap<BlockId, Known<Amount>>,
}

/// What a pool costs a year, and who uses how much of that.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolCost {
    /// All its nodes at most, the whole year.
    pub full: Amount,
    /// The same from its fewest nodes on.
    pub year: Amount,
    /// Share of each workload, for those that are known.
    pub shares: BTreeMap<BlockId, Bar>,
    /// What no workload uses; why that is not known.
    pub idle: Known<Amount>,
    /// The quotes that its prices are from.
    pub quotes: BTreeSet<BlockId>,
}

/// The units of the platform's money.
#[derive(Debug, Clone, Copy)]
pub struct Units {
    /// `EUR`.
    pub once: &'static str,
    /// `EUR/year`.
    pub yearly: &'static str,
    /// `EUR/h`.
    pub hourly: &'static str,
}

impl Units {
    /// Of a currency.
    pub fn of(code: &str) -> Units {
        Units { once: unit::currency_unit(code), yearly: unit::yearly_unit(code), hourly: unit::hourly_unit(code) }
    }
}

/// Shares the bill out.
pub fn sum(plan: &mut Plan<'_>, occupancies: &Occupancies) {
    let model = Arc::clone(&plan.model);
    let Some(platform) = model.platform() else { return };
    let units = Units::of(platform.currency.code());
    let mut ledger = Ledger { pools: pool::all(plan, &model, platform, occupancies), ..Ledger::default() };
    pool::put_figures(plan, &model, &ledger, occupancies, units);
    ledger.loads = load::all(plan, &ledger, occupancies);
    load::put_figures(plan, &model, &ledger, occupancies, units);
    ledger.tenants = tenant::all(plan, &model, &ledger);
    tenant::put_figures(plan, &model, &ledger, occupancies, units);
    plan.ledger = ledger;
}
