//! Switches that a patch writes down: where a site's own `topology.conf` says which nodes are near each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::Diagnostic;
use crate::base::hosts;
use crate::base::phrase;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, PatchTopology};

use super::super::keys::Line;
use super::super::machine::Machine;
use super::super::problems;
use super::super::topology::Switch;
use super::super::version::Release;
use super::check;

/// A switch with what is below it.
struct Node<'m> {
    block: BlockId,
    name: &'m str,
    /// Its nodes, or the names of its switches.
    below: Vec<String>,
    /// True for nodes.
    leaf: bool,
}

/// The switches that the patches of a cluster write down, leaves before what is above them; nothing where they are no
/// tree.
pub fn switches(
    model: &Model<'_>,
    cluster: Id<Cluster>,
    machines: &[Machine],
    release: Release,
    found: &mut Vec<Diagnostic>,
) -> Vec<Switch> {
    let patches = model[cluster].patch.iter().filter(|&&patch| model.name(patch) == super::TARGET);
    let blocks: Vec<Id<PatchTopology>> = patches.flat_map(|&patch| model[patch].topology.iter().copied()).collect();
    let mut wrong = Vec::new();
    let mut nodes = Vec::new();
    for &block in &blocks {
        match read(model, block, release) {
            Ok(node) => nodes.push(node),
            Err(problem) => wrong.push(*problem),
        }
    }
    if wrong.is_empty() {
        wrong.extend(judge(model, &nodes, machines));
    }
    if !wrong.is_empty() {
        found.append(&mut wrong);
        return Vec::new();
    }
    let (leaves, above): (Vec<Node<'_>>, Vec<Node<'_>>) = nodes.into_iter().partition(|node| node.leaf);
    let written = leaves.iter().chain(&above).map(|node| {
        let list = hosts::fold(&node.below);
        let (children, nodes) = if node.leaf { (None, Some(list)) } else { (Some(list), None) };
        Switch { address: model.address(node.block), name: node.name.to_string(), children, nodes }
    });
    written.collect()
}

fn read<'m>(model: &'m Model<'_>, id: Id<PatchTopology>, release: Release) -> Result<Node<'m>, Box<Diagnostic>> {
    let (block, name) = (id.block(), model.name(id));
    let mut below = None;
    for &key in &model[id].key {
        let refuse = |why: &str, help| problems::patch_key(model, key, why, help);
        let known = check::known(model.name(key), "topology.conf", Line::Switch, release, &refuse)?;
        match known {
            "Nodes" | "Switches" if below.is_none() => {
                let list = hosts::unfold(&model[key].value)
                    .map_err(|why| Box::new(problems::patch_value(model, key, &format!("it is no list: {why}"))))?;
                below = Some((known == "Nodes", list));
            }
            "Nodes" | "Switches" => {
                let why = "a switch has nodes below it, or switches";
                return Err(Box::new(problems::patch_tree(model, block, why)));
            }
            "SwitchName" => {
                return Err(Box::new(problems::patch_owned(model, key.block(), known, "the name of the block")));
            }
            _ => {
                let help = Some(String::from("leave it out"));
                return Err(Box::new(problems::patch_key(model, key, "Slurm reads it and does nothing with it", help)));
            }
        }
    }
    match below.filter(|(_, list)| !list.is_empty()) {
        Some((leaf, below)) => Ok(Node { block, name, below, leaf }),
        None => Err(Box::new(problems::patch_tree(model, block, "nothing is below it: write `Nodes` or `Switches`"))),
    }
}

/// What keeps switches from being one tree over nodes of the cluster.
fn judge(model: &Model<'_>, all: &[Node<'_>], machines: &[Machine]) -> Vec<Diagnostic> {
    let known: BTreeSet<&str> = machines.iter().flat_map(|machine| machine.names.iter().map(String::as_str)).collect();
    let names: BTreeMap<&str, &Node<'_>> = all.iter().map(|node| (node.name, node)).collect();
    let mut wrong = Vec::new();
    let mut above: BTreeMap<&str, &str> = BTreeMap::new();
    let mut say = |node: &Node<'_>, why: String| wrong.push(problems::patch_tree(model, node.block, &why));
    for node in all {
        for below in &node.below {
            let there = if node.leaf { known.contains(below.as_str()) } else { names.contains_key(below.as_str()) };
            let shown = phrase::excerpt(below, 60);
            if !there {
                let noun = if node.leaf { "node of the cluster" } else { "switch" };
                say(node, format!("there is no {noun} called `{shown}`"));
            } else if let Some(other) = above.insert(below, node.name) {
                say(node, format!("`{shown}` is below `{other}` already"));
            }
        }
    }
    if !wrong.is_empty() {
        return wrong;
    }
    let roots: Vec<&Node<'_>> = all.iter().filter(|node| !above.contains_key(node.name)).collect();
    match (roots.as_slice(), all.first()) {
        ([_], _) | (_, None) => {}
        ([], Some(first)) => wrong.push(problems::patch_tree(model, first.block, "the switches are in a circle")),
        ([_, second, ..], _) => {
            let names: Vec<String> = roots.iter().take(5).map(|root| format!("`{}`", root.name)).collect();
            let why = format!("no switch is above all others: nothing is above {}", phrase::all_of(&names));
            wrong.push(problems::patch_tree(model, second.block, &why));
        }
    }
    // With one parent each, what the root does not reach is a circle.
    if let ([root], true) = (roots.as_slice(), wrong.is_empty()) {
        let (mut reached, mut open) = (BTreeSet::new(), vec![root.name]);
        while let Some(name) = open.pop() {
            reached.insert(name);
            open.extend(
                names
                    .get(name)
                    .filter(|node| !node.leaf)
                    .into_iter()
                    .flat_map(|node| node.below.iter().map(String::as_str)),
            );
        }
        let lost = all.iter().find(|node| !reached.contains(node.name));
        wrong.extend(lost.map(|node| problems::patch_tree(model, node.block, "it is in a circle of switches")));
    }
    wrong
}
