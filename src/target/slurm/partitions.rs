//! Partitions: sets of nodes with limits and defaults for their jobs.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::base::quantity::Time;
use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::{self, Cluster};
use crate::model::words::Preempt;

use super::hosts::fold;
use super::machine::Machine;
use super::{problems, time};

/// The highest tier that Slurm takes.
const HIGHEST_TIER: u64 = 65_533;
/// Seconds that a job without a limit of its own gets.
const DEFAULT_TIME: f64 = 3_600.0;
/// Minutes that the scheduler looks ahead at least, and where a partition has no limit.
const LEAST_WINDOW: u64 = 1_440;
/// Minutes that it looks ahead where a partition has no limit.
const OPEN_WINDOW: u64 = 10_080;

/// One line of partitions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Partition {
    /// Its address.
    pub address: String,
    /// Its name.
    pub name: String,
    /// Its nodes.
    pub nodes: String,
    /// Where jobs go that name none.
    pub default: bool,
    /// The longest a job may run; without one it has no end.
    pub max_time: Option<String>,
    /// What a job gets that asks for no time.
    pub default_time: Option<String>,
    /// The most nodes of a job.
    pub max_nodes: Option<u64>,
    /// Its tier.
    pub tier: u64,
    /// What happens to its jobs, where the cluster preempts at all.
    pub preempt: Option<&'static str>,
    /// The one account that may use it.
    pub account: Option<String>,
    /// CPUs for each GPU.
    pub cpus_per_gpu: Option<u64>,
    /// MiB for each GPU, where every node has GPUs.
    pub memory_per_gpu: Option<u64>,
    /// MiB for each CPU, otherwise.
    pub memory_per_cpu: Option<u64>,
    /// What a GiB weighs in CPUs.
    pub memory_weight: Option<String>,
}

/// The partitions of a cluster; one for all nodes when it has none.
pub fn of(
    model: &Model<'_>,
    cluster: Id<Cluster>,
    machines: &[Machine],
    found: &mut Vec<Diagnostic>,
) -> Vec<Partition> {
    let preempts = mode(model, cluster).is_some();
    let facts = &model[cluster];
    if facts.partition.is_empty() {
        let all: Vec<&Machine> = machines.iter().collect();
        return vec![Partition { default: true, ..line(model.address(cluster.block()), "all", &all) }];
    }
    let unheld =
        machines.iter().filter(|machine| !facts.partition.iter().any(|&partition| holds(model, partition, machine)));
    found.extend(unheld.map(|machine| problems::no_partition(model, cluster, machine.pool)));
    facts.partition.iter().filter_map(|&id| one(model, id, machines, preempts, found)).collect()
}

/// How the cluster makes room for higher partitions, when any of them is to give way.
pub fn mode(model: &Model<'_>, cluster: Id<Cluster>) -> Option<&'static str> {
    let modes = model[cluster].partition.iter().filter_map(|&partition| model[partition].preempt);
    let modes: Vec<Preempt> = modes.collect();
    // Suspending needs the gang scheduler for the whole cluster; partitions may still do otherwise.
    [(Preempt::Suspend, "SUSPEND,GANG"), (Preempt::Requeue, "REQUEUE"), (Preempt::Cancel, "CANCEL")]
        .into_iter()
        .find(|(mode, _)| modes.contains(mode))
        .map(|(_, word)| word)
}

/// Minutes that the scheduler looks ahead: as long as the longest job.
pub fn window(model: &Model<'_>, cluster: Id<Cluster>) -> u64 {
    let minutes = |limit: Option<Time>| limit.map_or(OPEN_WINDOW, |limit| (limit.seconds() / 60.0).ceil() as u64);
    let longest = model[cluster].partition.iter().map(|&partition| minutes(model[partition].max_time)).max();
    // The scheduler takes at most 30 days.
    longest.unwrap_or(OPEN_WINDOW).clamp(LEAST_WINDOW, 43_200)
}

fn holds(model: &Model<'_>, partition: Id<kinds::Partition>, machine: &Machine) -> bool {
    let pools = &model[partition].pools;
    pools.is_empty() || pools.contains(&machine.pool)
}

fn one(
    model: &Model<'_>,
    id: Id<kinds::Partition>,
    machines: &[Machine],
    preempts: bool,
    found: &mut Vec<Diagnostic>,
) -> Option<Partition> {
    let facts = &model[id];
    let foreign = facts.pools.iter().filter(|pool| !machines.iter().any(|machine| machine.pool == **pool));
    found.extend(foreign.map(|&pool| problems::foreign_pool(model, id, pool)));
    if model.name(id) == "default" {
        found.push(problems::reserved(model, id.block(), "a partition"));
    }
    let members: Vec<&Machine> = machines.iter().filter(|machine| holds(model, id, machine)).collect();
    let has_gpus = members.iter().any(|machine| machine.gpus.is_some());
    if facts.preempt == Some(Preempt::Suspend) && has_gpus {
        found.push(problems::suspend(model, id));
    }
    if members.iter().all(|machine| machine.names.is_empty()) {
        return None;
    }
    let seconds = facts.max_time.map(Time::seconds);
    Some(Partition {
        default: facts.default,
        max_time: seconds.and_then(time::limit),
        default_time: seconds.and_then(|limit| time::limit(limit.min(DEFAULT_TIME))),
        max_nodes: facts.max_nodes,
        tier: facts.priority.unwrap_or(1).min(HIGHEST_TIER),
        preempt: preempts.then(|| mode_word(facts.preempt.unwrap_or(Preempt::Off))),
        account: account(model, &members),
        ..line(model.address(id.block()), model.name(id), &members)
    })
}

fn mode_word(preempt: Preempt) -> &'static str {
    match preempt {
        Preempt::Off => "OFF",
        Preempt::Requeue => "REQUEUE",
        Preempt::Cancel => "CANCEL",
        Preempt::Suspend => "SUSPEND",
    }
}

/// The tenant that all nodes are for alone.
fn account(model: &Model<'_>, members: &[&Machine]) -> Option<String> {
    let tenant = model[members.first()?.pool].tenant?;
    members.iter().all(|machine| model[machine.pool].tenant == Some(tenant)).then(|| model.name(tenant).to_string())
}

/// What the nodes alone decide. Defaults suit the smallest node, weights the largest: a whole node of any kind weighs
/// as much as its CPUs, by whichever resource it is taken.
fn line(address: String, name: &str, members: &[&Machine]) -> Partition {
    let every_node_has_gpus = members.iter().all(|machine| machine.gpus.is_some());
    let least = |of: &dyn Fn(&Machine) -> Option<u64>| members.iter().filter_map(|machine| of(machine)).min();
    let memory_per_cpu = least(&|machine| machine.job_memory().checked_div(machine.cpus()));
    Partition {
        address,
        name: name.to_string(),
        nodes: fold(members.iter().flat_map(|machine| machine.names.iter().map(String::as_str))),
        default: false,
        max_time: None,
        default_time: None,
        max_nodes: None,
        tier: 1,
        preempt: None,
        account: None,
        cpus_per_gpu: least(&Machine::cpus_per_gpu),
        memory_per_gpu: least(&Machine::memory_per_gpu).filter(|_| every_node_has_gpus),
        memory_per_cpu: memory_per_cpu.filter(|&memory| memory > 0 && !every_node_has_gpus),
        memory_weight: members.iter().map(|machine| memory_weight(machine)).max().map(four_digits),
    }
}

/// CPUs for a GiB of a node, in ten-thousandths.
fn memory_weight(machine: &Machine) -> u64 {
    machine.cpus().saturating_mul(1_024 * 10_000).checked_div(machine.job_memory()).unwrap_or(0)
}

fn four_digits(ten_thousandths: u64) -> String {
    format!("{}.{:04}", ten_thousandths / 10_000, ten_thousandths % 10_000)
}
