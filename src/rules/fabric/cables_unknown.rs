//! # Cables of a fabric have no product
//!
//! Nothing in the catalogue and the package fits both ends at this speed and length, or an end is not known well enough to say.
//! They are counted and stay without a part; a wrong part is worse than none.
//!
//! ```aip
//! server box { storage_ports = 2, storage_speed = 200 Gbps }                                   # no connector
//! server box { storage_ports = 2, storage_speed = 200 Gbps, storage_connector = "QSFP112" }  # right
//! ```
//!
//! Source: the port map, and the catalogue's optics.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3112),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Production, Severity::Warning)]),
    text: include_str!("cables_unknown.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.cabling.fabrics.iter().filter(|(_, sums)| sums.unknown > 0).map(|(id, sums)| {
        let message = format!(
            "{} of {} of `{}` have no product",
            sums.unknown,
            phrase::count(sums.total, "cable"),
            model.address(id.block())
        );
        let finding = Finding::on(model, id.block(), "connects", message);
        let finding = sums.open.iter().fold(finding, |finding, (why, count)| finding.fact(format!("{count}: {why}")));
        finding.help("say what is missing, or describe a fitting `optic` in the package")
    });
    judged.collect()
}
