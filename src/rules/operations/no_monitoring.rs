//! # Nothing is watched
//!
//! From a pilot on somebody relies on the platform. Without metrics nobody sees that a GPU is gone, a queue is full or a
//! model got slow.
//!
//! ```aip
//! monitoring basics { metrics = prometheus, retention = 30 days }
//! ```
//!
//! Source: planning practice; first monitoring comes with the pilot stage.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8002),
    levels: Levels::steps(&[(Stage::Pilot, Severity::Warning), (Stage::Production, Severity::Error)]),
    text: include_str!("no_monitoring.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(platform) = model.platform() else { return Vec::new() };
    if context.loads.is_empty() || model.tables.monitorings.iter().any(|one| one.metrics.is_some()) {
        return Vec::new();
    }
    let message = format!("a platform at stage `{}` has no `monitoring` with metrics", context.stage);
    let finding = Finding::on(model, platform.id.block(), "stage", message);
    vec![finding.help("add `monitoring` with `metrics`, `logs` and a `retention`")]
}
