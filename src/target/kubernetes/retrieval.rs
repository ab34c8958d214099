//! Vector stores.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::kinds::Retrieval;
use crate::model::words::VectorEngine;
use crate::plan::Plan;

use super::head::{Around, Head};
use super::labels::Common;
use super::load::Load;
use super::placement::{self, Resources};
use super::{problems, storage};

/// The image of the store, without a tag: the kustomization pins it.
pub const QDRANT: &str = "docker.io/qdrant/qdrant";
/// Processors of a copy.
const PROCESSORS: u64 = 4;
/// What a copy takes beside its index: segments that are rewritten, buffers of queries.
const HEADROOM: f64 = 1.25;
/// What lies on the disk for a byte of index: the vectors, the log, one snapshot.
const ON_DISK: f64 = 3.0;

/// Everything that the template of a retrieval shows.
#[derive(Debug, Clone, Serialize)]
pub struct Store {
    /// Names, labels, place, network.
    #[serde(flatten)]
    pub head: Head,
    /// The image.
    pub image: String,
    /// Copies.
    pub replicas: u64,
    /// The command of a store with several copies; the first one starts the group, the others join it.
    pub join: Option<String>,
    /// What one pod asks for.
    pub resources: Resources,
    /// GiB of the disk of one copy.
    pub disk: u64,
    /// The class of the disk; the cluster's default without one.
    pub class: Option<String>,
    /// True when a drained node must leave copies running.
    pub disruption_budget: bool,
}

/// The view of a retrieval; nothing when it cannot be written, which is reported.
pub fn view(
    around: &Around<'_>,
    plan: &Plan<'_>,
    load: &Load,
    common: &Common,
    problems: &mut Vec<Diagnostic>,
) -> Option<Store> {
    let model = around.model;
    let retrieval = model.typed::<Retrieval>(load.id)?;
    if retrieval.engine != VectorEngine::Qdrant {
        let what = format!("the engine `{}`", retrieval.engine);
        problems.push(problems::not_written(model, load.id, "engine", &what, "use `qdrant`, or deploy it by hand"));
        return None;
    }
    let sized = plan.retrievals.get(&retrieval.id);
    let Some((sized, index)) = sized.and_then(|sized| Some((sized, sized.index_bytes?))) else {
        problems.push(problems::unsized_load(model, load.id, "the size of its index"));
        return None;
    };
    if let Some(embedder) = retrieval.embedder {
        let what = format!("the service that makes vectors with `{}`", model.address(embedder.block()));
        let help = "declare an `inference` with this model, and let callers use both";
        problems.push(problems::not_written(model, load.id, "embedder", &what, help));
    }
    let node = plan.pools.get(&load.pool).and_then(|pool| placement::processors(&pool.node));
    let (mut head, _) = around.head(load, common, false, problems);
    // On nodes with GPUs their taint keeps away what needs none; the pool is named, so it is meant to be there.
    if plan.pools.get(&load.pool).is_some_and(|pool| pool.node.gpus > 0) {
        head.tolerations.push(placement::Toleration { key: "nvidia.com/gpu", value: None });
    }
    Some(Store {
        image: format!("{QDRANT}:unpinned"),
        replicas: sized.replicas,
        join: (sized.replicas > 1).then(|| join(&load.name)),
        resources: Resources {
            cpu: node.map_or(PROCESSORS, |most| PROCESSORS.min(most)),
            memory: placement::gib(index * HEADROOM) + 1,
            ..Resources::default()
        },
        disk: placement::gib(index * ON_DISK),
        class: storage::class_of(model, retrieval.on, load.pool),
        disruption_budget: sized.replicas > 1,
        head,
    })
}

fn join(name: &str) -> String {
    format!(
        "case \"$POD_NAME\" in *-0) set --;; *) set -- --bootstrap http://{name}-0.{name}:6335;; esac; \
         exec ./entrypoint.sh --uri \"http://$POD_NAME.{name}:6335\" \"$@\""
    )
}
