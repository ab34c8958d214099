//! # A hot storage has no backup
//!
//! Hot storage is built for speed. What is only there is gone with a failed controller, a wrong command or a fire.
//!
//! ```aip
//! backup nightly { of = [storage.fast], to = storage.lake, every = 1 day }
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.13.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Kind;
use crate::model::words::Stage;
use crate::model::words::Tier;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8003),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Pilot, Severity::Warning)]),
    text: include_str!("no_backup.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let hot = model.tables.storages.iter().filter(|storage| storage.tier == Tier::Hot);
    let without = hot.filter(|storage| {
        let id = storage.id.block();
        let keeps = ["lives_on", "to", "on"].into_iter().any(|through| context.users(id, through).next().is_some());
        keeps && context.users_of(id, Kind::Backup, "of").next().is_none()
    });
    without
        .map(|storage| {
            let message = format!("nothing backs up `{}`", model.address(storage.id.block()));
            let help = "add a `backup` to another site, or waive this when all of it can be made again";
            Finding::about(model, storage.id.block(), message).help(help)
        })
        .collect()
}
