//! What a tenant costs: its workloads, and what pools of its own leave idle.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Pool, Tenant};
use crate::model::value::Value;

use crate::plan::Plan;
use crate::plan::load::{self, Known};
use crate::plan::occupancy::YEAR;

use super::{Amount, Ledger, Units};

/// A year of every tenant.
pub fn all(plan: &Plan<'_>, model: &Model<'_>, ledger: &Ledger) -> BTreeMap<BlockId, Known<Amount>> {
    model.tables.tenants.iter().map(|tenant| (tenant.id.block(), year(plan, model, ledger, tenant.id))).collect()
}

fn year(plan: &Plan<'_>, model: &Model<'_>, ledger: &Ledger, id: Id<Tenant>) -> Known<Amount> {
    let mut sum = Amount::zero();
    for (load, amount) in loads(model, ledger, id) {
        let amount =
            amount.as_ref().map_err(|why| -> Arc<str> { Arc::from(format!("`{}`: {why}", model.address(load))) })?;
        sum = sum.plus(amount);
    }
    for pool in pools(plan, model, id) {
        let Some(cost) = ledger.pools.get(&pool) else { continue };
        let idle = cost
            .idle
            .clone()
            .map_err(|why| -> Arc<str> { Arc::from(format!("`{}`: {why}", model.address(pool.block()))) })?;
        sum = sum.plus(&idle);
    }
    Ok(sum)
}

/// The tenant's workloads: those that name it, and those on its own pools that name nobody.
fn loads<'l>(
    model: &'l Model<'_>,
    ledger: &'l Ledger,
    id: Id<Tenant>,
) -> impl Iterator<Item = (BlockId, &'l Known<Amount>)> {
    let tenant_of = move |load: BlockId| match (model.value(load, "tenant"), model.value(load, "runs_on")) {
        (Value::Block(tenant), _) => Some(tenant),
        (_, Value::Block(pool)) => model.typed::<Pool>(pool).and_then(|pool| pool.tenant).map(Id::block),
        _ => None,
    };
    ledger
        .loads
        .iter()
        .map(|(load, amount)| (*load, amount))
        .filter(move |(load, _)| tenant_of(*load) == Some(id.block()))
}

fn pools(plan: &Plan<'_>, model: &Model<'_>, id: Id<Tenant>) -> Vec<Id<Pool>> {
    plan.pools.keys().copied().filter(|pool| model[*pool].tenant == Some(id)).collect()
}

/// A figure for each.
pub fn put_figures(plan: &mut Plan<'_>, model: &Model<'_>, ledger: &Ledger, units: Units) {
    for (block, amount) in &ledger.tenants {
        let Some(id) = model.as_id::<Tenant>(*block) else { continue };
        let formula = "cost a year of its workloads, and of what pools of its own leave idle";
        let figure = amount.clone().and_then(|amount| {
            let figure = amount.times(1.0 / YEAR).figure(units.yearly, formula)?;
            let figure = loads(model, ledger, id).fold(figure, |figure, (load, _)| figure.of(load, "cost"));
            Ok(pools(plan, model, id).into_iter().fold(figure, |figure, pool| figure.of(pool.block(), "idle_cost")))
        });
        load::put_known(&mut plan.figures, *block, "cost", figure);
    }
}
