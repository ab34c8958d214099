//! # People log in and nobody vouches for them
//!
//! A flow asks for `oidc`, or a role names a group, and no `security` block names the identity system.
//!
//! ```aip
//! flow f { auth = oidc }
//! security s { identity = oidc("https://login.example.org") }  # right
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 5.16.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Auth;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4016),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("no_identity.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    if context.securities().iter().any(|security| security.identity.is_some()) {
        return Vec::new();
    }
    let flows = model.tables.flows.iter().filter(|flow| flow.auth == Some(Auth::Oidc));
    let flows = flows.map(|flow| (flow.id.block(), "auth"));
    let roles = model.tables.roles.iter().map(|role| (role.id.block(), "group"));
    // One finding is enough: the repair is in one place.
    let first = flows.chain(roles).next();
    first
        .map(|(block, attribute)| {
            let message = format!("`{}` needs an identity system, none is named", model.address(block));
            let help = "set `identity = oidc(\"https://…\")` in a `security` block";
            Finding::on(model, block, attribute, message).help(help)
        })
        .into_iter()
        .collect()
}
