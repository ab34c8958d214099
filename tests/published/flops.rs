//! Arithmetic of training: FLOP, rates, utilisation.

use aipc::plan::formula::compute::{
    Counted, Mask, forward_flops_per_token, iteration_flops, pipeline_efficiency, selective_hardware_ratio,
    tokens_per_second, train_flops_per_token, utilisation as share,
};
use aipc::plan::formula::constants::{Name, find};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Refusal, Side, Topic};
use crate::world::{self, Card};

/// A micro-batch of one sequence of a GPT, as its configuration spells it.
pub struct Iteration {
    pub batch: u64,
    pub sequence: u64,
    pub layers: u64,
    pub hidden: u64,
    pub vocab: u64,
}

impl Iteration {
    /// Reads one; nothing when a size is missing.
    pub fn of(case: &Case) -> Option<Iteration> {
        Some(Iteration {
            batch: case.whole(&["global_batch", "batch"])?,
            sequence: case.whole(&["seq", "sequence", "seq_len"])?,
            layers: case.whole(&["layers"])?,
            hidden: case.whole(&["hidden"])?,
            vocab: case.whole(&["vocab"])?,
        })
    }

    /// FLOP of it.
    pub fn flops(&self, counted: Counted) -> f64 {
        iteration_flops(self.batch, self.sequence, self.layers, self.hidden, self.vocab, counted)
    }
}

/// What a row counts: without another word quoted rates of runs that recompute count that too.
pub fn counted(case: &Case) -> Counted {
    let recompute = case.text(&["recompute", "recomputation"]).map(str::to_lowercase);
    let model = case.unit().to_lowercase().contains("model") || case.has(&["model_tflops_per_gpu"]);
    match recompute.as_deref() {
        _ if model => Counted::Model,
        Some("none" | "selective" | "selective+sp") => Counted::Model,
        Some(_) | None => Counted::Hardware,
    }
}

/// FLOP of a token of parameters alone.
pub fn per_token(parameters: f64, counted: Counted) -> f64 {
    let again = match counted {
        Counted::Model => 0.0,
        Counted::Hardware => forward_flops_per_token(parameters, 0, 0, 0, Mask::Full),
    };
    train_flops_per_token(parameters, 0, 0, 0, Mask::Full) + again
}

/// Rates, totals and bubbles.
pub fn predict(case: &Case) -> Outcome {
    let check = |measure, value| Check::of(Topic::GivenRate, measure, value);
    if let (Some(stages), Some(rate)) =
        (case.whole(&["pp", "pipeline"]), case.measured("full_speed", Measure::FlopRate))
    {
        let micro = case.whole(&["micro_batches_per_replica", "micro_batches"]);
        let micro = micro.ok_or("it does not say its `micro_batches_per_replica`")?;
        let chunks = case.whole(&["chunks", "interleave"]).unwrap_or(1);
        let full = case.whole(&["full_speed_micro_batches"]).map_or(1.0, |m| pipeline_efficiency(m, stages, chunks));
        let most = rate * pipeline_efficiency(micro, stages, chunks) / full;
        return Ok(vec![Check::bound(Side::AtMost, Measure::FlopRate, most)]);
    }
    if case.has(&["micro_batches", "micro_batches_per_replica"]) && case.has(&["pp", "pipeline"]) {
        let [micro, stages] =
            [case.need_whole(&["micro_batches", "micro_batches_per_replica"])?, case.need_whole(&["pp", "pipeline"])?];
        let kept = pipeline_efficiency(micro, stages, case.whole(&["chunks", "interleave"]).unwrap_or(1));
        let value = if case.unit().contains("bubble") { 1.0 - kept } else { kept };
        return Ok(vec![check(Measure::Share, value)]);
    }
    if let Some(mfu) = case.number(&["mfu_pct", "mfu"]) {
        let [s, l, h, v] = [&["seq"][..], &["layers"], &["hidden"], &["vocab"]].map(|names| case.need_whole(names));
        let ratio = match case.text(&["recompute"]) {
            Some(word) if word.starts_with("selective") => selective_hardware_ratio(s?, l?, h?, v?),
            _ => return Err("the ratio of hardware to model FLOP is known for selective recomputation alone".into()),
        };
        return Ok(vec![check(Measure::Share, mfu * ratio / 100.0)]);
    }
    let seconds = case.measured("iteration", Measure::Seconds).or_else(|| case.measured("step", Measure::Seconds));
    if let (Some(iteration), Some(seconds), Some(gpus)) = (Iteration::of(case), seconds, case.gpus()) {
        return Ok(vec![check(Measure::FlopRate, iteration.flops(counted(case)) / (seconds * gpus as f64))]);
    }
    let each = case.number(&["tokens_per_s_per_gpu"]);
    if let (Some(rate), Some(active)) = (each, case.active()) {
        // Without a shape the attention and the head are missing, so this is the least it can be.
        let shape = case.text(&["model"]).and_then(world::named).zip(case.whole(&["seq"]));
        return Ok(vec![match shape {
            Some((shape, sequence)) => {
                let active = shape.active_parameters().total() as f64;
                let width = shape.attention_width();
                let flops = train_flops_per_token(active, shape.layers, width, sequence, Mask::Causal);
                check(Measure::FlopRate, flops * rate)
            }
            None => Check::bound(Side::AtLeast, Measure::FlopRate, per_token(active, Counted::Model) * rate),
        }]);
    }
    if let (Some(parameters), Some(tokens)) = (case.active(), case.tokens()) {
        let counted = if case.has(&["recompute"]) { counted(case) } else { Counted::Model };
        return Ok(vec![check(Measure::Flop, per_token(parameters, counted) * tokens)]);
    }
    Err("its inputs give neither an iteration nor parameters with tokens".into())
}

fn peak(case: &Case, card: Option<&Card>) -> Result<f64, String> {
    ["peak", "peak_bf16", "peak_dense"]
        .iter()
        .find_map(|stem| case.measured(stem, Measure::FlopRate))
        .or_else(|| case.number(&["peak_flops"]))
        .or_else(|| card?.peak(world::dtype(case)))
        .ok_or_else(|| String::from("it does not say its `gpu` or its `peak_tflops`"))
}

/// Model FLOP utilisation, and rates of training logs.
pub fn utilisation(case: &Case) -> Outcome {
    let card = world::gpu_of(case);
    let peak = peak(case, card)?;
    if let Some(rate) =
        case.measured("tflops", Measure::FlopRate).or_else(|| Some(case.number(&["tflops_per_gpu"])? * 1e12))
    {
        return Ok(vec![Check::of(Topic::GivenRate, Measure::Share, share(rate, 1.0, 1, peak))]);
    }
    let parameters = case.parameters().ok_or("it does not say its `params`")?;
    let parameters = parameters - case.scaled(&["embedding_params"]).unwrap_or(0.0);
    let sequence = case.whole(&["seq", "sequence"]).unwrap_or(0);
    let gpus = case.gpus().unwrap_or(1);
    let tokens = case.number(&["tokens_per_s"]);
    let tokens = tokens.or_else(|| Some(case.number(&["tokens_per_s_per_gpu"])? * gpus as f64));
    let Some(tokens) = tokens else { return log(case, parameters, sequence, gpus, peak, card) };
    let (layers, hidden) = (case.need_whole(&["layers"])?, case.need_whole(&["hidden"])?);
    let flops = train_flops_per_token(parameters, layers, hidden, sequence, Mask::Full);
    let measured = share(flops, tokens, gpus, peak);
    let mut checks = vec![Check::of(Topic::GivenRate, Measure::Share, measured)];
    if let (Some(rate), Some(mfu), Some(a100)) =
        (case.also("a100_tokens_per_s"), case.also("a100_mfu"), world::gpu("a100"))
    {
        let theirs = share(flops, rate, 1, a100.bf16.unwrap_or(f64::INFINITY));
        checks.push(Check::of(Topic::GivenRate, Measure::Share, theirs).against(mfu / 100.0));
    }
    if let Some((card, published)) = card.zip(case.published()) {
        let name = if sequence >= 32_768 { Name::TrainingUtilisationLong } else { Name::TrainingUtilisation };
        if let Some((own, _)) = find(name, &card.names(), world::dtype(case), "") {
            let check = Check::of(Topic::Utilisation, Measure::Share, own.value).bar(own.low, own.high);
            checks.push(check.against(published / 100.0));
        }
    }
    Ok(checks)
}

/// A log that gives no rate but time or samples: from the own utilisation.
fn log(case: &Case, parameters: f64, sequence: u64, gpus: u64, peak: f64, card: Option<&Card>) -> Outcome {
    let name = if gpus >= 4096 { Name::TrainingUtilisationLarge } else { Name::TrainingUtilisation };
    let names = card.map(|card| card.names()).ok_or("it does not say its `gpu`")?;
    let (own, _) = find(name, &names, world::dtype(case), "").ok_or("a constant is missing")?;
    let flops = per_token(parameters, Counted::Model);
    let rate = |mfu: f64| tokens_per_second(flops, gpus, peak, mfu);
    let check = |measure, value| Check::of(Topic::OwnRate, measure, value);
    if case.unit().contains("samples/s") && sequence > 0 {
        let samples = |mfu: f64| rate(mfu) / sequence as f64;
        let check = check(Measure::SampleRate, samples(own.value));
        return Ok(vec![check.bar(samples(own.low), samples(own.high))]);
    }
    let tokens = case.tokens().ok_or("it gives neither a rate nor the tokens of its run")?;
    let time = |mfu: f64| tokens / rate(mfu);
    Ok(vec![check(Measure::Seconds, time(own.value)).bar(time(own.high), time(own.low))])
}

/// Ceilings of matrix products: no measured one is above.
pub fn ceiling(case: &Case) -> Outcome {
    let dense = case.need_measured(&["peak_dense", "peak"], Measure::FlopRate)?;
    // The GPU is told by its peak where the row does not name it.
    let is = |rate: Option<f64>| rate.is_some_and(|rate| (rate / dense - 1.0).abs() < 0.005);
    let found = world::cards().iter().find_map(|card| {
        [("bf16", card.bf16), ("fp8", card.fp8)].into_iter().find(|(_, rate)| is(*rate)).map(|(dtype, _)| (card, dtype))
    });
    let (card, dtype) = found.ok_or("no GPU of the catalogue has this peak")?;
    let (own, fit) = find(Name::MatmulCeiling, &card.names(), dtype, "").ok_or("a constant is missing")?;
    if fit == aipc::plan::formula::constants::Fit::General {
        return Err(Refusal::Missing(format!("no ceiling is keyed for {} in {dtype}", card.id)));
    }
    Ok(vec![Check::bound(Side::AtMost, Measure::FlopRate, dense * own.high)])
}
