//! What a build wants in its folder.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::target::files::{File, Files};

use super::disk::is_clean;

/// The plan, for scripts.
const PLAN: &str = "plan.json";

/// Files by path, and how far the build's say goes.
pub struct Wanted {
    /// All of them.
    pub(super) files: BTreeMap<String, File>,
    targets: Vec<String>,
    /// The folders of the environments; the folder itself for a single one.
    prefixes: Vec<String>,
}

impl Wanted {
    /// Nothing yet; with targets named, files of others are left alone.
    pub fn new(targets: &[String]) -> Wanted {
        Wanted { files: BTreeMap::new(), targets: targets.to_vec(), prefixes: Vec::new() }
    }

    /// Adds the files of an environment, in a folder of its name where one is given.
    pub fn add(&mut self, environment: Option<&str>, files: Files, plan: String) {
        let prefix = environment.map_or(String::new(), |name| format!("{name}/"));
        let plan = File { bytes: plan.into_bytes(), lines: Vec::new(), executable: false };
        for (path, file) in files.into_iter().chain([(String::from(PLAN), plan)]) {
            let path = format!("{prefix}{path}");
            assert!(is_clean(&path), "a target writes below its own folder, not to `{path}`");
            self.files.insert(path, file);
        }
        self.prefixes.push(prefix);
    }

    /// True for a file that this build decides on.
    pub(super) fn decides(&self, path: &str) -> bool {
        let of_target = |rest: &str| {
            rest == PLAN || rest.split_once('/').is_some_and(|(top, _)| self.targets.iter().any(|target| target == top))
        };
        self.targets.is_empty() || self.prefixes.iter().filter_map(|prefix| path.strip_prefix(prefix)).any(of_target)
    }

    /// For each file the addresses that its lines come from, a file a line; `kept` are lines of files left alone.
    pub(super) fn map(&self, kept: BTreeMap<String, String>) -> String {
        let mut all = kept;
        for (path, file) in self.files.iter().filter(|(_, file)| !file.lines.is_empty()) {
            let mut line = String::from("[");
            for (index, (number, address)) in file.lines.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                let _ = write!(line, "{comma}[{number},{}]", quoted(address));
            }
            line.push(']');
            all.insert(path.clone(), line);
        }
        let lines: Vec<String> = all.iter().map(|(path, line)| format!("  {}: {line}", quoted(path))).collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
