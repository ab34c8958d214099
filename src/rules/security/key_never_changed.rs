//! # A key or secret is never changed
//!
//! What has leaked once stays leaked until it is changed.
//!
//! ```aip
//! key disk { from = vault("kv/disk") }                   # wrong
//! key disk { from = vault("kv/disk"), rotate = 1 year }  # right
//! ```
//!
//! Source: NIST SP 800-57 part 1, section 5.3; ISO/IEC 27001:2022 annex A 8.24.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4007),
    levels: Levels::steps(&[(Stage::Pilot, Severity::Warning)]),
    text: include_str!("key_never_changed.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let keys = model.tables.keys.iter().filter(|key| key.rotate.is_none()).map(|key| key.id.block());
    let secrets = model.tables.secrets.iter().filter(|one| one.rotate.is_none()).map(|one| one.id.block());
    keys.chain(secrets)
        .map(|block| {
            let message = format!("nothing says how often `{}` is changed", model.address(block));
            Finding::on(model, block, "rotate", message).help("set `rotate`, for example to 1 year")
        })
        .collect()
}
