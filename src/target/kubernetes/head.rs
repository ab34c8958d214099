//! What the objects of one workload have in common.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::kinds::{Cluster, Secret};

use super::labels::{Common, Pair};
use super::load::{self, Load};
use super::placement::{self, Toleration};
use super::problems;
use super::traffic::{Policy, Rule, Traffic};

/// Names, labels, place and network of one workload.
#[derive(Debug, Clone, Serialize)]
pub struct Head {
    /// Its address.
    pub address: String,
    /// Its name.
    pub name: String,
    /// The name of objects beside the main one.
    pub support: String,
    /// Its namespace.
    pub namespace: String,
    /// Labels of every object.
    pub labels: Vec<Pair>,
    /// Annotations of every object.
    pub annotations: Vec<Pair>,
    /// What selects its pods.
    pub selector: Vec<Pair>,
    /// Who goes first.
    pub priority_class: String,
    /// Labels of its nodes.
    pub nodes: Vec<Pair>,
    /// Taints of its nodes.
    pub tolerations: Vec<Toleration>,
    /// Secrets that its pods see as files.
    pub secrets: Vec<String>,
    /// Who may come in.
    pub ingress: Vec<Rule>,
    /// Where it may go.
    pub egress: Vec<Rule>,
}

/// What every workload of a cluster is written from.
pub struct Around<'p> {
    /// The model.
    pub model: &'p Model<'p>,
    /// The cluster.
    pub cluster: &'p Cluster,
    /// The platform's name.
    pub platform: &'p str,
    /// The flows.
    pub traffic: Traffic<'p>,
}

impl Around<'_> {
    /// The common part of a workload, and what its network policy says of ports.
    pub fn head(&self, load: &Load, common: &Common, gpu: bool, problems: &mut Vec<Diagnostic>) -> (Head, Policy) {
        let policy = self.traffic.policy(load, problems);
        if let Some(owner) = self.model[load.pool].tenant.filter(|owner| load.tenant != Some(*owner)) {
            let what = format!("a place on the nodes of `{}` alone", self.model.address(owner.block()));
            let help = "give the workload that tenant, or another pool";
            problems.push(problems::not_written(self.model, load.id, "runs_on", &what, help));
        }
        let head = Head {
            address: load.address.clone(),
            name: load.name.clone(),
            support: load.support(),
            namespace: load.namespace.clone(),
            labels: own_labels(&load.name, load.component, self.platform, common),
            annotations: common.annotations.clone(),
            selector: load.selector(),
            priority_class: load::priority_class(self.model, load),
            nodes: placement::selector(self.model, load),
            tolerations: placement::tolerations(self.model, self.cluster, load, gpu),
            secrets: self.secrets(load).map(|secret| self.model.name(secret.id).to_string()).collect(),
            ingress: policy.ingress.clone(),
            egress: policy.egress.clone(),
        };
        (head, policy)
    }

    /// The secrets that a workload may read.
    pub fn secrets<'s>(&'s self, load: &'s Load) -> impl Iterator<Item = &'s Secret> {
        let reads = |secret: &&Secret| secret.used_by.iter().any(|user| user.block == load.id);
        self.model.tables.secrets.iter().filter(reads)
    }
}

/// The recommended labels and those of the namespace.
pub fn own_labels(name: &str, component: &str, platform: &str, common: &Common) -> Vec<Pair> {
    let recommended = [
        ("app.kubernetes.io/name", name),
        ("app.kubernetes.io/instance", name),
        ("app.kubernetes.io/component", component),
        ("app.kubernetes.io/part-of", platform),
        ("app.kubernetes.io/managed-by", "aipc"),
    ];
    let own = recommended.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string()));
    own.chain(common.labels.iter().cloned()).collect()
}
