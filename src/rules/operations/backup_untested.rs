//! # A backup is never tried
//!
//! A backup that nobody has restored is a hope.
//!
//! ```aip
//! backup b { every = 1 day }                          # wrong
//! backup b { every = 1 day, test_every = 6 months }   # right
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.13; BSI C5 OPS-08.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8004),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Pilot, Severity::Warning), (Stage::Production, Severity::Error)]),
    text: include_str!("backup_untested.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let untested = model.tables.backups.iter().filter(|backup| backup.test_every.is_none());
    untested
        .map(|backup| {
            let message = format!("nobody tries to restore `{}`", model.address(backup.id.block()));
            Finding::on(model, backup.id.block(), "test_every", message).help("set `test_every`, for example to 6 months")
        })
        .collect()
}
