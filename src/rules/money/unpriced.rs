//! # Lines of the bill have no price
//!
//! The sums leave them out and are too low. Hardware prices are never assumed: they come from `quote` blocks.
//!
//! ```aip
//! quote vendor { price catalog.server.dgx-h100 { each = 300_000 EUR } }
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::words::Stage;
use crate::plan::bill::Line;
use crate::plan::bill::Priced;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5003),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::ScaleOut, Severity::Warning)]),
    text: include_str!("unpriced.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(platform) = model.platform() else { return Vec::new() };
    let lines = &context.plan.bill.lines;
    let unpriced: Vec<&Line> =
        lines.iter().filter(|line| matches!(line.each, Priced::Unknown | Priced::Tbd(_))).collect();
    if unpriced.is_empty() {
        return Vec::new();
    }
    let count = phrase::count(lines.len() as u64, "line");
    let message = format!("{} of {count} of the bill have no price", unpriced.len());
    let finding = Finding::on(model, platform.id.block(), "currency", message);
    let finding = unpriced.iter().take(SHOWN).fold(finding, |finding, line| {
        let address = model.address(line.of);
        let why = match &line.each {
            Priced::Tbd(why) => format!(": {why}"),
            Priced::Known(_) | Priced::Foreign(_) | Priced::Unknown => String::new(),
        };
        finding.fact(format!("{} for `{address}`{why}", line.description))
    });
    let finding = match unpriced.len().saturating_sub(SHOWN) {
        0 => finding,
        more => finding.fact(format!("and {}", phrase::count(more as u64, "other"))),
    };
    vec![finding.softened().help("add a `quote` with a `price` for each")]
}

/// Lines that are named.
const SHOWN: usize = 8;
