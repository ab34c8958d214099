//! # A number cannot be what is meant
//!
//! A sequence of no tokens, a deadline of no time, more than all of the memory: the formulas take such a number as it is and give
//! figures that nobody can use, or none at all, and then nothing is checked.
//!
//! ```aip
//! inference i { memory_share = 120% }  # wrong
//! inference i { memory_share = 92% }   # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Kind;
use crate::model::value::Value;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3028),
    levels: Levels::always(Severity::Error),
    text: include_str!("setting_without_sense.rs"),
    dated: false,
    check,
};

/// What may not be 0. Sizes of a layout that are 0 are findings of that layout.
const NOT_ZERO: &[(Kind, &[&str])] = &[
    (Kind::Training, &["gpus", "tokens", "sequence", "batch", "deadline", "mfu"]),
    (Kind::Checkpoint, &["every", "keep", "stall_below"]),
    (Kind::Finetune, &["gpus", "rank", "tokens", "sequence", "micro_batch", "deadline", "mfu"]),
    (Kind::Inference, &["context", "gpus_per_replica", "max_sequences", "memory_share"]),
    (Kind::Demand, &["utilisation"]),
    (Kind::Slo, &["first_token_p95", "per_token_p95"]),
    (Kind::Dataprep, &["rate", "within"]),
    (Kind::Retrieval, &["dimensions", "bytes_per_number", "replicas"]),
    (Kind::Baseline, &["gpus", "throughput"]),
];

/// Shares of something that may not be more than all of it.
const SHARES: &[(Kind, &[&str])] = &[
    (Kind::Training, &["mfu"]),
    (Kind::Finetune, &["mfu"]),
    (Kind::Inference, &["memory_share"]),
    (Kind::Demand, &["utilisation"]),
    (Kind::Slo, &["availability"]),
    (
        Kind::Assumption,
        &[
            "training_mfu",
            "long_training_mfu",
            "useful_share",
            "decode_bandwidth",
            "decode_compute",
            "prefill_compute",
            "network_efficiency",
            "spare_share",
        ],
    ),
];

fn check(context: &Context<'_>) -> Vec<Finding> {
    let zeros = named(context, NOT_ZERO, |number| number <= 0.0, "is 0");
    let shares = named(context, SHARES, |share| share > 1.0, "is more than the whole");
    zeros.into_iter().chain(shares).collect()
}

fn named(
    context: &Context<'_>,
    rows: &[(Kind, &'static [&'static str])],
    is_wrong: fn(f64) -> bool,
    words: &str,
) -> Vec<Finding> {
    let model = context.model();
    let mut found = Vec::new();
    for (block, told) in model.all_blocks() {
        for (_, attributes) in rows.iter().filter(|(of, _)| *of == told.kind) {
            for &attribute in *attributes {
                let Value::Quantity(quantity) = model.value(block, attribute) else { continue };
                if is_wrong(quantity.value.to_f64()) {
                    let message = format!("`{}.{attribute}` {words}", model.address(block));
                    found.push(Finding::on(model, block, attribute, message).help("write what is meant"));
                }
            }
        }
    }
    found
}
