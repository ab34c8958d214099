//! # A tenant's quota is below its own workloads
//!
//! The scheduler holds the quota against everything that a tenant runs at once in a cluster: a training that needs more
//! GPUs never starts, and of services that need more some replicas never come up.
//!
//! ```aip
//! tenant research { gpu_quota = 32 }
//! training pretrain { tenant = tenant.research, gpus = 64 }   # wrong: waits for ever
//! training pretrain { tenant = tenant.research, gpus = 32 }   # right
//! ```
//!
//! Source: arithmetic; Slurm's `GrpTRES` of an account and the resource quota of a Kubernetes namespace.

use std::collections::BTreeMap;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Tenant};
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3064),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("quota_too_small.rs"),
    dated: false,
    check,
};

/// GPUs that run at once or not at all.
struct Need {
    gpus: u64,
    loads: Vec<BlockId>,
}

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut needs = jobs(context);
    for (tenant, service) in services(context) {
        needs.entry(tenant).or_default().push(service);
    }
    let judged = needs.into_iter().filter_map(|(tenant, needs)| {
        let quota = model[tenant].gpu_quota?;
        let most = needs.into_iter().max_by_key(|need| need.gpus).filter(|need| need.gpus > quota)?;
        let address = |block: &BlockId| format!("`{}`", model.address(*block));
        let message = format!(
            "{} at once for {}, {} may have {quota}",
            phrase::count(most.gpus, "GPU"),
            phrase::together(most.loads.iter().map(address)),
            address(&tenant.block()),
        );
        let finding = Finding::on(model, tenant.block(), "gpu_quota", message);
        Some(finding.help(format!("raise `gpu_quota` to {} or more, or let the workload use fewer GPUs", most.gpus)))
    });
    judged.collect()
}

/// Trainings and fine-tunings of tenants, each for itself.
fn jobs(context: &Context<'_>) -> BTreeMap<Id<Tenant>, Vec<Need>> {
    let model = context.model();
    let trainings = context.plan.trainings.values().map(|row| (model[row.id].tenant, row.gpus, row.id.block()));
    let finetunes = context.plan.finetunes.values().map(|row| (model[row.id].tenant, row.gpus, row.id.block()));
    let mut needs: BTreeMap<Id<Tenant>, Vec<Need>> = BTreeMap::new();
    for (tenant, gpus, load) in trainings.chain(finetunes) {
        if let Some(tenant) = tenant {
            needs.entry(tenant).or_default().push(Need { gpus, loads: vec![load] });
        }
    }
    needs
}

/// The fewest replicas of a tenant's services, together for each cluster. Parts of GPUs are counted otherwise.
fn services(context: &Context<'_>) -> Vec<(Id<Tenant>, Need)> {
    let model = context.model();
    let mut needs: BTreeMap<(Id<Tenant>, Id<Cluster>), Need> = BTreeMap::new();
    for row in context.plan.inferences.values() {
        let service = &model[row.id];
        let pool = &model[service.runs_on];
        let (Some(tenant), Some(replicas)) = (service.tenant, row.replicas) else { continue };
        if pool.mig.is_some() || pool.gpu_shares.is_some() {
            continue;
        }
        for &cluster in context.clusters(service.runs_on) {
            let need = needs.entry((tenant, cluster)).or_insert(Need { gpus: 0, loads: Vec::new() });
            need.gpus = need.gpus.saturating_add(row.gpus_per_replica.saturating_mul(replicas.low));
            need.loads.push(row.id.block());
        }
    }
    needs.into_iter().map(|((tenant, _), need)| (tenant, need)).collect()
}
