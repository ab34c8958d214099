//! # A line between sites is not encrypted
//!
//! What runs between two sites runs through other people's cables.
//!
//! ```aip
//! link l { from = site.a, to = site.b }                           # wrong
//! link l { from = site.a, to = site.b, encryption = in-transit }  # right
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.24; BSI C5 CRY-02.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Encryption;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4004),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("link_in_clear.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let clear = model.tables.links.iter().filter(|link| match link.encryption {
        Some(Encryption::InTransit | Encryption::Both) => false,
        Some(Encryption::None | Encryption::AtRest) | None => true,
    });
    clear
        .map(|link| {
            let message = format!(
                "the line `{}` from `{}` to `{}` is not encrypted",
                model.address(link.id.block()),
                model.address(link.from.block()),
                model.address(link.to.block())
            );
            Finding::on(model, link.id.block(), "encryption", message).help("set `encryption = in-transit`")
        })
        .collect()
}
