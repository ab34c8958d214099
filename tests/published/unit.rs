//! One reader for the units of published figures.

/// What a figure measures. Base units: bytes, seconds, FLOP, watts, one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Bytes,
    ByteRate,
    Seconds,
    GpuSeconds,
    Flop,
    FlopRate,
    TokenRate,
    SampleRate,
    Share,
    Count,
    Watts,
    WattHours,
    Heat,
    Money,
}

const MIB: f64 = 1_048_576.0;
const GIB: f64 = 1024.0 * MIB;

/// Words of units and what one of them is in base units.
const WORDS: &[(&str, Measure, f64)] = &[
    ("bytes", Measure::Bytes, 1.0),
    ("kb", Measure::Bytes, 1e3),
    ("kib", Measure::Bytes, 1024.0),
    ("mb", Measure::Bytes, 1e6),
    ("mib", Measure::Bytes, MIB),
    ("gb", Measure::Bytes, 1e9),
    ("gib", Measure::Bytes, GIB),
    ("tb", Measure::Bytes, 1e12),
    ("tib", Measure::Bytes, 1024.0 * GIB),
    ("pb", Measure::Bytes, 1e15),
    ("bytes/s", Measure::ByteRate, 1.0),
    ("mb/s", Measure::ByteRate, 1e6),
    ("mib/s", Measure::ByteRate, MIB),
    ("gb/s", Measure::ByteRate, 1e9),
    ("gib/s", Measure::ByteRate, GIB),
    ("tb/s", Measure::ByteRate, 1e12),
    ("tib/s", Measure::ByteRate, 1024.0 * GIB),
    ("us", Measure::Seconds, 1e-6),
    ("ms", Measure::Seconds, 1e-3),
    ("s", Measure::Seconds, 1.0),
    ("seconds", Measure::Seconds, 1.0),
    ("min", Measure::Seconds, 60.0),
    ("minutes", Measure::Seconds, 60.0),
    ("h", Measure::Seconds, 3600.0),
    ("hours", Measure::Seconds, 3600.0),
    ("days", Measure::Seconds, 86_400.0),
    ("gpu-hours", Measure::GpuSeconds, 3600.0),
    ("flop", Measure::Flop, 1.0),
    ("flops", Measure::Flop, 1.0),
    ("tflop/s", Measure::FlopRate, 1e12),
    ("pflop/s", Measure::FlopRate, 1e15),
    ("tokens/s", Measure::TokenRate, 1.0),
    ("samples/s", Measure::SampleRate, 1.0),
    ("%", Measure::Share, 0.01),
    ("fraction", Measure::Share, 1.0),
    ("goodput", Measure::Share, 1.0),
    ("share", Measure::Share, 1.0),
    ("billion", Measure::Count, 1e9),
    ("million", Measure::Count, 1e6),
    ("parameters", Measure::Count, 1.0),
    ("tokens", Measure::Count, 1.0),
    ("x", Measure::Count, 1.0),
    ("blocks", Measure::Count, 1.0),
    ("cores", Measure::Count, 1.0),
    ("requests", Measure::Count, 1.0),
    ("switches", Measure::Count, 1.0),
    ("nodes", Measure::Count, 1.0),
    ("failures", Measure::Count, 1.0),
    ("w", Measure::Watts, 1.0),
    ("kw", Measure::Watts, 1e3),
    ("mw", Measure::Watts, 1e6),
    ("kwh", Measure::WattHours, 1e3),
    ("mwh", Measure::WattHours, 1e6),
    ("gwh", Measure::WattHours, 1e9),
    ("btu/h", Measure::Heat, 1.0),
    ("usd", Measure::Money, 1.0),
];

/// The first word that is a unit, or the one that the text says its number matches: `TB (matches TiB)`.
pub fn read(text: &str) -> Option<(Measure, f64)> {
    let lower = text.to_lowercase();
    let matched = lower.split_once("matches ").map(|(_, unit)| unit);
    words(matched.unwrap_or(&lower)).find_map(|word| of(&word))
}

/// What an input whose name ends in a unit is in base units: `write_s`, `weights_gib`, `hbm_gb_per_s`.
pub fn suffix(ending: &str) -> Option<(Measure, f64)> {
    let spelled = ending.replace("_per_s", "/s").replace("tflops", "tflop/s").replace("pflops", "pflop/s");
    of(&spelled)
}

fn of(word: &str) -> Option<(Measure, f64)> {
    WORDS.iter().find(|(name, ..)| *name == word).map(|(_, measure, factor)| (*measure, *factor))
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| c.is_whitespace() || "(),;:+".contains(c)).filter(|word| !word.is_empty()).map(str::to_string)
}

#[test]
fn units_are_read_not_assumed() {
    assert_eq!(read("TB (matches TiB)"), Some((Measure::Bytes, 1024.0 * GIB)));
    assert_eq!(read("MiB/s per accelerator (median of submissions; file says MB)"), Some((Measure::ByteRate, MIB)));
    assert_eq!(read("output tokens/s (all GPUs)"), Some((Measure::TokenRate, 1.0)));
    assert_eq!(read("GPU-hours pre-training"), Some((Measure::GpuSeconds, 3600.0)));
    assert_eq!(suffix("gb_per_s"), Some((Measure::ByteRate, 1e9)));
    assert_eq!(read("furlongs"), None);
}
