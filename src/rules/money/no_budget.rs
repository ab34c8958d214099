//! # There is no budget
//!
//! Cost guardrails belong to hardening: somebody is told before the money is gone.
//!
//! ```aip
//! budget total { capex = 4 million EUR, opex = 2 million EUR/year, alert_at = [50%, 80%, 100%] }
//! ```
//!
//! Source: planning practice; FinOps guardrails come with the hardening stage.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5007),
    levels: Levels::steps(&[(Stage::Hardening, Severity::Warning)]),
    text: include_str!("no_budget.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(platform) = model.platform() else { return Vec::new() };
    if !model.tables.budgets.is_empty() || context.plan.bill.lines.is_empty() {
        return Vec::new();
    }
    let message = format!("a platform at stage `{}` has no `budget`", context.stage);
    let finding = Finding::on(model, platform.id.block(), "stage", message);
    vec![finding.help("add `budget` with `capex`, `opex` and `alert_at`")]
}
