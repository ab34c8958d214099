//! Keys that a patch leaves out: which may be, and which the rest of the files needs.

use std::sync::Arc;

use crate::base::diagnostic::Diagnostic;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Pool};
use crate::model::words::PreemptBy;

use super::super::keys::{self, Line, Standing};
use super::super::machine::Machine;
use super::super::{partitions, problems};
use super::{Patches, Reader, apply, check};

/// A key that is not written.
#[derive(Debug, Clone, PartialEq)]
pub struct Removal {
    /// The file.
    pub file: &'static str,
    /// The kind of its line.
    pub line: Line,
    /// The pool or partition whose line it is; the cluster for a line of its own.
    pub of: String,
    /// The key as Slurm spells it.
    pub key: &'static str,
    /// Why.
    pub reason: String,
    /// The address of the list that names it.
    pub address: String,
    /// The block of that list.
    block: BlockId,
    /// What is said when there is no such key; absent for one that follows from another.
    idle: Option<Diagnostic>,
}

/// Keys that something needs in every cluster: file, line, key and why.
const NEEDED: &[(&str, Line, &str, &str)] = &[
    ("slurm.conf", Line::Global, "AccountingStorageType", "accounts and shares are kept there"),
    ("slurm.conf", Line::Global, "AuthType", "all daemons must trust each other in one way"),
    ("slurm.conf", Line::Global, "CredType", "it goes with `AuthType`"),
    ("slurm.conf", Line::Node, "RealMemory", "nodes would have no memory for jobs"),
    ("slurm.conf", Line::Node, "Topology", "the topology names it"),
    ("slurm.conf", Line::Partition, "Topology", "the topology names it"),
    ("slurmdbd.conf", Line::Global, "AuthType", "all daemons must trust each other in one way"),
    ("slurmdbd.conf", Line::Global, "StorageType", "accounts and shares are kept there"),
];

/// False for keys that no patch leaves out, whatever else is in the cluster.
pub fn may_be_left_out(file: &str, line: Line, key: &str) -> bool {
    let needed = NEEDED.iter().any(|row| row.0 == file && row.1 == line && row.2.eq_ignore_ascii_case(key));
    !needed && keys::row(file, line, key).is_some() && check::owner(file, line, key).is_none()
}

/// Keys of the cluster that rented nodes need.
const FOR_RENTED: &[&str] = &["ResumeProgram", "SuspendProgram", "SuspendTime", "SlurmctldParameters"];

/// Keys that only mean something with those of another key: they go with it.
const WITH: &[(&str, &str)] = &[("SelectType", "SelectTypeParameters")];

impl Patches {
    /// True when a key that stands alone is left out.
    pub fn leaves_out(&self, file: &str, key: &str) -> bool {
        self.removals.iter().any(|one| one.file == file && one.line == Line::Global && one.key == key)
    }

    /// What is said of keys that are left out and that a finished text does not have.
    pub fn idle(&self, file: &str, text: &str) -> Vec<Diagnostic> {
        let own: Vec<&Removal> = self.removals.iter().filter(|one| one.file == file).collect();
        if own.is_empty() {
            return Vec::new();
        }
        let written: Vec<apply::Written<'_>> = apply::lines(text).collect();
        let there = |one: &Removal| {
            written.iter().any(|line| {
                let starts = |start: &str| line.words.first().is_some_and(|(key, _)| key == start);
                let on = match one.line {
                    Line::Node => starts("NodeName") && line.address == Some(one.of.as_str()),
                    Line::Partition => starts("PartitionName") && line.address == Some(one.of.as_str()),
                    _ => starts(one.key),
                };
                on && line.words.iter().any(|(key, _)| key == one.key)
            })
        };
        own.into_iter().filter(|one| !there(one)).filter_map(|one| one.idle.clone()).collect()
    }
}

impl Reader<'_, '_> {
    /// Keys that a list of a patch leaves out.
    pub(super) fn removals(
        &mut self,
        block: BlockId,
        names: &[Arc<str>],
        (file, line, of): (&'static str, Line, &str),
        reason: &str,
    ) {
        let model = self.model;
        for name in names {
            // What another release has is not written for this one: the list outlives a change of `version`.
            let foreign = matches!(
                keys::standing(self.release, file, line, name),
                Standing::Later { .. } | Standing::Gone { .. }
            );
            if foreign {
                self.found.push(problems::removed_nothing(model, block, name));
                continue;
            }
            let refuse = |why: &str, help| problems::removed_key(model, block, name, why, help);
            let key = match check::known(name, file, line, self.release, &refuse) {
                Ok(key) => key,
                Err(problem) => {
                    self.found.push(*problem);
                    continue;
                }
            };
            let same = |one_file: &str, one_line: Line, one_of: &str, one_key: &str| {
                one_file == file && one_line == line && one_of == of && one_key == key
            };
            if self.patches.removals.iter().any(|one| same(one.file, one.line, &one.of, one.key)) {
                continue;
            }
            if let Some(by) = check::owner(file, line, key) {
                self.found.push(problems::removed_owned(model, block, key, by));
            } else if self.patches.settings.iter().any(|one| same(one.file, one.line, &one.of, one.key)) {
                let help = String::from("take one of them out");
                let why = "it is patched to a value as well";
                self.found.push(problems::removed_key(model, block, key, why, Some(help)));
            } else {
                self.patches.removals.push(Removal {
                    file,
                    line,
                    of: of.to_string(),
                    key,
                    reason: reason.to_string(),
                    address: format!("{}.remove", model.address(block)),
                    block,
                    idle: Some(problems::removed_nothing(model, block, key)),
                });
            }
        }
    }

    /// What is left out must not be what the rest of the files needs.
    pub(super) fn judge_removals(&mut self, cluster: Id<Cluster>, machines: &[Machine]) {
        let found: Vec<Diagnostic> = self
            .patches
            .removals
            .iter()
            .filter_map(|one| {
                let why = self.why_needed(one, cluster, machines)?;
                Some(problems::removed_needed(self.model, one.block, one.key, why))
            })
            .collect();
        self.found.extend(found);
        let more: Vec<Removal> = WITH
            .iter()
            .filter(|(_, with)| {
                self.patches.global("slurm.conf", with).is_none() && !self.patches.leaves_out("slurm.conf", with)
            })
            .filter_map(|(key, with)| {
                let one = self.patches.removals.iter().find(|one| one.line == Line::Global && one.key == *key)?;
                Some(Removal { key: with, idle: None, ..one.clone() })
            })
            .collect();
        self.patches.removals.extend(more);
    }

    /// What needs a key that is left out.
    fn why_needed(&self, one: &Removal, cluster: Id<Cluster>, machines: &[Machine]) -> Option<&'static str> {
        let row = NEEDED.iter().find(|row| row.0 == one.file && row.1 == one.line && row.2 == one.key);
        if let Some(row) = row {
            return Some(row.3);
        }
        if one.file != "slurm.conf" {
            return None;
        }
        let facts = &self.model[cluster];
        let own = |machine: &&Machine| self.model.address(machine.pool.block()) == one.of;
        let cut = |machine: &Machine| machine.numa;
        let parameters = self.release.has("node_parameters");
        match (one.line, one.key) {
            (Line::Global, "SlurmctldParameters") if facts.configless => Some("`configless` needs it"),
            (Line::Global, key) if FOR_RENTED.contains(&key) => {
                machines.iter().any(|machine| machine.rented.is_some()).then_some("rented nodes need it")
            }
            (Line::Global, "PreemptType" | "PreemptMode") => {
                let gives_way =
                    partitions::mode(self.model, cluster).is_some() || facts.preempt_by == PreemptBy::Tenant;
                gives_way.then_some("jobs give way to others")
            }
            (Line::Global, "SlurmdParameters") => {
                (!parameters && machines.iter().any(cut)).then_some("the lines of nodes need it")
            }
            (Line::Global, "AccountingStorageTRES") => {
                let quotas = self.model.tables.tenants.iter().any(|tenant| tenant.gpu_quota.is_some());
                let weighed =
                    self.some_partition_has("TRESBillingWeights", cluster, machines, |value| value.contains("GRES/"));
                match (weighed, quotas) {
                    (true, _) => Some("the weights of partitions need it"),
                    (false, true) => Some("`gpu_quota` of tenants needs it"),
                    (false, false) => None,
                }
            }
            // slurmctld does not start otherwise, and the plugin is not every release's own.
            (Line::Global, "SelectType") if self.shares_gpus(machines) => Some("shards and MPS of GPUs need it"),
            (Line::Global, "SelectType") => {
                let defaults = ["DefCpuPerGPU", "DefMemPerGPU"];
                let defaults = defaults.iter().any(|key| self.some_partition_has(key, cluster, machines, |_| true));
                defaults.then_some("what partitions give for each GPU needs it")
            }
            (Line::Node, "State") => {
                let rented = machines.iter().filter(own).any(|machine| machine.rented.is_some());
                rented.then_some("rented nodes come and go")
            }
            (Line::Node, "Parameters") => (parameters && machines.iter().filter(own).any(cut))
                .then_some("the sockets of the nodes follow from it"),
            _ => None,
        }
    }

    /// True where several jobs share a GPU.
    fn shares_gpus(&self, machines: &[Machine]) -> bool {
        let turns = |machine: &Machine| machine.gpus.as_ref().is_some_and(|gpus| gpus.turns().is_some());
        let shared = |name: &str| ["mps", "shard"].contains(&name);
        machines.iter().any(turns) || self.patches.resources.iter().any(|resource| shared(&resource.name))
    }

    /// True when the line of a partition keeps our value of a key, or has another that fits.
    fn some_partition_has(
        &self,
        key: &str,
        cluster: Id<Cluster>,
        machines: &[Machine],
        fits: fn(&str) -> bool,
    ) -> bool {
        let partitions = &self.model[cluster].partition;
        let gpus = |pools: &[Id<Pool>]| {
            let mut own = machines.iter().filter(|one| pools.is_empty() || pools.contains(&one.pool));
            own.any(|one| one.gpus.is_some())
        };
        let has = |of: String, pools: &[Id<Pool>]| {
            let gone =
                self.patches.removals.iter().any(|one| one.line == Line::Partition && one.of == of && one.key == key);
            let set =
                self.patches.settings.iter().find(|one| one.line == Line::Partition && one.of == of && one.key == key);
            !gone && set.map_or(gpus(pools), |one| fits(&one.value.to_ascii_uppercase()))
        };
        (partitions.is_empty() && gpus(&[]))
            || partitions.iter().any(|&one| has(self.model.address(one.block()), &self.model[one].pools))
    }
}
