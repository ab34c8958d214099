//! Which models an engine started on which GPUs, against plans of small packages: what started is accepted, what was
//! refused is rejected, by the product's own assumptions on everything a log says of its memory.

use std::fmt::Write;

use aipc::catalog::Catalogue;
use aipc::compile::{Options, check, parse};
use aipc::plan::formula::engine;
use aipc::plan::{Fit, Memory};

use serde_json::Value;

use crate::case::Case;
use crate::unit::Measure;
use crate::world;

const OWN: &str = include_str!("feasibility.json");
const GIB: f64 = 1_073_741_824.0;
/// What is asked of a log that does not say its context: the least that is of use.
const SHORT: u64 = 2048;

/// One log.
struct Log {
    case: String,
    model: String,
    precision: String,
    /// A GPU of the catalogue.
    gpu: Option<String>,
    /// Bytes of one that is not in it.
    memory: Option<f64>,
    gpus: u64,
    share: f64,
    context: u64,
    started: bool,
}

/// The table of the logs, and those that the plan decides wrongly.
pub fn report(cases: &[Case]) -> (String, Vec<String>) {
    let (mut text, mut wrong) = (String::from("feasibility, by plans of whole packages:\n"), Vec::new());
    let own = own();
    let known: Vec<&str> = own.iter().map(|log| log.case.as_str()).collect();
    let mut left = Vec::new();
    let mut further = Vec::new();
    for case in cases.iter().filter(|case| is_log(case) && !known.contains(&case.id.as_str())) {
        match of(case) {
            Ok(log) => further.push(log),
            Err(why) => left.push(format!("  {:<44} {why}", case.id)),
        }
    }
    for log in own.iter().chain(&further) {
        let said = if log.started { "started" } else { "refused" };
        let Some(memory) = planned(log) else {
            wrong.push(format!("{}: no plan of `{}`", log.case, log.model));
            continue;
        };
        let accepted = matches!(memory.fit, Fit::Yes | Fit::Tight);
        let mark = if accepted == log.started { "" } else { "  WRONG" };
        let [need, high, available] = [memory.need, memory.high, memory.available].map(|bytes| bytes / GIB);
        let fit = format!("{:?}", memory.fit);
        let _ = writeln!(
            text,
            "  {:<44} {said:<8} plan {fit:<8} needs {need:6.2} (up to {high:6.2}) of {available:6.2} GiB{mark}",
            log.case
        );
        if accepted != log.started {
            wrong.push(format!("{}: the engine {said}, the plan says {fit}", log.case));
        }
    }
    if !left.is_empty() {
        let _ = writeln!(text, "logs that decide nothing:\n{}", left.join("\n"));
    }
    (text, wrong)
}

fn own() -> Vec<Log> {
    let file: Value = serde_json::from_str(OWN).expect("the project's own logs");
    let logs = file["logs"].as_array().expect("logs");
    let word = |log: &Value, key: &str| log[key].as_str().map(str::to_string);
    logs.iter()
        .map(|log| Log {
            case: word(log, "case").expect("a case"),
            model: word(log, "model").expect("a model"),
            precision: word(log, "precision").expect("a precision"),
            gpu: word(log, "gpu"),
            memory: log["memory"].as_f64().map(|gib| gib * GIB),
            gpus: log["gpus"].as_u64().expect("GPUs"),
            share: log["share"].as_f64().expect("a share"),
            context: log["context"].as_u64().expect("a context"),
            started: log["started"].as_bool().expect("a verdict"),
        })
        .collect()
}

fn is_log(case: &Case) -> bool {
    let words = case.source.to_lowercase();
    matches!(case.topic.as_str(), "kv_cache" | "inference_memory" | "feasibility")
        && (words.contains("vllm") || words.contains("log"))
}

/// The log that a further case is, if it says enough.
fn of(case: &Case) -> Result<Log, String> {
    let total = case.measured("total", Measure::Bytes);
    let card = world::gpu_of(case);
    if card.is_none() && total.is_none() {
        return Err(String::from("it names no GPU memory"));
    }
    let gpus = case.whole(&["tp", "tensor_parallel"]).or_else(|| case.gpus()).unwrap_or(1).max(1);
    let weights = case.measured("weights", Measure::Bytes).map(|bytes| bytes * gpus as f64);
    let model = world::id_of(case)
        .or_else(|| world::id_by_size(weights? / 2.0, 0.03))
        .ok_or("neither its model nor its weights are known")?;
    let length = case.whole(&["max_model_len", "max_seq_len", "context"]);
    let share = case.number(&["gpu_memory_utilization", "memory_utilization"]).or_else(|| share_in(&case.notes));
    Ok(Log {
        case: case.id.clone(),
        model: model.to_string(),
        precision: world::dtype(case).to_string(),
        gpu: card.map(|card| card.id.to_string()),
        memory: total,
        gpus,
        share: share.unwrap_or(0.9),
        context: length.unwrap_or(SHORT),
        started: started(case, length),
    })
}

/// `… at util 0.70 …`
fn share_in(notes: &str) -> Option<f64> {
    let after = notes.to_lowercase().split_once("util")?.1.to_string();
    let number: String =
        after.chars().skip_while(|c| !c.is_ascii_digit()).take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    number.trim_end_matches('.').parse().ok().filter(|share| *share > 0.0 && *share <= 1.0)
}

/// Whether the engine started: it refuses with less cache than one request of the longest context.
fn started(case: &Case, length: Option<u64>) -> bool {
    let (unit, value) = (case.unit().to_lowercase(), case.published().unwrap_or(f64::INFINITY));
    if unit.contains("concurren") {
        return value >= 1.0;
    }
    if let Some(length) = length.filter(|_| unit.contains("token")) {
        return value >= length as f64;
    }
    let notes = case.notes.to_lowercase();
    let refused = ["refuse", "oom", "out of memory", "infeasible", "must reject"];
    !refused.iter().any(|word| notes.contains(word)) && (!unit.contains("kv") || value > 0.2)
}

/// What the logs' engine admits at once by default on that GPU.
fn sequences(log: &Log) -> u64 {
    let card = log.gpu.as_deref().and_then(|gpu| world::cards().iter().find(|card| card.id == gpu));
    let memory = card.and_then(|card| card.memory).or(log.memory).unwrap_or(0.0);
    engine::sequences("vllm", memory, card.map(|card| card.architecture.as_ref()))
}

/// The plan of a package with the model on the GPUs of one node.
fn planned(log: &Log) -> Option<Memory> {
    let gpu = match &log.gpu {
        Some(gpu) => format!("catalog.gpu.{gpu}"),
        None => String::from("gpu.card"),
    };
    let card = match (&log.gpu, log.memory) {
        (None, Some(bytes)) => {
            let gib = bytes / GIB;
            format!("gpu card {{ memory = {gib} GiB, usable_memory = {gib} GiB }}\n")
        }
        _ => String::new(),
    };
    let text = format!(
        r#"
platform p {{ currency = EUR }}
site s {{ provider = on-prem, country = DE }}
{card}server box {{ gpus = {gpus} * {gpu}, memory = 512 GiB, max_power = 4 kW, height = 4 U }}
pool gpu {{ site = site.s, server = server.box, nodes = 1 }}
model m {{ base = catalog.model.{model}, precision = {precision} }}
inference log {{
  model            = model.m
  engine           = vllm
  runs_on          = pool.gpu
  context          = {context} tok
  replicas         = 1
  gpus_per_replica = {gpus}
  memory_share     = {share} %
  max_sequences    = {sequences}
}}
"#,
        gpus = log.gpus,
        model = log.model,
        precision = log.precision,
        context = log.context,
        share = (log.share * 1e4).round() / 1e2,
        sequences = sequences(log),
    );
    let package = parse(vec![(String::from("main.aip"), text)], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref()?;
    plan.inferences.values().next()?.memory.clone()
}
