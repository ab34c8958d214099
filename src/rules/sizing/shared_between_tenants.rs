//! # Tenants take turns on a GPU
//!
//! Copies that take turns see each other's faults and compete for memory and time: nothing keeps tenants apart. MIG slices
//! have memory and arithmetic of their own.
//!
//! ```aip
//! pool p { gpu_shares = 4 }     # wrong for loads of two tenants
//! pool p { mig = "1g.10gb" }    # right
//! ```
//!
//! Source: documentation of NVIDIA's device plugin on time slicing: no isolation of memory and faults.

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::ids::Id;
use crate::model::kinds::{Inference, Tenant};
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3063),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("shared_between_tenants.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let shared = context.plan.pools.values().filter(|pool| model[pool.id].gpu_shares.is_some_and(|parts| parts > 1));
    let judged = shared.filter_map(|pool| {
        let served = pool.loads.iter().filter_map(|load| model.typed::<Inference>(*load));
        let tenants: BTreeSet<Option<Id<Tenant>>> = served.map(|inference| inference.tenant).collect();
        if tenants.len() < 2 {
            return None;
        }
        let names = tenants.iter().map(|tenant| match tenant {
            Some(tenant) => format!("`{}`", model.address(tenant.block())),
            None => String::from("loads without a tenant"),
        });
        let address = model.address(pool.id.block());
        let message = format!("{} take turns on the GPUs of `{address}`", phrase::together(names));
        let finding = Finding::on(model, pool.id.block(), "gpu_shares", message);
        Some(finding.help("cut the GPUs with `mig`, or give each tenant a pool"))
    });
    judged.collect()
}
