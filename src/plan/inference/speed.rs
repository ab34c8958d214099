//! How fast a copy answers: at the largest batch that keeps what is promised, or as it was measured.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::BlockId;

use crate::plan::assumption::{self, Key};
use crate::plan::baseline::{self, Sample};
use crate::plan::figure::Reason;
use crate::plan::formula::constants::{Constants, Fit, Name};
use crate::plan::formula::replica::Replica;
use crate::plan::formula::round::{ceil_units, ratio};
use crate::plan::formula::serving::{self, Missed, Promise, ServingInput, Throughput};
use crate::plan::gpu::Card;
use crate::plan::load::{Bar, Known};
use crate::plan::pace::Disagreement;
use crate::plan::readable;

use super::copy::{Copy, Service};

/// Error of a time to the first token on one GPU, and upwards on several.
const FIRST_TOKEN: f64 = 0.20;
const FIRST_TOKEN_SEVERAL: f64 = 0.50;
/// The same upwards for mixtures of experts: the share of the peak that prompts reach was measured on dense models, and experts
/// with few tokens each reach far less. Assumption, from operators' timings of large mixtures.
const FIRST_TOKEN_MIXTURE: f64 = 5.0;
/// Spread of a measured throughput on the same GPUs, and on other numbers of them or on another GPU.
const MEASURED: f64 = 0.10;
const CARRIED: f64 = 0.25;

/// What a copy does.
#[derive(Debug, Clone)]
pub struct Spoken {
    /// Requests at once.
    pub batch: u64,
    /// Seconds to the first token.
    pub first_token: Bar,
    /// Seconds for each further token; nothing without an answer.
    pub per_token: Option<Bar>,
    /// Tokens a second.
    pub throughput: Bar,
    /// Requests a second, by formula.
    pub requests: f64,
    /// The baseline that the throughput is from.
    pub baseline: Option<BlockId>,
}

/// The speed of a copy, with what it stands on.
pub struct Speed {
    /// What a copy does.
    pub spoken: Known<Spoken>,
    /// Why no batch keeps what is promised.
    pub missed: Option<String>,
    /// How well the constants fit.
    pub fit: Fit,
    /// The constants, as reasons.
    pub constants: Vec<Reason>,
    /// Where the baseline and the formula do not agree.
    pub disagreement: Option<Disagreement>,
    /// What is to be known about the baseline.
    pub notes: Vec<Arc<str>>,
}

impl Speed {
    /// Computes it.
    pub fn of(model: &Model<'_>, service: &Service<'_>, copy: &Known<Copy>, gpus: u64) -> Speed {
        let samples = baseline::of(model, service.id.block(), service.seat.card.id);
        let mut speed = Speed {
            spoken: Err(Arc::from("")),
            missed: None,
            fit: Fit::General,
            constants: Vec::new(),
            disagreement: None,
            notes: samples.ignored,
        };
        let computed = copy.clone().and_then(|copy| speed.compute(model, service, &copy));
        speed.spoken = match (computed, samples.best) {
            (Ok(spoken), Some(sample)) => Ok(speed.measured(model, service, spoken, &sample, gpus)),
            (computed, _) => computed,
        };
        speed
    }

    fn compute(&mut self, model: &Model<'_>, service: &Service<'_>, copy: &Copy) -> Known<Spoken> {
        let constants = self.find_constants(model, service);
        let input = input(model, service, copy)?;
        let promise = Promise {
            first_token: service.slo.and_then(|slo| slo.first_token_p95).map_or(f64::INFINITY, |time| time.seconds()),
            token: service.slo.and_then(|slo| slo.per_token_p95).map_or(f64::INFINITY, |time| time.seconds()),
        };
        match serving::under_promise(&input, &constants, &promise) {
            Ok(found) => Ok(self.spoken(&input, found)),
            Err(missed) => {
                let words = missed_words(&missed, &promise, copy);
                self.missed = Some(words.clone());
                match missed {
                    Missed::Memory { .. } => Err(Arc::from(words)),
                    // One request at a time is what comes closest.
                    Missed::FirstToken { .. } | Missed::Token { .. } => {
                        Ok(self.spoken(&input, serving::throughput(&input, &constants, 1)))
                    }
                }
            }
        }
    }

    fn spoken(&self, input: &ServingInput, found: Throughput) -> Spoken {
        let (slow, fast) = self.fit.spread();
        let late = match (input.replica.experts, input.replica.gpus) {
            (1.., _) => FIRST_TOKEN_MIXTURE,
            (0, 2..) => FIRST_TOKEN_SEVERAL,
            (0, _) => FIRST_TOKEN,
        };
        let around = |value| Bar::around(value, slow, fast);
        Spoken {
            batch: found.batch,
            first_token: Bar::around(found.first_token, 1.0 - FIRST_TOKEN, 1.0 + late),
            per_token: found.token.is_finite().then(|| around(found.token)),
            throughput: around(found.tokens_per_s),
            requests: found.requests_per_s,
            baseline: None,
        }
    }

    /// The same with the throughput as it was measured.
    fn measured(
        &mut self,
        model: &Model<'_>,
        service: &Service<'_>,
        spoken: Spoken,
        sample: &Sample,
        gpus: u64,
    ) -> Spoken {
        let card = &service.seat.card;
        let other = sample.gpu != card.id;
        let Some(factor) = (if other { carried(model, service, sample) } else { Some(1.0) }) else {
            let address = model.address(sample.block);
            self.notes.push(Arc::from(format!("`{address}` ran on a GPU whose speed against this one is not known")));
            return spoken;
        };
        if !other && sample.gpus == gpus {
            let [low, high] = [spoken.throughput.low, spoken.throughput.high].map(|rate| rate / gpus as f64);
            self.disagreement = Disagreement::of(sample.block, sample.per_gpu(), low, high);
        }
        // A sample names whole GPUs.
        let part = card.part();
        let factor = if part.is_part() && !other { part.speed() } else { factor };
        let value = sample.per_gpu() * gpus as f64 * factor;
        let error = if other || part.is_part() || sample.gpus != gpus { CARRIED } else { MEASURED };
        if part.is_part() {
            self.notes.push(Arc::from(format!(
                "the sample ran on whole GPUs; its rate is carried over to a part, times {factor:.2}"
            )));
        }
        if other {
            self.notes
                .push(Arc::from(format!("the sample ran on another GPU; its rate is carried over, times {factor:.2}")));
        }
        if sample.gpus != gpus {
            self.notes.push(Arc::from(format!("the sample ran on {} GPUs, a copy has {gpus}", sample.gpus)));
        }
        Spoken { throughput: Bar::around(value, 1.0 - error, 1.0 + error), baseline: Some(sample.block), ..spoken }
    }

    fn find_constants(&mut self, model: &Model<'_>, service: &Service<'_>) -> Constants {
        let card = &service.seat.card;
        let key =
            Key { card: Some(card), precision: service.precision.word(), engine: service.inference.engine.word() };
        let (mut found, fit) = assumption::serving(model, key);
        self.fit = fit;
        let shown = [
            ("share of the memory bandwidth reached", Name::Bandwidth),
            ("share of the peak reached while answering", Name::Decode),
            ("share of the peak reached on prompts", Name::Prefill),
        ];
        let reason = |(words, name)| assumption::find(model, name, key).map(|assumed| assumed.reason(words));
        self.constants = shown.into_iter().filter_map(reason).collect();
        // Architectures come with their own links and without; only the former reach the rates in the table.
        let said = assumption::find(model, Name::Link, key).filter(|link| card.is_linked() || link.is_given());
        if let Some(link) = said.or_else(|| assumption::find(model, Name::Link, Key { card: None, ..key })) {
            found.link = link.bar.value;
            self.constants.push(link.reason_in("rate between GPUs", |rate| format!("{} GB/s", rate / 1e9)));
        }
        found
    }
}

/// The workload in the words of the formulas.
fn input(model: &Model<'_>, service: &Service<'_>, copy: &Copy) -> Known<ServingInput> {
    let address = model.address(service.id.block());
    let demand = service.demand.ok_or_else(|| Arc::from(format!("`{address}` says nothing of its `demand`")))?;
    let (shape, _) = service.shape.as_ref().map_err(Arc::clone)?;
    let card = &service.seat.card;
    let gpu = model.address(card.id.block());
    let bandwidth =
        card.bandwidth().ok_or_else(|| Arc::from(format!("`{gpu}` does not say its `memory_bandwidth`")))?;
    let peak = card
        .serving_peak(service.precision)
        .ok_or_else(|| Arc::from(format!("the rate of `{gpu}` at serving in {} is not known", service.precision)))?;
    let (prompt, answer) = (ceil_units(demand.prompt.tokens()), ceil_units(demand.answer.tokens()));
    let length = prompt.saturating_add(answer);
    let request = service.request_bytes(copy, length)?;
    Ok(ServingInput {
        replica: Replica {
            gpus: copy.gpus,
            stages: copy.stages,
            layers: shape.layers,
            hidden: shape.hidden,
            attention_width: shape.attention_width(),
            active_parameters: shape.active_parameters().total() as f64,
            dense_bytes: copy.dense_bytes,
            expert_bytes: copy.expert_bytes,
            experts: shape.experts.map_or(0, |experts| experts.count),
            experts_per_token: shape.experts.map_or(0, |experts| experts.per_token),
            bandwidth,
            peak,
        },
        cache_per_token: ratio(request, length as f64),
        cache_bytes: copy.cache_of_copy(),
        input_tokens: prompt,
        output_tokens: answer,
        max_batch: copy.sequences,
    })
}

/// What a GPU of the load serves over one of the sample: the lower of the ratios of bandwidth and arithmetic.
fn carried(model: &Model<'_>, service: &Service<'_>, sample: &Sample) -> Option<f64> {
    let theirs = Card::of(model, sample.gpu);
    let ours = &service.seat.card;
    let peak = ours.serving_peak(service.precision)? / theirs.serving_peak(service.precision)?;
    let bandwidth = ours.bandwidth()? / theirs.bandwidth()?;
    Some(peak.min(bandwidth))
}

fn missed_words(missed: &Missed, promise: &Promise, copy: &Copy) -> String {
    match missed {
        Missed::Memory { needed, available } => format!(
            "one request needs {} of cache and a copy of {} GPUs has {}",
            readable::memory_text(*needed),
            copy.gpus,
            readable::memory_text(available.max(0.0)),
        ),
        Missed::FirstToken { seconds } => format!(
            "the first token takes {} on an idle copy, {} more than promised",
            readable::time_text(*seconds),
            readable::time_text(seconds - promise.first_token),
        ),
        Missed::Token { seconds } => format!(
            "a token takes {} with one request at a time, {} more than promised",
            readable::time_text(*seconds),
            readable::time_text(seconds - promise.token),
        ),
    }
}
