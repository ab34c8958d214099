//! How many copies it takes.

use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::Span;

use crate::plan::figure::{Figure, Reason};
use crate::plan::formula::round::{ceil_units, ratio};
use crate::plan::formula::serving::{in_system, latency, replicas, wait};
use crate::plan::load::{self, Known, NO_NUMBER};

use super::copy::Service;
use super::speed::Spoken;

/// From this availability on, copies beyond the demand stand ready.
const HIGHLY_AVAILABLE: f64 = 0.999;

/// Copies that the demand needs, and what asks for them.
#[derive(Debug, Clone)]
pub struct Needed {
    /// Copies.
    pub copies: u64,
    /// Copies at the ends of the bar of the throughput.
    ends: (u64, u64),
    why: String,
}

impl Needed {
    /// As a figure.
    pub fn figure(&self, service: &Service<'_>) -> Figure {
        let block = service.id.block();
        let formula = "requests a second × tokens of an answer ÷ (throughput of a copy × utilisation), rounded up";
        let (low, high) = self.ends;
        let figure = Figure::between(self.copies as f64, low as f64, high as f64, "", formula).of(block, "throughput");
        let figure = match service.demand {
            Some(demand) => {
                let demand = demand.id.block();
                figure.of(demand, "requests").of(demand, "answer").of(demand, "utilisation")
            }
            None => figure,
        };
        figure.note(self.why.as_str())
    }
}

/// Copies by load, and by requests at once where that is more.
pub fn needed(model: &Model<'_>, service: &Service<'_>, spoken: &Known<Spoken>) -> Known<Needed> {
    let address = model.address(service.id.block());
    let demand = service.demand.ok_or_else(|| Arc::from(format!("`{address}` says nothing of its `demand`")))?;
    let requests = load::setting(model, demand.id, "requests", &demand.requests)?.requests_per_second();
    let spoken = spoken.clone()?;
    let share = demand.utilisation.fraction();
    let answer = demand.answer.tokens();
    // An answer without tokens is counted in requests.
    let by = |factor: f64| {
        if spoken.baseline.is_some() && answer > 0.0 {
            replicas(requests * answer, spoken.throughput.value * factor, share)
        } else {
            replicas(requests, spoken.requests * factor, share)
        }
    };
    let [value, best, worst] = [spoken.throughput.value, spoken.throughput.high, spoken.throughput.low]
        .map(|rate| by(if spoken.throughput.value > 0.0 { rate / spoken.throughput.value } else { 1.0 }));
    let each = spoken.per_token.map_or(0.0, |bar| bar.value);
    let at_once = in_system(requests, latency(spoken.first_token.value, each, ceil_units(answer)));
    let by_concurrency = ceil_units(ratio(at_once, spoken.batch as f64));
    let copies = value.max(by_concurrency);
    if copies == u64::MAX {
        return Err(Arc::from(format!("{NO_NUMBER} copies answers the demand")));
    }
    let why = if by_concurrency > value {
        format!("{at_once:.0} requests are under way at once and a copy takes {}", spoken.batch)
    } else {
        format!("for {at_once:.0} requests under way at once, {by_concurrency} would do")
    };
    let worst = if worst == u64::MAX { copies } else { worst.max(copies) };
    Ok(Needed { copies, ends: (best.max(by_concurrency).min(copies), worst), why })
}

/// Seconds to the first token that 95 of 100 requests keep at the peak: the prompt, the step that is under way when it
/// comes, and the prompts before it.
pub fn first_token_at_peak(model: &Model<'_>, service: &Service<'_>, spoken: &Spoken, copies: u64) -> Option<f64> {
    let demand = service.demand?;
    let requests = load::setting(model, demand.id, "requests", &demand.requests).ok()?.requests_per_second();
    let prompt = spoken.first_token.value;
    let step = spoken.per_token.map_or(0.0, |bar| bar.value);
    Some(prompt + step + wait(ratio(requests, copies as f64), prompt))
}

/// Copies as written, or as many as needed and a quarter more to scale to where it is to be always there.
pub fn chosen(model: &Model<'_>, service: &Service<'_>, needed: &Known<Needed>) -> Known<Span<u64>> {
    if !service.inference.replicas.is_auto() {
        return load::setting(model, service.id, "replicas", &service.inference.replicas);
    }
    if service.demand.is_none() {
        return Ok(Span { low: 1, high: 1 });
    }
    let least = needed.as_ref().map_err(Arc::clone)?.copies.max(1);
    let more = if is_highly_available(service) { least.div_ceil(4) } else { 0 };
    Ok(Span { low: least, high: least.saturating_add(more) })
}

/// The choice as a figure: the least, with the most as the upper end.
pub fn figure(model: &Model<'_>, service: &Service<'_>, needed: &Known<Needed>, replicas: Span<u64>) -> Figure {
    let block = service.id.block();
    let figure =
        Figure::between(replicas.low as f64, replicas.low as f64, replicas.high as f64, "", "copies that are needed");
    if needed.is_err() {
        let address = model.address(block);
        return figure.because(Reason::Note(Arc::from(format!("`{address}` says nothing of its demand: one copy"))));
    }
    let figure = figure.of(block, "replicas_needed");
    match service.slo.filter(|_| is_highly_available(service)) {
        Some(slo) => figure.of(slo.id.block(), "availability").note(format!(
            "up to {} when one is being replaced or the load grows: a quarter more, from 99.9 % availability on",
            replicas.high
        )),
        None => figure,
    }
}

fn is_highly_available(service: &Service<'_>) -> bool {
    let promised = service.slo.and_then(|slo| slo.availability).map_or(0.0, |share| share.fraction());
    promised >= HIGHLY_AVAILABLE
}
