//! Accounts, shares and qualities of service, from the tenants.

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::kinds::{Platform, Tenant};
use crate::model::words::Priority;

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
    /// The quality of service of its jobs.
    pub quality: &'static str,
}

/// A quality of service.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quality {
    /// Its name.
    pub name: &'static str,
    /// Its part of a job's priority, against those of the others.
    pub priority: u64,
}

/// Every quality of service that a tenant may have, whether it is used or not.
pub const QUALITIES: [Quality; 3] = [
    Quality { name: "low", priority: 0 },
    Quality { name: "normal", priority: 50 },
    Quality { name: "high", priority: 100 },
];

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
                share: tenant.share.map(|share| (share.fraction() * scale).round() as u64),
                gpus: tenant.gpu_quota,
                quality: match tenant.priority {
                    Priority::Low => "low",
                    Priority::Normal => "normal",
                    Priority::High => "high",
                },
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
        quality: "normal",
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
