//! A published case: its facts, by name and unit, however they are spelled.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::unit::{self, Measure};

/// One row of a file of the form `aip-sizing-cases/1`.
#[derive(Debug, Clone, Default)]
pub struct Case {
    pub id: String,
    pub topic: String,
    pub kind: String,
    pub calibration: bool,
    pub source: String,
    /// Words of the file about the row; the project's own rows have none.
    pub notes: String,
    /// Why its number proves nothing, where that is known; else empty.
    pub doubt: String,
    /// True for the rows that the project carries.
    pub own: bool,
    inputs: BTreeMap<String, Value>,
    published: BTreeMap<String, Value>,
}

const OWN: &str = include_str!("sizing.json");

/// The project's rows and those of the files named in `AIPC_CASES`; what could not be read is said.
pub fn all() -> (Vec<Case>, Vec<String>) {
    let (mut cases, mut unread) = (Vec::new(), Vec::new());
    rows("sizing.json", OWN, true, &mut cases, &mut unread);
    for path in named() {
        match std::fs::read_to_string(&path) {
            Ok(text) => rows(&path.display().to_string(), &text, false, &mut cases, &mut unread),
            Err(error) => unread.push(format!("{}: {error}", path.display())),
        }
    }
    let inputs: BTreeMap<String, BTreeMap<String, Value>> =
        cases.iter().map(|case| (case.id.clone(), case.inputs.clone())).collect();
    for case in &mut cases {
        let seen = case.text(&["see", "same_as"]).and_then(|id| inputs.get(id)).cloned();
        for (name, value) in seen.into_iter().flatten() {
            case.inputs.entry(name).or_insert(value);
        }
    }
    (cases, unread)
}

/// The files that `AIPC_CASES` names.
pub fn named() -> Vec<PathBuf> {
    let Some(list) = std::env::var_os("AIPC_CASES") else { return Vec::new() };
    let mut files = Vec::new();
    for path in std::env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()) {
        if path.is_dir() {
            files.extend(jsons(&path));
        } else {
            files.push(path);
        }
    }
    files
}

fn jsons(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

fn rows(name: &str, text: &str, own: bool, cases: &mut Vec<Case>, unread: &mut Vec<String>) {
    let file: Value = match serde_json::from_str(text) {
        Ok(file) => file,
        Err(error) => return unread.push(format!("{name}: {error}")),
    };
    let listed = file.get("cases").and_then(Value::as_array).or_else(|| file.as_array());
    let Some(listed) = listed else {
        if file.get("reference_rows").is_none() {
            unread.push(format!("{name}: there are no `cases`"));
        }
        return;
    };
    for row in listed {
        let word = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
        let map = |key: &str| {
            row.get(key).and_then(Value::as_object).cloned().unwrap_or_default().into_iter().collect::<BTreeMap<_, _>>()
        };
        // The project's own rows may be in a file that is named too.
        if cases.iter().any(|case| case.id == word("id")) {
            continue;
        }
        cases.push(Case {
            id: word("id"),
            topic: word("topic"),
            kind: word("kind"),
            calibration: row.get("calibration").and_then(Value::as_bool).unwrap_or(false),
            source: word("source"),
            doubt: word("doubt"),
            notes: format!("{} {}", word("notes"), word("tolerance_suggestion")).trim().to_string(),
            own,
            inputs: map("inputs"),
            published: map("published"),
        });
    }
}

/// A number, also one that is written as text.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

impl Case {
    /// The first input of these names that is a number.
    pub fn number(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| number(self.inputs.get(*name)?))
    }

    /// The same, or what is missing.
    pub fn need(&self, names: &[&str]) -> Result<f64, String> {
        self.number(names).ok_or_else(|| format!("it does not say its `{}`", names[0]))
    }

    /// A whole number of at least 0.
    pub fn whole(&self, names: &[&str]) -> Option<u64> {
        self.number(names).filter(|number| *number >= 0.0 && *number < 1e15).map(|number| number.round() as u64)
    }

    /// The same, or what is missing.
    pub fn need_whole(&self, names: &[&str]) -> Result<u64, String> {
        self.whole(names).ok_or_else(|| format!("it does not say its `{}`", names[0]))
    }

    /// The first input of these names that is text.
    pub fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.inputs.get(*name)?.as_str())
    }

    /// The first input of these names that is a truth value.
    pub fn truth(&self, names: &[&str]) -> Option<bool> {
        names.iter().find_map(|name| self.inputs.get(*name)?.as_bool())
    }

    /// True when an input of one of these names is there and not null.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.inputs.get(*name).is_some_and(|value| !value.is_null()))
    }

    /// Another published number beside the main one.
    pub fn also(&self, name: &str) -> Option<f64> {
        number(self.published.get(name)?)
    }

    /// The published number and its unit as it is written.
    pub fn published(&self) -> Option<f64> {
        self.also("value")
    }

    /// The words of the published unit.
    pub fn unit(&self) -> &str {
        self.published.get("unit").and_then(Value::as_str).unwrap_or_default()
    }

    /// An input in base units whose name ends in its unit: `measured("weights", Measure::Bytes)` finds `weights_gib`,
    /// `weights_bytes` or `weights_gib_per_gpu`.
    pub fn measured(&self, stem: &str, measure: Measure) -> Option<f64> {
        self.inputs.iter().find_map(|(name, value)| {
            let rest = name.strip_prefix(stem)?.strip_prefix('_')?;
            let rest = ["_per_gpu", "_per_node", "_unidir", "_per_accelerator"]
                .iter()
                .fold(rest, |rest, end| rest.strip_suffix(end).unwrap_or(rest));
            let (found, factor) = unit::suffix(rest)?;
            (found == measure).then(|| number(value).map(|number| number * factor))?
        })
    }

    /// The first of these stems, or what is missing.
    pub fn need_measured(&self, stems: &[&str], measure: Measure) -> Result<f64, String> {
        stems
            .iter()
            .find_map(|stem| self.measured(stem, measure))
            .ok_or_else(|| format!("it does not say its `{}`", stems[0]))
    }

    /// A count in ones, millions, billions or trillions.
    pub fn scaled(&self, stems: &[&str]) -> Option<f64> {
        const SCALES: [(&str, f64); 6] =
            [("", 1.0), ("_million", 1e6), ("_billion", 1e9), ("_b", 1e9), ("_trillion", 1e12), ("_t", 1e12)];
        stems.iter().find_map(|stem| {
            SCALES.iter().find_map(|(end, scale)| {
                let value = number(self.inputs.get(&format!("{stem}{end}"))?)?;
                Some(value * scale)
            })
        })
    }

    /// Parameters.
    pub fn parameters(&self) -> Option<f64> {
        self.scaled(&["params", "parameters", "n_params", "model_params", "total_params"])
    }

    /// Parameters that a token uses, else all.
    pub fn active(&self) -> Option<f64> {
        self.scaled(&["active_params", "active_parameters", "params_active"]).or_else(|| self.parameters())
    }

    /// Tokens of a run.
    pub fn tokens(&self) -> Option<f64> {
        self.scaled(&["tokens", "train_tokens", "training_tokens"])
    }

    /// GPUs, or nodes times GPUs of a node.
    pub fn gpus(&self) -> Option<u64> {
        self.whole(&["gpus", "n_gpus", "num_gpus", "accelerators", "world_size"]).or_else(|| {
            let nodes = self.whole(&["nodes", "num_nodes"])?;
            Some(nodes.saturating_mul(self.whole(&["gpus_per_node", "accelerators_per_node"])?))
        })
    }

    /// Everything that is said about the row, in lower case.
    pub fn words(&self) -> String {
        format!("{} {} {}", self.source, self.unit(), self.notes).to_lowercase()
    }
}
