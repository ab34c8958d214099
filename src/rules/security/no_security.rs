//! # The platform says nothing of its security
//!
//! From a pilot on, other people's data and credentials are on it. A `security` block says which frameworks hold, where data
//! may be, whether traffic may leave, and who vouches for people.
//!
//! ```aip
//! security baseline {
//!   frameworks = [gdpr, iso27001]
//!   residency  = [DE]
//!   egress     = deny
//!   identity   = oidc("https://login.example.org")
//! }
//! ```
//!
//! Source: planning practice; security belongs to the design from the start and not to its end.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4001),
    levels: Levels::steps(&[(Stage::Pilot, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("no_security.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(platform) = model.platform() else { return Vec::new() };
    if !context.securities().is_empty() {
        return Vec::new();
    }
    let message = format!("a platform at stage `{}` has no `security` block", context.stage);
    let finding = Finding::on(model, platform.id.block(), "stage", message);
    vec![finding.help("add `security` with frameworks, residency, egress and identity")]
}
