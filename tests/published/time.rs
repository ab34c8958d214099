//! How long training takes.

use aipc::plan::formula::adapters;
use aipc::plan::formula::compute::{Counted, Mask, SCALING_LORA, scaling_kept, seconds};
use aipc::plan::formula::constants::{Name, find};

use crate::case::Case;
use crate::flops::{Iteration, counted, per_token};
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Topic};
use crate::world;

/// Times, by what is given.
pub fn predict(case: &Case) -> Outcome {
    if case.has(&["lora_rank", "rank"]) {
        return lora(case);
    }
    let given = |measure, value| Check::of(Topic::GivenRate, measure, value);
    if let (Some(count), Some(each)) =
        (case.number(&["remaining_iterations", "iterations", "steps"]), case.measured("iteration", Measure::Seconds))
    {
        return Ok(vec![given(Measure::Seconds, seconds(count, 1, 1.0 / each, 1.0))]);
    }
    let gpus = case.gpus();
    let achieved = ["achieved_tflops_per_gpu", "tflops_per_gpu", "model_tflops_per_gpu"];
    if let (Some(rate), Some(gpus)) = (case.number(&achieved), gpus) {
        let flops = match (Iteration::of(case), case.active().zip(case.tokens())) {
            (Some(iteration), _) => iteration.flops(counted(case)),
            (None, Some((parameters, tokens))) => per_token(parameters, counted(case)) * tokens,
            (None, None) => return Err("it gives neither an iteration nor parameters with tokens".into()),
        };
        return Ok(vec![given(Measure::Seconds, seconds(flops, gpus, rate * 1e12, 1.0))]);
    }
    let tokens = case.tokens().ok_or("it does not say its `tokens`")?;
    if let Some(rate) = case.number(&["tokens_per_s_per_gpu"]) {
        if case.unit().to_lowercase().contains("gpu-hours") {
            return Ok(vec![given(Measure::GpuSeconds, seconds(tokens, 1, rate, 1.0))]);
        }
        let gpus = gpus.ok_or("it does not say its `gpus`")?;
        return Ok(vec![given(Measure::Seconds, seconds(tokens, gpus, rate, 1.0))]);
    }
    own(case, tokens)
}

/// From the product's utilisation of the GPU and what a whole run keeps of it; no utilisation of the row is used.
fn own(case: &Case, tokens: f64) -> Outcome {
    let card = world::gpu_of(case).ok_or("it does not say its `gpu`")?;
    // A run in 8 bits whose peak is that of 16 bits is counted on that.
    let dtype = if case.has(&["peak_bf16_tflops"]) { "bf16" } else { world::dtype(case) };
    let peak = card.peak(dtype).ok_or("the catalogue does not know the rate of its GPU")?;
    let parameters = case.active().ok_or("it does not say its `params`")?;
    let constant = |name| find(name, &card.names(), dtype, "").map(|(constant, _)| constant);
    let (run, kept) =
        constant(Name::TrainingUtilisation).zip(constant(Name::EndToEnd)).ok_or("a constant is missing")?;
    let whole = case.unit().to_lowercase().contains("gpu-hours");
    let gpus = if whole { 1 } else { case.gpus().ok_or("it does not say its `gpus`")? };
    let flops = per_token(parameters, Counted::Model) * tokens;
    let time = |run: f64, kept: f64| seconds(flops, gpus, peak, run * kept);
    let measure = if whole { Measure::GpuSeconds } else { Measure::Seconds };
    let check = Check::of(Topic::OwnRate, measure, time(run.value, kept.value));
    let check = check.bar(time(run.high, kept.high), time(run.low, kept.low));
    Ok(vec![check.note("sums of GPU-hours also hold failed runs, annealing and evaluation")])
}

/// Fine-tuning of adapters.
fn lora(case: &Case) -> Outcome {
    let card = world::gpu_of(case).ok_or("it does not say its `gpu`")?;
    // Those logs are in 8 bits unless they say another format.
    let dtype = if case.has(&["precision", "dtype"]) { world::dtype(case) } else { "fp8" };
    let (gpus, sequence) = (case.gpus().ok_or("it does not say its `gpus`")?, case.need_whole(&["seq"])?);
    let (shape, _) = world::shape_of(case).ok_or("it does not say its `params`")?;
    let active = shape.active_parameters().total() as f64;
    let flops = adapters::flops_per_token(active, shape.layers, shape.attention_width(), sequence, Mask::Causal, false);
    let (own, _) = find(Name::TrainingUtilisation, &card.names(), dtype, "").ok_or("a constant is missing")?;
    let peak = card.peak(dtype).ok_or("the catalogue does not know the rate of its GPU")?;
    let kept = scaling_kept(SCALING_LORA.from, gpus, &SCALING_LORA);
    let samples = |mfu: f64| 1.0 / seconds(flops * sequence as f64, gpus, peak * kept, mfu);
    let check = Check::of(Topic::OwnRate, Measure::SampleRate, samples(own.value));
    let check = check.bar(samples(own.low), samples(own.high));
    if case.unit().contains("samples/s") {
        return Ok(vec![check]);
    }
    let published =
        case.also("samples_per_s").ok_or("start and evaluation are most of it, and it gives no samples/s")?;
    Ok(vec![check.against(published)])
}
