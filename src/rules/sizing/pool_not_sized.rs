//! # The number of nodes of a pool is not known
//!
//! Nothing is bought, placed or configured for it, and what depends on it is not checked. When a person still has to decide
//! or a figure is missing it is a warning; a number that no scheduler takes is an error.
//!
//! ```aip
//! pool train { nodes = 100_000 }  # wrong
//! pool train { nodes = auto }     # right, when its workloads are known
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3022),
    levels: Levels::always(Severity::Error),
    text: include_str!("pool_not_sized.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.pools.iter().filter_map(|pool| {
        let why = context.unknown(pool.id.block(), "nodes")?;
        let message = format!("`{}` is not sized: {why}", model.address(pool.id.block()));
        let finding = Finding::on(model, pool.id.block(), "nodes", message);
        Some(match pool.nodes.given() {
            Some(_) => finding.help("split it into pools that a scheduler takes"),
            None => finding.softened().help("say what is missing, or write the number of nodes"),
        })
    });
    judged.collect()
}
