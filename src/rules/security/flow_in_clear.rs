//! # Traffic inside is not wrapped in TLS
//!
//! Whoever gets into the network reads what goes over it, passwords and prompts included.
//!
//! ```aip
//! flow f { from = network.staff, to = inference.chat, tls = off }       # wrong
//! flow f { from = network.staff, to = inference.chat, tls = required }  # right
//! ```
//!
//! Traffic from the internet is AIP4009.
//!
//! Source: ISO/IEC 27001:2022 annex A 8.24; BSI C5 CRY-02.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::decode::Endpoint;
use crate::model::words::Stage;
use crate::model::words::Tls;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4005),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("flow_in_clear.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let inside = model.tables.flows.iter().filter(|flow| flow.from != Endpoint::Internet);
    let clear = inside.filter(|flow| flow.tls != Some(Tls::Required));
    clear
        .map(|flow| {
            let said = flow.tls.map_or("not said", Tls::word);
            let message = format!("`{}` is not wrapped in TLS", model.address(flow.id.block()));
            let finding = Finding::on(model, flow.id.block(), "tls", message);
            finding.fact(format!("`tls` is {said}")).help("set `tls = required`")
        })
        .collect()
}
