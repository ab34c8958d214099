//! # Something is open to the internet without a guard
//!
//! Everybody may call it, or everybody on the way may read it.
//!
//! ```aip
//! flow users { from = internet, to = inference.chat, auth = none }                   # wrong
//! flow users { from = internet, to = inference.chat, auth = oidc, tls = required }   # right
//! ```
//!
//! Source: OWASP API Security Top 10, API2:2023; ISO/IEC 27001:2022 annex A 8.5 and 8.24.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::decode::Endpoint;
use crate::model::words::Auth;
use crate::model::words::Tls;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4009),
    levels: Levels::always(Severity::Error),
    text: include_str!("public_without_guard.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let public = model.tables.flows.iter().filter(|flow| flow.from == Endpoint::Internet);
    public.flat_map(|flow| {
        let address = model.address(flow.id.block());
        let anybody = matches!(flow.auth, None | Some(Auth::None)).then(|| {
            let message = format!("`{address}` lets anybody in from the internet");
            Finding::on(model, flow.id.block(), "auth", message).help("set `auth` to oidc, mtls or api-key")
        });
        let readable = (flow.tls != Some(Tls::Required)).then(|| {
            let message = format!("`{address}` from the internet is not wrapped in TLS");
            Finding::on(model, flow.id.block(), "tls", message).help("set `tls = required`")
        });
        anybody.into_iter().chain(readable)
    }).collect()
}
