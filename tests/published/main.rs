//! Published cases against the product's own code: `cargo test --test published -- --nocapture`.
//!
//! To add rows, put them into `sizing.json`, or name files of the same form in `AIPC_CASES` (paths or folders joined by
//! `:`); a row goes to a family by its topic and its inputs, never by its id.

#![allow(clippy::print_stdout, reason = "the table is for people")]

mod case;
mod checkpoint;
mod fabric;
mod feasibility;
mod flops;
mod inference;
mod memory;
mod network;
mod operations;
mod parameters;
mod reference;
mod serving;
mod storage;
mod time;
mod unit;
mod vectors;
mod verdict;
mod world;

use case::Case;
use verdict::{Outcome, Refusal, Verdicts};

/// The family of a topic.
fn predict(case: &Case) -> Outcome {
    if let Some(doubt) = doubt(case) {
        return Err(Refusal::Doubtful(doubt));
    }
    match case.topic.as_str() {
        "parameter_count" => parameters::predict(case),
        "training_memory" => memory::training(case),
        "activation_memory" => memory::activations(case),
        "lora_memory" => memory::adapters(case),
        "inference_memory" => inference::weights(case),
        "kv_cache" => inference::cache(case),
        "training_time" | "lora_flops" => time::predict(case),
        "flops" | "pipeline_bubble" => flops::predict(case),
        "mfu" => flops::utilisation(case),
        "peak_efficiency" => flops::ceiling(case),
        "serving_throughput" => serving::throughput(case),
        "decode_throughput" | "tpot" => serving::decode(case),
        "ttft" => serving::first_token(case),
        "concurrency" => serving::concurrency(case),
        "checkpoint" => checkpoint::predict(case),
        "reliability" | "spares" => checkpoint::failures(case),
        "storage_read" | "storage_guideline" => storage::predict(case),
        "network_collective" => network::collective(case),
        "network_topology" => network::fabric(case),
        "power" | "cooling" => operations::power(case),
        "tco" => operations::cost(case),
        "cpu_ram" | "data_prep" => operations::hosts(case),
        "vector_index" => vectors::predict(case),
        other => Err(Refusal::Missing(format!("no family here reads the topic `{other}`"))),
    }
}

/// Why a published number proves nothing, whatever is predicted.
fn doubt(case: &Case) -> Option<String> {
    if !case.doubt.is_empty() {
        return Some(case.doubt.clone());
    }
    let words = case.words();
    if words.contains("do not use for validation") || words.contains("meaningless") {
        return Some(String::from("its own source file says that it is not for validation"));
    }
    // A source whose own rule does not give its own number.
    let (rule, parameters) = (case.number(&["rule_bytes_per_param"])?, case.parameters()?);
    let (published, (_, factor)) = (case.published()?, unit::read(case.unit())?);
    let off = rule * parameters / (published * factor) - 1.0;
    (off.abs() > 0.03).then(|| format!("the source's own rule of {rule} B a parameter is {:+.0} % off it", off * 100.0))
}

#[test]
fn published_cases_hold() {
    let (cases, unread) = case::all();
    let mut verdicts = Verdicts::default();
    for case in &cases {
        verdicts.take(case, predict(case));
    }
    let (text, mut fails) = verdicts.report();
    println!("{text}");
    for file in &unread {
        println!("not read: {file}");
    }
    let (text, wrong) = feasibility::report(&cases);
    println!("{text}");
    fails.extend(wrong);
    let (text, wrong) = reference::report();
    println!("{text}");
    fails.extend(wrong);
    assert!(fails.is_empty(), "{fails:#?}");
}
