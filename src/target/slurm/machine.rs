//! What Slurm must know of a pool's nodes.

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::decode;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Gpu, Instance, Pool, Server};
use crate::plan::Plan;
use crate::plan::cut::{Cut, How};
use crate::plan::formula::round::floor_units;
use crate::target::problems::not_a_token;

use super::hosts::{LARGEST_RANGE, fold};
use super::{problems, quote};

/// CPUs of a node that Slurm counts.
const MOST_CPUS: u64 = 65_535;
/// Turns on a GPU: weights in accounting have four decimals.
const MOST_TURNS: u64 = 1_000;
/// Bytes of a MiB, Slurm's unit of memory.
const MIB: f64 = 1_048_576.0;
/// Share of the installed memory that firmware, kernel and crash kernel leave, at the least.
const VISIBLE: f64 = 0.95;
/// RealMemory is a multiple of this many MiB, rounded down, so that a new kernel does not drain the node.
pub const STEP: u64 = 1_000;
/// Share of RealMemory kept for the operating system and its daemons.
const SYSTEM: f64 = 0.02;
/// MiB kept for them at the least.
pub const SYSTEM_LEAST: u64 = 4_096;
/// A socket with so many cores leaves one to them: about 6 % at the most.
pub const LARGE_SOCKET: u64 = 16;

/// The nodes of one pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Which pool.
    pub pool: Id<Pool>,
    /// Their names, in order.
    pub names: Vec<String>,
    /// How many of them, the last ones, are spare.
    pub spare: u64,
    /// Of rented nodes: how many, the first ones, are never given back.
    pub rented: Option<u64>,
    /// Sockets of a node, or NUMA domains where Slurm takes these for sockets.
    pub sockets: u64,
    /// True where NUMA domains are taken for sockets.
    pub numa: bool,
    /// Nodes of one NVLink domain, where it is larger than a node.
    pub domain: Option<u64>,
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
    /// What jobs get of them.
    pub part: Part,
    /// Their device files.
    pub devices: Devices,
    /// For each NUMA domain in order: how many GPUs are near it; empty when not known.
    pub domains: Vec<u64>,
}

/// What a job gets of a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// A slice that the hardware makes: so many of a profile on each GPU.
    Slice {
        /// `1g.10gb`.
        profile: String,
        /// Slices of a GPU.
        each: u64,
    },
    /// All of it, or a turn on it: so many on each GPU.
    Turn {
        /// Turns of a GPU.
        each: u64,
    },
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

    /// The word of `gres.conf` for the variables that tell a job its GPUs.
    pub fn variables(self) -> &'static str {
        match self {
            Devices::Nvidia => "nvidia_gpu_env",
            Devices::Amd => "amd_gpu_env",
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

impl Gpus {
    /// What Slurm counts as a GPU: a whole one or a slice.
    pub fn units(&self) -> u64 {
        match &self.part {
            Part::Whole | Part::Turn { .. } => self.count,
            Part::Slice { each, .. } => self.count.saturating_mul(*each),
        }
    }

    /// The type of what Slurm counts. A slice is found by its profile, whatever the maker calls the GPU.
    pub fn unit_type(&self) -> Option<&str> {
        match &self.part {
            Part::Whole | Part::Turn { .. } => self.kind.as_deref(),
            Part::Slice { profile, .. } => Some(profile),
        }
    }

    /// Turns of a node, where GPUs are shared.
    pub fn turns(&self) -> Option<u64> {
        match &self.part {
            Part::Whole | Part::Slice { .. } => None,
            Part::Turn { each } => Some(self.count.saturating_mul(*each)),
        }
    }
}

impl Machine {
    /// Reads the facts; what Slurm needs and nobody knows is a problem.
    pub fn of(plan: &Plan<'_>, pool: Id<Pool>) -> Result<Machine, Box<Diagnostic>> {
        let model = &*plan.model;
        let sized = plan.pool(pool);
        if sized.nodes.high > LARGEST_RANGE {
            return Err(Box::new(problems::too_many(model, pool, sized.nodes.high)));
        }
        let facts = &model[pool];
        let box_ = match (facts.server, facts.instance) {
            (Some(server), _) => bought(plan, pool, server)?,
            (None, Some(instance)) => hired(plan, pool, instance)?,
            (None, None) => {
                let help = "name the pool's `server` or `instance`";
                return Err(Box::new(problems::unknown_fact(model, pool.block(), "the nodes", help)));
            }
        };
        Ok(Machine {
            names: plan.node_names(pool).collect(),
            spare: sized.spare.min(sized.nodes.high),
            rented: sized.node.rented.then_some(sized.nodes.low),
            ..box_
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

    /// Cores of a node.
    pub fn cores(&self) -> u64 {
        self.sockets * self.cores_per_socket
    }

    /// Cores of a node for the operating system and its daemons.
    pub fn system_cores(&self) -> u64 {
        if self.cores_per_socket >= LARGE_SOCKET { self.sockets } else { 0 }
    }

    /// CPUs of a node that jobs get.
    pub fn job_cpus(&self) -> u64 {
        (self.cores() - self.system_cores()) * self.threads_per_core
    }

    /// MiB of a node that jobs get.
    pub fn job_memory(&self) -> u64 {
        self.real_memory - self.system_memory
    }

    /// What Slurm counts as GPUs of a node: slices where there are some.
    pub fn gpu_count(&self) -> u64 {
        self.gpus.as_ref().map_or(0, Gpus::units)
    }

    /// CPUs for each GPU, in whole cores.
    pub fn cpus_per_gpu(&self) -> Option<u64> {
        let cores = (self.cores() - self.system_cores()).checked_div(self.gpu_count())?;
        (cores > 0).then_some(cores * self.threads_per_core)
    }

    /// MiB for each GPU.
    pub fn memory_per_gpu(&self) -> Option<u64> {
        self.job_memory().checked_div(self.gpu_count()).filter(|&memory| memory > 0)
    }

    /// MiB for each CPU.
    pub fn memory_per_cpu(&self) -> Option<u64> {
        self.job_memory().checked_div(self.job_cpus()).filter(|&memory| memory > 0)
    }

    /// `gpu:h200:8`, `gpu:1g.10gb:56` or `gpu:h200:8,shard:32`.
    pub fn gres(&self) -> Option<String> {
        self.gpus.as_ref().map(|gpus| {
            let whole = match gpus.unit_type() {
                Some(kind) => format!("gpu:{kind}:{}", gpus.units()),
                None => format!("gpu:{}", gpus.units()),
            };
            gpus.turns().map_or(whole.clone(), |turns| format!("{whole},shard:{turns}"))
        })
    }
}

/// A node of our own.
fn bought(plan: &Plan<'_>, pool: Id<Pool>, server: Id<Server>) -> Result<Machine, Box<Diagnostic>> {
    let model = &*plan.model;
    let facts = &model[server];
    let (sockets, cores, threads) = processors(plan, pool, server)?;
    // A firmware that cuts sockets into NUMA domains: Slurm places jobs by these, so they are its sockets.
    let domains = facts.numa_nodes.filter(|&domains| domains > sockets && (sockets * cores).is_multiple_of(domains));
    let (real_memory, measured) = real_memory(model, server)?;
    Ok(Machine {
        pool,
        names: Vec::new(),
        spare: 0,
        rented: None,
        sockets: domains.unwrap_or(sockets),
        numa: domains.is_some(),
        domain: facts.nvlink_nodes.filter(|&nodes| nodes > 1),
        cores_per_socket: domains.map_or(cores, |domains| sockets * cores / domains),
        threads_per_core: threads,
        real_memory,
        measured,
        system_memory: system_memory(real_memory),
        gpus: gpus(model, pool, server.block(), &facts.gpus, &facts.gpu_numa)?,
    })
}

/// A rented node: its virtual CPUs are threads, and its sockets are not known.
fn hired(plan: &Plan<'_>, pool: Id<Pool>, instance: Id<Instance>) -> Result<Machine, Box<Diagnostic>> {
    let model = &*plan.model;
    let facts = &model[instance];
    let threads = facts.threads_per_core.unwrap_or(2).clamp(1, 64);
    let threads = if facts.vcpus.is_multiple_of(threads) { threads } else { 1 };
    if !(1..=65_536).contains(&facts.vcpus) {
        let help = "write the `vcpus` of the instance";
        return Err(Box::new(problems::unknown_fact(model, instance.block(), "the virtual CPUs", help)));
    }
    let installed = floor_units(facts.memory.bytes() / MIB);
    let real_memory = memory_step(visible_memory(installed)).ok_or_else(|| {
        let help = "write the `memory` of the instance";
        Box::new(problems::unknown_fact(model, instance.block(), "the memory", help))
    })?;
    Ok(Machine {
        pool,
        names: Vec::new(),
        spare: 0,
        rented: None,
        sockets: 1,
        numa: false,
        domain: None,
        cores_per_socket: facts.vcpus / threads,
        threads_per_core: threads,
        real_memory,
        measured: false,
        system_memory: system_memory(real_memory),
        gpus: gpus(model, pool, instance.block(), &facts.gpus, &[])?,
    })
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
            let cpus = sockets * cores * threads;
            if cpus > MOST_CPUS {
                let why = format!("comes to {cpus} CPUs of a node, Slurm takes at most {MOST_CPUS}");
                return Err(Box::new(problems::beyond(&plan.model, server.block(), "cores_per_socket", &why)));
            }
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
    match visible.and_then(memory_step) {
        Some(mib) => Ok((mib, measured)),
        None => Err(Box::new(problems::unknown_fact(
            model,
            server.block(),
            "the memory",
            "write `memory` of the server, or `real_memory` as `slurmd -C` shows it",
        ))),
    }
}

/// Rounded down; the largest that Slurm takes is far above any node.
fn memory_step(mib: u64) -> Option<u64> {
    Some(mib / STEP * STEP).filter(|mib| (STEP..=1 << 40).contains(mib))
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

fn gpus(
    model: &Model<'_>,
    pool: Id<Pool>,
    product: BlockId,
    parts: &[decode::Part<Gpu>],
    numa: &[u64],
) -> Result<Option<Gpus>, Box<Diagnostic>> {
    let parts: Vec<&decode::Part<Gpu>> = parts.iter().filter(|part| part.count > 0).collect();
    let unknown = |what: &str, help: &str| Box::new(problems::unknown_fact(model, product, what, help));
    let Some(first) = parts.first() else { return Ok(None) };
    if parts.iter().any(|part| part.item != first.item) {
        return Err(unknown("the device file of each GPU", "use nodes with GPUs of one kind in a Slurm cluster"));
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
    let part = part(model, pool)?;
    let domains = match part {
        Part::Whole | Part::Turn { .. } => domains(numa, count),
        // They are detected, with their cores.
        Part::Slice { .. } => Vec::new(),
    };
    Ok(Some(Gpus { count, kind, part, devices, domains }))
}

/// What jobs get of the pool's GPUs.
fn part(model: &Model<'_>, pool: Id<Pool>) -> Result<Part, Box<Diagnostic>> {
    let refuse = |why: &str| {
        let attribute = if model[pool].mig.is_some() { "mig" } else { "gpu_shares" };
        let address = format!("{}.{attribute}", model.address(pool.block()));
        Box::new(not_a_token(&address, model[pool].mig.as_deref().unwrap_or_default(), why))
    };
    // Why they cannot be cut is said by the rules.
    let Ok(cut) = Cut::of(model, pool) else { return Ok(Part::Whole) };
    match cut.how {
        How::Whole => Ok(Part::Whole),
        How::Shares if cut.parts > MOST_TURNS => {
            let why = format!("is {}, and with more than {MOST_TURNS} a turn has no weight in accounting", cut.parts);
            Err(Box::new(problems::beyond(model, pool.block(), "gpu_shares", &why)))
        }
        How::Shares => Ok(Part::Turn { each: cut.parts }),
        How::Mig(profile) => {
            let profile = quote::token(&profile).map_err(|why| refuse(&why))?;
            Ok(Part::Slice { profile, each: cut.parts })
        }
    }
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
