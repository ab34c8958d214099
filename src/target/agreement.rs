//! Whether the outputs agree: the nodes and GPUs of a pool are counted again in what was written, from its text.
//!
//! Each output is made from one plan, so they should; a template that was replaced, or a bug, can make them differ, and
//! then nothing is written.

use std::collections::BTreeMap;

use crate::base::diagnostic::Diagnostic;
use crate::base::hosts;
use crate::plan::Plan;
use crate::plan::cut::{Cut, How};

use super::files::{File, Files};
use super::problems;

/// Hours of a year: rented nodes stand in the bill by the hour.
const HOURS_PER_YEAR: u64 = 8_760;

/// What a file says of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counted {
    nodes: u64,
    /// Nothing where the file does not speak of GPUs.
    gpus: Option<u64>,
}

/// Holds every count that the files have against the plan.
pub fn check(plan: &Plan<'_>, files: &Files) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    for (path, file) in files.iter() {
        for (address, counted) in counts(path, file) {
            wrong.extend(differs(plan, path, &address, counted));
        }
    }
    wrong
}

/// The pools that a file counts, by address.
fn counts(path: &str, file: &File) -> BTreeMap<String, Counted> {
    let text = std::str::from_utf8(&file.bytes).unwrap_or_default();
    match path.rsplit('/').next() {
        Some("slurm.conf") => slurm(text, file),
        Some("bom.json") => bill(text),
        Some("locals.tf") => node_groups(text, file),
        _ => BTreeMap::new(),
    }
}

fn differs(plan: &Plan<'_>, path: &str, address: &str, counted: Counted) -> Option<Diagnostic> {
    let row = plan.pools.values().find(|row| plan.model.address(row.id.block()) == address)?;
    if counted.nodes != row.nodes.high {
        return Some(problems::disagreement(path, address, "nodes", counted.nodes, row.nodes.high));
    }
    // Slices of a GPU are counted each.
    let slices =
        Cut::of(&plan.model, row.id).ok().filter(|cut| matches!(cut.how, How::Mig(_))).map_or(1, |cut| cut.parts);
    let planned = row.gpus.saturating_mul(slices);
    let gpus = counted.gpus.filter(|gpus| *gpus != planned)?;
    Some(problems::disagreement(path, address, "GPUs", gpus, planned))
}

/// `NodeName=train-[001-009] … Gres=gpu:h200:8 …`.
fn slurm(text: &str, file: &File) -> BTreeMap<String, Counted> {
    let lines: Vec<&str> = text.lines().collect();
    let written =
        file.lines.iter().filter_map(|(number, address)| Some((address, *lines.get(number.checked_sub(1)?)?)));
    let mut counted: BTreeMap<String, Counted> = BTreeMap::new();
    for (address, line) in written.filter(|(_, line)| line.starts_with("NodeName=")) {
        let key = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key));
        let nodes = key("NodeName=").and_then(|names| hosts::unfold(names).ok()).map_or(0, |names| names.len() as u64);
        let items = key("Gres=").into_iter().flat_map(|gres| gres.split(',')).filter(|item| item.starts_with("gpu:"));
        let each: u64 = items.filter_map(|item| item.rsplit(':').next()?.parse::<u64>().ok()).sum();
        let gpus = nodes.saturating_mul(each);
        // A pool may stand on several lines.
        let all = counted.entry(address.clone()).or_insert(Counted { nodes: 0, gpus: Some(0) });
        *all = Counted { nodes: all.nodes.saturating_add(nodes), gpus: all.gpus.map(|more| more.saturating_add(gpus)) };
    }
    counted
}

/// Servers once, instances by the hour of a year.
fn bill(text: &str) -> BTreeMap<String, Counted> {
    let document: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let lines = document["lines"].as_array().map_or(&[][..], Vec::as_slice);
    lines
        .iter()
        .filter_map(|line| {
            let quantity = line["quantity"].as_u64()?;
            let nodes = match line["category"].as_str()? {
                "server" => quantity,
                "instance" => quantity / HOURS_PER_YEAR,
                _ => return None,
            };
            Some((line["address"].as_str()?.to_string(), Counted { nodes, gpus: None }))
        })
        .collect()
}

/// `max_size = 3` in the entry that begins at a pool's line.
fn node_groups(text: &str, file: &File) -> BTreeMap<String, Counted> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = file.lines.iter().enumerate().filter(|(_, (_, address))| address.starts_with("pool."));
    starts
        .filter_map(|(index, (number, address))| {
            let end = file.lines.get(index + 1).map_or(lines.len(), |(next, _)| next.saturating_sub(1));
            let entry = lines.get(number.saturating_sub(1)..end)?;
            let size = entry.iter().find_map(|line| line.trim().strip_prefix("max_size")?.split('=').nth(1));
            Some((address.clone(), Counted { nodes: size?.trim().parse().ok()?, gpus: None }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Counted, bill, counts};
    use crate::target::files::Files;

    #[test]
    fn a_pool_is_counted_from_the_text() {
        let mut files = Files::default();
        files.add_text(
            "slurm/hpc/slurm.conf",
            "# nodes\n\u{1}pool.train\u{2}NodeName=train-[001-009] Gres=gpu:h200:8\n",
        );
        let (path, file) = files.iter().next().expect("the file");
        assert_eq!(counts(path, file)["pool.train"], Counted { nodes: 9, gpus: Some(72) });
        let json = r#"{"lines": [{"category": "instance", "quantity": 26280, "address": "pool.serve"}]}"#;
        assert_eq!(bill(json)["pool.serve"], Counted { nodes: 3, gpus: None });
    }
}
