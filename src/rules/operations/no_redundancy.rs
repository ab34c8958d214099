//! # Data do not survive a lost disk
//!
//! Disks fail at one or two in a hundred a year; a storage of fifty loses one every year.
//!
//! ```aip
//! storage s { kind = local-nvme, redundancy = none }    # wrong for anything that cannot be made again
//! storage s { kind = local-nvme, redundancy = mirror }  # right
//! ```
//!
//! Source: published annual failure rates of large fleets, about 1.5%.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::decode::Redundancy;
use crate::model::words::Stage;
use crate::model::words::StorageKind;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8015),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Pilot, Severity::Warning), (Stage::Production, Severity::Error)]),
    text: include_str!("no_redundancy.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.storages.iter().filter_map(|storage| {
        let local = storage.kind == StorageKind::LocalNvme;
        let said_none = storage.redundancy == Some(Redundancy::None);
        let keeps = ["lives_on", "to", "on"].into_iter().any(|through| context.users(storage.id.block(), through).next().is_some());
        if !keeps || !(said_none || local && storage.redundancy.is_none()) {
            return None;
        }
        let message = format!("what lies on `{}` is lost with a disk", model.address(storage.id.block()));
        let finding = Finding::on(model, storage.id.block(), "redundancy", message);
        Some(finding.help("set `redundancy` to mirror or erasure(…), or keep only what can be made again"))
    });
    judged.collect()
}
