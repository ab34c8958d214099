//! Storage classes and claims.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Dataset, Finetune, Inference, Kind, Pool, Storage, Training};
use crate::model::words::StorageKind;
use crate::plan::{Plan, PoolPlan};

use super::load::Load;
use super::{placement, problems, serving};

/// A claim that several pods share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// The block that asks for it.
    pub address: String,
    /// Its name.
    pub name: String,
    /// GiB.
    pub size: u64,
    /// How it is mounted.
    pub mode: &'static str,
    /// Its class; the cluster's default without one.
    pub class: Option<String>,
    /// What has to be put on it, for whoever reads.
    pub comment: Option<String>,
}

/// True for what can be mounted.
fn is_mountable(kind: StorageKind) -> bool {
    match kind {
        StorageKind::Lustre
        | StorageKind::Gpfs
        | StorageKind::Weka
        | StorageKind::Vast
        | StorageKind::Cephfs
        | StorageKind::Nfs
        | StorageKind::LocalNvme => true,
        StorageKind::S3 | StorageKind::Gcs | StorageKind::AzureBlob => false,
    }
}

/// The class of a pod's volume: of the storage that is named, else of the only one at the pool's site that can be
/// mounted; nothing when there are none or several.
pub fn class_of(model: &Model<'_>, named: Option<Id<Storage>>, pool: Id<Pool>) -> Option<String> {
    mountable(model, named, pool).map(|storage| model.name(storage.id).to_string())
}

fn mountable<'m>(model: &'m Model<'_>, named: Option<Id<Storage>>, pool: Id<Pool>) -> Option<&'m Storage> {
    if let Some(id) = named {
        return Some(&model[id]).filter(|storage| is_mountable(storage.kind));
    }
    let site = model[pool].site;
    let fits = |storage: &&Storage| {
        let here = storage.pool.is_none_or(|of| of == pool);
        storage.site == site && is_mountable(storage.kind) && here
    };
    let mut found = model.tables.storages.iter().filter(fits);
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// Disks in the nodes of a cluster: storage by name whose volumes an administrator makes.
pub fn local_classes(model: &Model<'_>, cluster: &Cluster) -> Vec<(String, String)> {
    let site_has = |storage: &Storage| cluster.pools.iter().any(|pool| model[*pool].site == storage.site);
    let ours = |storage: &&Storage| {
        storage.kind == StorageKind::LocalNvme
            && storage.pool.map_or_else(|| site_has(storage), |pool| cluster.pools.contains(&pool))
    };
    let mut classes: Vec<(String, String)> = (model.tables.storages.iter().filter(ours))
        .map(|storage| (model.address(storage.id.block()), model.name(storage.id).to_string()))
        .collect();
    classes.sort();
    classes
}

/// The claims of a namespace, by name.
pub fn claims(plan: &Plan<'_>, loads: &[&Load], problems: &mut Vec<Diagnostic>) -> Vec<Claim> {
    let mut claims: BTreeMap<String, Claim> = BTreeMap::new();
    for load in loads {
        let found = match load.kind {
            Kind::Inference => weights(plan, load, problems).into_iter().collect(),
            Kind::Training | Kind::Finetune => (mounts(&plan.model, load).into_iter())
                .filter_map(|storage| shared(plan, load, storage, problems))
                .collect(),
            _ => Vec::new(),
        };
        for claim in found {
            let merged = claims.entry(claim.name.clone()).or_insert_with(|| claim.clone());
            merged.size = merged.size.max(claim.size);
            // Two workloads that mount a claim in different ways need the wider one.
            if claim.mode == "ReadWriteMany" {
                merged.mode = claim.mode;
            }
        }
    }
    claims.into_values().collect()
}

/// The volume with the weights of a model. The engine reads it; whoever publishes the model fills it.
fn weights(plan: &Plan<'_>, load: &Load, problems: &mut Vec<Diagnostic>) -> Option<Claim> {
    let model = &plan.model;
    let inference = model.typed::<Inference>(load.id)?;
    let Some(bytes) = serving::weight_bytes(plan, inference) else {
        let what =
            format!("the claim `{}`, as the size of the weights is not known,", serving::claim(model, inference));
        problems.push(problems::not_written(model, load.id, "model", &what, "make the claim by hand"));
        return None;
    };
    let storage = mountable(model, None, load.pool);
    let one_node = plan.pools.get(&load.pool).is_some_and(|pool: &PoolPlan| pool.nodes.high == 1);
    let local = storage.is_some_and(|storage| storage.kind == StorageKind::LocalNvme);
    if storage.is_none() && !one_node {
        let what = "a storage class for the weights";
        let help = "declare one storage at the pool's site that many pods can mount; until then the cluster's default \
                    class must be able to do `ReadWriteMany`";
        problems.push(problems::not_written(model, load.id, "runs_on", what, help));
    }
    if local && !one_node {
        let what = "a copy of the weights on each node";
        let help = "the claim is a disk of one node, so all copies run there; keep weights on a shared storage";
        problems.push(problems::not_written(model, load.id, "runs_on", what, help));
    }
    let published = model.address(inference.model.block());
    Some(Claim {
        address: load.address.clone(),
        name: serving::claim(model, inference),
        size: placement::gib(bytes * 1.2),
        mode: if one_node || local { "ReadWriteOnce" } else { "ReadWriteMany" },
        class: storage.map(|storage| model.name(storage.id).to_string()),
        comment: Some(format!("the weights of {published} go to its root; pods mount it read-only")),
    })
}

/// File systems that a training or fine-tuning mounts: for checkpoints, results and data.
pub fn mounts(model: &Model<'_>, load: &Load) -> Vec<Id<Storage>> {
    let mut all: Vec<Id<Storage>> = Vec::new();
    let mut reads: &[Id<Dataset>] = &[];
    if let Some(training) = model.typed::<Training>(load.id) {
        all.extend(training.checkpoint.iter().map(|checkpoint| model[*checkpoint].to));
        reads = &training.reads;
    }
    if let Some(finetune) = model.typed::<Finetune>(load.id) {
        all.extend(finetune.to);
        reads = &finetune.reads;
    }
    all.extend(reads.iter().filter_map(|read| model[*read].prefetch_to.or(model[*read].lives_on)));
    all.retain(|storage| is_mountable(model[*storage].kind));
    all.sort_by(|a, b| model.name(*a).cmp(model.name(*b)));
    all.dedup();
    all
}

/// A claim on a shared file system, named after it.
fn shared(plan: &Plan<'_>, load: &Load, id: Id<Storage>, problems: &mut Vec<Diagnostic>) -> Option<Claim> {
    let model = &plan.model;
    // What is needed rounds up, what there is rounds down.
    let sized = plan.storages.get(&id);
    let needed = sized.and_then(|storage| storage.needed).filter(|bytes| *bytes > 0.0).map(placement::gib);
    let Some(size) = needed.or_else(|| sized?.capacity.map(placement::whole_gib)) else {
        let missing = format!("the capacity of `{}`", model.address(id.block()));
        problems.push(problems::unsized_load(model, load.id, &missing));
        return None;
    };
    let name = model.name(id).to_string();
    Some(Claim {
        address: model.address(id.block()),
        name: name.clone(),
        size,
        mode: if model[id].kind == StorageKind::LocalNvme { "ReadWriteOnce" } else { "ReadWriteMany" },
        class: Some(name),
        comment: None,
    })
}
