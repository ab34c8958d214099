//! What a draft patches, key by key.

use std::collections::{BTreeMap, BTreeSet};

use super::switches::Switches;

/// A list of keys that a patch of the draft leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// `slurm.conf`.
    Cluster,
    /// `cgroup.conf`.
    Cgroup,
    /// `slurmdbd.conf`.
    Slurmdbd,
    /// The lines of a pool, by its position.
    Pool(usize),
    /// The line of a partition, by its position.
    Partition(usize),
}

/// Keys to be patched, by their names.
pub type Patch = BTreeMap<String, String>;

/// Everything that is patched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patches {
    /// `slurm.conf`.
    pub set: Patch,
    /// `cgroup.conf`.
    pub cgroup: Patch,
    /// `slurmdbd.conf`.
    pub slurmdbd: Patch,
    /// Lines of nodes, by the position of the pool.
    pub pools: BTreeMap<usize, Patch>,
    /// Lines of partitions, by position.
    pub partitions: BTreeMap<usize, Patch>,
    /// Switches.
    pub topology: Switches,
    /// Keys that are left out.
    pub removed: BTreeMap<List, BTreeSet<String>>,
}
