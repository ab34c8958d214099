//! What a workload costs: its share of its pool.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Inference, Kind, Pool};

use crate::plan::figure::Figure;
use crate::plan::formula::cost::per_million;
use crate::plan::formula::power::HOURS_PER_YEAR;
use crate::plan::formula::round::ratio;
use crate::plan::load::{self, Bar, Known};
use crate::plan::occupancy::{Occupancies, Occupancy, YEAR};
use crate::plan::{InferencePlan, Plan, PoolPlan};

use super::{Amount, Ledger, PoolCost, Units};

/// A year of every workload.
pub fn all(plan: &Plan<'_>, ledger: &Ledger, occupancies: &Occupancies) -> BTreeMap<BlockId, Known<Amount>> {
    let of_pool = |(id, cost): (&Id<Pool>, &PoolCost)| {
        let loads = plan.pools.get(id).map_or(Vec::new(), |row| row.loads.clone());
        loads.into_iter().map(|load| (load, year(cost, occupancies, load))).collect::<Vec<_>>()
    };
    ledger.pools.iter().flat_map(of_pool).collect()
}

fn year(cost: &PoolCost, occupancies: &Occupancies, load: BlockId) -> Known<Amount> {
    match (occupancies.get(&load), cost.shares.get(&load)) {
        (Some(Ok(_)), Some(share)) => Ok(cost.full.by(*share)),
        (Some(Err(why)), _) => Err(Arc::clone(why)),
        (Some(Ok(_)) | None, _) => Err(Arc::from("its share of the pool is not known")),
    }
}

/// Cost of runs and years, and of what an inference answers.
pub fn put_figures(plan: &mut Plan<'_>, model: &Model<'_>, ledger: &Ledger, occupancies: &Occupancies, units: Units) {
    for (id, cost) in &ledger.pools {
        let loads = plan.pools.get(id).map_or(Vec::new(), |row| row.loads.clone());
        for load in loads {
            let seat = Seat { load, pool: id.block(), cost, units };
            let figure = match model.block(load).kind {
                Kind::Training | Kind::Finetune => seat.run(occupancies),
                _ => seat.year(ledger, occupancies),
            };
            load::put_known(&mut plan.figures, load, "cost", figure);
            if let Some(id) = model.as_id::<Inference>(load) {
                seat.answers(plan, model, id);
            }
        }
    }
}

/// A workload on its pool.
struct Seat<'l> {
    load: BlockId,
    pool: BlockId,
    cost: &'l PoolCost,
    units: Units,
}

impl Seat<'_> {
    fn explain(&self, figure: Figure, occupancy: &Occupancy) -> Figure {
        let figure = figure.of(self.pool, "cost");
        occupancy.because.iter().fold(figure, |figure, reason| figure.because(reason.clone()))
    }

    fn run(&self, occupancies: &Occupancies) -> Known<Figure> {
        let occupancy = known(occupancies, self.load)?;
        let run = occupancy.run.ok_or_else(|| Arc::from("it has no runs"))?;
        let formula = "cost of the pool a year × GPUs ÷ its GPUs × time of a run ÷ a year";
        let figure = self.cost.full.by(run).figure(self.units.once, formula)?.of(self.pool, "cost");
        Ok(figure.of(self.load, "gpus").of(self.load, "time").note(IDLE))
    }

    fn year(&self, ledger: &Ledger, occupancies: &Occupancies) -> Known<Figure> {
        let occupancy = known(occupancies, self.load)?;
        let amount = ledger.loads.get(&self.load).cloned().unwrap_or_else(|| Err(Arc::from("no pool carries it")))?;
        let formula = "cost of the pool a year × the share that is held for the workload";
        let figure = amount.times(1.0 / YEAR).figure(self.units.yearly, formula)?;
        Ok(self.explain(figure, occupancy).note(IDLE))
    }

    /// A million tokens and a request, with the copies that the peak needs.
    fn answers(&self, plan: &mut Plan<'_>, model: &Model<'_>, id: Id<Inference>) {
        let copies = plan.inferences.get(&id).ok_or_else(|| Arc::from("its copies are not known")).and_then(at_peak);
        let hour = copies.map(|(copies, each)| {
            let gpus = plan.pools.get(&model[id].runs_on).map_or(0, PoolPlan::all_parts);
            self.cost.full.by(copies.times(ratio(each, gpus as f64))).times(1.0 / HOURS_PER_YEAR)
        });
        let requests = demand(model, id);
        let explain = |figure: Figure| {
            let demand = model[id].demand.first().map_or(self.load, |demand| demand.block());
            let figure =
                figure.of(self.pool, "cost").of(self.load, "replicas_needed").of(self.load, "gpus_per_replica");
            figure.of(demand, "requests").of(demand, "answer").note(PEAK)
        };
        let request = hour.clone().and_then(|hour: Amount| {
            let (requests, _) = requests.clone()?;
            let formula = "cost of an hour of the copies at the peak ÷ requests of an hour";
            hour.times(per_million(1.0, requests) / 1e6).figure(self.units.once, formula).map(explain)
        });
        load::put_known(&mut plan.figures, self.load, "cost_per_request", request);
        let tokens = hour.and_then(|hour| {
            let (requests, answer) = requests?;
            let formula = "cost of an hour of the copies at the peak ÷ generated tokens of an hour × 1 million";
            hour.times(per_million(1.0, requests * answer)).figure(self.units.once, formula).map(explain)
        });
        load::put_known(&mut plan.figures, self.load, "cost_per_million_tokens", tokens);
    }
}

const IDLE: &str = "what the pool leaves idle is not in it";
const PEAK: &str = "at the peak; with fewer requests the same copies answer fewer tokens, and one costs more";

fn known(occupancies: &Occupancies, load: BlockId) -> Known<&Occupancy> {
    match occupancies.get(&load) {
        Some(Ok(one)) => Ok(one),
        Some(Err(why)) => Err(Arc::clone(why)),
        None => Err(Arc::from("no pool carries it")),
    }
}

/// Copies that answer the peak, and GPUs of one. A demand that nobody can answer has no cost of an answer.
fn at_peak(row: &InferencePlan) -> Known<(Bar, f64)> {
    let needed = row.needed.ok_or_else(|| Arc::from("how many copies the demand needs is not known"))?;
    let replicas = row.replicas.ok_or_else(|| Arc::from("its copies are not known"))?;
    if needed > replicas.high {
        return Err(Arc::from(format!("the demand needs {needed} copies, {} are the most", replicas.high)));
    }
    let copies = needed.max(replicas.low) as f64;
    Ok((Bar { value: copies, low: copies, high: replicas.high as f64 }, row.gpus_per_replica as f64))
}

/// Requests a second at the peak, and generated tokens of one.
fn demand(model: &Model<'_>, id: Id<Inference>) -> Known<(f64, f64)> {
    let address = model.address(id.block());
    let demand =
        model[id].demand.first().ok_or_else(|| Arc::from(format!("`{address}` says nothing of its `demand`")))?;
    let demand = &model[*demand];
    let requests = load::setting(model, demand.id, "requests", &demand.requests)?.requests_per_second();
    Ok((requests, demand.answer.tokens()))
}
