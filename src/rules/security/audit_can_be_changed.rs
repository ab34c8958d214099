//! # An audit trail can be changed
//!
//! Who can change what is written about them can hide what they did. The storage of an audit trail keeps every record as
//! long as the trail is kept.
//!
//! ```aip
//! audit trail { to = storage.audit, retention = 2 years }
//! storage audit { }                       # wrong
//! storage audit { immutable = 2 years }   # right
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.15; BSI C5 OPS-12.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4015),
    levels: Levels::steps(&[(Stage::Pilot, Severity::Warning), (Stage::Production, Severity::Error)]),
    text: include_str!("audit_can_be_changed.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.audits.iter().filter_map(|audit| {
        let storage = &model[audit.to];
        let (trail, address) = (model.address(audit.id.block()), model.address(storage.id.block()));
        let message = match (storage.immutable, audit.retention) {
            (None, _) => format!("what `{trail}` writes to `{address}` can be changed"),
            (Some(kept), Some(wanted)) if kept < wanted => format!(
                "`{address}` keeps records unchanged for {}, `{trail}` is kept for {}",
                amount::time(kept.seconds()),
                amount::time(wanted.seconds())
            ),
            (Some(_), _) => return None,
        };
        let finding = Finding::on(model, audit.id.block(), "to", message);
        let finding = finding.see(model.place_of(storage.id, "immutable"), "the storage");
        let help = match audit.retention {
            Some(retention) => format!("set `{address}.immutable` to {} or more", amount::time(retention.seconds())),
            None => format!("set `{address}.immutable` and the `retention` of the trail"),
        };
        Some(finding.help(help))
    });
    judged.collect()
}
