//! The workloads of a cluster, and the namespaces they run in.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Kind, Pool, Tenant};
use crate::model::words::Priority;

use super::labels::{self, Common};
use super::problems;

/// The namespace that metrics are collected from.
pub const MONITORING: &str = "monitoring";

/// One workload.
#[derive(Debug, Clone)]
pub struct Load {
    /// The block.
    pub id: BlockId,
    /// Its kind.
    pub kind: Kind,
    /// The kind's word, which is also the component in labels.
    pub component: &'static str,
    /// Its name, the same in every artefact.
    pub name: String,
    /// `inference.assistant`.
    pub address: String,
    /// Where it runs.
    pub namespace: String,
    /// Who it is for.
    pub tenant: Option<Id<Tenant>>,
    /// On which nodes.
    pub pool: Id<Pool>,
}

impl Load {
    /// The name of objects beside the one that carries the workload's name: `inference-assistant`. Workloads of
    /// different kinds may share a name, and so these never meet.
    pub fn support(&self) -> String {
        format!("{}-{}", self.component, self.name)
    }

    /// What selects its pods.
    pub fn selector(&self) -> Vec<labels::Pair> {
        vec![
            (String::from("app.kubernetes.io/name"), self.name.clone()),
            (String::from("app.kubernetes.io/component"), self.component.to_string()),
        ]
    }

    /// True when it runs to its end; false when it answers.
    pub fn ends(&self) -> bool {
        matches!(self.kind, Kind::Training | Kind::Finetune | Kind::Dataprep)
    }
}

/// A namespace with everything that is common in it.
#[derive(Debug, Clone)]
pub struct Home {
    /// Its name.
    pub name: String,
    /// Whose; nothing for workloads without a tenant.
    pub tenant: Option<Id<Tenant>>,
    /// The folder below the cluster's.
    pub folder: String,
    /// Labels and annotations of what is in it.
    pub common: Common,
}

/// The workloads whose pool is in the cluster, by namespace, component and name.
pub fn loads(model: &Model<'_>, cluster: &Cluster, platform: &str) -> Vec<Load> {
    let tables = &model.tables;
    let mut found: Vec<(BlockId, Option<Id<Tenant>>, Id<Pool>)> = Vec::new();
    found.extend(tables.inferences.iter().map(|load| (load.id.block(), load.tenant, load.runs_on)));
    found.extend(tables.retrievals.iter().map(|load| (load.id.block(), load.tenant, load.runs_on)));
    found.extend(tables.trainings.iter().map(|load| (load.id.block(), load.tenant, load.runs_on)));
    found.extend(tables.finetunes.iter().map(|load| (load.id.block(), load.tenant, load.runs_on)));
    found.extend(tables.datapreps.iter().map(|load| (load.id.block(), load.tenant, load.runs_on)));
    let pools: BTreeSet<Id<Pool>> = cluster.pools.iter().copied().collect();
    let mut loads: Vec<Load> = found
        .into_iter()
        .filter(|(_, _, pool)| pools.contains(pool))
        .map(|(id, tenant, pool)| {
            let block = model.block(id);
            Load {
                id,
                kind: block.kind,
                component: block.kind.schema().word,
                name: block.name.to_string(),
                address: model.address(id),
                namespace: tenant.map_or(platform, |tenant| model.name(tenant)).to_string(),
                tenant,
                pool,
            }
        })
        .collect();
    loads.sort_by(|a, b| (&a.namespace, a.component, &a.name).cmp(&(&b.namespace, b.component, &b.name)));
    loads
}

/// The namespaces of a cluster: that of the platform, and one for each tenant that has a workload or nodes in it.
pub fn homes(
    model: &Model<'_>,
    cluster: &Cluster,
    platform: &str,
    loads: &[Load],
    problems: &mut Vec<Diagnostic>,
) -> BTreeMap<String, Home> {
    let dedicated = cluster.pools.iter().filter_map(|pool| model[*pool].tenant);
    let tenants: BTreeSet<Id<Tenant>> = loads.iter().filter_map(|load| load.tenant).chain(dedicated).collect();
    let mut homes = BTreeMap::new();
    let own = Home {
        name: platform.to_string(),
        tenant: None,
        folder: String::from("platform"),
        common: labels::common(model, None, problems),
    };
    homes.insert(own.name.clone(), own);
    for id in tenants {
        let name = model.name(id);
        if let Some(owner) = holder(name, platform) {
            problems.push(problems::reserved(model, id.block(), owner));
            continue;
        }
        let common = labels::common(model, Some(id), problems);
        let folder = format!("tenants/{name}");
        homes.insert(name.to_string(), Home { name: name.to_string(), tenant: Some(id), folder, common });
    }
    homes
}

/// The namespace of what stands between the outside and the workloads.
pub fn gateway(platform: &str) -> String {
    format!("{platform}-gateway")
}

/// Who has a namespace of this name already.
fn holder(name: &str, platform: &str) -> Option<&'static str> {
    match name {
        "default" => Some("Kubernetes"),
        MONITORING => Some("the monitoring"),
        name if name.starts_with("kube-") => Some("Kubernetes"),
        name if name == platform => Some("the platform"),
        name if name == gateway(platform) => Some("the gateway"),
        _ => None,
    }
}

/// Workloads whose objects would be one and the same.
pub fn collisions(model: &Model<'_>, loads: &[Load]) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<(&str, &str, &str), BlockId> = BTreeMap::new();
    let mut found = Vec::new();
    for load in loads {
        let object = match load.kind {
            Kind::Inference | Kind::Retrieval => "Service",
            Kind::Training | Kind::Finetune => "JobSet",
            _ => "Job",
        };
        match seen.get(&(load.namespace.as_str(), object, load.name.as_str())) {
            Some(other) => found.push(problems::name_taken(model, load.id, *other, object)),
            None => drop(seen.insert((&load.namespace, object, &load.name), load.id)),
        }
    }
    found
}

/// The priority class of a workload: what answers goes before what can wait, and tenants by their priority.
pub fn priority_class(model: &Model<'_>, load: &Load) -> String {
    let priority = load.tenant.map_or(Priority::Normal, |tenant| model[tenant].priority);
    format!("{}-{}", if load.ends() { "batch" } else { "serving" }, priority.word())
}
