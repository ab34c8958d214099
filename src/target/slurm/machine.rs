//! What Slurm must know of a pool's nodes.

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::decode::Part;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Gpu, Pool, Server};
use crate::plan::Plan;
use crate::plan::cut::Cut;
use crate::plan::formula::round::floor_units;
use crate::target::problems::not_a_token;

use super::hosts::{LARGEST_RANGE, fold};
use super::{problems, quote};

/// Bytes of a MiB, Slurm's unit of memory.
const MIB: f64 = 1_048_576.0;
/// Share of the installed memory that firmware, kernel and crash kernel leave, at the least.
const VISIBLE: f64 = 0.95;
/// RealMemory is a multiple of this many MiB, rounded down, so that a new kernel does not drain the node.
const STEP: u64 = 1_000;
/// Share of RealMemory kept for the operating system and its daemons.
const SYSTEM: f64 = 0.02;
/// MiB kept for them at the least.
const SYSTEM_LEAST: u64 = 4_096;

/// The nodes of one pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Which pool.
    pub pool: Id<Pool>,
    /// Their names, in order.
    pub names: Vec<String>,
    /// How many of them, the last ones, are spare.
    pub spare: u64,
    /// Sockets of a node.
    pub sockets: u64,
    /// Cores of a socket.
    pub cores_per_socket: u64,
    /// Threads of a core.
    pub threads_per_core: u64,
    /// MiB that slurmd reports, at the least.
    pub real_memory: u64,
    /// True when that was measured.
    pub measured: bool,
    /// MiB of these that jobs do not get.
    pub system_memory: u64,
    /// GPUs of a node.
    pub gpus: Option<Gpus>,
}

/// The GPUs of one node.
#[derive(Debug, Clone, PartialEq)]
pub struct Gpus {
    /// How many.
    pub count: u64,
    /// Their type in Gres, where the catalogue knows one.
    pub kind: Option<String>,
    /// Their device files.
    pub devices: Devices,
    /// For each NUMA domain in order: how many GPUs are near it; empty when not known.
    pub domains: Vec<u64>,
}

/// Where the device files of GPUs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Devices {
    /// `/dev/nvidia0` and on.
    Nvidia,
    /// `/dev/dri/renderD128` and on.
    Amd,
}

impl Devices {
    fn of(vendor: &str) -> Option<Devices> {
        match vendor.to_ascii_lowercase().as_str() {
            "nvidia" => Some(Devices::Nvidia),
            "amd" => Some(Devices::Amd),
            _ => None,
        }
    }

    /// The device files of `count` GPUs from the one with number `first`.
    pub fn files(self, first: u64, count: u64) -> String {
        let (stem, offset) = match self {
            Devices::Nvidia => ("/dev/nvidia", 0),
            Devices::Amd => ("/dev/dri/renderD", 128),
        };
        let (first, last) = (first + offset, first + offset + count.saturating_sub(1));
        if first == last { format!("{stem}{first}") } else { format!("{stem}[{first}-{last}]") }
    }
}

impl Machine {
    /// Reads the facts; what Slurm needs and nobody knows is a problem.
    pub fn of(plan: &Plan<'_>, cluster: Id<Cluster>, pool: Id<Pool>) -> Result<Machine, Box<Diagnostic>> {
        let model = &*plan.model;
        let sized = plan.pool(pool);
        let server = match model[pool].server {
            Some(server) => server,
            None if sized.node.rented => return Err(Box::new(problems::rented(model, cluster, pool))),
            None => {
                let help = "name the pool's `server`";
                return Err(Box::new(problems::unknown_fact(model, pool.block(), "the nodes", help)));
            }
        };
        if Cut::of(model, pool).is_ok_and(|cut| cut.is_part()) {
            let help = "serve on whole GPUs here, or put the pool into a Kubernetes cluster";
            return Err(Box::new(problems::unknown_fact(model, pool.block(), "the parts of the GPUs", help)));
        }
        if sized.nodes.high > LARGEST_RANGE {
            return Err(Box::new(problems::too_many(model, pool, sized.nodes.high)));
        }
        let (sockets, cores_per_socket, threads_per_core) = processors(plan, pool, server)?;
        let (real_memory, measured) = real_memory(model, server)?;
        Ok(Machine {
            pool,
            names: plan.node_names(pool).collect(),
            spare: sized.spare.min(sized.nodes.high),
            sockets,
            cores_per_socket,
            threads_per_core,
            real_memory,
            measured,
            system_memory: system_memory(real_memory),
            gpus: gpus(model, server)?,
        })
    }

    /// Its names as ranges.
    pub fn hosts(&self) -> String {
        fold(self.names.iter().map(String::as_str))
    }

    /// The names of its spare nodes.
    pub fn spares(&self) -> &[String] {
        let used = self.names.len().saturating_sub(usize::try_from(self.spare).unwrap_or(usize::MAX));
        &self.names[used..]
    }

    /// What Slurm calls CPUs: the threads of a node.
    pub fn cpus(&self) -> u64 {
        self.sockets * self.cores_per_socket * self.threads_per_core
    }

    /// MiB of a node that jobs get.
    pub fn job_memory(&self) -> u64 {
        self.real_memory - self.system_memory
    }

    /// GPUs of a node.
    pub fn gpu_count(&self) -> u64 {
        self.gpus.as_ref().map_or(0, |gpus| gpus.count)
    }

    /// CPUs for each GPU, in whole cores.
    pub fn cpus_per_gpu(&self) -> Option<u64> {
        let cores = (self.sockets * self.cores_per_socket).checked_div(self.gpu_count())?;
        (cores > 0).then_some(cores * self.threads_per_core)
    }

    /// MiB for each GPU.
    pub fn memory_per_gpu(&self) -> Option<u64> {
        self.job_memory().checked_div(self.gpu_count()).filter(|&memory| memory > 0)
    }

    /// `gpu:h200:8`.
    pub fn gres(&self) -> Option<String> {
        self.gpus.as_ref().map(|gpus| match &gpus.kind {
            Some(kind) => format!("gpu:{kind}:{}", gpus.count),
            None => format!("gpu:{}", gpus.count),
        })
    }
}

/// Sockets, cores of a socket, threads of a core, when they multiply to what the node has.
fn processors(plan: &Plan<'_>, pool: Id<Pool>, server: Id<Server>) -> Result<(u64, u64, u64), Box<Diagnostic>> {
    let node = &plan.pool(pool).node;
    let evenly =
        |a: Option<u64>, b: Option<u64>| a.zip(b).filter(|&(a, b)| b > 0 && a > 0 && a % b == 0).map(|(a, b)| a / b);
    let per_socket = evenly(node.cores, node.sockets);
    let per_core = evenly(node.threads, node.cores);
    match (node.sockets, per_socket, per_core) {
        // A node with more is a slip of the pen, and the product must stay a number.
        (Some(sockets), Some(cores), Some(threads)) if sockets <= 1_024 && cores <= 4_096 && threads <= 64 => {
            Ok((sockets, cores, threads))
        }
        _ => Err(Box::new(problems::unknown_fact(
            &plan.model,
            server.block(),
            "sockets, cores and threads",
            "write `sockets`, `cores_per_socket` and `threads_per_core` of the server as `slurmd -C` shows them",
        ))),
    }
}

fn real_memory(model: &Model<'_>, server: Id<Server>) -> Result<(u64, bool), Box<Diagnostic>> {
    let facts = &model[server];
    let (visible, measured) = match (facts.real_memory, facts.memory) {
        (Some(real), _) => (Some(floor_units(real.bytes() / MIB)), true),
        (None, Some(installed)) => (Some(visible_memory(floor_units(installed.bytes() / MIB))), false),
        (None, None) => (None, false),
    };
    match visible.map(|mib| mib / STEP * STEP) {
        // The largest that Slurm takes is far above any node.
        Some(mib) if (STEP..=1 << 40).contains(&mib) => Ok((mib, measured)),
        _ => Err(Box::new(problems::unknown_fact(
            model,
            server.block(),
            "the memory",
            "write `memory` of the server, or `real_memory` as `slurmd -C` shows it",
        ))),
    }
}

/// MiB that a node reports of what is installed, at the least: at least 1 GiB less.
fn visible_memory(installed: u64) -> u64 {
    floor_units(installed as f64 * VISIBLE).min(installed.saturating_sub(1_024))
}

/// MiB for the operating system, in whole GiB; none on a node too small to give any.
fn system_memory(real: u64) -> u64 {
    let wished = floor_units(real as f64 * SYSTEM).max(SYSTEM_LEAST).div_ceil(1_024) * 1_024;
    if wished * 4 <= real { wished } else { 0 }
}

fn gpus(model: &Model<'_>, server: Id<Server>) -> Result<Option<Gpus>, Box<Diagnostic>> {
    let parts: Vec<&Part<Gpu>> = model[server].gpus.iter().filter(|part| part.count > 0).collect();
    let unknown = |what: &str, help: &str| Box::new(problems::unknown_fact(model, server.block(), what, help));
    let Some(first) = parts.first() else { return Ok(None) };
    if parts.iter().any(|part| part.item != first.item) {
        return Err(unknown("the device file of each GPU", "use servers with GPUs of one kind in a Slurm cluster"));
    }
    let count = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.count));
    if count > 1_024 {
        return Err(unknown("the number of GPUs", "Slurm takes at most 1024 device files a node"));
    }
    let gpu = &model[first.item];
    let devices = gpu.vendor.as_deref().and_then(Devices::of);
    let Some(devices) = devices else {
        return Err(Box::new(problems::unknown_fact(
            model,
            first.item.block(),
            "the device files",
            "device files are known for GPUs whose `vendor` is \"NVIDIA\" or \"AMD\"",
        )));
    };
    let kind = gpu.slurm_type.as_deref().map(|kind| gres_type(model, first.item, kind)).transpose()?;
    Ok(Some(Gpus { count, kind, devices, domains: domains(&model[server].gpu_numa, count) }))
}

/// A type of Gres: a token that is not a number, which Slurm would take for a count.
fn gres_type(model: &Model<'_>, gpu: Id<Gpu>, kind: &str) -> Result<String, Box<Diagnostic>> {
    let address = format!("{}.slurm_type", model.address(gpu.block()));
    let refuse = |why: &str| Box::new(not_a_token(&address, kind, why).at(model.place_of(gpu, "slurm_type"), ""));
    let legal = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    match quote::token(kind) {
        Err(why) => Err(refuse(&why)),
        Ok(kind) if !kind.chars().all(legal) => Err(refuse("a type has letters, digits, `.`, `_` and `-`")),
        Ok(kind) if kind.chars().all(|c| c.is_ascii_digit()) => Err(refuse("digits alone are read as a count")),
        Ok(kind) => Ok(kind),
    }
}

/// How many GPUs are near each NUMA domain, when they are numbered in the order of the domains.
fn domains(numa: &[u64], count: u64) -> Vec<u64> {
    if numa.len() as u64 != count || !numa.is_sorted() {
        return Vec::new();
    }
    let last = numa.last().copied().unwrap_or(0);
    (0..=last.min(count)).map(|domain| numa.iter().filter(|&&near| near == domain).count() as u64).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::{Devices, domains, system_memory, visible_memory};

    #[test]
    fn device_files_are_ranges() {
        assert_eq!(Devices::Nvidia.files(0, 8), "/dev/nvidia[0-7]");
        assert_eq!(Devices::Nvidia.files(4, 1), "/dev/nvidia4");
        assert_eq!(Devices::Amd.files(0, 8), "/dev/dri/renderD[128-135]");
    }

    #[test]
    fn domains_are_counted_only_in_order() {
        assert_eq!(domains(&[0, 0, 1, 1], 4), [2, 2]);
        assert!(domains(&[0, 1, 0, 1], 4).is_empty());
        assert!(domains(&[0, 0], 4).is_empty());
    }

    proptest! {
        #[test]
        fn memory_is_never_more_than_slurmd_sees(dimms in 1u64..=48, gib in 1u64..=512) {
            let installed = dimms * gib * 1_024;
            prop_assert!(visible_memory(installed) as f64 <= installed as f64 * 0.97);
            prop_assert!(system_memory(visible_memory(installed)) < visible_memory(installed).max(1));
        }
    }
}
