//! Weights, ledgers and caches of serving.

use aipc::plan::formula::constants::{Name, find};
use aipc::plan::formula::engine;
use aipc::plan::formula::kv::{bytes_per_token, capacity_tokens, concurrency, sequence_bytes};
use aipc::plan::formula::shape::{Attention, Shape};
use aipc::plan::formula::weights::{ClassPrecision, cache_budget, rule_of_thumb, weight_bytes_per_gpu};

use crate::case::Case;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Refusal, Topic};
use crate::world;

/// The format of each class, by the bytes that a row gives for them, else as the engine loads the model's format.
pub fn classes(case: &Case, shape: &Shape) -> Result<ClassPrecision, String> {
    let format = |names: &[&str]| match case.number(names) {
        Some(bytes) => world::format_of(bytes).map(Some).ok_or(format!("no format has {bytes} B a parameter")),
        None => Ok(None),
    };
    let mut classes = ClassPrecision::of(world::precision(world::dtype(case)), shape);
    if let Some(all) = format(&["bytes"])? {
        classes = ClassPrecision { padding: classes.padding, ..ClassPrecision::uniform(all) };
    }
    if let Some(linear) = format(&["linear_bytes"])? {
        classes = ClassPrecision { padding: classes.padding, ..ClassPrecision::linears(linear) };
    }
    if let Some(experts) = format(&["expert_bytes"])? {
        classes.experts = experts;
    }
    if let Some(mlp) = format(&["mlp_bytes", "ffn_bytes"])? {
        classes.mlp = mlp;
    }
    if let Some(other) = format(&["other_bytes", "attention_bytes"])? {
        classes.attention = other;
        if case.has(&["other_bytes"]) {
            classes.mlp = if case.has(&["mlp_bytes", "ffn_bytes"]) { classes.mlp } else { other };
        }
    }
    if let Some(embedding) = format(&["embedding_bytes"])? {
        classes.embedding = embedding;
    }
    Ok(classes)
}

/// Weights on a GPU, and what they leave.
pub fn weights(case: &Case) -> Outcome {
    let check = |value| Check::of(Topic::Weights, Measure::Bytes, value);
    let share = case.number(&["gpu_memory_utilization", "memory_utilization"]);
    if let (Some(total), Some(weights), Some(share)) =
        (case.measured("total", Measure::Bytes), case.measured("weights", Measure::Bytes), share)
    {
        let peak = case.need_measured(&["activation", "activation_peak"], Measure::Bytes)?;
        let outside = case.measured("non_torch", Measure::Bytes).unwrap_or(0.0);
        let left = cache_budget(total, share, weights, outside, peak);
        // What is left is a small difference of large numbers: the error is one of the whole.
        let published = case.published().ok_or("there is no published number")? * 1_073_741_824.0;
        let used = total * share;
        return Ok(vec![check(used - left).against(used - published)]);
    }
    let parameters = case.parameters();
    if let (Some(_), Some(parameters), Some(bytes)) = (case.number(&["factor"]), parameters, case.number(&["bytes"])) {
        let format = world::format_of(bytes).ok_or("no format has so many bytes a parameter")?;
        return Ok(vec![check(rule_of_thumb(parameters, format))]);
    }
    let tensor = case.whole(&["tp", "tensor_parallel"]).unwrap_or(1).max(1);
    if let Some(bytes) = by_class(case)? {
        return Ok(vec![check(bytes / tensor as f64)]);
    }
    let catalogue = world::shape_of(case).filter(|(_, known)| known.starts_with("catalogue"));
    if let Some((shape, _)) = catalogue {
        let classes = classes(case, &shape)?;
        let count = shape.parameters();
        // A checkpoint may hold a little more or less than the shape says.
        let bytes = weight_bytes_per_gpu(&count, &classes, tensor);
        let scale = parameters.map_or(1.0, |parameters| parameters / count.total() as f64);
        let scale = if (scale - 1.0).abs() < 0.01 { scale } else { 1.0 };
        return Ok(vec![check(bytes * scale)]);
    }
    let parameters = parameters.ok_or("neither its model nor its `params` are known")?;
    let format = match case.number(&["bytes", "bytes_per_param"]) {
        Some(bytes) => world::format_of(bytes).ok_or("no format has so many bytes a parameter")?,
        None => world::precision(world::dtype(case)),
    };
    let bytes = parameters * format.bytes() / tensor as f64;
    let mut checks = vec![check(bytes)];
    if let Some(measured) = case.also("measured_cuda") {
        checks.push(check(bytes).against(measured * 1_048_576.0));
    }
    Ok(checks)
}

/// The bytes of a row that gives the parameters of each class beside their bytes.
fn by_class(case: &Case) -> Result<Option<f64>, String> {
    const CLASSES: [(&str, &str); 7] = [
        ("linear_params", "linear_bytes"),
        ("mlp_params", "mlp_bytes"),
        ("attention_params", "attention_bytes"),
        ("expert_params", "expert_bytes"),
        ("embedding_params", "embedding_bytes"),
        ("quantized_params", "quantized_bytes"),
        ("other_params", "other_bytes"),
    ];
    let mut sum = None;
    for (count, bytes) in CLASSES {
        if let Some((count, bytes)) = case.scaled(&[count]).zip(case.number(&[bytes])) {
            let format = world::format_of(bytes).ok_or(format!("no format has {bytes} B a parameter"))?;
            sum = Some(sum.unwrap_or(0.0) + count * format.bytes());
        }
    }
    Ok(sum)
}

/// The shape that the cache of a row needs.
fn cache_shape(case: &Case) -> Result<Shape, String> {
    let named = world::shape_of(case).map(|(shape, _)| shape);
    let mut shape = named.unwrap_or_else(|| world::plain_shape(128));
    if let Some(kv_rank) = case.whole(&["kv_lora_rank", "kv_rank"]) {
        shape.attention = Attention::Mla {
            q_rank: 0,
            kv_rank,
            nope_dim: 0,
            rope_dim: case.need_whole(&["qk_rope_head_dim", "qk_rope", "rope_dim"])?,
            v_dim: 0,
        };
    }
    if let Some(layers) =
        case.whole(&["global_layers", "full_attention_layers", "swa_layers", "sliding_layers", "layers"])
    {
        shape.layers = layers;
        if matches!(shape.attention, Attention::Sliding { .. }) {
            shape.attention = Attention::Full;
        }
    }
    shape.kv_heads = case.whole(&["kv_heads"]).unwrap_or(shape.kv_heads);
    shape.head_dim = case.whole(&["head_dim"]).unwrap_or(shape.head_dim);
    Ok(shape)
}

/// Tokens, bytes and requests of a cache.
pub fn cache(case: &Case) -> Outcome {
    let attention = case.text(&["attention"]).unwrap_or_default().to_lowercase();
    if case.words().contains("hybrid")
        || attention.contains("hybrid")
        || attention.contains("linear")
        || case.has(&["mamba_layers", "linear_layers"])
    {
        return Err(Refusal::Doubtful(String::from(
            "engines derive the tokens of hybrid models from their concurrency",
        )));
    }
    let check = |measure, value| Check::of(Topic::Cache, measure, value);
    let block = case.whole(&["block_size"]).unwrap_or(16);
    let length = case.number(&["max_model_len", "max_seq_len"]);
    let (blocks, unit) = (case.whole(&["blocks", "gpu_blocks"]), case.unit().to_lowercase());
    if let (Some(blocks), Some(length)) = (blocks, length) {
        return Ok(vec![check(Measure::Count, concurrency(blocks * block, length as u64))]);
    }
    let bytes = case.number(&["kv_bytes", "bytes", "cache_bytes"]).unwrap_or(2.0);
    let (tensor, context) = (case.whole(&["tp"]).unwrap_or(1), case.whole(&["dcp", "cp"]).unwrap_or(1).max(1));
    if let Some(cells) = case.whole(&["cells", "context_cells"]) {
        let shape = cache_shape(case)?;
        // Cells of a cache are shared by its sequences unless each has its own.
        let sequences = case.whole(&["sequences"]).unwrap_or(1);
        return Ok(vec![check(Measure::Bytes, sequence_bytes(&shape, cells, bytes, tensor) * sequences as f64)]);
    }
    let each = match case.number(&["kv_bytes_per_token_total", "kv_bytes_per_token"]) {
        Some(each) if !case.has(&["layers"]) => each / tensor as f64,
        _ => bytes_per_token(&cache_shape(case)?, bytes, tensor),
    };
    if unit.contains("per token") || unit.contains("/token") {
        let all = if unit.contains("per gpu") { 1.0 } else { tensor as f64 };
        return Ok(vec![check(Measure::Bytes, each * all)]);
    }
    let budget = ["kv_memory", "kv_cache", "available_kv"].iter().find_map(|stem| case.measured(stem, Measure::Bytes));
    let tokens = match budget {
        Some(budget) => capacity_tokens(budget, each, block).saturating_mul(context),
        None if case.has(&["seq", "tokens"]) => {
            let tokens = case.need_whole(&["seq", "tokens"])?;
            let sequences = case.whole(&["sequences", "batch"]).unwrap_or(1);
            let total = sequence_bytes(&cache_shape(case)?, tokens, bytes, 1) * sequences as f64;
            return Ok(vec![check(Measure::Bytes, total)]);
        }
        None => return from_scratch(case, each, block),
    };
    if unit.contains("concurren") || unit.starts_with('x') {
        let length = length.ok_or("it does not say its `max_model_len`")?;
        return Ok(vec![check(Measure::Count, concurrency(tokens, length as u64))]);
    }
    Ok(vec![check(Measure::Count, tokens as f64).note("the printed bytes are rounded")])
}

/// Tokens of a cache of which only the GPU is known: by the engine's assumed needs.
fn from_scratch(case: &Case, each: f64, block: u64) -> Outcome {
    let missing = "it says neither the bytes of its cache nor its GPU, model and share of memory";
    let card = world::gpu_of(case);
    let total = case.measured("total", Measure::Bytes).or_else(|| card?.memory).ok_or(missing)?;
    let (shape, known) = world::shape_of(case).ok_or(missing)?;
    if !known.starts_with("catalogue") {
        return Err(missing.into());
    }
    let tensor = case.whole(&["tp", "tensor_parallel"]).unwrap_or(1).max(1);
    let own = weight_bytes_per_gpu(&shape.parameters(), &classes(case, &shape)?, tensor);
    let weights = case.measured("weights", Measure::Bytes).unwrap_or(own);
    let length = case.whole(&["max_model_len", "max_seq_len"]).unwrap_or(engine::PIECE);
    let architecture = card.map(|card| card.architecture.as_str());
    let peak = engine::activation_peak(&shape, tensor, length, engine::sampled("vllm", total, architecture));
    let outside = find(Name::NonTorch, &[], "", "").map(|(constant, _)| constant).ok_or("a constant is missing")?;
    let share = case.number(&["gpu_memory_utilization", "memory_utilization"]).unwrap_or(0.9);
    let tokens = |outside: f64, peak: f64| {
        let held = capacity_tokens(cache_budget(total, share, weights, outside, peak), each, block);
        let unit = case.unit().to_lowercase();
        if unit.contains("block") {
            (held / block) as f64
        } else if unit.contains("concurren") {
            concurrency(held, length)
        } else {
            held as f64
        }
    };
    let check = Check::of(Topic::CacheFromScratch, Measure::Count, tokens(outside.value, peak.value));
    Ok(vec![check.bar(tokens(outside.high, peak.high), tokens(outside.low, peak.low))])
}
