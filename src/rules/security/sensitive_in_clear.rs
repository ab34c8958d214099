//! # Confidential or personal data lie on a storage that is not encrypted
//!
//! ```aip
//! dataset patients { personal_data = true, lives_on = storage.s }
//! storage s { encryption = none }                     # wrong
//! storage s { encryption = at-rest, key = key.disk }  # right
//! ```
//!
//! Source: GDPR article 32 (1) a; ISO/IEC 27001:2022 annex A 8.24; HIPAA 45 CFR 164.312 (a)(2)(iv).

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::DataClass;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;
use super::stored_in_clear::is_encrypted;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4003),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("sensitive_in_clear.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let sensitive = model.tables.datasets.iter().filter(|dataset| {
        dataset.personal_data == Some(true)
            || matches!(dataset.class, Some(DataClass::Confidential | DataClass::Restricted))
    });
    let copies = sensitive.flat_map(|dataset| {
        let copies = [("lives_on", dataset.lives_on), ("prefetch_to", dataset.prefetch_to)];
        copies.into_iter().filter_map(move |(attribute, storage)| Some((dataset, attribute, storage?)))
    });
    let clear = copies.filter(|(_, _, storage)| !is_encrypted(&model[*storage]));
    clear
        .map(|(dataset, attribute, storage)| {
            let what = match dataset.class {
                _ if dataset.personal_data == Some(true) => "holds personal data",
                Some(DataClass::Restricted) => "is restricted",
                Some(DataClass::Public | DataClass::Internal | DataClass::Confidential) | None => "is confidential",
            };
            let message = format!(
                "`{}` {what} and lies on `{}`, which is not encrypted at rest",
                model.address(dataset.id.block()),
                model.address(storage.block())
            );
            let finding = Finding::on(model, dataset.id.block(), attribute, message);
            let finding = finding.see(model.place_of(storage, "encryption"), "the storage");
            let address = model.address(storage.block());
            finding.help(format!("set `{address}.encryption = at-rest` and name a `key`"))
        })
        .collect()
}
