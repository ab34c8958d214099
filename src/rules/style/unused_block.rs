//! # A block that nothing uses
//!
//! The block describes something that no workload, pool, storage or other block refers to. It is bought or configured
//! for nothing, or the reference to it has been forgotten. A tenant is an account or a namespace of every cluster, so it is
//! used where there is one.
//!
//! ```aip
//! rack spare { site = site.dc1 }  # no pool, fabric or storage stands in it
//! ```
//!
//! Remove it, or refer to it.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Kind;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;
use crate::rules::Rule;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(7001),
    levels: Levels::always(Severity::Warning),
    text: include_str!("unused_block.rs"),
    dated: false,
    check,
};

/// Kinds whose blocks are there to be referred to.
const REFERRED: &[Kind] = &[
    Kind::Model, Kind::Dataset, Kind::Site, Kind::Rack, Kind::Server, Kind::Gpu, Kind::Cpu, Kind::Disk, Kind::Nic,
    Kind::Switch, Kind::Optic, Kind::Appliance, Kind::Instance, Kind::Network, Kind::Storage, Kind::Key, Kind::Tenant,
];

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let blocks = REFERRED.iter().flat_map(|&kind| model.blocks_of(kind));
    let tenants_served = !model.tables.clusters.is_empty();
    let has_use = |id| (tenants_served && model.block(id).kind == Kind::Tenant) || !context.used_by(id).is_empty();
    let unused = blocks.filter(|&&id| !has_use(id));
    unused
        .map(|&id| {
            let message = format!("nothing uses `{}`", model.address(id));
            Finding::about(model, id, message).help("refer to it, or remove it")
        })
        .collect()
}
