//! Memory of training and fine-tuning.

use aipc::plan::formula::activations::{
    ActivationInput, FIXED, Recompute, in_flight, layer_bytes, selective_saving, stage_bytes,
};
use aipc::plan::formula::adapters::{Base, Target, adapter_checkpoint, adapter_parameters, adapter_states, base_bytes};
use aipc::plan::formula::offload::{Offload, zero2_device, zero2_host, zero3_device, zero3_host};
use aipc::plan::formula::shape::Shape;
use aipc::plan::formula::states::{Parallel, Sharding, StateBytes, fullest_stage, stage_layers, stage_states, states};
use aipc::plan::training::memory::{Need, bar, per_gpu};

use crate::case::Case;
use crate::parameters;
use crate::unit::Measure;
use crate::verdict::{Check, Outcome, Refusal, Side, Topic};
use crate::world;

fn of(topic: Topic, value: f64) -> Check {
    Check::of(topic, Measure::Bytes, value)
}

fn sharding(case: &Case) -> Option<Sharding> {
    if case.truth(&["distributed_optimizer", "dist_opt"]) == Some(true) {
        return Some(Sharding::MegatronDistributed);
    }
    let stage = case.whole(&["stage", "zero_stage", "zero"]);
    let text = case.text(&["stage", "zero_stage", "sharding", "scheme", "zero"]).unwrap_or_default().to_lowercase();
    match (stage, text.replace(['-', '_', ' '], "").as_str()) {
        (Some(0), _) | (_, "baselinedp" | "baseline" | "none" | "ddp" | "dp") => Some(Sharding::None),
        (Some(1), _) | (_, "zero1" | "pos") => Some(Sharding::Zero1),
        (Some(2), _) | (_, "zero2" | "pos+g") => Some(Sharding::Zero2),
        (Some(3), _) | (_, "zero3" | "pos+g+p") => Some(Sharding::Zero3),
        (_, "fsdp") => Some(Sharding::Fsdp),
        (_, "distributedoptimizer" | "megatron" | "distopt") => Some(Sharding::MegatronDistributed),
        _ => None,
    }
}

/// The convention of so many bytes a parameter.
fn convention(bytes: f64) -> Option<StateBytes> {
    let all = [
        StateBytes::MIXED,
        StateBytes::MIXED_FP32_GRADIENTS,
        StateBytes::NO_MASTER,
        StateBytes::PURE_BF16,
        StateBytes::FP32,
    ];
    all.into_iter().find(|known| known.total() == bytes)
}

fn recompute(case: &Case) -> Recompute {
    match case.text(&["recompute", "recomputation"]).map(str::to_lowercase) {
        Some(word) if word.starts_with("full") => Recompute::Full,
        Some(word) if word.starts_with("none") => Recompute::None,
        Some(_) | None => Recompute::Selective,
    }
}

/// States, and whole memory where the run is described.
pub fn training(case: &Case) -> Outcome {
    if let (Some(few), Some(many)) = (case.whole(&["gpus_a"]), case.whole(&["gpus_b"])) {
        return difference(case, few, many);
    }
    if case.has(&["tp", "pp"]) && case.has(&["hidden"]) {
        return megatron(case);
    }
    if case.has(&["local_batch", "micro_batch"]) && case.has(&["seq"]) {
        return sharded(case);
    }
    let parameters = case.parameters().ok_or("it does not say its `params`")?;
    let estimators = case.source.to_lowercase().contains("deepspeed");
    if estimators || case.has(&["largest_layer_params", "offload_optimizer", "offload_param"]) {
        return estimator(case, parameters);
    }
    let bytes = case.number(&["bytes_per_param", "bytes_per_param_sharded"]).and_then(convention);
    let single = case.text(&["dtype", "precision"]).is_some_and(|dtype| dtype.eq_ignore_ascii_case("fp32"));
    let method = case.text(&["method"]).unwrap_or_default().to_lowercase();
    let bytes = match (bytes, method.as_str()) {
        (Some(bytes), _) => bytes,
        (None, method) if method.contains("pure") && method.contains("bf16") => StateBytes::PURE_BF16,
        (None, method) if method.contains("amp") => StateBytes::MIXED_FP32_GRADIENTS,
        (None, _) if single => StateBytes::FP32,
        (None, _) => match sharding(case) {
            Some(Sharding::MegatronDistributed) => StateBytes::MIXED_FP32_GRADIENTS,
            Some(_) => StateBytes::MIXED,
            None => return Err("it says neither bytes a parameter nor how states are spread".into()),
        },
    };
    let [tensor, pipeline, data] =
        [&["tp"][..], &["pp"], &["dp", "data_parallel", "gpus", "fsdp"]].map(|names| case.whole(names).unwrap_or(1));
    let held = states(parameters, tensor, pipeline, data, sharding(case).unwrap_or(Sharding::None), &bytes).total();
    let note = if case.kind.starts_with("measured") { "a whole process; its batch is not known" } else { "" };
    Ok(vec![of(Topic::States, held).note(note)])
}

/// DeepSpeed's estimators.
fn estimator(case: &Case, parameters: f64) -> Outcome {
    let nodes = case.whole(&["nodes"]).unwrap_or(1).max(1);
    let gpus = case.gpus().ok_or("it does not say its `gpus`")?;
    let largest = case.scaled(&["largest_layer_params"]).unwrap_or(0.0);
    let on_host =
        |names: &[&str]| case.text(names).is_some_and(|place| place != "none") || case.truth(names) == Some(true);
    let offload = match (on_host(&["offload_param", "offload_params"]), on_host(&["offload_optimizer", "cpu_offload"]))
    {
        (true, _) => Offload::All,
        (false, true) => Offload::Optimizer,
        (false, false) => Offload::None,
    };
    let unit = case.unit().to_lowercase();
    let host = unit.contains("cpu") || unit.contains("host") || unit.contains("ram");
    let pieces = case.truth(&["zero_init"]).unwrap_or(true);
    let each = gpus / nodes;
    let bytes = match (sharding(case), host) {
        (Some(Sharding::Zero2), false) => zero2_device(parameters, gpus, offload),
        (Some(Sharding::Zero2), true) => zero2_host(parameters, each, nodes, offload),
        (Some(Sharding::Zero3), false) => zero3_device(parameters, largest, gpus, offload),
        (Some(Sharding::Zero3), true) => zero3_host(parameters, largest, each, nodes, offload, pieces),
        _ => return Err("the estimator knows stages 2 and 3".into()),
    };
    Ok(vec![of(Topic::States, bytes)])
}

/// What more GPUs save of the sharded states, with the margin of whole memory.
fn difference(case: &Case, few: u64, many: u64) -> Outcome {
    let parameters = case.parameters().ok_or("it does not say its `params`")?;
    let held = |gpus| states(parameters, 1, 1, gpus, Sharding::Fsdp, &StateBytes::MIXED).total();
    let (less, more) = (bar(held(many), 0.0), bar(held(few), 0.0));
    let check = of(Topic::TrainingMemory, more.value - less.value);
    Ok(vec![check.bar(more.low - less.low, more.high - less.high)])
}

/// Tensor and pipeline parallel runs that spell out their shape.
fn megatron(case: &Case) -> Outcome {
    let shape = Shape { tied_embeddings: true, ..parameters::shape(case)? };
    let words = case.text(&["recompute"]).unwrap_or_default().to_lowercase();
    let parallel = Parallel {
        tensor: case.whole(&["tp"]).unwrap_or(1),
        pipeline: case.whole(&["pp"]).unwrap_or(1),
        data: case.whole(&["dp"]).unwrap_or(1),
        context: case.whole(&["cp"]).unwrap_or(1),
        expert: case.whole(&["ep"]).unwrap_or(1),
        expert_tensor: 1,
    };
    let sharding = sharding(case).unwrap_or(Sharding::None);
    let unsharded = case.text(&["precision"]).is_some_and(|words| words.contains("unsharded fp32 grad"));
    let bytes = match case.number(&["bytes_per_param"]).and_then(convention) {
        _ if unsharded => StateBytes::BLOOM,
        Some(bytes) => bytes,
        None => sharding.usual_bytes(),
    };
    let balanced = shape.vocab > 0;
    let shard = fullest_stage(&shape.parameters(), shape.layers, true, &parallel, balanced);
    let held = stage_states(&shard, &parallel, sharding, &bytes).total();
    let kept = case.whole(&["seq"]).zip(case.whole(&["micro_batch", "mbs"])).map_or(0.0, |(sequence, micro_batch)| {
        let input = ActivationInput {
            hidden: shape.hidden,
            heads: shape.heads,
            ffn: shape.ffn,
            sequence,
            micro_batch,
            tensor: parallel.tensor,
            sequence_parallel: case.truth(&["sequence_parallel"]).unwrap_or(words.contains("sp")),
            recompute: recompute(case),
        };
        let layers = stage_layers(shape.layers, parallel.pipeline, balanced);
        stage_bytes(&input, layers, in_flight(parallel.pipeline, u64::MAX, 1))
    });
    let whole = bar(held, kept);
    let note = if kept == 0.0 { "its batch is not known: states with the margin" } else { "" };
    Ok(vec![of(Topic::TrainingMemory, whole.value).bar(whole.low, whole.high).note(note)])
}

/// Fully sharded runs of a known model, as the plan sizes them.
fn sharded(case: &Case) -> Outcome {
    let (shape, known) = world::shape_of(case).ok_or("it does not say its `params`")?;
    if !known.starts_with("catalogue") {
        return Err("no model of the catalogue has so many parameters, and it gives no shape".into());
    }
    let tensor = case.whole(&["tp"]).unwrap_or(1);
    let gpus = case.gpus().ok_or("it does not say its `gpus`")?;
    let pipeline = case.whole(&["pp"]).unwrap_or(1);
    if pipeline > 1 && !case.has(&["micro_batch"]) {
        return Err("a pipeline divides its batch, and the row does not say its `micro_batch`".into());
    }
    let group = (tensor * pipeline).max(1);
    let data = case.whole(&["fsdp", "dp"]).unwrap_or_else(|| (gpus / group).max(1));
    let whole = per_gpu(&Need {
        shape: &shape,
        parameters: &shape.parameters(),
        parallel: Parallel { tensor, pipeline, data, context: 1, expert: 1, expert_tensor: 1 },
        sharding: sharding(case).unwrap_or(Sharding::Fsdp),
        bytes: StateBytes::MIXED,
        sequence: case.need_whole(&["seq"])?,
        micro_batch: case.need_whole(&["micro_batch", "local_batch"])?,
        micro_batches: None,
        recompute: recompute(case),
    });
    Ok(vec![of(Topic::TrainingMemory, whole.value).bar(whole.low, whole.high)])
}

/// Activations alone.
pub fn activations(case: &Case) -> Outcome {
    let hidden = case.need_whole(&["hidden"])?;
    let sequence = case.need_whole(&["seq"])?;
    let heads = case.whole(&["heads"]).unwrap_or(1);
    let unit = case.unit().to_lowercase();
    if unit.contains('%') {
        return Ok(vec![Check::of(Topic::GivenRate, Measure::Share, selective_saving(heads, sequence, hidden))]);
    }
    let full = unit.contains("checkpoint") || recompute(case) == Recompute::Full;
    let input = ActivationInput {
        hidden,
        heads,
        ffn: case.whole(&["ffn"]).unwrap_or(4 * hidden),
        sequence,
        micro_batch: case.whole(&["batch", "micro_batch"]).unwrap_or(1),
        tensor: case.whole(&["tp"]).unwrap_or(1),
        sequence_parallel: case.truth(&["sequence_parallel"]).unwrap_or(false),
        recompute: if full { Recompute::Full } else { recompute(case) },
    };
    let layers = case.whole(&["layers"]).unwrap_or(1) as f64;
    Ok(vec![of(Topic::States, layer_bytes(&input) * layers)])
}

/// The adapters of a row: rank on the projections it names, all linear layers when it names none.
fn adapters_of(case: &Case, shape: &Shape) -> Result<u64, String> {
    let rank = case.need_whole(&["r", "rank", "lora_rank"])?;
    let (hidden, query, key) = (shape.hidden, shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim);
    let known = [
        ("q", Target { inputs: hidden, outputs: query }),
        ("k", Target { inputs: hidden, outputs: key }),
        ("v", Target { inputs: hidden, outputs: key }),
        ("o", Target { inputs: query, outputs: hidden }),
    ];
    let words = case.text(&["targets", "target_modules"]).unwrap_or("all").to_lowercase();
    let names: Vec<&str> = words.split([',', '+', ' ']).map(|name| name.trim().trim_end_matches("_proj")).collect();
    let all = names.contains(&"all");
    let mut targets: Vec<Target> =
        known.into_iter().filter(|(name, _)| all || names.contains(name)).map(|(_, target)| target).collect();
    if all {
        let count = if shape.gated { 3 } else { 2 };
        targets.extend(std::iter::repeat_n(Target { inputs: hidden, outputs: shape.ffn }, count));
    }
    if targets.is_empty() {
        return Err(format!("its targets `{words}` are not known"));
    }
    Ok(adapter_parameters(shape.layers, rank, &targets))
}

/// The file of adapters.
pub fn adapter_checkpoint_of(case: &Case) -> Outcome {
    let shape = match case.has(&["hidden"]) {
        true => parameters::shape(case)?,
        false => world::shape_of(case).ok_or("it does not say its model")?.0,
    };
    let bytes = adapter_checkpoint(adapters_of(case, &shape)?);
    Ok(vec![of(Topic::AdapterMemory, bytes).note("its MB are MiB: 36.0 of them")])
}

/// Frozen bases with adapters.
pub fn adapters(case: &Case) -> Outcome {
    let method = format!(
        "{} {}",
        case.text(&["method"]).unwrap_or_default(),
        case.text(&["base_dtype", "dtype"]).unwrap_or_default()
    )
    .to_lowercase();
    let bits = case.number(&["bits"]).or_else(|| Some(8.0 * case.number(&["base_bytes"])?));
    let base = match bits {
        Some(bits) if bits <= 4.5 => Base::Nf4,
        Some(8.0) => Base::Int8,
        Some(16.0) => Base::Half,
        Some(32.0) => Base::Fp32,
        _ if method.contains("qlora-8") || method.contains("int8") => Base::Int8,
        _ if method.contains("qlora") || method.contains("nf4") => Base::Nf4,
        _ if method.contains("fp32") => Base::Fp32,
        _ if method.contains("lora") || method.contains("16") => Base::Half,
        _ => return Err("it does not say in which format its base is frozen".into()),
    };
    let (shape, _) = world::shape_of(case).ok_or("it does not say its `params`")?;
    let count = shape.parameters();
    let total = case.parameters().unwrap_or(count.total() as f64);
    let frozen = base_bytes(total - count.embedding as f64, count.embedding as f64, base);
    let adapters = match case.has(&["r", "rank", "lora_rank"]) {
        true => adapter_states(adapters_of(case, &shape)?, &StateBytes::MIXED),
        false => 0.0,
    };
    let held = frozen + adapters;
    let unit = case.unit().to_lowercase();
    if unit.contains("upper bound") || unit.contains("fits") {
        return Ok(vec![Check::bound(Side::AtLeast, Measure::Bytes, held).note("what is frozen alone")]);
    }
    if let (Some(sequence), Some(micro_batch)) = (case.whole(&["seq"]), case.whole(&["batch", "micro_batch"])) {
        let input = ActivationInput {
            hidden: shape.hidden,
            heads: shape.heads,
            ffn: shape.ffn,
            sequence,
            micro_batch,
            tensor: 1,
            sequence_parallel: false,
            recompute: Recompute::Full,
        };
        // What the framework allocated, with the loss in pieces: no margin, no context, no whole logits.
        let kept = stage_bytes(&input, shape.layers as f64, 1.0);
        return Ok(vec![of(Topic::AdapterMemory, held + kept).note("peak of the allocator, the loss in pieces")]);
    }
    let measured = case.kind.starts_with("measured");
    if measured && unit.contains("gpu") {
        return Ok(vec![of(Topic::AdapterMemory, held + FIXED.total()).note("its batch is not known")]);
    }
    if held.is_nan() {
        return Err(Refusal::from("nothing is known of its base"));
    }
    Ok(vec![of(Topic::AdapterMemory, held)])
}
