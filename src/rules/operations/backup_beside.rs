//! # A backup lies beside what it is a copy of
//!
//! On the same storage it is lost with it. At the same site, which is a warning, it is lost with the room.
//!
//! ```aip
//! backup b { of = [storage.fast], to = storage.fast }  # wrong
//! backup b { of = [storage.fast], to = storage.lake }  # right: at another site
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.13; the rule of three copies, two media, one elsewhere.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::decode::Place;
use crate::model::kinds::Storage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8014),
    levels: Levels::always(Severity::Error),
    text: include_str!("backup_beside.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut found = Vec::new();
    for backup in &model.tables.backups {
        let Place::Inside(to) = backup.to else { continue };
        for source in backup.of.iter().filter_map(|of| model.typed::<Storage>(of.block)) {
            let address = model.address(backup.id.block());
            let of = model.address(source.id.block());
            if source.id == to {
                let message = format!("`{address}` copies `{of}` onto itself");
                let finding = Finding::on(model, backup.id.block(), "to", message);
                found.push(finding.help("name a storage at another site, or `external(…)`"));
            } else if source.site == model[to].site {
                let site = model.address(source.site.block());
                let message = format!("`{address}` keeps the copy of `{of}` at the same site, `{site}`");
                let finding = Finding::on(model, backup.id.block(), "to", message).softened();
                found.push(finding.help("keep a copy at another site"));
            }
        }
    }
    found
}
