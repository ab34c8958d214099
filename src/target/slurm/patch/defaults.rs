//! What jobs get by default, patched, held against the nodes: a job with all of a node must fit on it.

use crate::base::phrase;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Pool};

use super::super::keys::Line;
use super::super::machine::Machine;
use super::super::problems;
use super::form::digits;
use super::{Reader, Setting};

/// What a node has for jobs, with what is patched on its line.
struct Left {
    cpus: u64,
    memory: u64,
    gpus: u64,
}

impl Reader<'_, '_> {
    /// Patched defaults that add up to more than a node has.
    pub(super) fn hold_defaults(&mut self, cluster: Id<Cluster>, machines: &[Machine]) {
        let model = self.model;
        let mut found = Vec::new();
        for one in self
            .patches
            .settings
            .iter()
            .filter(|one| ["DefCpuPerGPU", "DefMemPerGPU", "DefMemPerCPU"].contains(&one.key))
        {
            let (Some(each), Some(id)) = (digits(&one.value).filter(|each| *each > 0), one.id) else { continue };
            let pools = self.pools_of(one, cluster);
            let own = machines.iter().filter(|machine| !machine.names.is_empty());
            let mut own = own.filter(|machine| pools.is_empty() || pools.contains(&machine.pool));
            let why = own.find_map(|machine| {
                let why = beyond(one.key, each, &self.left(machine)?)?;
                Some(format!("on the nodes of `{}`, {why}", model.address(machine.pool.block())))
            });
            found.extend(why.map(|why| problems::patch_beyond(model, id, &why)));
        }
        self.found.extend(found);
    }

    /// The pools whose nodes a default is for; all of them where none are named.
    fn pools_of(&self, one: &Setting, cluster: Id<Cluster>) -> Vec<Id<Pool>> {
        let partitions = &self.model[cluster].partition;
        let own = partitions.iter().find(|&&partition| self.model.address(partition.block()) == one.of);
        own.filter(|_| one.line == Line::Partition).map_or(Vec::new(), |&own| self.model[own].pools.clone())
    }

    fn left(&self, machine: &Machine) -> Option<Left> {
        let of = self.model.address(machine.pool.block());
        let patched = |key: &str, ours: u64| {
            let own = self.patches.settings.iter().find(|one| one.line == Line::Node && one.of == of && one.key == key);
            let gone = self.patches.removals.iter().any(|one| one.line == Line::Node && one.of == of && one.key == key);
            own.map_or(Some(if gone { 0 } else { ours }), |own| digits(&own.value))
        };
        let system = patched("CoreSpecCount", machine.system_cores())?;
        Some(Left {
            cpus: machine.cores().saturating_sub(system) * machine.threads_per_core,
            memory: patched("RealMemory", machine.real_memory)?
                .saturating_sub(patched("MemSpecLimit", machine.system_memory)?),
            gpus: machine.gpu_count(),
        })
    }
}

/// Why a default is more than a node has.
fn beyond(key: &str, each: u64, left: &Left) -> Option<String> {
    let (times, noun, most, unit) = match key {
        "DefCpuPerGPU" => (left.gpus, "GPU", left.cpus, "CPUs"),
        "DefMemPerGPU" => (left.gpus, "GPU", left.memory, "MiB"),
        _ => (left.cpus, "CPU", left.memory, "MiB"),
    };
    let all = each.saturating_mul(times);
    (all > most).then(|| format!("{} * {each} = {all} {unit}, of {most} for jobs", phrase::count(times, noun)))
}
