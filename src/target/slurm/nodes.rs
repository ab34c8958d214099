//! Lines of `slurm.conf` and `gres.conf` about nodes.

use serde::Serialize;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::model::words::Technology;
use crate::plan::Plan;

use super::hosts::{fold, patterns};
use super::machine::{Devices, Gpus, Machine, Part};
use super::topology::{BLOCKS, Block, main_fabric};

/// The nodes of a pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nodes {
    /// The pool.
    pub address: String,
    /// The nodes.
    pub hosts: String,
    /// The same, in the lines they stand on.
    pub groups: Vec<Group>,
    /// How many.
    pub count: usize,
    /// What people call the server.
    pub product: String,
    /// Threads of a node.
    pub cpus: u64,
    /// Sockets of a node.
    pub sockets: u64,
    /// Cores of a socket.
    pub cores: u64,
    /// Threads of a core.
    pub threads: u64,
    /// True where NUMA domains are taken for sockets.
    pub numa: bool,
    /// True for instances, whose sockets are not known.
    pub rented: bool,
    /// Cores of these for the operating system.
    pub system_cores: u64,
    /// MiB of a node.
    pub memory: u64,
    /// True when that was measured.
    pub measured: bool,
    /// MiB of these for the operating system.
    pub system_memory: u64,
    /// MiB that are left.
    pub job_memory: u64,
    /// `gpu:h200:8`.
    pub gres: Option<String>,
    /// What jobs can ask for.
    pub features: String,
    /// Nodes of a lower weight are taken first.
    pub weight: u64,
    /// The spare ones.
    pub spares: Option<String>,
    /// How many of them.
    pub spare_count: usize,
    /// Lines of devices.
    pub devices: Vec<Device>,
    /// InfiniBand ports that a node has on all fabrics.
    pub ports: u64,
    /// Their names as shell patterns.
    pub patterns: Vec<String>,
    /// GPUs or slices that a node must show.
    pub units: u64,
    /// True where these are slices.
    pub sliced: bool,
    /// True for NVIDIA's.
    pub nvidia: bool,
    /// True where a job's GPUs are its own, so that they can be cleaned after it.
    pub cleaned: bool,
    /// True where NVLink domains are larger than a node.
    pub joined: bool,
}

/// Nodes on one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Which.
    pub hosts: String,
    /// `blocks:gpu-domain-01`.
    pub topology: Option<String>,
}

/// One line of devices.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Device {
    /// `gpu` or `shard`; nothing where they are detected.
    pub name: Option<&'static str>,
    /// The library that detects them.
    pub detect: Option<&'static str>,
    /// The type of the GPUs.
    pub kind: Option<String>,
    /// The files of all GPUs, or of those of one domain.
    pub files: Option<String>,
    /// The cores near them.
    pub cores: Option<String>,
    /// Shards of a node.
    pub count: Option<u64>,
    /// Which variables tell a job its GPUs; without it those of every maker are set.
    pub flags: Option<&'static str>,
}

impl Nodes {
    /// The lines of a pool; its blocks where their names stand on them.
    pub fn of(plan: &Plan<'_>, machine: &Machine, named: &[Block]) -> Nodes {
        let model = &*plan.model;
        let address = model.address(machine.pool.block());
        let spares = machine.spares();
        let own = named.iter().filter(|block| block.address == address);
        let mut groups: Vec<Group> = own
            .map(|block| Group { hosts: block.nodes.clone(), topology: Some(format!("{BLOCKS}:{}", block.name)) })
            .collect();
        if groups.is_empty() {
            groups.push(Group { hosts: machine.hosts(), topology: None });
        }
        let gpus = machine.gpus.as_ref();
        Nodes {
            hosts: machine.hosts(),
            groups,
            count: machine.names.len(),
            product: product(model, machine),
            cpus: machine.cpus(),
            sockets: machine.sockets,
            cores: machine.cores_per_socket,
            threads: machine.threads_per_core,
            numa: machine.numa,
            rented: machine.rented.is_some(),
            system_cores: machine.system_cores(),
            memory: machine.real_memory,
            measured: machine.measured,
            system_memory: machine.system_memory,
            job_memory: machine.job_memory(),
            gres: machine.gres(),
            features: features(plan, machine),
            weight: weight(machine),
            spares: (!spares.is_empty()).then(|| fold(spares.iter().map(String::as_str))),
            spare_count: spares.len(),
            devices: gpus.map_or(Vec::new(), |gpus| devices(machine, gpus)),
            ports: infiniband_ports(plan, machine.pool),
            patterns: patterns(machine.names.iter().map(String::as_str)),
            units: machine.gpu_count(),
            sliced: gpus.is_some_and(|gpus| matches!(gpus.part, Part::Slice { .. })),
            nvidia: gpus.is_some_and(|gpus| gpus.devices == Devices::Nvidia),
            cleaned: gpus.is_some_and(|gpus| gpus.part == Part::Whole),
            joined: machine.domain.is_some(),
            address,
        }
    }
}

/// Ports of a node on InfiniBand, of all its fabrics.
fn infiniband_ports(plan: &Plan<'_>, pool: Id<Pool>) -> u64 {
    let fabrics = plan.fabrics.values().filter(|fabric| plan.model[fabric.id].technology == Technology::Infiniband);
    let members = fabrics.flat_map(|fabric| &fabric.pools).filter(|member| member.pool == pool);
    members.map(|member| member.ports_per_node).fold(0, u64::saturating_add)
}

/// CPU nodes before GPU nodes, our own before rented ones.
fn weight(machine: &Machine) -> u64 {
    let gpus = if machine.gpus.is_some() { 100 } else { 10 };
    let rented = if machine.rented.is_some() { 1_000 } else { 0 };
    gpus + rented
}

fn product(model: &Model<'_>, machine: &Machine) -> String {
    let pool = &model[machine.pool];
    match (pool.server, pool.instance) {
        (Some(server), _) => model[server].product.as_deref().unwrap_or(model.name(server)).to_string(),
        (None, Some(instance)) => model[instance].r#type.to_string(),
        (None, None) => String::new(),
    }
}

/// The pool, its GPUs and its fabric, as words to ask for with `--constraint`; each once.
fn features(plan: &Plan<'_>, machine: &Machine) -> String {
    let gpus = machine.gpus.as_ref();
    let kind = gpus.and_then(|gpus| gpus.kind.as_deref());
    let unit = gpus.and_then(Gpus::unit_type);
    let technology = main_fabric(plan, machine.pool).map(|fabric| plan.model[fabric.id].technology.word());
    let mut words = vec![plan.model.name(machine.pool)];
    for word in [kind, unit, technology].into_iter().flatten() {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(",")
}

/// How the GPUs of a node are found: listed, or, where they are slices whose files nobody can know before, detected.
/// Never both, which would count them twice.
fn devices(machine: &Machine, gpus: &Gpus) -> Vec<Device> {
    let nothing = Device { name: None, detect: None, kind: None, files: None, cores: None, count: None, flags: None };
    match gpus.part {
        Part::Slice { .. } => vec![Device { detect: Some("nvml"), ..nothing }],
        Part::Whole => listed(machine, gpus),
        Part::Turn { .. } => {
            let shards = Device { name: Some("shard"), count: gpus.turns(), ..nothing };
            listed(machine, gpus).into_iter().chain([shards]).collect()
        }
    }
}

/// One line for all GPUs; one for each domain when it is known which cores are near which GPU. Cores are numbered
/// without their threads, and a domain is a whole socket to Slurm.
fn listed(machine: &Machine, gpus: &Gpus) -> Vec<Device> {
    let line = |first, count, cores| Device {
        name: Some("gpu"),
        detect: None,
        kind: gpus.kind.clone(),
        files: Some(gpus.devices.files(first, count)),
        cores,
        count: None,
        flags: Some(gpus.devices.variables()),
    };
    let domains = gpus.domains.len() as u64;
    if machine.sockets < 2 || domains < 1 || domains > machine.sockets {
        return vec![line(0, gpus.count, None)];
    }
    let each = machine.cores_per_socket;
    let mut first = 0;
    let mut lines = Vec::new();
    for (domain, near) in (0..).zip(gpus.domains.iter().copied()).filter(|&(_, near)| near > 0) {
        lines.push(line(first, near, Some(format!("{}-{}", domain * each, (domain + 1) * each - 1))));
        first += near;
    }
    lines
}
