//! # A fabric connects nothing
//!
//! ```aip
//! fabric compute { connects = [] }            # wrong
//! fabric compute { connects = [pool.train] }  # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(7003),
    levels: Levels::always(Severity::Warning),
    text: include_str!("fabric_without_ends.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let empty = model.tables.fabrics.iter().filter(|fabric| fabric.connects.is_empty());
    empty
        .map(|fabric| {
            let message = format!("`{}` connects nothing", model.address(fabric.id.block()));
            let help = "name pools and storages in `connects`, or remove it";
            Finding::on(model, fabric.id.block(), "connects", message).help(help)
        })
        .collect()
}
