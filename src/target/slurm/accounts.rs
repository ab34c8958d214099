//! Accounts, shares and qualities of service, from the tenants.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Platform, Tenant};
use crate::model::words::{PreemptBy, Priority};
use crate::plan::formula::round::floor_units;

use super::{problems, quote};

/// One account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Account {
    /// The tenant.
    pub address: String,
    /// Its name.
    pub name: String,
    /// Title, owner and cost centre as people wrote them, for a comment.
    pub said: String,
    /// What may stand between the quotes of the file.
    pub description: String,
    /// Its fair-share weight.
    pub share: Option<u64>,
    /// The most GPUs at once.
    pub gpus: Option<u64>,
    /// The quality of service of its jobs; nothing where no tenant asks for one.
    pub quality: Option<&'static str>,
}

/// A quality of service.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quality {
    /// Its name.
    pub name: &'static str,
    /// Its part of a job's priority, against those of the others.
    pub priority: u64,
    /// The ones before it whose jobs give way to its own.
    pub preempts: Option<String>,
    /// Seconds that its jobs may go on after they were told to give way.
    pub grace: Option<u64>,
}

/// The qualities of service that tenants have; each after those it names. One that nobody has may be the site's own,
/// and stays as it is.
pub fn qualities(model: &Model<'_>, cluster: Id<Cluster>) -> Vec<Quality> {
    let preempts = model[cluster].preempt_by == PreemptBy::Tenant;
    let grace = grace(model, cluster).filter(|&grace| preempts && grace > 0);
    let used = |wanted: Priority| model.tables.tenants.iter().any(|tenant| tenant.priority == wanted);
    let mut qualities: Vec<Quality> = Vec::new();
    for (priority, weight) in [(Priority::Low, 0), (Priority::Normal, 50), (Priority::High, 100)] {
        if used(priority) {
            let below: Vec<&str> = qualities.iter().map(|quality| quality.name).collect();
            qualities.push(Quality {
                name: name(priority),
                priority: weight,
                preempts: (preempts && !below.is_empty()).then(|| below.join(",")),
                grace: grace.filter(|_| priority != Priority::High),
            });
        }
    }
    qualities
}

fn name(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Normal => "normal",
        Priority::High => "high",
    }
}

/// The longest grace of the cluster's partitions, in seconds: a quality of service has one for all of them.
pub fn grace(model: &Model<'_>, cluster: Id<Cluster>) -> Option<u64> {
    let graces = model[cluster].partition.iter().filter_map(|&partition| model[partition].grace);
    graces.map(|grace| floor_units(grace.seconds())).max()
}

/// The accounts, in source order; one for everybody where there are no tenants, because jobs need one.
pub fn of(model: &Model<'_>, found: &mut Vec<Diagnostic>) -> Vec<Account> {
    let tenants = &model.tables.tenants;
    if tenants.is_empty() {
        return model.platform().map(|platform| everybody(model, platform)).into_iter().collect();
    }
    let scale = scale(tenants);
    tenants
        .iter()
        .map(|tenant| {
            let name = model.name(tenant.id);
            if name == "root" {
                found.push(problems::reserved(model, tenant.id.block(), "an account"));
            }
            let title = tenant.title.as_deref().or(tenant.owner.as_deref()).unwrap_or(name);
            Account {
                address: model.address(tenant.id.block()),
                name: name.to_string(),
                said: said(tenant, name),
                description: quote::description(title).unwrap_or(name).to_string(),
                // A share of little is not one of nothing.
                share: tenant
                    .share
                    .map(|share| (share.fraction() * scale).round().max(f64::from(share.fraction() > 0.0)) as u64),
                gpus: tenant.gpu_quota,
                quality: Some(self::name(tenant.priority)),
            }
        })
        .collect()
}

fn everybody(model: &Model<'_>, platform: &Platform) -> Account {
    let name = model.name(platform.id);
    Account {
        address: model.address(platform.id.block()),
        name: name.to_string(),
        said: String::from("no tenants: one account for everybody"),
        description: name.to_string(),
        share: None,
        gpus: None,
        quality: None,
    }
}

/// Shares are whole numbers: percents where all of them are, else parts of a million.
fn scale(tenants: &[Tenant]) -> f64 {
    let mut percents = tenants.iter().filter_map(|tenant| tenant.share).map(|share| share.fraction() * 100.0);
    if percents.all(|percent| (percent - percent.round()).abs() < 1e-9) { 100.0 } else { 1_000_000.0 }
}

fn said(tenant: &Tenant, name: &str) -> String {
    let mut words = vec![tenant.title.as_deref().unwrap_or(name).to_string()];
    words.extend(tenant.owner.as_deref().map(|owner| format!("owner {owner}")));
    words.extend(tenant.cost_center.as_deref().map(|center| format!("cost centre {center}")));
    words.join(", ")
}
