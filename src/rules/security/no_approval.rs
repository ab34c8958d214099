//! # Nobody approves a new model before users get it
//!
//! The AI Act wants people to oversee what a system does. A roll-out without a name says that nobody does.
//!
//! ```aip
//! rollout { strategy = canary }                                       # wrong
//! rollout { strategy = canary, approval = "product@example.org" }     # right
//! ```
//!
//! Source: EU 2024/1689 article 14.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Framework;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4018),
    levels: Levels::steps(&[(Stage::ScaleOut, Severity::Warning)]),
    text: include_str!("no_approval.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some((security, _)) = context.asked_by(&[Framework::EuAiAct]) else { return Vec::new() };
    let open = model.tables.inferences.iter().filter(|inference| {
        inference.rollout.first().is_none_or(|rollout| model[*rollout].approval.is_none())
    });
    open.map(|inference| {
        let message = format!("nobody approves a new model of `{}`", model.address(inference.id.block()));
        let place = inference.rollout.first().map_or(inference.id.block(), |rollout| rollout.block());
        let finding = Finding::about(model, place, message);
        let finding = finding.see(model.place_of(security.id, "frameworks"), "`eu-ai-act` holds here");
        finding.help("add `rollout { strategy = …, approval = \"…\" }`")
    })
    .collect()
}
