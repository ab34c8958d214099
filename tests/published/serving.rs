//! Speed of serving.

use aipc::plan::formula::constants::{Fit, Name, find, serving};
use aipc::plan::formula::decode;
use aipc::plan::formula::engine;
use aipc::plan::formula::prefill;
use aipc::plan::formula::replica::Replica;
use aipc::plan::formula::serving::{ServingInput, in_system, latency, memory_batch, throughput as at_batch};
use aipc::plan::formula::shape::Shape;
use aipc::plan::formula::weights::{ClassPrecision, cache_budget, expert_bytes, weight_bytes, weight_bytes_per_gpu};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Side, Topic};
use crate::world::{self, Card};

/// A copy on its GPUs, with the constants that hold for it.
struct Copy {
    card: &'static Card,
    shape: Shape,
    classes: ClassPrecision,
    replica: Replica,
    constants: aipc::plan::formula::constants::Constants,
    fit: Fit,
}

fn copy(case: &Case) -> Result<Copy, String> {
    let dtype = world::dtype(case);
    let engine = world::engine(case);
    let (shape, _) = world::shape_of(case).ok_or("neither its model nor its `params` are known")?;
    let bandwidth = case.measured("hbm", Measure::ByteRate);
    // A row that names no GPU tells it by its bandwidth.
    let by_rate = |rate: f64| {
        world::cards().iter().find(|card| card.bandwidth.is_some_and(|own| (own / rate - 1.0).abs() < 0.001))
    };
    let card = world::gpu_of(case).or_else(|| by_rate(bandwidth?)).ok_or("its GPU is not known")?;
    let bandwidth = bandwidth.or(card.bandwidth).ok_or("the bandwidth of its GPU is not known")?;
    let peak = card.peak(dtype).ok_or("the rate of its GPU is not known")?;
    let classes = ClassPrecision::of(world::precision(dtype), &shape);
    let count = shape.parameters();
    let routed = expert_bytes(&count, &classes);
    // Sizes of whole checkpoints are given now and then; they are facts of the row.
    let given = case.number(&["weight_bytes"]).filter(|_| shape.experts.is_none());
    let (constants, fit) = serving(&card.names(), dtype, engine);
    let replica = Replica {
        gpus: case.gpus().unwrap_or(1).max(1),
        stages: 1,
        layers: shape.layers,
        hidden: shape.hidden,
        attention_width: shape.attention_width(),
        active_parameters: shape.active_parameters().total() as f64,
        dense_bytes: given.unwrap_or(weight_bytes(&count, &classes) - routed),
        expert_bytes: if given.is_some() { 0.0 } else { routed },
        experts: shape.experts.map_or(0, |experts| experts.count),
        experts_per_token: shape.experts.map_or(0, |experts| experts.per_token),
        bandwidth,
        peak,
    };
    Ok(Copy { card, shape, classes, replica, constants, fit })
}

fn topic(fit: Fit) -> Topic {
    if fit == Fit::Exact { Topic::KeyedSpeed } else { Topic::OtherSpeed }
}

/// Tokens a second at saturation.
pub fn throughput(case: &Case) -> Outcome {
    let copy = copy(case)?;
    let (prompt, answer) = (
        case.need_whole(&["isl", "input_tokens", "input_len"])?,
        case.need_whole(&["osl", "output_tokens", "output_len"])?,
    );
    let gpus = copy.replica.gpus;
    let each = case
        .number(&["kv_bytes_per_token", "kv_bytes_per_token_total"])
        .unwrap_or_else(|| aipc::plan::formula::kv::bytes_per_token(&copy.shape, 2.0, gpus) * gpus as f64);
    let memory = copy.card.memory.ok_or("the catalogue does not know the memory of its GPU")?;
    let share = find(Name::MemoryUtilisation, &[], "", "").map_or(0.9, |(constant, _)| constant.value);
    let outside = find(Name::NonTorch, &[], "", "").map_or(0.0, |(constant, _)| constant.value);
    let weights = weight_bytes_per_gpu(&copy.shape.parameters(), &copy.classes, gpus);
    let name = world::engine(case);
    let sampled = engine::sampled(name, memory, Some(&copy.card.architecture));
    let peak = engine::activation_peak(&copy.shape, gpus, prompt + answer, sampled).value;
    let input = ServingInput {
        replica: copy.replica,
        cache_per_token: each,
        cache_bytes: cache_budget(memory, share, weights, outside, peak) * gpus as f64,
        input_tokens: prompt,
        output_tokens: answer,
        max_batch: case.whole(&["max_batch", "max_batch_size"]).unwrap_or(engine::sequences(
            name,
            memory,
            Some(&copy.card.architecture),
        )),
    };
    let batch = memory_batch(&input);
    if batch == 0 {
        return Err("by its ledger no request fits".into());
    }
    let found = at_batch(&input, &copy.constants, batch);
    let value = if case.unit().contains("total") {
        found.requests_per_s * (prompt + answer) as f64
    } else {
        found.tokens_per_s
    };
    let per_gpu = case.unit().to_lowercase().contains("per gpu");
    let value = if per_gpu { value / gpus as f64 } else { value };
    Ok(vec![Check::of(topic(copy.fit), Measure::TokenRate, value).around(copy.fit.spread())])
}

/// Steps of one sequence.
pub fn decode(case: &Case) -> Outcome {
    let copy = copy(case)?;
    let batch = case.whole(&["batch", "batch_size"]).unwrap_or(1).max(1);
    let context = case.number(&["context", "context_tokens"]).unwrap_or(0.0);
    let cache = context * aipc::plan::formula::kv::bytes_per_token(&copy.shape, 2.0, 1);
    let step = decode::step(&copy.replica, &copy.constants, batch, cache).seconds();
    let check = if case.unit().contains("tokens/s") {
        Check::of(topic(copy.fit), Measure::TokenRate, batch as f64 / step)
    } else {
        Check::of(topic(copy.fit), Measure::Seconds, step)
    };
    Ok(vec![check.around(copy.fit.spread())])
}

/// Prompts on an idle copy; on several GPUs the upper end of the product's bar is half again.
pub fn first_token(case: &Case) -> Outcome {
    let copy = copy(case)?;
    let prompt = case.need_whole(&["prompt", "isl", "input_tokens", "seq"])?;
    let seconds = prefill::seconds(&copy.replica, &copy.constants, prompt);
    let late = if copy.replica.gpus > 1 { 1.5 } else { 1.2 };
    Ok(vec![Check::of(Topic::FirstToken, Measure::Seconds, seconds).around((0.8, late))])
}

/// Little's law.
pub fn concurrency(case: &Case) -> Outcome {
    let stem = |names: &[&str]| names.iter().find_map(|stem| case.measured(stem, Measure::Seconds));
    let first = stem(&["ttft", "mean_ttft"]).ok_or("it does not say its `ttft_ms`")?;
    let each = stem(&["tpot", "mean_tpot", "itl"]).ok_or("it does not say its `tpot_ms`")?;
    let requests = case.number(&["requests"]);
    let answer = case
        .whole(&["osl", "output_len"])
        .or_else(|| Some((case.number(&["output_tokens"])? / requests.unwrap_or(1.0)).round() as u64));
    let latency = latency(first, each, answer.ok_or("it does not say its `osl`")?);
    let rate = case.number(&["request_rate", "requests_per_s"]);
    let rate = rate.or_else(|| Some(requests? / case.measured("duration", Measure::Seconds)?));
    let check = |measure, value| Check::of(Topic::Arithmetic, measure, value);
    if case.unit().contains("peak") {
        let mean = in_system(rate.ok_or("it does not say its rate")?, latency);
        return Ok(vec![Check::bound(Side::AtLeast, Measure::Count, mean).note("a mean is below its peak")]);
    }
    if case.unit().contains("latency") || case.unit().starts_with("ms") {
        let mut checks = vec![check(Measure::Seconds, latency)];
        if let (Some(rate), Some(published)) = (rate, case.also("concurrency_by_little")) {
            checks.push(check(Measure::Count, in_system(rate, latency)).against(published));
        }
        return Ok(checks);
    }
    Ok(vec![check(Measure::Count, in_system(rate.ok_or("it does not say its rate")?, latency))])
}
