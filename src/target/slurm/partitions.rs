//! Partitions: sets of nodes with limits and defaults for their jobs.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::base::quantity::Time;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{self, Cluster, Pool, Tenant};
use crate::model::words::{Exclusive, Preempt};
use crate::plan::formula::round::floor_units;

use super::hosts::fold;
use super::machine::{Gpus, Machine};
use super::topology::BLOCKS;
use super::version::Release;
use super::{problems, time};

/// The highest tier that Slurm takes.
const HIGHEST_TIER: u64 = 65_533;
/// The largest number that Slurm keeps in 32 bits: the two above mean "not set" and "no limit".
const LARGEST: u64 = 4_294_967_293;
/// Slurm counts the times of a partition in minutes.
const SHORTEST: f64 = 60.0;
/// Seconds that a job without a limit of its own gets.
const DEFAULT_TIME: f64 = 3_600.0;
/// Minutes that the scheduler looks ahead at least, and where a partition has no limit.
const LEAST_WINDOW: u64 = 1_440;
/// Minutes that it looks ahead where a partition has no limit.
const OPEN_WINDOW: u64 = 10_080;

/// How jobs share nodes when nothing is said: as much as they ask for.
const SHARED_BY_REQUEST: &[&str] = &["OverSubscribe=NO"];

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
    /// Seconds that a job may go on after it was told to give way.
    pub grace: Option<u64>,
    /// What its jobs do not share, as keys.
    pub sharing: &'static [&'static str],
    /// The topology of its nodes, where it is not that of the cluster.
    pub topology: Option<&'static str>,
    /// True when all its nodes have GPUs, so that a job without one only keeps others out.
    pub gpus_only: bool,
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
    /// What a GPU weighs in CPUs.
    pub gpu_weight: Option<String>,
    /// What a turn on a GPU weighs in CPUs.
    pub shard_weight: Option<String>,
}

/// What all partitions of a cluster depend on.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The release.
    pub release: Release,
    /// Whether the priority of partitions decides which jobs give way.
    pub preempts: bool,
    /// Whether blocks are a topology beside that of the cluster.
    pub blocks: bool,
}

/// The partitions of a cluster; one for all nodes when it has none.
pub fn of(
    model: &Model<'_>,
    cluster: Id<Cluster>,
    machines: &[Machine],
    setting: Setting,
    found: &mut Vec<Diagnostic>,
) -> Vec<Partition> {
    let facts = &model[cluster];
    if facts.partition.is_empty() {
        let all: Vec<&Machine> = machines.iter().collect();
        return vec![Partition {
            default: true,
            account: account(model, cluster.block(), &all, found).map(|tenant| model.name(tenant).to_string()),
            ..line(model.address(cluster.block()), "all", &all, setting)
        }];
    }
    let unheld =
        machines.iter().filter(|machine| !facts.partition.iter().any(|&partition| holds(model, partition, machine)));
    found.extend(unheld.map(|machine| problems::no_partition(model, cluster, machine.pool)));
    facts.partition.iter().filter_map(|&id| one(model, id, &facts.pools, machines, setting, found)).collect()
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

/// The machines of the partition with a name; all of them where the cluster has none of that name.
pub fn members<'m>(model: &Model<'_>, cluster: Id<Cluster>, name: &str, machines: &'m [Machine]) -> Vec<&'m Machine> {
    let partition = model[cluster].partition.iter().copied().find(|&id| model.name(id) == name);
    machines.iter().filter(|machine| partition.is_none_or(|id| holds(model, id, machine))).collect()
}

fn holds(model: &Model<'_>, partition: Id<kinds::Partition>, machine: &Machine) -> bool {
    let pools = &model[partition].pools;
    pools.is_empty() || pools.contains(&machine.pool)
}

fn one(
    model: &Model<'_>,
    id: Id<kinds::Partition>,
    cluster: &[Id<Pool>],
    machines: &[Machine],
    setting: Setting,
    found: &mut Vec<Diagnostic>,
) -> Option<Partition> {
    let facts = &model[id];
    // A pool that cannot be written is no stranger.
    let foreign = facts.pools.iter().filter(|pool| !cluster.contains(pool));
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
    found.extend(beyond(model, facts));
    let seconds = facts.max_time.map(Time::seconds);
    Some(Partition {
        default: facts.default,
        max_time: seconds.and_then(time::limit),
        default_time: time::limit(default_time(facts.default_time, seconds)),
        max_nodes: facts.max_nodes,
        tier: facts.priority.unwrap_or(1),
        preempt: setting.preempts.then(|| mode_word(facts.preempt.unwrap_or(Preempt::Off))),
        grace: facts.grace.map(|grace| floor_units(grace.seconds())).filter(|&grace| setting.preempts && grace > 0),
        sharing: sharing(model, id, setting.release, found),
        account: account(model, id.block(), &members, found).map(|tenant| model.name(tenant).to_string()),
        ..line(model.address(id.block()), model.name(id), &members, setting)
    })
}

/// Numbers of a partition that Slurm does not take as they are.
fn beyond(model: &Model<'_>, facts: &kinds::Partition) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    let mut say = |attribute, why: String| wrong.push(problems::beyond(model, facts.id.block(), attribute, &why));
    for (attribute, time) in [("max_time", facts.max_time), ("default_time", facts.default_time)] {
        let seconds = time.map(Time::seconds);
        if seconds.is_some_and(|seconds| seconds < SHORTEST || time::limit(seconds).is_none()) {
            say(attribute, String::from("is not between a minute and a thousand years"));
        }
    }
    let grace = facts.grace.map(|grace| floor_units(grace.seconds()));
    for (attribute, number, most) in
        [("max_nodes", facts.max_nodes, LARGEST), ("grace", grace, LARGEST), ("priority", facts.priority, HIGHEST_TIER)]
    {
        if let Some(number) = number.filter(|&number| number > most) {
            say(attribute, format!("is {number}, Slurm takes at most {most}"));
        }
    }
    wrong
}

/// Two partitions whose ways to give way differ.
pub fn mixed(model: &Model<'_>, cluster: Id<Cluster>) -> Option<(Id<kinds::Partition>, Id<kinds::Partition>)> {
    let way = |id: &Id<kinds::Partition>| model[*id].preempt.filter(|way| *way != Preempt::Off);
    let mut giving = model[cluster].partition.iter().filter(|id| way(id).is_some());
    let first = giving.next()?;
    giving.find(|id| way(id) != way(first)).map(|other| (*first, *other))
}

/// Seconds of a job that asks for none: never more than it may have.
fn default_time(wished: Option<Time>, allowed: Option<f64>) -> f64 {
    wished.map_or(DEFAULT_TIME, Time::seconds).min(allowed.unwrap_or(f64::INFINITY))
}

/// What jobs do not share, in the words of the release.
fn sharing(
    model: &Model<'_>,
    id: Id<kinds::Partition>,
    release: Release,
    found: &mut Vec<Diagnostic>,
) -> &'static [&'static str] {
    let Some(exclusive) = model[id].exclusive else { return SHARED_BY_REQUEST };
    if exclusive == Exclusive::Topology && !release.has("exclusive_topology") {
        found.push(problems::exclusive(model, id));
    }
    match (exclusive, release.has("exclusive")) {
        (Exclusive::Node, false) => &["OverSubscribe=EXCLUSIVE"],
        (Exclusive::User, false) => &["OverSubscribe=NO", "ExclusiveUser=YES"],
        (Exclusive::Topology, false) => &["OverSubscribe=EXCLUSIVE", "ExclusiveTopo=YES"],
        (Exclusive::Node, true) => &["Exclusive=NODE"],
        (Exclusive::User, true) => &["Exclusive=USER"],
        (Exclusive::Topology, true) => &["Exclusive=TOPO"],
    }
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
pub fn tenant(model: &Model<'_>, pools: impl Iterator<Item = Id<Pool>>) -> Option<Id<Tenant>> {
    let mut tenants = pools.map(|pool| model[pool].tenant);
    let first = tenants.next()??;
    tenants.all(|tenant| tenant == Some(first)).then_some(first)
}

/// The same, or a word about nodes that are for one tenant alone and open to others here.
fn account(model: &Model<'_>, by: BlockId, members: &[&Machine], found: &mut Vec<Diagnostic>) -> Option<Id<Tenant>> {
    let own = tenant(model, members.iter().map(|machine| machine.pool));
    if own.is_none() {
        let closed = members.iter().filter_map(|machine| Some((machine.pool, model[machine.pool].tenant?)));
        found.extend(closed.map(|(pool, tenant)| problems::open_nodes(model, by, pool, tenant)));
    }
    own
}

/// What the nodes alone decide. Defaults suit the smallest node, weights the largest: a whole node of any kind weighs
/// as much as its CPUs, by whichever resource it is taken.
fn line(address: String, name: &str, members: &[&Machine], setting: Setting) -> Partition {
    let every_node_has_gpus = members.iter().all(|machine| machine.gpus.is_some());
    let least = |of: &dyn Fn(&Machine) -> Option<u64>| members.iter().filter_map(|machine| of(machine)).min();
    let gpus = |machine: &Machine| machine.gpus.clone();
    // A job that takes a turn has no GPU in Slurm's sense, so that a default for each GPU would not hold for it.
    let turns = members.iter().any(|machine| gpus(machine).is_some_and(|gpus| gpus.turns().is_some()));
    let per_gpu = every_node_has_gpus && !turns;
    Partition {
        address,
        name: name.to_string(),
        nodes: fold(members.iter().flat_map(|machine| machine.names.iter().map(String::as_str))),
        default: false,
        max_time: None,
        default_time: time::limit(DEFAULT_TIME),
        max_nodes: None,
        tier: 1,
        preempt: None,
        grace: None,
        sharing: SHARED_BY_REQUEST,
        topology: (setting.blocks && members.iter().all(|machine| machine.domain.is_some())).then_some(BLOCKS),
        gpus_only: every_node_has_gpus && !members.is_empty(),
        account: None,
        cpus_per_gpu: least(&Machine::cpus_per_gpu),
        memory_per_gpu: least(&Machine::memory_per_gpu).filter(|_| per_gpu),
        memory_per_cpu: least(&Machine::memory_per_cpu).filter(|_| !per_gpu),
        memory_weight: members.iter().map(|machine| memory_weight(machine)).max().map(four_digits),
        gpu_weight: members.iter().filter_map(|machine| gpu_weight(machine)).max().map(four_digits),
        shard_weight: members.iter().filter_map(|machine| shard_weight(machine)).max().map(four_digits),
    }
}

/// CPUs for each of so many parts of a node, in ten-thousandths.
fn weight_of(machine: &Machine, parts: Option<u64>) -> Option<u64> {
    machine.job_cpus().saturating_mul(10_000).checked_div(parts?)
}

/// CPUs for a GPU of a node, in ten-thousandths.
pub fn gpu_weight(machine: &Machine) -> Option<u64> {
    weight_of(machine, Some(machine.gpu_count()))
}

/// CPUs for a turn on a GPU of a node, in ten-thousandths.
pub fn shard_weight(machine: &Machine) -> Option<u64> {
    weight_of(machine, machine.gpus.as_ref().and_then(Gpus::turns))
}

/// CPUs for a GiB of a node, in ten-thousandths.
pub fn memory_weight(machine: &Machine) -> u64 {
    machine.job_cpus().saturating_mul(1_024 * 10_000).checked_div(machine.job_memory()).unwrap_or(0)
}

fn four_digits(ten_thousandths: u64) -> String {
    format!("{}.{:04}", ten_thousandths / 10_000, ten_thousandths % 10_000)
}
