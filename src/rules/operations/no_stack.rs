//! # Driver and CUDA are not pinned
//!
//! Nodes that are installed on different days get different drivers, and what ran yesterday does not run on all of them.
//!
//! ```aip
//! stack pinned { driver = "580.95.05", cuda = "13.0" }
//! ```
//!
//! Source: planning practice; standard images belong to the pilot, and from scale-out on drift costs more than pinning.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8010),
    levels: Levels::steps(&[(Stage::ScaleOut, Severity::Warning)]),
    text: include_str!("no_stack.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(platform) = model.platform() else { return Vec::new() };
    let gpus = context.plan.pools.values().any(|pool| pool.node.gpus > 0);
    if !gpus || model.tables.stacks.iter().any(|stack| stack.driver.is_some()) {
        return Vec::new();
    }
    let message = format!("a platform at stage `{}` does not pin the GPU driver", context.stage);
    let finding = Finding::on(model, platform.id.block(), "stage", message);
    vec![finding.help("add a `stack` with `driver`, `cuda` and a `window` for changes")]
}
