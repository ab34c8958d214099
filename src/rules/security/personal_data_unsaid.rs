//! # Nobody says whether a dataset is about people
//!
//! Under the GDPR that decides about retention, encryption and place, so it is said for every dataset. What is made only
//! from data without people is without people too.
//!
//! ```aip
//! dataset corpus { }                        # wrong
//! dataset corpus { personal_data = false }  # right
//! ```
//!
//! Source: GDPR article 30, the record of processing.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Dataset;
use crate::model::words::Framework;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4017),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Hardening, Severity::Warning)]),
    text: include_str!("personal_data_unsaid.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some((security, framework)) = context.asked_by(&[Framework::Gdpr, Framework::Hipaa]) else { return Vec::new() };
    let unsaid = model.tables.datasets.iter().filter(|dataset| dataset.personal_data.is_none());
    unsaid
        .filter(|dataset| !is_made_without(context, dataset))
        .map(|dataset| {
            let message = format!("`{}` does not say whether it holds personal data", model.address(dataset.id.block()));
            let finding = Finding::on(model, dataset.id.block(), "personal_data", message);
            let place = model.place_of(security.id, "frameworks");
            finding.see(place, format!("`{framework}` holds here")).help("set `personal_data = true` or `false`")
        })
        .collect()
}

/// True when everything it is made from says that it is without personal data.
fn is_made_without(context: &Context<'_>, dataset: &Dataset) -> bool {
    let model = context.model();
    dataset.made_by.is_some_and(|maker| {
        let reads = &model[maker].reads;
        !reads.is_empty() && reads.iter().all(|read| model[*read].personal_data == Some(false))
    })
}
