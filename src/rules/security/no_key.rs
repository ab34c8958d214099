//! # A storage is encrypted with no key of ours
//!
//! Encryption with a key that nobody manages protects against a lost disk and against nothing else: it cannot be withdrawn,
//! changed or audited.
//!
//! ```aip
//! storage s { encryption = at-rest }                  # wrong
//! storage s { encryption = at-rest, key = key.disk }  # right
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.24; BSI C5 CRY-04.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;
use super::stored_in_clear::is_encrypted;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4006),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("no_key.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let keyless = model.tables.storages.iter().filter(|storage| is_encrypted(storage) && storage.key.is_none());
    keyless
        .map(|storage| {
            let message = format!("`{}` is encrypted and names no key", model.address(storage.id.block()));
            Finding::on(model, storage.id.block(), "key", message)
                .see(model.place_of(storage.id, "encryption"), "encrypted")
                .help("add a `key` block with its place (`vault(…)`, `kms(…)`) and name it")
        })
        .collect()
}
