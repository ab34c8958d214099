//! # Personal data are kept without an end
//!
//! ```aip
//! dataset patients { personal_data = true }                       # wrong
//! dataset patients { personal_data = true, retention = 3 years }  # right
//! ```
//!
//! Source: GDPR article 5 (1) e.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4013),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("no_retention.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let personal = model.tables.datasets.iter().filter(|dataset| dataset.personal_data == Some(true));
    personal
        .filter(|dataset| dataset.retention.is_none())
        .map(|dataset| {
            let message = format!("nothing says how long the personal data of `{}` are kept", model.address(dataset.id.block()));
            let finding = Finding::on(model, dataset.id.block(), "retention", message);
            finding.see(model.place_of(dataset.id, "personal_data"), "personal data").help("set `retention`")
        })
        .collect()
}
