//! Read rates and guidelines of storage.

use aipc::plan::formula::storage::{Tier, guideline, read_rate};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Topic};

/// Rates, by what is given.
pub fn predict(case: &Case) -> Outcome {
    let check = |value| Check::of(Topic::StorageRates, Measure::ByteRate, value);
    let record = case.measured("record", Measure::Bytes);
    if let Some(tier) = case.text(&["tier", "level"]) {
        let tier = match tier {
            "good" => Tier::Good,
            "better" => Tier::Better,
            "best" => Tier::Best,
            other => return Err(format!("the guideline has no tier `{other}`").into()),
        };
        let units = case
            .number(&["su", "scalable_units", "sus"])
            .or_else(|| case.number(&["nodes"]).map(|nodes| nodes / case.number(&["nodes_per_su"]).unwrap_or(32.0)))
            .ok_or("it does not say its `su`")?;
        let rates = guideline(tier, units);
        let write = case.unit().contains("write");
        let mut checks = vec![check(if write { rates.write } else { rates.read })];
        if let Some(published) = case.also("write") {
            checks.push(check(rates.write).against(published * 1e9));
        }
        return Ok(checks);
    }
    if let (Some(record), Some(samples)) = (record, case.number(&["samples_per_s"])) {
        return Ok(vec![check(read_rate(1, record * samples, 1.0, 1.0))]);
    }
    if let Some(record) = record {
        let batch = case.need_whole(&["batch", "batch_size"])?;
        let seconds = case.need_measured(&["compute_time", "step_time"], Measure::Seconds)?;
        let kept = case.need(&["min_accelerator_utilisation", "accelerator_utilisation", "au"])?;
        let each = read_rate(batch, record, seconds, kept);
        let all = if case.unit().contains("aggregate") { case.gpus().unwrap_or(1) as f64 } else { 1.0 };
        return Ok(vec![check(each * all)]);
    }
    Err("what a file system delivers needs its drives, nodes' network and protection, which it does not say".into())
}
