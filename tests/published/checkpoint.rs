//! Checkpoints and failures.

use aipc::plan::formula::checkpoint::{
    FULL, WEIGHTS, background_rate, daly, failure_rate, goodput, mtbf, overhead, size, stall, young,
};

use aipc::plan::formula::spares;

use crate::case::Case;
use crate::memory;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Refusal, Side, Topic};

/// Sizes, stalls and rates.
pub fn predict(case: &Case) -> Outcome {
    let check = |measure, value| Check::of(Topic::Checkpoints, measure, value);
    if case.has(&["r", "rank", "lora_rank"]) {
        return memory::adapter_checkpoint_of(case);
    }
    let write = case.measured("write", Measure::Seconds).or_else(|| case.measured("stall", Measure::Seconds));
    let interval = case.measured("interval", Measure::Seconds);
    if let (Some(write), Some(interval)) = (write, interval) {
        return Ok(vec![check(Measure::Share, overhead(write, interval))]);
    }
    let bytes = case.measured("checkpoint", Measure::Bytes).or_else(|| case.measured("size", Measure::Bytes));
    if let (Some(bytes), Some(seconds)) = (bytes, write.or(interval)) {
        return Ok(vec![check(Measure::ByteRate, background_rate(bytes, seconds))]);
    }
    let rate = ["write", "bandwidth", "rate"].iter().find_map(|stem| case.measured(stem, Measure::ByteRate));
    if let (Some(bytes), Some(rate)) = (bytes, rate) {
        return Ok(vec![check(Measure::Seconds, stall(bytes, rate))]);
    }
    if let (Some(files), Some(each)) = (case.number(&["files"]), case.measured("file", Measure::Bytes)) {
        return Ok(vec![check(Measure::Bytes, size(files, each)).note("the source rounds its files")]);
    }
    let parameters = case.parameters().ok_or("it does not say its `params`")?;
    let weights = case.unit().to_lowercase().contains("weights only")
        || case.number(&["bytes_per_param"]).is_some_and(|bytes| bytes <= WEIGHTS);
    Ok(vec![check(Measure::Bytes, size(parameters, if weights { WEIGHTS } else { FULL }))])
}

/// Times between failures, intervals and spares.
pub fn failures(case: &Case) -> Outcome {
    let check = |measure, value| Check::of(Topic::Reliability, measure, value);
    let unit = case.unit().to_lowercase();
    let stopped = case.measured("checkpoint", Measure::Seconds).or_else(|| case.measured("stall", Measure::Seconds));
    if let (Some(stopped), Some(between)) = (stopped, case.measured("mtbf", Measure::Seconds)) {
        if let Some(restart) = case.measured("restart", Measure::Seconds) {
            let interval = case.measured("interval", Measure::Seconds).unwrap_or_else(|| daly(stopped, between));
            return Ok(vec![check(Measure::Share, goodput(interval, stopped, between, restart))]);
        }
        let best = if unit.contains("daly") { daly(stopped, between) } else { young(stopped, between) };
        if unit.contains("used") {
            let bound = Check::bound(Side::AtLeast, Measure::Seconds, best);
            return Ok(vec![bound.note("an interval in use is a choice, not the optimum")]);
        }
        return Ok(vec![check(Measure::Seconds, best)]);
    }
    let gpus_of_node = case.number(&["gpus_per_node"]).unwrap_or(8.0);
    let nodes = case.number(&["nodes"]).or_else(|| Some(case.number(&["gpus"])? / gpus_of_node));
    let nodes = nodes.ok_or("it does not say its `nodes`")?;
    let days = case.measured("repair", Measure::Seconds).map(|seconds| seconds / 86_400.0);
    let days = days.or_else(|| case.number(&["repair_days"]));
    let rate = case.number(&["failures_per_1000_node_days"]);
    if let (Some(rate), Some(days), Some(miss)) = (rate, days, case.number(&["miss", "target", "shortage"])) {
        let count = spares::spares(spares::nodes_in_repair(nodes.round() as u64, rate, days), miss);
        return Ok(vec![check(Measure::Count, count as f64)]);
    }
    if let Some(down) = case.number(&["machines_down_per_day", "failures_per_day"]) {
        return Ok(vec![check(Measure::Count, failure_rate(down, nodes, 1.0))]);
    }
    let counted = case.number(&["unexpected_interruptions", "failures", "interruptions"]);
    let rate = match (rate, counted, case.number(&["days"])) {
        (Some(rate), ..) => rate,
        (None, Some(failures), Some(days)) => failure_rate(failures, nodes, days),
        (None, ..) => return Err("it gives neither a failure rate nor failures over days".into()),
    };
    if unit.contains("per 1000") {
        return Ok(vec![check(Measure::Count, rate)]);
    }
    let between = mtbf(nodes, rate);
    if unit.contains("observed") {
        // Jobs also stop for reasons that are not their nodes'.
        return Ok(vec![Check::bound(Side::AtMost, Measure::Seconds, between).note("nodes alone: jobs fail oftener")]);
    }
    if between.is_infinite() {
        return Err(Refusal::from("nothing fails"));
    }
    Ok(vec![check(Measure::Seconds, between)])
}
