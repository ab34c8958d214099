//! # A framework asks for an audit trail and there is none
//!
//! ```aip
//! security s { frameworks = [iso27001] }           # wrong alone
//! audit trail { to = storage.audit, retention = 1 year }  # right
//! ```
//!
//! Source: ISO/IEC 27001:2022 annex A 8.15; BSI C5 OPS-10; SOC 2 CC7.2; HIPAA 45 CFR 164.312 (b); EU 2024/1689 article 12;
//! EU 2022/2555 article 21.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Framework;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4012),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Hardening, Severity::Error)]),
    text: include_str!("no_audit.rs"),
    dated: false,
    check,
};

/// Frameworks with a control on logging.
const ASKING: &[Framework] = &[
    Framework::Iso27001,
    Framework::BsiC5,
    Framework::EuAiAct,
    Framework::Nis2,
    Framework::Soc2,
    Framework::Hipaa,
];

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some((security, framework)) = context.asked_by(ASKING) else { return Vec::new() };
    if !model.tables.audits.is_empty() {
        return Vec::new();
    }
    let message = format!("`{framework}` asks for an audit trail, there is no `audit` block");
    let finding = Finding::on(model, security.id.block(), "frameworks", message);
    vec![finding.help("add `audit` with a storage that nobody can change (`immutable`)")]
}
