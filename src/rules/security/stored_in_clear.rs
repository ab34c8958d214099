//! # A storage is not encrypted at rest
//!
//! A disk that leaves the room, for repair or for good, takes its data along.
//!
//! ```aip
//! storage s { }                                      # wrong
//! storage s { encryption = at-rest, key = key.disk } # right
//! ```
//!
//! Storage with confidential or personal data on it is AIP4003.
//!
//! Source: ISO/IEC 27001:2022 annex A 8.24; BSI C5 CRY-03.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Storage;
use crate::model::words::Encryption;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4002),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("stored_in_clear.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let clear = model.tables.storages.iter().filter(|storage| !is_encrypted(storage));
    let plain = clear.filter(|storage| !context.is_sensitive(storage.id));
    plain
        .map(|storage| {
            let message = format!("`{}` is not encrypted at rest", model.address(storage.id.block()));
            let help = "set `encryption = at-rest` and name a `key`";
            Finding::on(model, storage.id.block(), "encryption", message).help(help)
        })
        .collect()
}

/// True when what is stored is encrypted.
pub(in crate::rules) fn is_encrypted(storage: &Storage) -> bool {
    match storage.encryption {
        Some(Encryption::AtRest | Encryption::Both) => true,
        Some(Encryption::None | Encryption::InTransit) | None => false,
    }
}
