//! Default constants: each with a range, a source, and the hardware, number format and engine it was measured on.
//!
//! A constant of one architecture says little about another: Hopper's are 41 % too optimistic on Blackwell FP4.

/// What a constant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// Share of the memory bandwidth a decode step reaches.
    Bandwidth,
    /// Share of the peak arithmetic of the matrix products of a decode step.
    Decode,
    /// Share of the peak arithmetic of a prompt pass.
    Prefill,
    /// Bytes/s of one GPU in an all-reduce inside a node.
    Link,
    /// Seconds of one small all-reduce.
    Latency,
    /// Seconds a step spends on the host.
    Host,
    /// Factor on throughput when nothing finer is known.
    Derate,
    /// Model FLOP utilisation of training, in-run.
    TrainingUtilisation,
    /// Model FLOP utilisation of training from 4096 GPUs on.
    TrainingUtilisationLarge,
    /// Model FLOP utilisation of training on contexts from 32k on.
    TrainingUtilisationLong,
    /// Utilisation over a whole run, restarts included, over the in-run one.
    EndToEnd,
    /// Best matrix product measured over the dense peak; no utilisation can be above it.
    MatmulCeiling,
    /// Share of the unidirectional NVLink rate an all-reduce reaches.
    LinkEfficiency,
    /// Share of the NIC rate a collective reaches.
    NicEfficiency,
    /// Memory the engine may use.
    MemoryUtilisation,
    /// Bytes outside the framework's allocator.
    NonTorch,
    /// Bytes of CUDA graphs.
    Graphs,
    /// Node failures in 1000 node-days.
    Failures,
    /// Spare nodes over nodes.
    Spares,
    /// Facility power over IT power.
    Pue,
    /// Node power over the sum of its GPUs' power.
    NodeOverGpu,
    /// Bytes of a full checkpoint a parameter.
    CheckpointBytes,
    /// Share of storage capacity to plan with.
    UsableStorage,
    /// Share of serving throughput to plan with.
    TargetUtilisation,
}

/// Hardware, number format and engine; an empty string stands for any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// GPU architecture or id: `hopper`, `h200`.
    pub gpu: &'static str,
    /// Number format: `fp8`.
    pub dtype: &'static str,
    /// Engine: `tensorrt-llm`.
    pub engine: &'static str,
}

/// One default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant {
    /// What it is.
    pub name: Name,
    /// Where it holds.
    pub key: Key,
    /// The default.
    pub value: f64,
    /// Low end of what was seen.
    pub low: f64,
    /// High end of what was seen.
    pub high: f64,
    /// Where it is from.
    pub source: &'static str,
    /// The published cases that set it, by id: no proof of it.
    pub cases: &'static [&'static str],
}

impl Constant {
    /// Says which published cases set it.
    const fn set_by(self, cases: &'static [&'static str]) -> Constant {
        Constant { cases, ..self }
    }
}

/// How well a constant fits the hardware, format and engine asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// A default for anything.
    General,
    /// Measured on the same architecture, format or engine, but not on all three.
    Near,
    /// Measured on all three.
    Exact,
}

impl Fit {
    /// What a speed by formula is multiplied with for the ends of its bar.
    ///
    /// 15 % each side where the constants were measured on this GPU, format and engine; 30 % elsewhere. Source: the
    /// published runs that no constant was set with, see `tests/published`.
    pub fn spread(self) -> (f64, f64) {
        match self {
            Fit::Exact => (0.85, 1.15),
            Fit::Near | Fit::General => (0.70, 1.30),
        }
    }
}

/// What a serving formula needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants {
    /// Share of the memory bandwidth, decode.
    pub bandwidth: f64,
    /// Share of the peak arithmetic, decode.
    pub decode: f64,
    /// Share of the peak arithmetic, prompt.
    pub prefill: f64,
    /// Bytes/s of one GPU in an all-reduce.
    pub link: f64,
    /// Seconds of one small all-reduce.
    pub latency: f64,
    /// Seconds a step spends on the host.
    pub host: f64,
    /// Factor on throughput: steps and prompt passes take `1/derate` as long.
    pub derate: f64,
}

const TRT: &str =
    "TensorRT-LLM performance overview, FP8 on H100 and H200: fitted to 17 rows, 6 % mean error on others";
const GPT_FAST: &str = "gpt-fast README, A100-80GB";
const MAMF: &str = "ml-engineering, maximum achievable matmul tables";

/// The rows that the serving constants of Hopper were fitted to.
const TRT_CASES: &[&str] = &[
    "serve-trtllm-l31-405b-h100tp8-1000-1000",
    "serve-trtllm-l31-405b-h100tp8-128-2048",
    "serve-trtllm-l31-405b-h100tp8-2048-128",
    "serve-trtllm-l31-8b-h100-128-2048",
    "serve-trtllm-l31-8b-h100-2048-128",
    "serve-trtllm-l31-8b-h100-2048-2048",
    "serve-trtllm-l31-8b-h200-1000-1000",
    "serve-trtllm-l31-8b-h200-128-2048",
    "serve-trtllm-l31-8b-h200-20000-2000",
    "serve-trtllm-l31-8b-h200-2048-128",
    "serve-trtllm-l31-8b-h200-2048-2048",
    "serve-trtllm-l33-70b-h100tp2-1000-1000",
    "serve-trtllm-l33-70b-h100tp2-128-2048",
    "serve-trtllm-l33-70b-h100tp2-2048-128",
    "serve-trtllm-l33-70b-h100tp2-2048-2048",
    "serve-trtllm-l33-70b-h200-1000-1000",
    "serve-trtllm-l33-70b-h200-2048-128",
];
/// The rows that the decode constants of Ampere in 16 bits were fitted to.
const GPT_FAST_CASES: &[&str] = &[
    "decode-gptfast-llama2-70b-2",
    "decode-gptfast-llama2-70b-4",
    "decode-gptfast-llama2-70b-8",
    "decode-gptfast-llama2-7b-1",
    "decode-gptfast-llama2-7b-2",
    "decode-gptfast-llama2-7b-4",
    "decode-gptfast-llama2-7b-8",
    "decode-gptfast-llama31-70b-8",
    "decode-gptfast-llama31-8b-1",
];
/// The same in 8 bits.
const GPT_FAST_INT8_CASES: &[&str] =
    &["decode-gptfast-llama2-7b-int8", "decode-gptfast-llama31-405b-int8-8", "decode-gptfast-mixtral-int8"];
/// The same in 4 bits.
const GPT_FAST_INT4_CASES: &[&str] = &["decode-gptfast-llama2-7b-int4"];
/// The rows that the derate of Blackwell in NVFP4 was set with: one model on one GPU, one on four.
const NVFP4_CASES: &[&str] = &["serve-trtllm-l33-70b-b200fp4-1000-1000", "serve-trtllm-l31-405b-b200fp4tp4-1000-1000"];
/// Training runs on A100 whose GPU-hours are published.
const LLAMA_CASES: &[&str] = &[
    "time-llama1-13b",
    "time-llama1-33b",
    "time-llama1-65b",
    "time-llama1-7b",
    "time-llama2-13b",
    "time-llama2-70b",
    "time-llama2-7b",
];
/// Training runs on H100 and H800 whose GPU-hours are published.
const HOPPER_CASES: &[&str] = &["time-l31-405b", "time-deepseek-v3"];
/// MLPerf Training logs in FP8.
const MLPERF_CASES: &[&str] = &[
    "mlperf-gpt3-v3.1-10752",
    "mlperf-gpt3-v3.1-512",
    "mlperf-llama31-405b-v5.0-512",
    "mlperf-llama31-405b-v5.0-8192",
];

const fn row(name: Name, keys: [&'static str; 3], value: f64, low: f64, high: f64, source: &'static str) -> Constant {
    let [gpu, dtype, engine] = keys;
    Constant { name, key: Key { gpu, dtype, engine }, value, low, high, source, cases: &[] }
}

/// All defaults. The order does not matter: the best fit wins, the first among equals.
pub const TABLE: &[Constant] = &[
    row(Name::Bandwidth, ["hopper", "fp8", "tensorrt-llm"], 0.80, 0.75, 0.92, TRT).set_by(TRT_CASES),
    row(Name::Bandwidth, ["ampere", "bf16", "gpt-fast"], 0.70, 0.69, 0.75, GPT_FAST).set_by(GPT_FAST_CASES),
    row(Name::Bandwidth, ["ampere", "int8", "gpt-fast"], 0.52, 0.40, 0.60, GPT_FAST).set_by(GPT_FAST_INT8_CASES),
    row(Name::Bandwidth, ["ampere", "int4", "gpt-fast"], 0.42, 0.40, 0.45, GPT_FAST).set_by(GPT_FAST_INT4_CASES),
    row(Name::Bandwidth, ["", "int8", ""], 0.52, 0.40, 0.60, GPT_FAST),
    row(Name::Bandwidth, ["", "int4", ""], 0.42, 0.40, 0.45, GPT_FAST),
    row(Name::Bandwidth, ["hopper", "", ""], 0.80, 0.70, 0.92, TRT),
    row(Name::Bandwidth, ["blackwell", "", ""], 0.80, 0.70, 0.92, TRT),
    row(
        Name::Bandwidth,
        ["", "", ""],
        0.80,
        0.69,
        0.92,
        "aiconfigurator system files; gpt-fast README for the low end",
    ),
    row(Name::Decode, ["hopper", "fp8", "tensorrt-llm"], 0.40, 0.35, 0.55, TRT).set_by(TRT_CASES),
    row(Name::Decode, ["", "", ""], 0.40, 0.30, 0.70, TRT),
    row(Name::Prefill, ["hopper", "fp8", "tensorrt-llm"], 0.57, 0.47, 0.57, TRT).set_by(TRT_CASES),
    row(
        Name::Prefill,
        ["", "", ""],
        0.57,
        0.47,
        0.70,
        "TensorRT-LLM performance overview; kipply's A100 timings for the high end",
    ),
    row(Name::Link, ["hopper", "", ""], 370e9, 335e9, 480e9, TRT).set_by(TRT_CASES),
    row(
        Name::Link,
        ["blackwell", "", ""],
        740e9,
        680e9,
        960e9,
        "twice Hopper's rate, as its links; nccl-tests on B200 measured 682 to 741 GB/s",
    ),
    row(
        Name::Link,
        ["ampere", "", ""],
        240e9,
        220e9,
        250e9,
        "ml-engineering, all_reduce_bench on A100: 235 GB/s of 300",
    ),
    row(
        Name::Link,
        ["", "", ""],
        40e9,
        20e9,
        240e9,
        "assumption for GPUs without NVLink: 0.8 of PCIe 4.0 or 5.0 x16, mean",
    ),
    row(Name::Latency, ["", "", ""], 25e-6, 18e-6, 29e-6, GPT_FAST).set_by(GPT_FAST_CASES),
    row(Name::Host, ["", "", "gpt-fast"], 0.0, 0.0, 0.5e-3, GPT_FAST),
    row(Name::Host, ["", "", ""], 1e-3, 0.3e-3, 3e-3, TRT),
    row(
        Name::Derate,
        ["blackwell", "nvfp4", "tensorrt-llm"],
        0.72,
        0.66,
        0.76,
        "TensorRT-LLM performance overview, NVFP4 on B200 with the other constants of Hopper; five other rows within 8 %",
    )
    .set_by(NVFP4_CASES),
    row(
        Name::Derate,
        ["blackwell", "nvfp4", ""],
        0.71,
        0.66,
        0.76,
        "TensorRT-LLM performance overview, ten NVFP4 rows on B200",
    ),
    row(Name::Derate, ["blackwell", "mxfp4", ""], 0.71, 0.60, 0.80, "as NVFP4 on B200, not measured"),
    row(Name::Derate, ["blackwell", "", ""], 0.71, 0.66, 1.0, "as NVFP4 on B200; other formats not measured"),
    row(Name::Derate, ["", "", ""], 1.0, 0.74, 1.16, TRT),
    row(Name::TrainingUtilisation, ["ampere", "bf16", ""], 0.50, 0.44, 0.64, "llm-foundry and fms-fsdp tables").set_by(LLAMA_CASES),
    row(
        Name::TrainingUtilisation,
        ["hopper", "bf16", ""],
        0.40,
        0.36,
        0.46,
        "llm-foundry, fms-fsdp, Megatron-Core tables",
    ).set_by(HOPPER_CASES),
    row(Name::TrainingUtilisation, ["hopper", "fp8", ""], 0.36, 0.26, 0.41, "MLPerf Training logs, of the FP8 peak").set_by(MLPERF_CASES),
    row(
        Name::TrainingUtilisation,
        ["", "", ""],
        0.40,
        0.30,
        0.50,
        "llm-foundry, fms-fsdp, Megatron-Core tables; other hardware not measured",
    ),
    row(
        Name::TrainingUtilisationLarge,
        ["hopper", "bf16", ""],
        0.40,
        0.38,
        0.47,
        "Llama 3 paper, table 4; Megatron-Core README",
    ),
    row(
        Name::TrainingUtilisationLarge,
        ["hopper", "fp8", ""],
        0.36,
        0.26,
        0.41,
        "MLPerf Training logs, of the FP8 peak",
    ).set_by(MLPERF_CASES),
    row(
        Name::TrainingUtilisationLarge,
        ["", "", ""],
        0.38,
        0.26,
        0.47,
        "Llama 3 paper, table 4; other hardware not measured",
    ),
    row(
        Name::TrainingUtilisationLong,
        ["hopper", "bf16", ""],
        0.29,
        0.27,
        0.32,
        "llm-foundry tables, sequences of 32k and 64k",
    ),
    row(Name::TrainingUtilisationLong, ["", "", ""], 0.29, 0.25, 0.40, "llm-foundry tables, sequences of 32k and 64k"),
    row(
        Name::EndToEnd,
        ["", "", ""],
        0.85,
        0.80,
        0.90,
        "Llama 3.1 405B: 34.6 % from its GPU-hours against 38 to 43 % in-run",
    ).set_by(HOPPER_CASES),
    row(Name::MatmulCeiling, ["ampere", "bf16", ""], 0.87, 0.85, 0.87, MAMF).set_by(&["mamf-a100-sxm-bf16"]),
    row(Name::MatmulCeiling, ["hopper", "bf16", ""], 0.80, 0.78, 0.80, MAMF).set_by(&["mamf-h100-sxm-bf16"]),
    row(Name::MatmulCeiling, ["hopper", "fp8", ""], 0.71, 0.70, 0.71, MAMF).set_by(&["mamf-h100-sxm-fp8"]),
    row(Name::MatmulCeiling, ["blackwell", "bf16", ""], 0.78, 0.76, 0.78, MAMF),
    row(Name::MatmulCeiling, ["blackwell", "fp8", ""], 0.76, 0.74, 0.76, MAMF).set_by(&["mamf-b200-sxm-fp8"]),
    row(Name::MatmulCeiling, ["cdna3", "bf16", ""], 0.51, 0.50, 0.55, MAMF),
    row(Name::MatmulCeiling, ["", "", ""], 0.80, 0.51, 0.87, MAMF),
    row(Name::LinkEfficiency, ["", "", ""], 0.80, 0.76, 0.82, "ml-engineering, all_reduce_bench on A100 and B200"),
    row(Name::NicEfficiency, ["", "", ""], 0.75, 0.73, 0.80, "nccl-tests on four B200 nodes; ml-engineering").set_by(&["net-allreduce-b200-4node-4gib"]),
    row(Name::MemoryUtilisation, ["", "", ""], 0.90, 0.85, 0.95, "vLLM default"),
    row(
        Name::NonTorch,
        ["", "", ""],
        0.3 * GIB,
        0.03 * GIB,
        2.1 * GIB,
        "vLLM memory profiling logs; the high end with NCCL over several GPUs",
    ),
    row(Name::Graphs, ["", "", ""], 0.75 * GIB, 0.3 * GIB, 2.5 * GIB, "vLLM memory profiling logs"),
    row(
        Name::Failures,
        ["", "", ""],
        5.0,
        2.3,
        16.0,
        "Llama 3 paper 3.8; Meta RSC 6.5 and 2.3; OPT-175B logbook 16; BLOOM about 3",
    ),
    row(Name::Spares, ["", "", ""], 0.08, 0.05, 0.10, "BLOOM 4 of 52; OPT-175B 12 of 124; ml-engineering"),
    row(Name::Pue, ["", "", ""], 1.3, 1.1, 1.5, "operators' reports: 1.1 hyperscale, 1.5 enterprise"),
    row(Name::NodeOverGpu, ["ampere", "", ""], 2.03, 1.9, 2.1, "DGX A100 user guide: 6.5 kW for 8 x 400 W"),
    row(Name::NodeOverGpu, ["hopper", "", ""], 1.82, 1.75, 2.02, "DGX H100 user guide: 10.2 kW for 8 x 700 W"),
    row(Name::NodeOverGpu, ["blackwell", "", ""], 1.79, 1.75, 1.85, "DGX B200 user guide: 14.3 kW for 8 x 1000 W"),
    row(Name::NodeOverGpu, ["", "", ""], 1.85, 1.75, 2.1, "DGX A100, H100 and B200 user guides"),
    row(
        Name::CheckpointBytes,
        ["", "", ""],
        14.0,
        9.1,
        14.0,
        "BLOOM chronicles; MLPerf Storage; OPT-175B for the low end",
    ),
    row(Name::UsableStorage, ["", "", ""], 0.80, 0.80, 0.90, "MLPerf Storage practice; Lenovo LP1698 plans with 0.90"),
    row(
        Name::TargetUtilisation,
        ["", "", ""],
        0.75,
        0.70,
        0.80,
        "queueing: the time to the first token grows without bound towards 1",
    ),
];

const GIB: f64 = 1_073_741_824.0;

/// The best fit for a constant and how well it fits; `None` only if the table has no general row of that name.
///
/// `gpus` are the names the GPU goes by, finest first (id, then architecture). A row with an empty key part fits
/// anything. A match on the GPU counts most, then the number format, then the engine. Source: the table's own rows.
pub fn find(name: Name, gpus: &[&str], dtype: &str, engine: &str) -> Option<(&'static Constant, Fit)> {
    let mut best: Option<(&'static Constant, u32)> = None;
    for constant in TABLE.iter().filter(|constant| constant.name == name) {
        let Some(score) = score(&constant.key, gpus, dtype, engine) else { continue };
        if best.is_none_or(|(_, other)| score > other) {
            best = Some((constant, score));
        }
    }
    best.map(|(constant, _)| (constant, fit(&constant.key)))
}

/// Serving constants of a GPU, number format and engine, and the worst fit among them; a derate that was measured on all
/// three stands for all of them.
///
/// A name the table lacks would count as 1. Source: the table's own rows.
pub fn serving(gpus: &[&str], dtype: &str, engine: &str) -> (Constants, Fit) {
    let (mut worst, mut whole) = (Fit::Exact, Fit::General);
    let mut take = |name| match find(name, gpus, dtype, engine) {
        Some((constant, fit)) => {
            if matches!(name, Name::Bandwidth | Name::Decode | Name::Prefill) {
                worst = worst.min(fit);
            }
            if name == Name::Derate {
                whole = fit;
            }
            constant.value
        }
        None => 1.0,
    };
    let constants = Constants {
        bandwidth: take(Name::Bandwidth),
        decode: take(Name::Decode),
        prefill: take(Name::Prefill),
        link: take(Name::Link),
        latency: take(Name::Latency),
        host: take(Name::Host),
        derate: take(Name::Derate),
    };
    (constants, if whole == Fit::Exact { whole } else { worst })
}

/// True when the case set a constant: it is no proof then. Source: the table's own rows and the constants elsewhere.
pub fn is_set_by(case: &str) -> bool {
    let elsewhere = [super::activations::TRAINING_MARGIN.cases, super::dataprep::CASES];
    TABLE.iter().map(|constant| constant.cases).chain(elsewhere).any(|cases| cases.contains(&case))
}

fn score(key: &Key, gpus: &[&str], dtype: &str, engine: &str) -> Option<u32> {
    let part = |own: &str, fits: bool, weight: u32| match (own.is_empty(), fits) {
        (true, _) => Some(0),
        (false, true) => Some(weight),
        (false, false) => None,
    };
    let gpu = part(key.gpu, gpus.contains(&key.gpu), 4)?;
    Some(gpu + part(key.dtype, key.dtype == dtype, 2)? + part(key.engine, key.engine == engine, 1)?)
}

fn fit(key: &Key) -> Fit {
    match [key.gpu, key.dtype, key.engine].iter().filter(|part| !part.is_empty()).count() {
        0 => Fit::General,
        3 => Fit::Exact,
        _ => Fit::Near,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fit, Name, TABLE, find, serving};

    #[test]
    fn every_row_is_plausible() {
        for constant in TABLE {
            assert!(constant.low <= constant.value && constant.value <= constant.high, "{constant:?}");
            assert!(!constant.source.is_empty());
            assert!(find(constant.name, &[], "", "").is_some(), "{:?} lacks a general row", constant.name);
        }
    }

    #[test]
    fn the_finest_row_wins() {
        let (hopper, fit) = serving(&["h100", "hopper"], "fp8", "tensorrt-llm");
        assert_eq!((hopper.bandwidth, hopper.decode, hopper.prefill, hopper.link), (0.80, 0.40, 0.57, 370e9));
        assert_eq!((hopper.latency, hopper.host, hopper.derate, fit), (25e-6, 1e-3, 1.0, Fit::Exact));
        let (blackwell, fit) = serving(&["b200", "blackwell"], "nvfp4", "tensorrt-llm");
        assert_eq!((blackwell.derate, blackwell.link, fit), (0.72, 740e9, Fit::Exact));
        assert!(super::is_set_by("serve-trtllm-l33-70b-b200fp4-1000-1000") && !super::is_set_by("nothing"));
        assert_eq!((Fit::Exact.spread(), Fit::Near.spread()), ((0.85, 1.15), (0.70, 1.30)));
        let bandwidth =
            |gpus: &[&str], dtype| find(Name::Bandwidth, gpus, dtype, "vllm").map(|(c, fit)| (c.value, fit));
        assert_eq!(bandwidth(&["mi300x"], "bf16"), Some((0.80, Fit::General)));
        assert_eq!(bandwidth(&["l40s", "ada"], "int4"), Some((0.42, Fit::Near)));
    }
}
