//! The bundle of one namespace: who it is of, what it may take, who may do what in it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::kinds::Role;

use super::head::own_labels;
use super::labels::Pair;
use super::load::Home;
use super::placement::Resources;
use super::problems;

/// Everything that the template of a namespace shows.
#[derive(Debug, Clone, Serialize)]
pub struct Namespace {
    /// The address of whom it is of.
    pub address: String,
    /// Its name.
    pub name: String,
    /// Labels of what is in it.
    pub labels: Vec<Pair>,
    /// Annotations of what is in it.
    pub annotations: Vec<Pair>,
    /// What Pod Security is pinned to.
    pub pinned: String,
    /// The most that may be asked for, by resource.
    pub quota: Vec<Pair>,
    /// Groups of people.
    pub roles: Vec<Access>,
}

/// A group of people and what it may do.
#[derive(Debug, Clone, Serialize)]
pub struct Access {
    /// The block's address.
    pub address: String,
    /// The block's name.
    pub name: String,
    /// The group in the identity system.
    pub group: String,
    /// What it may do.
    pub grants: Vec<&'static Grant>,
}

/// Verbs on resources of a group of the API.
#[derive(Debug, Serialize)]
pub struct Grant {
    /// The group.
    pub group: &'static str,
    /// The resources.
    pub resources: &'static [&'static str],
    /// What may be done.
    pub verbs: &'static [&'static str],
}

const LOOK: &[&str] = &["get", "list", "watch"];
const CHANGE: &[&str] = &["create", "delete", "patch", "update"];

/// Nobody reads secrets, and nobody changes quotas, policies or rights through these.
const VIEW: &[Grant] = &[
    Grant {
        group: "",
        resources: &["events", "persistentvolumeclaims", "pods", "pods/log", "resourcequotas", "services"],
        verbs: LOOK,
    },
    Grant { group: "apps", resources: &["deployments", "replicasets", "statefulsets"], verbs: LOOK },
    Grant { group: "autoscaling", resources: &["horizontalpodautoscalers"], verbs: LOOK },
    Grant { group: "batch", resources: &["cronjobs", "jobs"], verbs: LOOK },
    Grant { group: "jobset.x-k8s.io", resources: &["jobsets"], verbs: LOOK },
    Grant { group: "leaderworkerset.x-k8s.io", resources: &["leaderworkersets"], verbs: LOOK },
];
const RUN: &[Grant] = &[
    Grant { group: "batch", resources: &["jobs"], verbs: CHANGE },
    Grant { group: "jobset.x-k8s.io", resources: &["jobsets"], verbs: CHANGE },
];
const DEPLOY: &[Grant] = &[
    Grant { group: "", resources: &["configmaps", "persistentvolumeclaims", "services"], verbs: CHANGE },
    Grant { group: "apps", resources: &["deployments", "statefulsets"], verbs: CHANGE },
    Grant { group: "autoscaling", resources: &["horizontalpodautoscalers"], verbs: CHANGE },
    Grant { group: "leaderworkerset.x-k8s.io", resources: &["leaderworkersets"], verbs: CHANGE },
];

/// The rights behind a word of `may`; each word has those of the words before it.
fn grants(word: &str) -> Option<Vec<&'static Grant>> {
    match word {
        "view" | "read" => Some(VIEW.iter().collect()),
        "run" | "submit" => Some(VIEW.iter().chain(RUN).collect()),
        "deploy" | "admin" => Some(VIEW.iter().chain(RUN).chain(DEPLOY).collect()),
        _ => None,
    }
}

/// What the workloads of a namespace ask for at most.
#[derive(Debug, Clone, Default)]
pub struct Usage {
    cpu: u64,
    memory: u64,
    /// By resource: how many, and parts of a GPU.
    gpus: BTreeMap<String, (u64, u64)>,
}

impl Usage {
    /// Adds pods.
    pub fn add(&mut self, pods: u64, each: &Resources) {
        self.cpu = self.cpu.saturating_add(pods.saturating_mul(each.cpu));
        self.memory = self.memory.saturating_add(pods.saturating_mul(each.memory));
        if each.gpus > 0 {
            let (gpus, parts) = self.gpus.entry(each.gpu.clone()).or_default();
            *gpus = gpus.saturating_add(pods.saturating_mul(each.gpus));
            *parts = each.parts.max(1);
        }
    }
}

/// The view of a namespace.
pub fn view(
    model: &Model<'_>,
    home: &Home,
    platform: &str,
    pinned: &str,
    usage: &Usage,
    problems: &mut Vec<Diagnostic>,
) -> Namespace {
    let address = match home.tenant {
        Some(tenant) => model.address(tenant.block()),
        None => model.platform().map_or_else(String::new, |platform| model.address(platform.id.block())),
    };
    Namespace {
        address,
        name: home.name.clone(),
        labels: own_labels(
            &home.name,
            if home.tenant.is_some() { "tenant" } else { "platform" },
            platform,
            &home.common,
        ),
        annotations: home.common.annotations.clone(),
        pinned: pinned.to_string(),
        quota: quota(model, home, usage),
        roles: model.tables.roles.iter().filter_map(|role| access(model, home, role, problems)).collect(),
    }
}

fn quota(model: &Model<'_>, home: &Home, usage: &Usage) -> Vec<Pair> {
    let mut quota: BTreeMap<String, String> = BTreeMap::new();
    let mut put = |key: String, value: String| drop(quota.insert(key, value));
    put(String::from("services.loadbalancers"), String::from("0"));
    put(String::from("services.nodeports"), String::from("0"));
    put(String::from("requests.cpu"), usage.cpu.to_string());
    put(String::from("requests.memory"), format!("{}Gi", usage.memory));
    put(String::from("limits.memory"), format!("{}Gi", usage.memory));
    put(String::from("requests.nvidia.com/gpu"), String::from("0"));
    for (resource, (gpus, _)) in &usage.gpus {
        put(format!("requests.{resource}"), gpus.to_string());
    }
    if let Some(most) = home.tenant.and_then(|tenant| model[tenant].gpu_quota) {
        let first = usage.gpus.first_key_value();
        let (resource, parts) = first.map_or(("nvidia.com/gpu", 1), |(name, (_, parts))| (name.as_str(), *parts));
        put(format!("requests.{resource}"), most.saturating_mul(parts).to_string());
    }
    quota.into_iter().collect()
}

fn access(model: &Model<'_>, home: &Home, role: &Role, problems: &mut Vec<Diagnostic>) -> Option<Access> {
    if role.tenant != home.tenant {
        return None;
    }
    let mut all: Vec<&'static Grant> = Vec::new();
    for word in &role.may {
        match grants(word) {
            // The longest list has all shorter ones in it.
            Some(more) if more.len() > all.len() => all = more,
            Some(_) => {}
            None => {
                let what = format!("`{}`", crate::base::phrase::excerpt(word, 40));
                let help = "`view`, `run` and `deploy` are known; write another right by hand";
                problems.push(problems::not_written(model, role.id.block(), "may", &what, help));
            }
        }
    }
    (!all.is_empty()).then(|| Access {
        address: model.address(role.id.block()),
        name: model.name(role.id).to_string(),
        group: role.group.to_string(),
        grants: all,
    })
}
