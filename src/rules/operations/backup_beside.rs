//! # A backup lies beside what it is a copy of
//!
//! At the same site it is lost with the room. (On the same storage it is refused earlier, as a circle of sizes.)
//!
//! ```aip
//! backup b { of = [storage.fast], to = storage.beside }  # wrong
//! backup b { of = [storage.fast], to = storage.lake }    # right: at another site
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
    levels: Levels::always(Severity::Warning),
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
            if source.site == model[to].site {
                let message = format!(
                    "`{}` keeps the copy of `{}` at the same site, `{}`",
                    model.address(backup.id.block()),
                    model.address(source.id.block()),
                    model.address(source.site.block())
                );
                let finding = Finding::on(model, backup.id.block(), "to", message);
                let finding = finding.see(model.place_of(source.id, "site"), "what is copied");
                found.push(finding.help("keep a copy at another site, or at a place described with `external(…)`"));
            }
        }
    }
    found
}
