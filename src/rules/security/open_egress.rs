//! # Traffic may leave although data may not
//!
//! `residency` says where data may be, and nothing stops a program from sending them elsewhere.
//!
//! ```aip
//! security s { residency = [DE], egress = allow }  # wrong
//! security s { residency = [DE], egress = deny }   # right: what must leave has a `flow`
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.12 and 8.22.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Egress;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4014),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("open_egress.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let bound = context.securities().iter().filter(|security| !security.residency.is_empty() || security.air_gap);
    bound
        .filter_map(|security| {
            let address = model.address(security.id.block());
            let attribute = if security.air_gap { "air_gap" } else { "residency" };
            let (message, sure) = match security.egress {
                Some(Egress::Deny) => return None,
                Some(Egress::Allow) => (format!("`{address}` limits where data may be and lets traffic leave"), true),
                None => (format!("`{address}` limits where data may be and does not say whether traffic may leave"), false),
            };
            let finding = Finding::on(model, security.id.block(), "egress", message);
            let finding = finding.see(model.place_of(security.id, attribute), "limit set here");
            let finding = finding.help("set `egress = deny` and declare what must leave as a `flow`");
            Some(if sure { finding } else { finding.softened() })
        })
        .collect()
}
