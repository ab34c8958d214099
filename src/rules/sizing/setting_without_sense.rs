//! # A number cannot be what is meant
//!
//! A sequence of no tokens, a deadline of no time, more than all of the memory: the formulas take such a number as it is and give
//! figures that nobody can use, or none at all, and then nothing is checked. So it is with numbers that contradict each other:
//! heads that cannot be shared, two assumptions of the same constant.
//!
//! ```aip
//! inference i { memory_share = 120% }  # wrong
//! inference i { memory_share = 92% }   # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::{Kind, Model as ModelBlock, Retrieval};
use crate::model::value::Value;
use crate::plan::shape;
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
    (Kind::Pool, &["gpu_shares"]),
    (Kind::Partition, &["max_time", "max_nodes", "default_time"]),
    (Kind::Fabric, &["planes"]),
    (Kind::Switch, &["cages"]),
    (Kind::Server, &["compute_cages"]),
];

/// Shares of something that may not be more than all of it.
const SHARES: &[(Kind, &[&str])] = &[
    (Kind::Training, &["mfu"]),
    (Kind::Finetune, &["mfu"]),
    (Kind::Inference, &["memory_share"]),
    (Kind::Demand, &["utilisation"]),
    (Kind::Slo, &["availability"]),
    (Kind::PriceLine, &["discount"]),
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
    let models = context.model().tables.models.iter().filter_map(|one| shape_without_sense(context, one));
    let retrievals = context.model().tables.retrievals.iter().filter_map(|one| code_too_long(context, one));
    zeros.into_iter().chain(shares).chain(models).chain(retrievals).chain(twins(context)).collect()
}

/// A shape that no model can have. Facts of the catalogue are taken as they are published.
fn shape_without_sense(context: &Context<'_>, one: &ModelBlock) -> Option<Finding> {
    let (model, block) = (context.model(), one.id.block());
    let shape = shape::of(model, one.id).ok()?;
    let address = model.address(block);
    let finding = |attribute, words: String| {
        Some(Finding::on(model, block, attribute, words).help("copy the numbers from the published configuration"))
    };
    if one.heads.or(one.kv_heads).is_some() && !shape.heads.is_multiple_of(shape.kv_heads.max(1)) {
        let (heads, shared) = (shape.heads, shape.kv_heads);
        return finding("kv_heads", format!("`{address}` cannot share {shared} key-value heads among {heads} heads evenly"));
    }
    match shape.experts {
        Some(experts) if one.experts.or(one.experts_per_token).is_some() && experts.per_token > experts.count => {
            let (visits, count) = (experts.per_token, experts.count);
            finding("experts_per_token", format!("a token of `{address}` visits {visits} experts, a layer has {count}"))
        }
        Some(_) | None => None,
    }
}

/// An index that would keep more of a number than there is.
fn code_too_long(context: &Context<'_>, one: &Retrieval) -> Option<Finding> {
    let (bits, whole) = (one.code_bits?, one.bytes_per_number.saturating_mul(8));
    (bits == 0 || bits > whole).then(|| {
        let (model, block) = (context.model(), one.id.block());
        let message = format!("`{}` keeps {bits} bits of numbers that have {whole}", model.address(block));
        Finding::on(model, block, "code_bits", message).help("write 8, 4 or 1, or leave it out")
    })
}

/// Assumptions that say different things of the same constant for the same machines.
fn twins(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut found = Vec::new();
    let all = &model.tables.assumptions;
    for (position, one) in all.iter().enumerate() {
        let key = (one.gpu, one.precision, one.engine);
        for other in all.iter().skip(position + 1).filter(|other| (other.gpu, other.precision, other.engine) == key) {
            for row in Kind::Assumption.schema().attributes.iter().filter(|row| is_constant(row.name)) {
                let (here, there) = (model.value(one.id.block(), row.name), model.value(other.id.block(), row.name));
                let (Value::Quantity(said), Value::Quantity(again)) = (here, there) else { continue };
                if said.value == again.value {
                    continue;
                }
                let [first, second] = [one.id, other.id].map(|id| model.address(id.block()));
                let message = format!("`{first}` and `{second}` say different things of `{}` for the same machines", row.name);
                let finding = Finding::on(model, other.id.block(), row.name, message);
                let finding = finding.see(model.place_of(one.id, row.name), "said here");
                found.push(finding.help("keep one of them, or say for which GPU, precision or engine each holds"));
            }
        }
    }
    found
}

/// True for what an assumption says, not for whom or how surely.
fn is_constant(attribute: &str) -> bool {
    !matches!(attribute, "gpu" | "precision" | "engine" | "spread" | "source")
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
