//! Topics, what each may be off, and the table.

use std::fmt::Write;

use aipc::plan::formula::constants::is_set_by;

use crate::case::Case;
use crate::unit::{self, Measure};

/// What a prediction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    Parameters,
    Cache,
    CacheFromScratch,
    Fabric,
    States,
    Weights,
    StorageRates,
    Checkpoints,
    GivenRate,
    Collectives,
    TrainingMemory,
    KeyedSpeed,
    OtherSpeed,
    Arithmetic,
    AdapterMemory,
    Vectors,
    Utilisation,
    OwnRate,
    FirstToken,
    Reliability,
    Power,
    Bounds,
}

/// What a topic is held to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// The mean absolute error.
    Error(f64),
    /// The share of bars that contain the value, and their median width over it.
    Bars(f64, f64),
    /// The share of bounds that hold.
    Holds(f64),
    /// Only shown.
    Shown,
}

pub const TOPICS: &[(Topic, &str, Limit)] = &[
    (Topic::Parameters, "parameters", Limit::Error(0.005)),
    (Topic::Cache, "KV cache, block maths", Limit::Error(0.005)),
    (Topic::Fabric, "fabric counts", Limit::Error(0.005)),
    (Topic::States, "training states", Limit::Error(0.03)),
    (Topic::Weights, "weights of inference", Limit::Error(0.03)),
    (Topic::StorageRates, "storage rates", Limit::Error(0.03)),
    (Topic::Checkpoints, "checkpoint sizes", Limit::Error(0.03)),
    (Topic::GivenRate, "time and FLOP from a given rate", Limit::Error(0.10)),
    (Topic::Collectives, "collectives", Limit::Error(0.10)),
    (Topic::TrainingMemory, "whole training memory", Limit::Error(0.10)),
    (Topic::KeyedSpeed, "decode and serving, keyed", Limit::Error(0.15)),
    (Topic::OtherSpeed, "decode and serving, not keyed", Limit::Bars(0.8, 0.6)),
    (Topic::Arithmetic, "concurrency, cores, cost", Limit::Error(0.10)),
    (Topic::AdapterMemory, "LoRA and QLoRA memory", Limit::Error(0.10)),
    (Topic::Vectors, "vector indexes", Limit::Error(0.10)),
    (Topic::Reliability, "failures", Limit::Error(0.10)),
    (Topic::Power, "power, heat, energy", Limit::Error(0.10)),
    (Topic::CacheFromScratch, "KV cache from assumed needs", Limit::Shown),
    (Topic::Utilisation, "utilisation against its bar", Limit::Shown),
    (Topic::OwnRate, "time from the own utilisation", Limit::Shown),
    (Topic::FirstToken, "time to the first token", Limit::Shown),
    (Topic::Bounds, "one-sided bounds and ceilings", Limit::Holds(0.8)),
];

/// Which way a prediction binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// It is the value.
    Value,
    /// The published value is at most this.
    AtMost,
    /// The published value is at least this.
    AtLeast,
}

/// A prediction of the product's own code, in base units.
#[derive(Debug, Clone)]
pub struct Check {
    pub topic: Topic,
    pub value: f64,
    measure: Measure,
    side: Side,
    bar: Option<(f64, f64)>,
    against: Option<f64>,
    note: &'static str,
}

impl Check {
    /// A prediction of the row's published value.
    pub fn of(topic: Topic, measure: Measure, value: f64) -> Check {
        Check { topic, value, measure, side: Side::Value, bar: None, against: None, note: "" }
    }

    /// A bound.
    pub fn bound(side: Side, measure: Measure, value: f64) -> Check {
        Check { side, ..Check::of(Topic::Bounds, measure, value) }
    }

    /// With the ends of the product's bar.
    pub fn bar(self, low: f64, high: f64) -> Check {
        Check { bar: Some((low, high)), ..self }
    }

    /// With the ends as factors.
    pub fn around(self, (low, high): (f64, f64)) -> Check {
        let value = self.value;
        self.bar(value * low, value * high)
    }

    /// Against another published number, in base units.
    pub fn against(self, published: f64) -> Check {
        Check { against: Some(published), ..self }
    }

    /// What is to be known.
    pub fn note(self, note: &'static str) -> Check {
        Check { note, ..self }
    }
}

/// Why a row has no verdict.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// Something is missing.
    Missing(String),
    /// The published number is not to be held against anything.
    Doubtful(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Missing(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal::Missing(why.to_string())
    }
}

/// What a family says of a row.
pub type Outcome = Result<Vec<Check>, Refusal>;

/// A check that was held against its published value.
struct Judged<'c> {
    case: &'c Case,
    check: Check,
    published: f64,
    calibration: bool,
}

impl Judged<'_> {
    fn error(&self) -> f64 {
        if self.published == 0.0 { self.check.value } else { self.check.value / self.published - 1.0 }
    }

    fn contains(&self) -> Option<bool> {
        self.check.bar.map(|(low, high)| low <= self.published && self.published <= high)
    }

    fn width(&self) -> Option<f64> {
        self.check.bar.map(|(low, high)| (high - low) / self.check.value)
    }

    fn holds(&self) -> bool {
        match self.check.side {
            Side::Value => true,
            Side::AtMost => self.published <= self.check.value * 1.005,
            Side::AtLeast => self.published >= self.check.value * 0.995,
        }
    }
}

/// All verdicts.
#[derive(Default)]
pub struct Verdicts<'c> {
    judged: Vec<Judged<'c>>,
    refused: Vec<(&'c Case, Refusal)>,
    own: usize,
    own_modelled: usize,
}

impl<'c> Verdicts<'c> {
    /// Takes what a family says of a row.
    pub fn take(&mut self, case: &'c Case, outcome: Outcome) {
        let outcome = outcome.and_then(|checks| judge(case, checks));
        self.own += usize::from(case.own);
        match outcome {
            Ok(judged) => {
                self.own_modelled += usize::from(case.own);
                self.judged.extend(judged);
            }
            Err(refusal) => self.refused.push((case, refusal)),
        }
    }

    /// The table, the rows outside their bounds and those without a verdict; and what fails.
    pub fn report(&self) -> (String, Vec<String>) {
        let (mut text, mut fails) = (String::new(), Vec::new());
        let head = ["topic", "rows", "calibr.", "mean |err|", "range", "in bar", "width", "limit"];
        line(&mut text, &head.map(str::to_string));
        for (topic, name, limit) in TOPICS {
            let all: Vec<&Judged<'_>> = self.judged.iter().filter(|judged| judged.check.topic == *topic).collect();
            if !all.is_empty() {
                let tested: Vec<&Judged<'_>> = all.iter().copied().filter(|judged| !judged.calibration).collect();
                row(&mut text, name, *limit, all.len() - tested.len(), &tested, &mut fails);
            }
        }
        self.outside(&mut text);
        self.without(&mut text);
        let share = if self.own == 0 { 1.0 } else { self.own_modelled as f64 / self.own as f64 };
        let _ =
            writeln!(text, "\n{} of {} given rows are modelled: {:.1} %", self.own_modelled, self.own, share * 100.0);
        if share < 0.9 {
            fails.push(format!("only {:.1} % of the given rows are modelled", share * 100.0));
        }
        (text, fails)
    }

    fn outside(&self, text: &mut String) {
        let _ = writeln!(text, "\nrows outside the bound of their topic:");
        for judged in self.judged.iter().filter(|judged| !judged.calibration) {
            let limit = TOPICS.iter().find(|(topic, ..)| *topic == judged.check.topic).map(|(.., limit)| *limit);
            let out = match limit {
                Some(Limit::Error(limit)) => judged.error().abs() > limit,
                Some(Limit::Bars(..) | Limit::Shown) => judged.contains() == Some(false),
                Some(Limit::Holds(_)) => !judged.holds(),
                None => true,
            };
            if out {
                let (case, note) = (judged.case, judged.check.note);
                let gap = if note.is_empty() { "" } else { ": " };
                let error = judged.error() * 100.0;
                let _ = writeln!(text, "  {:<44} {error:+6.1} % of `{}`{gap}{note}", case.id, case.unit());
            }
        }
    }

    fn without(&self, text: &mut String) {
        for (title, doubtful) in
            [("rows whose number is not to be held against anything", true), ("rows not modelled", false)]
        {
            let _ = writeln!(text, "\n{title}:");
            for (case, refusal) in &self.refused {
                match (refusal, doubtful) {
                    (Refusal::Doubtful(why), true) | (Refusal::Missing(why), false) => {
                        let _ = writeln!(text, "  {:<44} {why}", case.id);
                    }
                    (Refusal::Doubtful(_), false) | (Refusal::Missing(_), true) => {}
                }
            }
        }
    }
}

fn judge(case: &Case, checks: Vec<Check>) -> Result<Vec<Judged<'_>>, Refusal> {
    let mut judged = Vec::new();
    for check in checks {
        if !check.value.is_finite() {
            return Err(Refusal::Missing(String::from("the inputs give no finite figure")));
        }
        let published = match check.against {
            Some(published) => published,
            None => {
                let value = case.published().ok_or_else(|| Refusal::from("there is no published number"))?;
                let (measure, factor) = unit::read(case.unit())
                    .ok_or_else(|| Refusal::Missing(format!("the unit `{}` is not known", case.unit())))?;
                if measure != check.measure {
                    return Err(Refusal::Missing(format!("`{}` is no unit of what its inputs give", case.unit())));
                }
                value * factor
            }
        };
        judged.push(Judged { case, check, published, calibration: case.calibration || is_set_by(&case.id) });
    }
    if judged.is_empty() { Err(Refusal::from("its inputs give nothing to check")) } else { Ok(judged) }
}

fn row(text: &mut String, name: &str, limit: Limit, kept_out: usize, tested: &[&Judged<'_>], fails: &mut Vec<String>) {
    let count = tested.len() as f64;
    let errors: Vec<f64> = tested.iter().map(|judged| judged.error()).collect();
    let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / count.max(1.0);
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let most = errors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let held: Vec<bool> = tested.iter().filter_map(|judged| judged.contains()).collect();
    let inside = held.iter().filter(|held| **held).count() as f64 / held.len().max(1) as f64;
    let mut widths: Vec<f64> = tested.iter().filter_map(|judged| judged.width()).collect();
    widths.sort_by(f64::total_cmp);
    let width = widths.get(widths.len() / 2).copied();
    let held_bounds = tested.iter().filter(|judged| judged.holds()).count();
    let failed = match limit {
        Limit::Error(most) => mean > most,
        Limit::Bars(share, most) => {
            !held.is_empty() && (inside < share || width.is_some_and(|width| width > most + 1e-9))
        }
        Limit::Holds(share) => (held_bounds as f64) < share * count,
        Limit::Shown => false,
    };
    let shown_limit = match limit {
        Limit::Error(most) => format!("{:.1} %", most * 100.0),
        Limit::Bars(share, width) => format!("{:.0} % in {width}", share * 100.0),
        Limit::Holds(_) => format!("{held_bounds} of {} hold", tested.len()),
        Limit::Shown => String::from("-"),
    };
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    // How far a bound is from its value says nothing.
    let none = tested.is_empty() || matches!(limit, Limit::Holds(_));
    let some = |text: String| if none { String::from("-") } else { text };
    let bars = |text: String| if held.is_empty() { String::from("-") } else { text };
    let cells = [
        name.to_string(),
        tested.len().to_string(),
        kept_out.to_string(),
        some(percent(mean)),
        some(format!("{:+.1}..{:+.1}", least * 100.0, most * 100.0)),
        bars(format!("{:.0} %", inside * 100.0)),
        bars(format!("{:.2}", width.unwrap_or_default())),
        if failed { format!("{shown_limit} FAILS") } else { shown_limit },
    ];
    line(text, &cells);
    if failed {
        fails.push(format!("{name}: mean {}, {:.0} % in their bars", percent(mean), inside * 100.0));
    }
}

fn line(text: &mut String, cells: &[String; 8]) {
    let [topic, rows, kept, mean, range, inside, width, limit] = cells;
    let _ = writeln!(text, "{topic:<34}{rows:>5}{kept:>9}{mean:>12}{range:>17}{inside:>8}{width:>7}  {limit}");
}
