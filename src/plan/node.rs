//! What one node of a pool is, whether it is bought or rented.

use crate::base::hosts;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Gpu, Pool};

/// The facts of one node; what the catalogue does not say stays unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The server or instance; nothing when the pool names none.
    pub product: Option<BlockId>,
    /// True for a cloud instance.
    pub rented: bool,
    /// GPUs.
    pub gpus: u64,
    /// Which GPU.
    pub gpu: Option<Id<Gpu>>,
    /// CPU sockets.
    pub sockets: Option<u64>,
    /// Cores; for an instance its virtual CPUs by the threads of a core.
    pub cores: Option<u64>,
    /// Threads, or virtual CPUs.
    pub threads: Option<u64>,
    /// Bytes of main memory.
    pub memory: Option<f64>,
    /// Bytes of local disks, without protection.
    pub local_disk: Option<f64>,
    /// Watts at most.
    pub power: Option<f64>,
    /// Watts of heat at most: the vendor's figure or the electrical maximum, whichever is more.
    pub heat: Option<f64>,
    /// Rack units.
    pub height: Option<u64>,
    /// Kilograms.
    pub weight: Option<f64>,
}

impl Node {
    /// Reads the facts of a pool's server or instance.
    pub fn of(model: &Model<'_>, pool: &Pool) -> Node {
        match (pool.server, pool.instance) {
            (Some(server), _) => Node::bought(model, server),
            (None, Some(instance)) => Node::hired(model, instance),
            (None, None) => Node::nothing(),
        }
    }

    fn nothing() -> Node {
        Node {
            product: None,
            rented: false,
            gpus: 0,
            gpu: None,
            sockets: None,
            cores: None,
            threads: None,
            memory: None,
            local_disk: None,
            power: None,
            heat: None,
            height: None,
            weight: None,
        }
    }

    fn bought(model: &Model<'_>, id: Id<crate::model::kinds::Server>) -> Node {
        let server = &model[id];
        let cpus: u64 = server.cpus.iter().map(|part| part.count).fold(0, u64::saturating_add);
        let cores: u64 = server
            .cpus
            .iter()
            .map(|part| part.count.saturating_mul(model[part.item].cores))
            .fold(0, u64::saturating_add);
        let threads: u64 = server
            .cpus
            .iter()
            .map(|part| {
                part.count.saturating_mul(model[part.item].cores).saturating_mul(model[part.item].threads_per_core)
            })
            .fold(0, u64::saturating_add);
        let known = |number: u64| (number > 0).then_some(number);
        let sockets = server.sockets.or(known(cpus));
        let written = sockets.zip(server.cores_per_socket).map(|(sockets, cores)| sockets.saturating_mul(cores));
        let disks = server.disks.iter().map(|part| part.count as f64 * model[part.item].capacity.bytes()).sum::<f64>();
        let power = server.max_power.given().map(|power| power.watts());
        let heat = server.heat.map(crate::base::quantity::Power::watts);
        Node {
            product: Some(id.block()),
            gpus: server.gpus.iter().map(|part| part.count).fold(0, u64::saturating_add),
            gpu: server.gpus.first().map(|part| part.item),
            sockets,
            cores: written.or(known(cores)),
            threads: written
                .zip(server.threads_per_core)
                .map(|(cores, threads)| cores.saturating_mul(threads))
                .or(known(threads)),
            memory: server.memory.map(crate::base::quantity::Data::bytes),
            local_disk: (!server.disks.is_empty()).then_some(disks),
            power,
            heat: match (power, heat) {
                (Some(power), Some(heat)) => Some(power.max(heat)),
                (power, heat) => power.or(heat),
            },
            height: server.height.map(|height| height.units().ceil() as u64),
            weight: server.weight.map(crate::base::quantity::Mass::kilograms),
            ..Node::nothing()
        }
    }

    fn hired(model: &Model<'_>, id: Id<crate::model::kinds::Instance>) -> Node {
        let instance = &model[id];
        Node {
            product: Some(id.block()),
            rented: true,
            gpus: instance.gpus.iter().map(|part| part.count).fold(0, u64::saturating_add),
            gpu: instance.gpus.first().map(|part| part.item),
            cores: Some(instance.vcpus / instance.threads_per_core.unwrap_or(2).max(1)),
            threads: Some(instance.vcpus),
            memory: Some(instance.memory.bytes()),
            local_disk: instance.local_disk.map(crate::base::quantity::Data::bytes),
            ..Node::nothing()
        }
    }
}

/// The names of a pool's nodes: those that it says, `train-001` where it says none.
pub fn names<'m>(model: &'m Model<'_>, pool: Id<Pool>, count: u64) -> impl Iterator<Item = String> + 'm {
    let mut given = model[pool].node_names.iter().filter_map(|list| hosts::unfold(list).ok()).flatten();
    let own = model.name(pool);
    (1..=count).map(move |number| given.next().unwrap_or_else(|| name(own, number, count)))
}

/// `train-001`: the pool's name and a number, padded to the pool's largest.
pub fn name(pool: &str, number: u64, count: u64) -> String {
    let width = count.to_string().len().max(3);
    format!("{pool}-{number:0width$}")
}
