//! Differences between what was read and what is built: what becomes a patch, and what cannot be kept.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::secret;
use crate::base::span::Span;
use crate::target::slurm::keys::{self, Line};
use crate::target::slurm::patch;
use crate::target::slurm::version::Release;

use super::compare::{Difference, Place};
use super::conf::{Conf, Keys, NodeLine};
use super::entry::Pair;
use super::patches::Patches;
use super::pools::Pool;
use super::{Import, release};

/// Differences that were said.
pub type Explained = BTreeSet<(Place, String)>;

/// Sorts differences into patches and what cannot be kept.
pub struct Sorter<'s> {
    conf: &'s Conf,
    /// The line of each host.
    lines: BTreeMap<&'s str, usize>,
    /// The pools that have nodes of each line.
    pools: BTreeMap<usize, BTreeSet<usize>>,
    release: Release,
    /// Whether the draft has the topology that a plugin for one reads.
    topology: bool,
}

impl<'s> Sorter<'s> {
    /// A sorter for a configuration, its pools and a release.
    pub fn new(conf: &'s Conf, pools: &'s [Pool], release: Release, topology: bool) -> Sorter<'s> {
        let hosts = |(number, line): (usize, &'s NodeLine)| line.hosts.iter().map(move |host| (host.as_str(), number));
        let lines = conf.nodes.iter().enumerate().flat_map(hosts).collect();
        let mut of_line: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (at, pool) in pools.iter().enumerate() {
            pool.nodes.iter().for_each(|(line, _)| {
                of_line.entry(*line).or_default().insert(at);
            });
        }
        Sorter { conf, lines, pools: of_line, release, topology }
    }

    /// Sorts differences; what cannot be kept is explained.
    pub fn sort_all(
        &self,
        found: Vec<Difference>,
        patches: &mut Patches,
        explained: &mut Explained,
        import: &mut Import,
    ) {
        for difference in found {
            if !self.sort(&difference, patches, import) {
                explained.insert((difference.place, difference.key));
            }
        }
    }

    /// True when the difference is patched.
    fn sort(&self, difference: &Difference, patches: &mut Patches, import: &mut Import) -> bool {
        let (file, line) = match &difference.place {
            Place::Global => ("slurm.conf", Line::Global),
            Place::Cgroup => ("cgroup.conf", Line::Global),
            Place::Slurmdbd => ("slurmdbd.conf", Line::Global),
            Place::Node(_) => ("slurm.conf", Line::Node),
            Place::Partition(_) => ("slurm.conf", Line::Partition),
        };
        let written = self.written(difference);
        let key = keys::row(file, line, &difference.key).map_or(written.key.as_str(), |row| row.key.as_str());
        let Some(why) = self.refusal(difference, file, line, key, &written.value) else {
            return self.put(difference, key, &written.value, patches);
        };
        let what = match difference.key.as_str() {
            key if secret::is_secret(key) => written.key.clone(),
            "file" if written.value.is_empty() => String::from("no device files"),
            "file" => format!("the device files {}", written.value),
            _ => format!("{key}={}", written.value),
        };
        import.fates.drop(&import.sources, written.at, what, why);
        false
    }

    /// Why a difference cannot be patched.
    fn refusal(&self, difference: &Difference, file: &str, line: Line, key: &str, value: &str) -> Option<String> {
        if secret::is_secret(&difference.key) {
            return Some(String::from("a secret is in no package; put it on the host"));
        }
        let new = difference.new.as_deref().filter(|new| !new.is_empty());
        let now = new.map_or(String::from("leaves it out"), |new| format!("writes {new}"));
        if let Some(by) = patch::owner(file, line, key) {
            return Some(format!("{by} says it, and the build {now}"));
        }
        if difference.key == "file" {
            return Some(format!("device files follow from the GPUs, and the build {now}"));
        }
        if let Some(why) = release::why_unread(self.release, file, line, key, value) {
            return Some(why);
        }
        if !self.topology && ["topologyplugin", "topologyparam"].contains(&difference.key.as_str()) {
            return Some(String::from("the build has no topology for it, and slurmctld would not start"));
        }
        patch::refusal(file, line, key, value, new).map(|why| format!("its value cannot be passed on: {why}"))
    }

    fn put(&self, difference: &Difference, key: &str, value: &str, patches: &mut Patches) -> bool {
        let patch = match &difference.place {
            Place::Global => &mut patches.set,
            Place::Cgroup => &mut patches.cgroup,
            Place::Slurmdbd => &mut patches.slurmdbd,
            // What each node of a line has of its own is a list of its pool already.
            Place::Node(_) if ["nodehostname", "nodeaddr", "port"].contains(&difference.key.as_str()) => return true,
            Place::Node(host) => {
                // What a line of the files says holds for every pool that has nodes of it.
                let line = self.lines.get(host.as_str());
                for at in line.and_then(|line| self.pools.get(line)).into_iter().flatten() {
                    patches.pools.entry(*at).or_default().insert(key.to_string(), value.to_string());
                }
                return true;
            }
            Place::Partition(name) => {
                let Some(at) = self.conf.partitions.iter().position(|line| line.name == *name) else { return false };
                patches.partitions.entry(at).or_default()
            }
        };
        patch.insert(key.to_string(), value.to_string());
        true
    }

    /// How the first configuration writes it, and where.
    fn written(&self, difference: &Difference) -> Pair {
        let on = |line: Option<(&'s Keys, Span)>| {
            line.map_or((None, Span::DETACHED), |(keys, at)| (keys.get(&difference.key), at))
        };
        let alone = |pairs: &'s [Pair]| {
            let at = pairs.first().map_or(Span::DETACHED, |pair| pair.at);
            (super::last(pairs, &difference.key), at)
        };
        let (pair, otherwise) = match &difference.place {
            Place::Global => alone(&self.conf.globals),
            Place::Cgroup => alone(&self.conf.cgroup),
            Place::Slurmdbd => alone(&self.conf.slurmdbd),
            Place::Node(host) => {
                let line = self.lines.get(host.as_str()).and_then(|&line| self.conf.nodes.get(line));
                on(line.map(|line| (&line.keys, line.at)))
            }
            Place::Partition(name) => {
                let line = self.conf.partitions.iter().find(|line| line.name == *name);
                on(line.map(|line| (&line.keys, line.at)))
            }
        };
        // Other values are compared in a form that Slurm reads as well.
        let times = matches!(difference.key.as_str(), "maxtime" | "defaulttime");
        Pair {
            key: pair.map_or(&difference.key, |pair| &pair.key).clone(),
            value: pair.filter(|_| times).map_or(&difference.old, |pair| &pair.value).clone(),
            at: pair.map_or(otherwise, |pair| pair.at),
        }
    }
}
