//! What runs to its end: training and fine-tuning as JobSets, data preparation as Jobs. All are written suspended, so
//! that applying the manifests starts nothing; a queue or a person lets a run go.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::kinds::{Dataprep, Finetune, Kind, Training};
use crate::plan::cut::Cut;
use crate::plan::{Parallelism, Plan};

use super::head::{Around, Head};
use super::labels::{Common, Pair};
use super::load::Load;
use super::placement::{self, Resources};
use super::{problems, storage};

/// Restarts of a training before somebody has to look.
const TRAINING_RESTARTS: u64 = 10;
/// Restarts of a shorter run.
const OTHER_RESTARTS: u64 = 3;
/// Seconds that a pod has to write what it has: no less than a checkpoint may take.
const GRACE: u64 = 600;

/// Everything that the template of a job shows.
#[derive(Debug, Clone, Serialize)]
pub struct Job {
    /// Names, labels, place, network.
    #[serde(flatten)]
    pub head: Head,
    /// The image.
    pub image: String,
    /// Pods that run side by side.
    pub node_count: u64,
    /// What one pod asks for.
    pub resources: Resources,
    /// Variables.
    pub env: Vec<Pair>,
    /// Claims by name; each is mounted below `/mnt`.
    pub mounts: Vec<String>,
    /// Restarts of the whole.
    pub restarts: u64,
    /// Seconds to stop in.
    pub grace: u64,
    /// Seconds a run may take.
    pub deadline: Option<u64>,
}

/// The view of a training or fine-tuning.
pub fn gang(
    around: &Around<'_>,
    plan: &Plan<'_>,
    load: &Load,
    common: &Common,
    problems: &mut Vec<Diagnostic>,
) -> Option<Job> {
    let model = around.model;
    match resources(plan, model, load) {
        Ok((nodes, resources)) => {
            let (head, _) = around.head(load, common, true, problems);
            let mut env = rendezvous(load, nodes, resources.gpus);
            env.extend(split_of(plan, model, load).iter().flat_map(split_variables));
            Some(Job {
                head,
                image: format!("{}:unpinned", load.name),
                node_count: nodes,
                env,
                mounts: storage::mounts(model, load).iter().map(|storage| model.name(*storage).to_string()).collect(),
                restarts: if load.kind == Kind::Training { TRAINING_RESTARTS } else { OTHER_RESTARTS },
                grace: GRACE,
                deadline: None,
                resources,
            })
        }
        Err(missing) => {
            problems.push(problems::unsized_load(model, load.id, missing));
            None
        }
    }
}

/// Nodes of a run, and what the pod of each asks for.
fn resources(plan: &Plan<'_>, model: &Model<'_>, load: &Load) -> Result<(u64, Resources), &'static str> {
    let sized = match load.kind {
        Kind::Training => {
            let id = model.typed::<Training>(load.id).map(|training| training.id);
            id.and_then(|id| plan.trainings.get(&id)).map(|sized| (sized.gpus, sized.nodes))
        }
        _ => {
            let id = model.typed::<Finetune>(load.id).map(|finetune| finetune.id);
            id.and_then(|id| plan.finetunes.get(&id)).map(|sized| (sized.gpus, sized.nodes))
        }
    };
    let (gpus, nodes) = sized.filter(|(gpus, nodes)| *gpus > 0 && *nodes > 0).ok_or("its number of GPUs")?;
    if gpus % nodes != 0 {
        return Err("an even share of its GPUs for each node");
    }
    let node = &plan.pools.get(&load.pool).ok_or("the size of its pool")?.node;
    let mut resources = placement::with_gpus(model, node, &Cut::WHOLE, gpus / nodes)?;
    if nodes > 1 {
        resources.efa = placement::efa(model, load.pool, node, resources.gpus);
    }
    Ok((nodes, resources))
}

/// What `torchrun` reads: the first pod is where the others meet.
fn rendezvous(load: &Load, nodes: u64, gpus: u64) -> Vec<Pair> {
    let first = format!("{}-node-0-0.{}", load.name, load.support());
    [
        ("PET_NNODES", nodes.to_string()),
        ("PET_NPROC_PER_NODE", gpus.to_string()),
        ("PET_MASTER_ADDR", first),
        ("PET_MASTER_PORT", String::from("29500")),
        ("NCCL_DEBUG", String::from("WARN")),
    ]
    .map(|(key, value)| (key.to_string(), value))
    .to_vec()
}

fn split_of(plan: &Plan<'_>, model: &Model<'_>, load: &Load) -> Option<Parallelism> {
    let id = model.typed::<Training>(load.id).map(|training| training.id)?;
    plan.trainings.get(&id).map(|sized| sized.parallelism)
}

/// How the plan spread the run, for the program in the image.
fn split_variables(split: &Parallelism) -> Vec<Pair> {
    let all = [
        ("AIPC_TENSOR_PARALLEL", split.tensor),
        ("AIPC_PIPELINE_PARALLEL", split.pipeline),
        ("AIPC_CONTEXT_PARALLEL", split.context),
        ("AIPC_EXPERT_PARALLEL", split.expert),
        ("AIPC_DATA_PARALLEL", split.data),
    ];
    all.map(|(key, value)| (key.to_string(), value.to_string())).to_vec()
}

/// The view of a data preparation.
pub fn preparation(
    around: &Around<'_>,
    plan: &Plan<'_>,
    load: &Load,
    common: &Common,
    problems: &mut Vec<Diagnostic>,
) -> Option<Job> {
    let model = around.model;
    let dataprep = model.typed::<Dataprep>(load.id)?;
    let sized = plan.datapreps.get(&dataprep.id);
    let sized = sized.and_then(|sized| Some((sized.nodes.filter(|nodes| *nodes > 0)?, sized.cores?)));
    let Some((nodes, cores)) = sized else {
        problems.push(problems::unsized_load(model, load.id, "the number of its cores"));
        return None;
    };
    let what = format!("starting the engine `{}`", dataprep.engine);
    let help = "one pod a node runs the workload's own image; start the engine inside it";
    problems.push(problems::not_written(model, load.id, "engine", &what, help));
    let (head, _) = around.head(load, common, false, problems);
    let per_node = cores.div_ceil(nodes).max(1);
    Some(Job {
        head,
        image: format!("{}:unpinned", load.name),
        node_count: nodes,
        resources: Resources {
            cpu: per_node,
            memory: placement::gib(per_node as f64 * dataprep.memory_per_core.bytes()),
            shm: 1,
            ..Resources::default()
        },
        env: vec![(String::from("AIPC_NODES"), nodes.to_string())],
        mounts: Vec::new(),
        restarts: OTHER_RESTARTS,
        grace: GRACE,
        deadline: None,
    })
}
