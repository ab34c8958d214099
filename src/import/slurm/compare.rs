//! Whether two configurations are one: nodes, devices, partitions and every key that the first one sets.
//!
//! What the second one says beyond the first is no difference. Names may differ, as far as the caller says how.

use std::collections::{BTreeMap, BTreeSet};

use super::conf::{Conf, Keys, NodeLine};
use super::entry::Pair;
use super::gres::{self, Index};
use super::time;
use crate::base::hosts;

/// How things of the first configuration are called in the second; what is not in here has its name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    /// The cluster.
    pub clusters: BTreeMap<String, String>,
    /// Nodes.
    pub nodes: BTreeMap<String, String>,
    /// Partitions.
    pub partitions: BTreeMap<String, String>,
    /// Controllers and the host of the database.
    pub controllers: BTreeMap<String, String>,
}

/// Where a difference is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of its own in `slurm.conf`.
    Global,
    /// `cgroup.conf`.
    Cgroup,
    /// `slurmdbd.conf`.
    Slurmdbd,
    /// The line of a node, by its name in the first configuration.
    Node(String),
    /// The line of a partition, by its name in the first configuration.
    Partition(String),
}

/// A key that is not the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where.
    pub place: Place,
    /// The key in lower case.
    pub key: String,
    /// What the first configuration says.
    pub old: String,
    /// What the second one says, if anything.
    pub new: Option<String>,
}

/// Everything that the second configuration says otherwise.
pub fn differences(old: &Conf, new: &Conf, names: &Names) -> Vec<Difference> {
    let mut found = Vec::new();
    for (place, old, new) in [
        (Place::Global, &old.globals, &new.globals),
        (Place::Cgroup, &old.cgroup, &new.cgroup),
        (Place::Slurmdbd, &old.slurmdbd, &new.slurmdbd),
    ] {
        globals(&place, old, new, names, &mut found);
    }
    nodes(old, new, names, &mut found);
    partitions(old, new, names, &mut found);
    found
}

fn renamed<'n>(names: &'n BTreeMap<String, String>, old: &'n str) -> &'n str {
    names.get(old).map_or(old, String::as_str)
}

fn globals(place: &Place, old: &[Pair], new: &[Pair], names: &Names, found: &mut Vec<Difference>) {
    let theirs = settings(new, &Names::default());
    for (key, value) in settings(old, names) {
        let other = theirs.get(&key);
        // What is switched off by name and what is not there at all are the same.
        let off = other.is_none() && (value.ends_with("/none") || value.is_empty());
        if other != Some(&value) && !off {
            found.push(Difference { place: place.clone(), key, old: value, new: other.cloned() });
        }
    }
}

/// Keys with their last values, in the names of the second configuration.
fn settings(pairs: &[Pair], names: &Names) -> BTreeMap<String, String> {
    let (mut all, mut controllers) = (BTreeMap::new(), Vec::new());
    for pair in pairs {
        let key = pair.key.to_ascii_lowercase();
        let host = || {
            let bare = pair.value.split('(').next().unwrap_or_default();
            renamed(&names.controllers, bare).to_string()
        };
        let value = match key.as_str() {
            "slurmctldhost" | "controlmachine" | "backupcontroller" => {
                controllers.push(host());
                continue;
            }
            "controladdr" | "backupaddr" | "slurmctldaddr" => continue,
            "clustername" => renamed(&names.clusters, &pair.value).to_string(),
            "accountingstoragehost" | "dbdhost" | "storagehost" => host(),
            "grestypes" => sorted(&pair.value),
            "suspendexcnodes" => counted_nodes_renamed(&pair.value, names),
            "suspendexcparts" => partitions_renamed(&pair.value, names),
            _ => pair.value.clone(),
        };
        all.insert(key, value);
    }
    if !controllers.is_empty() {
        all.insert(String::from("slurmctldhost"), controllers.join(","));
    }
    all
}

/// A list of nodes under their new names.
pub fn nodes_renamed(list: &str, names: &Names) -> String {
    match hosts::unfold(list) {
        Ok(hosts) => {
            let hosts: BTreeSet<String> = hosts.iter().map(|host| renamed(&names.nodes, host).to_string()).collect();
            hosts::fold(&hosts.into_iter().collect::<Vec<_>>())
        }
        Err(_) => list.to_string(),
    }
}

/// The same where a part of the list may say how many of its nodes are meant: `n[1-9]:2`.
fn counted_nodes_renamed(list: &str, names: &Names) -> String {
    let Ok(parts) = hosts::parts(list) else { return list.to_string() };
    let (counted, plain): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| part.contains(':'));
    let plain = (!plain.is_empty()).then(|| nodes_renamed(&plain.join(","), names));
    let counted = counted.into_iter().filter_map(|part| {
        let (nodes, count) = part.split_once(':')?;
        Some(format!("{}:{count}", nodes_renamed(nodes, names)))
    });
    plain.into_iter().chain(counted).collect::<Vec<_>>().join(",")
}

/// A list of partitions under their new names.
fn partitions_renamed(list: &str, names: &Names) -> String {
    list.split(',').map(|one| renamed(&names.partitions, one.trim())).collect::<Vec<_>>().join(",")
}

fn sorted(list: &str) -> String {
    let items: BTreeSet<&str> = list.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
    items.into_iter().collect::<Vec<_>>().join(",")
}

fn nodes(old: &Conf, new: &Conf, names: &Names, found: &mut Vec<Difference>) {
    let mut theirs: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (number, line) in new.nodes.iter().enumerate() {
        theirs.extend(line.hosts.iter().enumerate().map(|(index, host)| (host.as_str(), (number, index))));
    }
    // What holds for a line is worked out once for all its nodes.
    let said: Vec<Said> = new.nodes.iter().map(Said::of).collect();
    let indexes = (Index::new(&old.devices), Index::new(&new.devices));
    let mut seen = BTreeSet::new();
    for (number, line) in old.nodes.iter().enumerate() {
        let wanted = Said::of(line);
        for (index, host) in line.hosts.iter().enumerate() {
            let place = Place::Node(host.clone());
            let name = renamed(&names.nodes, host);
            let Some((at, position)) = theirs.remove(name) else {
                found.push(Difference { place, key: String::from("nodename"), old: host.clone(), new: None });
                continue;
            };
            let mut pairs = wanted.beside(index, &said[at], position);
            let file = (files(old, line, &indexes.0, host), files(new, &new.nodes[at], &indexes.1, name));
            pairs.push(("file", file.0, Some(file.1)));
            for (key, old, new) in pairs.into_iter().filter(|(_, old, new)| Some(old) != new.as_ref()) {
                // One difference for all nodes of a line that have it.
                if seen.insert((number, key.to_string(), new.clone())) {
                    found.push(Difference { place: place.clone(), key: key.to_string(), old, new });
                }
            }
        }
    }
    found.extend(theirs.keys().map(|host| Difference {
        place: Place::Node((*host).to_string()),
        key: String::from("nodename"),
        old: String::new(),
        new: Some((*host).to_string()),
    }));
}

/// What the line of some nodes says.
struct Said {
    /// Keys for all of them.
    keys: BTreeMap<String, String>,
    /// The host name of each.
    hosts: Vec<String>,
    /// The address of each.
    addresses: Vec<String>,
    /// The port of each, where ports are said.
    ports: Option<Vec<String>>,
}

impl Said {
    fn of(line: &NodeLine) -> Said {
        let hosts = each(line, "nodehostname").unwrap_or_else(|| line.hosts.clone());
        let addresses = each(line, "nodeaddr").unwrap_or_else(|| hosts.clone());
        let mut keys = node(&line.keys);
        keys.remove("port");
        Said { keys, hosts, addresses, ports: each(line, "port") }
    }

    /// Every key of one node, with what the other line says of it for its own node.
    fn beside(&self, index: usize, other: &Said, position: usize) -> Vec<(&str, String, Option<String>)> {
        let keys = self.keys.iter().map(|(key, value)| (key.as_str(), value.clone(), other.keys.get(key).cloned()));
        let host = ("nodehostname", self.hosts[index].clone(), Some(other.hosts[position].clone()));
        let address = ("nodeaddr", self.addresses[index].clone(), Some(other.addresses[position].clone()));
        let theirs = other.ports.as_ref().map(|ports| ports[position].clone());
        let port = self.ports.as_ref().map(|ports| ("port", ports[index].clone(), theirs));
        keys.chain([host, address]).chain(port).collect()
    }
}

/// What a line says of a key for each of its nodes: their parts of a list that is as long, otherwise the one for all.
pub fn each(line: &NodeLine, key: &str) -> Option<Vec<String>> {
    let value = &line.keys.get(key)?.value;
    match hosts::unfold(value) {
        Ok(list) if list.len() == line.hosts.len() => Some(list),
        Ok(_) | Err(_) => Some(vec![value.clone(); line.hosts.len()]),
    }
}

/// The device files of a node's resources, where they are named. A line about what its nodes do not have says nothing.
fn files(conf: &Conf, line: &NodeLine, index: &Index<'_>, host: &str) -> String {
    let has: BTreeSet<String> = line.keys.get("gres").map_or_else(BTreeSet::new, |pair| {
        gres::items(&pair.value).into_iter().map(|item| item.name.to_ascii_lowercase()).collect()
    });
    let devices = index.of(host).into_iter().filter_map(|at| conf.devices.get(at));
    let devices =
        devices.filter(|device| device.get("name").is_some_and(|name| has.contains(&name.to_ascii_lowercase())));
    let mut files: BTreeMap<String, BTreeSet<(u64, String)>> = BTreeMap::new();
    for device in devices {
        let number = |file: String| (hosts::split(&file).1.parse().unwrap_or(u64::MAX), file);
        let of = files.entry(device.get("name").unwrap_or_default().to_string()).or_default();
        of.extend(device.files().into_iter().map(number));
    }
    let shown = files.into_iter().filter(|(_, files)| !files.is_empty()).map(|(name, files)| {
        let files: Vec<String> = files.into_iter().map(|(_, file)| file).collect();
        format!("{name}={}", hosts::fold(&files))
    });
    shown.collect::<Vec<_>>().join(",")
}

/// A node's keys in one form: sockets as a whole, lists sorted, older names as today's.
pub fn node(keys: &Keys) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for (key, pair) in keys {
        let value = pair.value.clone();
        match key.as_str() {
            "nodename" | "nodehostname" | "nodeaddr" | "boards" | "socketsperboard" | "sockets" => {}
            // Slurm looks for the old name when the new one is not there.
            "procs" if keys.contains_key("cpus") => {}
            "procs" | "cpus" => {
                all.insert(String::from("cpus"), value);
            }
            "feature" | "features" => {
                all.insert(String::from("feature"), sorted(&value));
            }
            "gres" => {
                let items: BTreeSet<String> = gres::items(&value).iter().map(gres::Item::show).collect();
                all.insert(key.clone(), items.into_iter().collect::<Vec<_>>().join(","));
            }
            "state" => {
                all.insert(key.clone(), value.to_ascii_uppercase());
            }
            _ => {
                all.insert(key.clone(), value);
            }
        }
    }
    let number = |key: &str| keys.get(key).and_then(|pair| pair.value.parse::<u64>().ok());
    let sockets =
        number("sockets").or_else(|| Some(number("socketsperboard")?.saturating_mul(number("boards").unwrap_or(1))));
    if let Some(sockets) = sockets {
        all.insert(String::from("sockets"), sockets.to_string());
    }
    all
}

fn partitions(old: &Conf, new: &Conf, names: &Names, found: &mut Vec<Difference>) {
    for line in &old.partitions {
        let place = Place::Partition(line.name.clone());
        let name = renamed(&names.partitions, &line.name);
        let Some(other) = new.partitions.iter().find(|other| other.name == name) else {
            found.push(Difference { place, key: String::from("partitionname"), old: line.name.clone(), new: None });
            continue;
        };
        let hosts: BTreeSet<String> = line.hosts.iter().map(|host| renamed(&names.nodes, host).to_string()).collect();
        if hosts != other.hosts {
            let list = |hosts: &BTreeSet<String>| hosts::fold(&hosts.iter().cloned().collect::<Vec<_>>());
            let (old, new) = (list(&hosts), Some(list(&other.hosts)));
            found.push(Difference { place: place.clone(), key: String::from("nodes"), old, new });
        }
        let has = partition(&other.keys);
        for (key, value) in partition(&line.keys) {
            let value = match key.as_str() {
                // `AllocNodes` are hosts by the names that they have themselves.
                "alternate" => partitions_renamed(&value, names),
                _ => value,
            };
            if has.get(&key) != Some(&value) && !is_default(&key, &value, has.get(&key)) {
                found.push(Difference {
                    place: place.clone(),
                    key: key.clone(),
                    old: value,
                    new: has.get(&key).cloned(),
                });
            }
        }
    }
}

/// True for what is so as well when the line does not say it.
fn is_default(key: &str, value: &str, new: Option<&String>) -> bool {
    let said = matches!((key, value), ("maxnodes" | "maxtime" | "defaulttime", "UNLIMITED") | ("default", "NO"));
    said && new.is_none()
}

/// A partition's keys in one form: times in seconds, older names as today's.
pub fn partition(keys: &Keys) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for (key, pair) in keys {
        let value = pair.value.clone();
        match key.as_str() {
            "partitionname" | "nodes" => {}
            "maxtime" | "defaulttime" => {
                let read = time::seconds(&value);
                let shown = read.map(|limit| limit.map_or(String::from("UNLIMITED"), |limit| format!("{limit} s")));
                all.insert(key.clone(), shown.unwrap_or(value));
            }
            "maxnodes" if value.eq_ignore_ascii_case("INFINITE") => {
                all.insert(key.clone(), String::from("UNLIMITED"));
            }
            "shared" => {
                all.insert(String::from("oversubscribe"), value.to_ascii_uppercase());
            }
            "priority" => {
                all.insert(String::from("prioritytier"), value.clone());
                all.insert(String::from("priorityjobfactor"), value);
            }
            "default" | "state" | "maxnodes" | "preemptmode" | "oversubscribe" => {
                all.insert(key.clone(), value.to_ascii_uppercase());
            }
            _ => {
                all.insert(key.clone(), value);
            }
        }
    }
    if all.contains_key("prioritytier") {
        // The factor is 1 where only the tier is given.
        all.entry(String::from("priorityjobfactor")).or_insert_with(|| String::from("1"));
    }
    all
}
