//! # A fabric's switch speaks something else
//!
//! ```aip
//! fabric f { technology = ethernet, switch = catalog.switch.qm9700 }    # wrong: an InfiniBand switch
//! fabric f { technology = infiniband, switch = catalog.switch.qm9700 }  # right
//! ```
//!
//! Source: the switch's data sheet.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3105),
    levels: Levels::always(Severity::Error),
    text: include_str!("switch_technology.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.fabrics.iter().filter(|fabric| model[fabric.switch].technology != fabric.technology);
    judged
        .map(|fabric| {
            let speaks = model[fabric.switch].technology;
            let message = format!(
                "`{}` is {}, its switch `{}` is {speaks}",
                model.address(fabric.id.block()),
                fabric.technology,
                model.name(fabric.switch)
            );
            let finding = Finding::on(model, fabric.id.block(), "switch", message);
            let finding = finding.see(model.place_of(fabric.id, "technology"), "technology set here");
            finding.help(format!("set `technology = {speaks}`, or choose a switch that speaks {}", fabric.technology))
        })
        .collect()
}
