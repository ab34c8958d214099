//! What a tenant costs: its workloads, and what pools of its own leave idle.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Pool;
use crate::model::value::Value;

use crate::plan::Plan;
use crate::plan::load::{self, Known};
use crate::plan::occupancy::{self, Occupancies, YEAR};

use super::{Amount, Ledger, Units};

/// What is a tenant's.
#[derive(Default)]
struct Own {
    loads: Vec<BlockId>,
    pools: Vec<Id<Pool>>,
}

/// What each tenant has: workloads that name it, those on its own pools that name nobody, and these pools.
fn owned(plan: &Plan<'_>, model: &Model<'_>) -> BTreeMap<BlockId, Own> {
    let mut all: BTreeMap<BlockId, Own> =
        model.tables.tenants.iter().map(|tenant| (tenant.id.block(), Own::default())).collect();
    for row in plan.pools.values() {
        let of_pool = model[row.id].tenant.map(Id::block);
        for load in &row.loads {
            let named = match model.value(*load, "tenant") {
                Value::Block(tenant) => Some(tenant),
                _ => of_pool,
            };
            if let Some(own) = named.and_then(|tenant| all.get_mut(&tenant)) {
                own.loads.push(*load);
            }
        }
        if let Some(own) = of_pool.and_then(|tenant| all.get_mut(&tenant)) {
            own.pools.push(row.id);
        }
    }
    all
}

/// A year of every tenant.
pub fn all(plan: &Plan<'_>, model: &Model<'_>, ledger: &Ledger) -> BTreeMap<BlockId, Known<Amount>> {
    owned(plan, model).into_iter().map(|(tenant, own)| (tenant, year(model, ledger, &own))).collect()
}

fn year(model: &Model<'_>, ledger: &Ledger, own: &Own) -> Known<Amount> {
    let of = |block: BlockId, why: &str| -> Arc<str> { Arc::from(format!("`{}`: {why}", model.address(block))) };
    let mut sum = Amount::zero();
    for load in &own.loads {
        match ledger.loads.get(load) {
            Some(Ok(amount)) => sum = sum.plus(amount),
            Some(Err(why)) => return Err(of(*load, why)),
            None => return Err(of(*load, "no pool carries it")),
        }
    }
    for pool in &own.pools {
        match ledger.pools.get(pool).map(|cost| &cost.idle) {
            Some(Ok(idle)) => sum = sum.plus(idle),
            Some(Err(why)) => return Err(of(pool.block(), why)),
            None => return Err(of(pool.block(), "it has no cost")),
        }
    }
    Ok(sum)
}

/// A figure for each.
pub fn put_figures(plan: &mut Plan<'_>, model: &Model<'_>, ledger: &Ledger, occupancies: &Occupancies, units: Units) {
    for (block, own) in owned(plan, model) {
        let Some(amount) = ledger.tenants.get(&block) else { continue };
        let formula = "cost a year of its workloads, and of what pools of its own leave idle";
        let figure = amount.clone().and_then(|amount| {
            let figure = amount.times(1.0 / YEAR).figure(units.yearly, formula)?;
            let figure = figure.basis(occupancy::basis(&own.loads, occupancies));
            let figure = own.loads.iter().fold(figure, |figure, load| figure.of(*load, "cost"));
            Ok(own.pools.iter().fold(figure, |figure, pool| figure.of(pool.block(), "idle_cost")))
        });
        load::put_known(&mut plan.figures, block, "cost", figure);
    }
}
