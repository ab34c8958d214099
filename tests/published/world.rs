//! Models and GPUs of the catalogue, found by the names that sources give them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use aipc::catalog::Catalogue;
use aipc::compile::{Options, check, parse};
use aipc::plan::formula::round::power;
use aipc::plan::formula::shape::{Attention, Norm, Shape};
use aipc::plan::formula::weights::Precision;
use aipc::plan::shape;

use crate::case::Case;
use crate::unit::{self, Measure};

/// The facts of a GPU.
#[derive(Debug, Clone)]
pub struct Card {
    pub id: &'static str,
    pub architecture: String,
    /// Bytes that a runtime sees.
    pub memory: Option<f64>,
    pub bandwidth: Option<f64>,
    pub bf16: Option<f64>,
    pub fp8: Option<f64>,
    pub fp4: Option<f64>,
    pub int8: Option<f64>,
    pub watts: Option<f64>,
}

impl Card {
    /// The names that constants know it by.
    pub fn names(&self) -> [&str; 2] {
        [self.id, &self.architecture]
    }

    /// Dense FLOP/s in a format; others are widened to 16 bits.
    pub fn peak(&self, dtype: &str) -> Option<f64> {
        match dtype {
            "fp8" => self.fp8,
            "nvfp4" | "mxfp4" => self.fp4,
            "int8" => self.int8,
            _ => None,
        }
        .or(self.bf16)
    }
}

/// Lower case, and one dash for whatever stands between letters and figures.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_alphanumeric() {
            plain.push(c);
        } else if !plain.ends_with('-') {
            plain.push('-');
        }
    }
    plain
}

/// The shapes of all models of the catalogue, as the compiler reads them.
fn shapes() -> &'static BTreeMap<&'static str, Shape> {
    static SHAPES: OnceLock<BTreeMap<&'static str, Shape>> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let catalogue = Catalogue::new();
        let mut text = String::from("platform p { currency = EUR }\n");
        for id in catalogue.ids("model") {
            text.push_str(&format!("model of-{id} {{ base = catalog.model.{id} }}\n"));
        }
        let package = parse(vec![(String::from("main.aip"), text)], &[]);
        let options = Options::default();
        let compiled = check(&package, &options, &catalogue);
        let plan = compiled.plan.as_ref().expect("a package of models has a plan");
        let find = |id: &&'static str| {
            let block = plan.model.find(aipc::model::kinds::Kind::Model, &format!("of-{id}"))?;
            Some((*id, shape::of(&plan.model, plan.model.as_id(block)?).ok()?))
        };
        catalogue.ids("model").filter_map(|id| find(&id)).collect()
    })
}

/// The model of the catalogue that a text names.
fn id_named(text: &str) -> Option<&'static str> {
    let text = plain(text);
    shapes().keys().copied().filter(|id| text.contains(id)).max_by_key(|id| id.len())
}

/// The shape of the model that a text names.
pub fn named(text: &str) -> Option<&'static Shape> {
    shapes().get(id_named(text)?)
}

/// The model of the catalogue of so many parameters, if one is near enough.
pub fn id_by_size(parameters: f64, tolerance: f64) -> Option<&'static str> {
    let off = |shape: &Shape| (shape.parameters().total() as f64 / parameters - 1.0).abs();
    let (id, shape) = shapes().iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
    (off(shape) < tolerance).then_some(*id)
}

/// The model of a case in the catalogue, by its name, else by its size.
pub fn id_of(case: &Case) -> Option<&'static str> {
    let name = case.text(&["model", "model_name"]).and_then(id_named);
    name.or_else(|| id_by_size(case.parameters()?, 0.002))
}

/// The shape of a case: by the model's name, else the catalogue's model of so many parameters, else the common ratio of
/// width to depth, `h = 128 L` and `N = 12 L h^2`.
pub fn shape_of(case: &Case) -> Option<(Shape, &'static str)> {
    if let Some(shape) = id_of(case).and_then(|id| shapes().get(id)) {
        return Some((shape.clone(), "catalogue"));
    }
    let parameters = case.parameters()?;
    let mut layers = 1;
    // No decoder is deeper than a thousand layers.
    while layers < 1000 && 12.0 * power(128.0, 2) * power(layers as f64, 3) < parameters {
        layers += 1;
    }
    Some((Shape { layers, ..plain_shape(128 * layers) }, "width to depth"))
}

/// A decoder of the first generation of some width, without a vocabulary.
pub fn plain_shape(hidden: u64) -> Shape {
    Shape {
        layers: 1,
        hidden,
        heads: (hidden / 128).max(1),
        kv_heads: (hidden / 128).max(1),
        head_dim: 128,
        ffn: 4 * hidden,
        vocab: 0,
        gated: false,
        tied_embeddings: true,
        positions: 0,
        biases: false,
        norm: Norm::Layer,
        experts: None,
        attention: Attention::Full,
    }
}

/// All GPUs of the catalogue.
pub fn cards() -> &'static [Card] {
    static CARDS: OnceLock<Vec<Card>> = OnceLock::new();
    CARDS.get_or_init(|| {
        let catalogue = Catalogue::new();
        catalogue.ids("gpu").filter_map(|id| card(&catalogue, id)).collect()
    })
}

fn card(catalogue: &Catalogue, id: &'static str) -> Option<Card> {
    let facts: BTreeMap<String, String> = catalogue
        .entry("gpu", id)?
        .into_iter()
        .filter_map(|fact| Some((fact.attribute, fact.value.as_str()?.to_string())))
        .collect();
    let number = |name: &str, measure: Measure| {
        let text = facts.get(name)?;
        let (found, factor) = unit::read(text)?;
        let number: f64 = text.split_whitespace().next()?.parse().ok()?;
        (found == measure).then_some(number * factor)
    };
    Some(Card {
        id,
        architecture: facts.get("architecture").cloned().unwrap_or_default(),
        memory: number("usable_memory", Measure::Bytes),
        bandwidth: number("memory_bandwidth", Measure::ByteRate),
        bf16: number("bf16", Measure::FlopRate),
        fp8: number("fp8", Measure::FlopRate),
        fp4: number("fp4", Measure::FlopRate),
        int8: number("int8", Measure::FlopRate),
        watts: number("tdp", Measure::Watts),
    })
}

/// The GPU that a text names; without more words the board for servers with the most memory.
pub fn gpu(text: &str) -> Option<&'static Card> {
    let text = plain(text).replace('-', "");
    // The export model of the same chip.
    let text = text.replace("h800", "h100").replace("a800", "a100");
    let mut best: Option<(usize, &Card)> = None;
    for card in cards() {
        let short = card.id.replace("-sxm", "");
        let chip = if card.id.contains("-sxm") { card.id.split("-sxm").next() } else { None };
        let names = [Some(card.id), Some(short.as_str()), chip];
        let fits = names.into_iter().flatten().map(|name| name.replace('-', ""));
        let Some(length) = fits.filter(|name| text.contains(name.as_str())).map(|name| name.len()).max() else {
            continue;
        };
        if best.is_none_or(|(other, known)| length > other || (length == other && card.memory > known.memory)) {
            best = Some((length, card));
        }
    }
    best.map(|(_, card)| card)
}

/// The GPU of a case.
pub fn gpu_of(case: &Case) -> Option<&'static Card> {
    case.text(&["gpu", "accelerator", "gpu_model", "device"]).and_then(gpu)
}

/// The format of the weights, as the compiler spells it: as said, else as the model is named, else by bytes.
pub fn dtype(case: &Case) -> &'static str {
    let said = case.text(&["precision", "dtype", "weight_dtype", "quantization", "base_dtype"]).unwrap_or_default();
    let text = plain(&format!("{said} {}", case.text(&["model", "model_name"]).unwrap_or_default()));
    let words = [
        ("nvfp4", "nvfp4"),
        ("mxfp4", "mxfp4"),
        ("fp4", "nvfp4"),
        ("mxfp8", "fp8"),
        ("fp8", "fp8"),
        ("w8a8", "int8"),
        ("int8", "int8"),
        ("int4", "int4"),
        ("4-bit", "int4"),
        ("awq", "int4"),
        ("gptq", "int4"),
        ("fp32", "fp32"),
        ("fp16", "fp16"),
    ];
    if let Some((_, dtype)) = words.iter().find(|(word, _)| text.contains(word)) {
        return dtype;
    }
    match case.number(&["weight_bytes_per_param", "bytes", "bytes_per_param"]) {
        Some(1.0) => "fp8",
        Some(0.5625) => "nvfp4",
        Some(0.53125) => "mxfp4",
        Some(4.0) => "fp32",
        _ => "bf16",
    }
}

/// The same for the formulas.
pub fn precision(dtype: &str) -> Precision {
    match dtype {
        "fp32" => Precision::Fp32,
        "fp16" => Precision::Fp16,
        "fp8" => Precision::Fp8,
        "int8" => Precision::Int8,
        "nvfp4" => Precision::Nvfp4,
        "mxfp4" => Precision::Mxfp4,
        "int4" => Precision::Int4 { group: 128 },
        _ => Precision::Bf16,
    }
}

/// The format of so many bytes a number.
pub fn format_of(bytes: f64) -> Option<Precision> {
    let all = [
        Precision::Fp32,
        Precision::Bf16,
        Precision::Fp8,
        Precision::Nvfp4,
        Precision::Mxfp4,
        Precision::Int4 { group: 128 },
        Precision::Int4 { group: 32 },
    ];
    all.into_iter().find(|precision| (precision.bytes() - bytes).abs() < 0.002)
}

/// The engine that the source speaks of, as the compiler spells it; empty when it is none of those with constants.
pub fn engine(case: &Case) -> &'static str {
    let words = case.source.to_lowercase();
    let engines = [("tensorrt-llm", "tensorrt-llm"), ("gpt-fast", "gpt-fast"), ("vllm", "vllm"), ("sglang", "sglang")];
    engines.iter().find(|(word, _)| words.contains(word)).map_or("", |(_, engine)| engine)
}
