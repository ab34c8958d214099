//! # Devices find no place in their racks
//!
//! They are higher or heavier than a rack takes, there are too few racks, or nobody said how high they are.
//!
//! ```aip
//! rack gpu { count = 1 }     # wrong: ten nodes of 8 U
//! rack gpu { count = auto }  # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3042),
    levels: Levels::always(Severity::Error),
    text: include_str!("rack_misfit.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let misfits = context.plan.racks.iter().filter(|row| !row.misfits.is_empty());
    misfits
        .map(|row| {
            let count = phrase::count(row.misfits.len() as u64, "device");
            let message = format!("{count} of `{}` cannot be placed: {}", row.name, row.misfits[0]);
            let finding = match row.id {
                Some(id) => Finding::on(model, id.block(), "count", message),
                None => Finding::about(model, row.site.block(), message),
            };
            let finding = row.misfits.iter().skip(1).take(4).fold(finding, |finding, why| finding.fact(why.as_str()));
            finding.help("add racks (`count = auto`), take higher or stronger ones, or give the product its `height`")
        })
        .collect()
}
