//! Lines of `slurm.conf` and `gres.conf` about nodes.

use serde::Serialize;

use crate::model::Model;
use crate::plan::Plan;

use super::hosts::fold;
use super::machine::{Devices, Gpus, Machine};
use super::topology::main_fabric;

/// One line of nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nodes {
    /// The pool.
    pub address: String,
    /// The nodes.
    pub hosts: String,
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
    /// MiB of a node.
    pub memory: u64,
    /// True when that was measured.
    pub measured: bool,
    /// MiB of these for the operating system.
    pub system_memory: u64,
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
    /// The type of its GPUs.
    pub gpu_type: Option<String>,
    /// True for the maker whose GPUs need no library to be detected.
    pub nvidia: bool,
}

/// One line of device files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Device {
    /// The files of all GPUs, or of those of one domain.
    pub files: String,
    /// The cores near them.
    pub cores: Option<String>,
}

impl Nodes {
    /// The lines of a pool; `cores` says whether device lines name cores.
    pub fn of(plan: &Plan<'_>, machine: &Machine, cores: bool) -> Nodes {
        let model = &*plan.model;
        let spares = machine.spares();
        Nodes {
            address: model.address(machine.pool.block()),
            hosts: machine.hosts(),
            count: machine.names.len(),
            product: product(model, machine),
            cpus: machine.cpus(),
            sockets: machine.sockets,
            cores: machine.cores_per_socket,
            threads: machine.threads_per_core,
            memory: machine.real_memory,
            measured: machine.measured,
            system_memory: machine.system_memory,
            gres: machine.gres(),
            features: features(plan, machine),
            weight: if machine.gpus.is_some() { 100 } else { 10 },
            spares: (!spares.is_empty()).then(|| fold(spares.iter().map(String::as_str))),
            spare_count: spares.len(),
            devices: machine.gpus.as_ref().map_or(Vec::new(), |gpus| devices(machine, gpus, cores)),
            gpu_type: machine.gpus.as_ref().and_then(|gpus| gpus.kind.clone()),
            nvidia: machine.gpus.as_ref().is_some_and(|gpus| gpus.devices == Devices::Nvidia),
        }
    }
}

fn product(model: &Model<'_>, machine: &Machine) -> String {
    let server = model[machine.pool].server;
    server.map_or(String::new(), |server| model[server].product.as_deref().unwrap_or(model.name(server)).to_string())
}

/// The pool, its GPUs and its fabric, as words to ask for with `--constraint`; each once.
fn features(plan: &Plan<'_>, machine: &Machine) -> String {
    let kind = machine.gpus.as_ref().and_then(|gpus| gpus.kind.as_deref());
    let technology = main_fabric(plan, machine.pool).map(|fabric| plan.model[fabric.id].technology.word());
    let mut words = vec![plan.model.name(machine.pool)];
    for word in [kind, technology].into_iter().flatten() {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(",")
}

/// One line for all GPUs; one for each domain when it is known which cores are near which GPU.
fn devices(machine: &Machine, gpus: &Gpus, cores: bool) -> Vec<Device> {
    let domains = gpus.domains.len() as u64;
    let all = machine.sockets * machine.cores_per_socket;
    let split = cores && domains > 1 && all % domains == 0 && gpus.domains.iter().all(|&near| near > 0);
    if !split {
        return vec![Device { files: gpus.devices.files(0, gpus.count), cores: None }];
    }
    let each = all / domains;
    let mut first = 0;
    let line = |(domain, &near): (u64, &u64)| {
        let files = gpus.devices.files(first, near);
        first += near;
        Device { files, cores: Some(format!("{}-{}", domain * each, (domain + 1) * each - 1)) }
    };
    (0..).zip(&gpus.domains).map(line).collect()
}
