//! Which nodes a pod may have, and how much of one.

use serde::Serialize;

use crate::model::Model;
use crate::model::decode::Control;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Pool};
use crate::model::words::{Provider, Purchase};
use crate::plan::cut::{Cut, How};
use crate::plan::node::Node;

use super::labels::{self, Pair};
use super::load::Load;

/// Share of a node's processors and memory that GPU workloads divide among themselves. The rest is for the system,
/// daemons and workloads without a GPU.
const GPU_SHARE: f64 = 0.8;
/// Share of a node's processors that workloads without a GPU may have.
const CPU_SHARE: f64 = 0.9;
const GIB: f64 = 1_073_741_824.0;

/// What a pod asks for and is held to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Resources {
    /// Processors, whole.
    pub cpu: u64,
    /// Memory in GiB, whole.
    pub memory: u64,
    /// GPUs.
    pub gpus: u64,
    /// The name of a GPU, or of a part of one, among resources.
    pub gpu: String,
    /// Parts of a GPU.
    pub parts: u64,
    /// Elastic Fabric Adapter interfaces.
    pub efa: u64,
    /// GiB of shared memory, counted in the memory.
    pub shm: u64,
}

/// A taint that a pod accepts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Toleration {
    /// Its key.
    pub key: &'static str,
    /// Its value; any without one.
    pub value: Option<String>,
}

/// The part of a node that goes with some of its GPUs, or with parts of them; an error names what is not known of the
/// node.
pub fn with_gpus(model: &Model<'_>, node: &Node, cut: &Cut, gpus: u64) -> Result<Resources, &'static str> {
    if node.gpus == 0 {
        return Err("the number of GPUs of its nodes");
    }
    let part = gpus as f64 / (node.gpus as f64 * cut.parts.max(1) as f64) * GPU_SHARE;
    let threads = node.threads.ok_or("the number of processor threads of its nodes")? as f64;
    let memory = node.memory.ok_or("the memory of its nodes")? / GIB;
    let whole = |value: f64| (value.floor() as u64).max(1);
    let memory = whole(memory * part);
    let amd = node.gpu.is_some_and(|gpu| model[gpu].vendor.as_deref().is_some_and(|v| v.eq_ignore_ascii_case("amd")));
    Ok(Resources {
        cpu: whole(threads * part),
        memory,
        gpus,
        gpu: match &cut.how {
            How::Whole if amd => String::from("amd.com/gpu"),
            How::Whole => String::from("nvidia.com/gpu"),
            // The names of the device plugin with the strategy `mixed`, and with shared GPUs under a name of their own.
            How::Mig(profile) => format!("nvidia.com/mig-{profile}"),
            How::Shares => String::from("nvidia.com/gpu.shared"),
        },
        parts: cut.parts,
        efa: 0,
        shm: (memory / 4).clamp(1, gpus.saturating_mul(4).max(1)),
    })
}

/// Processors that a pod without a GPU may have of a node at most.
pub fn processors(node: &Node) -> Option<u64> {
    node.threads.map(|threads| ((threads as f64 * CPU_SHARE).floor() as u64).max(1))
}

/// GiB, whole, upwards.
pub fn gib(bytes: f64) -> u64 {
    (bytes / GIB).ceil().max(1.0) as u64
}

/// The same, downwards.
pub fn whole_gib(bytes: f64) -> u64 {
    (bytes / GIB).floor().max(1.0) as u64
}

/// Elastic Fabric Adapter interfaces that go with some GPUs of a node.
pub fn efa(model: &Model<'_>, pool: Id<Pool>, node: &Node, gpus: u64) -> u64 {
    let all = model[pool].instance.and_then(|instance| model[instance].efa).unwrap_or(0);
    all.saturating_mul(gpus) / node.gpus.max(1)
}

/// Labels that a node must have.
pub fn selector(model: &Model<'_>, load: &Load) -> Vec<Pair> {
    vec![(labels::POOL.to_string(), model.name(load.pool).to_string())]
}

/// Taints of the pool's nodes.
pub fn tolerations(model: &Model<'_>, cluster: &Cluster, load: &Load, gpu: bool) -> Vec<Toleration> {
    let pool: &Pool = &model[load.pool];
    let mut all = Vec::new();
    if gpu {
        all.push(Toleration { key: "nvidia.com/gpu", value: None });
    }
    if let Some(tenant) = pool.tenant.filter(|tenant| load.tenant == Some(*tenant)) {
        all.push(Toleration { key: labels::TENANT, value: Some(model.name(tenant).to_string()) });
    }
    if matches!(cluster.control, Some(Control::Pool(pool)) if pool == load.pool) {
        all.push(Toleration { key: "node-role.kubernetes.io/control-plane", value: None });
    }
    if pool.purchase == Some(Purchase::Spot) && model[pool.site].provider == Provider::Azure {
        all.push(Toleration { key: "kubernetes.azure.com/scalesetpriority", value: Some(String::from("spot")) });
    }
    all
}
