//! What a build writes beyond what was read: it is left out again where it may be, and said where it may not.

use std::collections::BTreeMap;

use crate::base::diagnostic::Diagnostics;
use crate::base::hosts;
use crate::target::problems::SLURM_PATCH_NEEDED;
use crate::target::slurm::keys::Line;
use crate::target::slurm::patch;

use super::compare;
use super::conf::{Conf, Keys};
use super::entry::Pair;
use super::patches::{List, Patches};
use super::pools::Pool;

/// The line of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum On {
    /// A line of its own in a file.
    File(&'static str),
    /// The lines of a pool, by its position.
    Pool(usize),
    /// The line of a partition, by its position.
    Partition(usize),
}

/// A key that the build writes and nobody gave.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Beyond {
    on: On,
    /// As the build writes it.
    key: String,
    /// In the form in which values are compared.
    value: String,
}

/// What Slurm does anyway without the key; source: the manual pages of slurm.conf and slurmdbd.conf.
const DEFAULTS: &[(&str, &str)] = &[
    ("Default", "NO"),
    ("OverSubscribe", "NO"),
    ("PriorityJobFactor", "1"),
    ("PriorityTier", "1"),
    ("SlurmctldPort", "6817"),
    ("SlurmdPort", "6818"),
    ("State", "UNKNOWN"),
    ("State", "UP"),
    ("Weight", "1"),
];

/// Keys that a build always writes, with what holds for Slurm where they are not there.
const WITHOUT: &[(&str, &str)] =
    &[("AccountingStorageType", "accounting_storage/none"), ("AuthType", "auth/munge"), ("CredType", "cred/munge")];

/// How things of the draft are found.
pub struct Places<'p> {
    /// What was read.
    pub conf: &'p Conf,
    /// Its pools.
    pub pools: &'p [Pool],
    /// Its partitions in the draft.
    pub partitions: &'p [String],
}

impl Places<'_> {
    /// Patches everything out that a build writes beyond what was read, as far as the language lets go of it.
    pub fn leave_out(&self, written: &Conf, patches: &mut Patches) {
        for one in self.all(written) {
            let (file, line) = one.row();
            let given = match one.on {
                On::File("cgroup.conf") => !self.conf.cgroup.is_empty(),
                On::File("slurmdbd.conf") => !self.conf.slurmdbd.is_empty(),
                On::File(_) | On::Pool(_) | On::Partition(_) => true,
            };
            if given && patch::may_be_left_out(file, line, &one.key) {
                patches.removed.entry(one.list()).or_default().insert(one.key);
            } else if let Some((key, value)) = WITHOUT.iter().find(|(key, _)| *key == one.key)
                && one.on == On::File("slurm.conf")
            {
                patches.set.insert((*key).to_string(), (*value).to_string());
            }
        }
    }

    /// What stays beyond what was read, in words.
    pub fn words(&self, written: &Conf) -> Vec<String> {
        let mut alone = Vec::new();
        let (mut pools, mut partitions) =
            (BTreeMap::<String, Vec<String>>::new(), BTreeMap::<String, Vec<&str>>::new());
        for one in self.all(written) {
            let pair = format!("{}={}", one.key, one.value);
            match one.on {
                On::File("slurm.conf") => alone.push(pair),
                On::File(file) => alone.push(format!("{file} {pair}")),
                On::Pool(at) => pools.entry(pair).or_default().extend(self.pools[at].new.iter().cloned()),
                On::Partition(at) => partitions.entry(pair).or_default().push(&self.partitions[at]),
            }
        }
        alone.sort();
        let pools = pools.into_iter().map(|(pair, list)| format!("{pair} of the nodes {}", hosts::fold(&list)));
        let partitions = partitions.into_iter().map(|(pair, list)| match list.as_slice() {
            [one] => format!("{pair} of the partition {one}"),
            several => format!("{pair} of the partitions {}", several.join(", ")),
        });
        alone.into_iter().chain(pools).chain(partitions).collect()
    }

    /// Everything beyond what was read that is no default of Slurm's.
    fn all(&self, written: &Conf) -> Vec<Beyond> {
        let mut found = Vec::new();
        for (had, has, file) in [
            (&self.conf.globals, &written.globals, "slurm.conf"),
            (&self.conf.cgroup, &written.cgroup, "cgroup.conf"),
            (&self.conf.slurmdbd, &written.slurmdbd, "slurmdbd.conf"),
        ] {
            let given = |pair: &Pair| had.iter().any(|one| one.is(&pair.key));
            let more = has.iter().filter(|pair| !given(pair) && !pair.is("SlurmctldHost"));
            found.extend(more.map(|pair| Beyond {
                on: On::File(file),
                key: pair.key.clone(),
                value: pair.value.clone(),
            }));
        }
        self.nodes(written, &mut found);
        self.partitions(written, &mut found);
        found.retain(|one| !DEFAULTS.iter().chain(WITHOUT).any(|(key, value)| one.key == *key && one.value == *value));
        found
    }

    fn nodes(&self, written: &Conf, found: &mut Vec<Beyond>) {
        let pools = self.pools.iter().enumerate();
        let pools: BTreeMap<&String, usize> =
            pools.flat_map(|(at, pool)| pool.new.iter().map(move |host| (host, at))).collect();
        let mut seen = vec![false; self.pools.len()];
        for line in &written.nodes {
            let Some(&at) = line.hosts.first().and_then(|host| pools.get(host)) else { continue };
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let had = self.pools[at].line(self.conf).map(|line| compare::node(&line.keys)).unwrap_or_default();
            let has = compare::node(&line.keys);
            let threads = ["sockets", "corespersocket", "threadspercore"].map(|key| has.get(key)?.parse::<u64>().ok());
            let threads: Option<u64> = threads.into_iter().product();
            let more = has.iter().filter(|(key, _)| !had.contains_key(*key));
            // CPUs are all threads where nothing says otherwise.
            let more = more.filter(|(key, value)| key.as_str() != "cpus" || value.parse().ok() != threads);
            found.extend(more.map(|(key, value)| Beyond::of(On::Pool(at), &line.keys, key, value)));
        }
    }

    fn partitions(&self, written: &Conf, found: &mut Vec<Beyond>) {
        for line in &written.partitions {
            let Some(at) = self.partitions.iter().position(|name| *name == line.name) else { continue };
            let had = self.conf.partitions.get(at).map(|line| compare::partition(&line.keys)).unwrap_or_default();
            let has = compare::partition(&line.keys);
            let more = has.iter().filter(|(key, _)| !had.contains_key(*key));
            found.extend(more.map(|(key, value)| Beyond::of(On::Partition(at), &line.keys, key, value)));
        }
    }
}

impl Beyond {
    fn of(on: On, keys: &Keys, key: &str, value: &str) -> Beyond {
        Beyond { on, key: keys.get(key).map_or(key, |pair| pair.key.as_str()).to_string(), value: value.to_string() }
    }

    /// The file and kind of its line.
    fn row(&self) -> (&'static str, Line) {
        match self.on {
            On::File(file) => (file, Line::Global),
            On::Pool(_) => ("slurm.conf", Line::Node),
            On::Partition(_) => ("slurm.conf", Line::Partition),
        }
    }

    /// The list of the draft that leaves it out.
    fn list(&self) -> List {
        match self.on {
            On::File("cgroup.conf") => List::Cgroup,
            On::File("slurmdbd.conf") => List::Slurmdbd,
            On::File(_) => List::Cluster,
            On::Pool(at) => List::Pool(at),
            On::Partition(at) => List::Partition(at),
        }
    }
}

/// Keeps what a build refuses to leave out. True when that is anything.
pub fn keep_needed(found: &Diagnostics, patches: &mut Patches) -> bool {
    let needed = found.iter().filter(|problem| problem.code == SLURM_PATCH_NEEDED);
    let keys: Vec<String> = needed.filter_map(|problem| Some(problem.message.split('`').nth(1)?.to_string())).collect();
    let mut kept = false;
    for list in patches.removed.values_mut() {
        keys.iter().for_each(|key| kept |= list.remove(key));
    }
    kept
}
