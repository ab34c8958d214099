//! # A new model reaches all users at once
//!
//! In production a new model goes to a few users first, or beside the old one, so that a bad one can be taken back.
//!
//! ```aip
//! inference i { rollout { strategy = canary, steps = [10%, 50%, 100%] } }
//! ```
//!
//! Source: planning practice; canary or blue-green belongs to the production stage.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8013),
    levels: Levels::steps(&[(Stage::Production, Severity::Warning)]),
    text: include_str!("no_rollout.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let without = model.tables.inferences.iter().filter(|inference| inference.rollout.is_empty());
    without
        .map(|inference| {
            let message = format!("nothing says how a new model of `{}` reaches its users", model.address(inference.id.block()));
            let help = "add `rollout` with a `strategy`: canary, blue-green or rolling";
            Finding::about(model, inference.id.block(), message).help(help)
        })
        .collect()
}
