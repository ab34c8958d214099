//! The package's own assertions: `check` and `rule`.

use std::sync::Arc;

use crate::base::code::codes;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::span::Span;
use crate::model::effort::Effort;
use crate::model::eval::{Eval, Scope};
use crate::model::ids::BlockId;
use crate::model::kinds::{Check, Kinded, Rule};
use crate::model::problems::{NULL_MISUSED, wrong_type};
use crate::model::value::Value;
use crate::model::words::Level;
use crate::plan::reader::Reader;
use crate::syntax::ast::{Expr, ExprKind};

use super::context::Context;
use super::finding::Finding;

codes! {
    /// # A check of the package does not hold
    ///
    /// A `check` or `rule` block asserts something that is false; its message says what. `level` decides how bad that
    /// is.
    BROKEN_CHECK = 7080;
    /// # A check of the package is not decided
    ///
    /// What it asserts depends on something that is `tbd` or that could not be computed.
    UNDECIDED_CHECK = 7081;
}

/// An assertion with the names it may use.
struct Assertion<'p> {
    effort: &'p Effort,
    block: BlockId,
    level: Level,
    assert: &'p Expr,
    message: &'p Expr,
    names: Vec<(Arc<str>, Value)>,
}

/// Evaluates all of them over the plan.
pub(super) fn check(context: &Context<'_>) -> Vec<(Finding, Diagnostic)> {
    let model = context.model();
    let effort = Effort::of(model.sources);
    let mut found = Vec::new();
    for check in &model.tables.checks {
        let bindings = model.block(check.id.block()).bindings.to_vec();
        let one = assertion::<Check>(context, &effort, check.id.block(), check.level, bindings);
        found.extend(one.map(|one| judge(context, &one)));
    }
    for rule in &model.tables.rules {
        for names in loops(context, &effort, rule.id.block(), &mut found) {
            let one = assertion::<Rule>(context, &effort, rule.id.block(), rule.level, names);
            found.extend(one.map(|one| judge(context, &one)));
        }
    }
    found.into_iter().flatten().collect()
}

type Found = Vec<(Finding, Diagnostic)>;

/// The names of each round of a rule's loop; one round without a loop.
fn loops(
    context: &Context<'_>,
    effort: &Effort,
    block: BlockId,
    found: &mut Vec<Found>,
) -> Vec<Vec<(Arc<str>, Value)>> {
    let model = context.model();
    let Some(repeat) = model.block(block).repeat else { return vec![Vec::new()] };
    let mut reader = Reader::new(context.plan, effort);
    let items = Eval::new(model.sources, &mut reader).iterated(&repeat.list, &Scope::new(&[]));
    found.push(problems(context, block, &mut reader));
    let name: Arc<str> = Arc::from(&model.sources[repeat.variable]);
    items.unwrap_or_default().into_iter().map(|item| vec![(Arc::clone(&name), item)]).collect()
}

fn assertion<'p, K: Kinded>(
    context: &Context<'p>,
    effort: &'p Effort,
    block: BlockId,
    level: Level,
    names: Vec<(Arc<str>, Value)>,
) -> Option<Assertion<'p>> {
    let body = context.model().block(block);
    let expr = |name: &str| {
        let (position, _) = K::KIND.schema().attribute(name)?;
        body.slot(position)?.expr
    };
    Some(Assertion { effort, block, level, assert: expr("assert")?, message: expr("message")?, names })
}

fn judge(context: &Context<'_>, one: &Assertion<'_>) -> Found {
    let model = context.model();
    let scope = Scope::new(&one.names);
    let mut reader = Reader::new(context.plan, one.effort);
    let held = Eval::new(model.sources, &mut reader).condition(one.assert, &scope);
    let mut found = problems(context, one.block, &mut reader);
    let severity = match one.level {
        Level::Note => Severity::Note,
        Level::Warning => Severity::Warning,
        Level::Error => Severity::Error,
    };
    match held {
        Ok(true) => found.extend(mistakes_of_message(context, one, &scope)),
        Err(Value::Poison) => {}
        Ok(false) => {
            found.extend(mistakes_of_message(context, one, &scope));
            let text = message(context, one, &scope);
            let values = operands(context, one, &scope);
            let mut finding = place(context, one, Finding::on(model, one.block, "assert", text));
            for value in values {
                finding = finding.fact(value);
            }
            found.push(finding.graded(BROKEN_CHECK, severity));
        }
        Err(open) => {
            let why = match &open {
                Value::Tbd(why) => format!("it depends on something that is still open: {why}"),
                _ => String::from("it depends on a figure that could not be computed"),
            };
            let text = format!("`{}` is not decided", model.address(one.block));
            let finding = place(context, one, Finding::on(model, one.block, "assert", text)).help(why);
            found.push(finding.graded(UNDECIDED_CHECK, Severity::Warning));
        }
    }
    found
}

/// In a rule over blocks, the block it found is the place to edit.
fn place(context: &Context<'_>, one: &Assertion<'_>, finding: Finding) -> Finding {
    match one.names.last() {
        Some((_, Value::Block(id))) => finding.see(context.model().block(*id).place, "here"),
        _ => finding,
    }
}

fn message(context: &Context<'_>, one: &Assertion<'_>, scope: &Scope<'_>) -> String {
    let mut reader = Reader::new(context.plan, one.effort);
    match Eval::new(context.model().sources, &mut reader).value(one.message, scope) {
        Value::Text(text) => text.to_string(),
        _ => format!("`{}` does not hold", context.model().address(one.block)),
    }
}

/// What is wrong with the message, also while nobody has to read it. That a value is absent is what the assertion may
/// be about.
fn mistakes_of_message(context: &Context<'_>, one: &Assertion<'_>, scope: &Scope<'_>) -> Found {
    let mut reader = Reader::new(context.plan, one.effort);
    let text = Eval::new(context.model().sources, &mut reader).value(one.message, scope);
    let found = problems(context, one.block, &mut reader);
    match text {
        Value::Text(_) => found,
        Value::Poison => found.into_iter().filter(|(_, problem)| problem.code != NULL_MISUSED).collect(),
        other => {
            let wrong = wrong_type("a message", "a string", other.form(), one.message.span);
            vec![(Finding::about(context.model(), one.block, "message"), wrong)]
        }
    }
}

/// The values of what the assertion compares, so that a reader sees why it is false.
fn operands(context: &Context<'_>, one: &Assertion<'_>, scope: &Scope<'_>) -> Vec<String> {
    let model = context.model();
    let mut paths: Vec<&Expr> = Vec::new();
    collect_paths(one.assert, &mut paths);
    let mut lines: Vec<String> = Vec::new();
    for path in paths {
        let mut reader = Reader::new(context.plan, one.effort);
        let value = Eval::new(model.sources, &mut reader).value(path, scope);
        let written = &model.sources[path.span];
        match value {
            Value::Word(_) | Value::Poison => {}
            Value::Null => lines.push(format!("`{written}` is not written")),
            known => lines.push(format!("`{written}` is {}", model.show(&known))),
        }
    }
    lines.dedup();
    lines
}

fn collect_paths<'e>(expr: &'e Expr, paths: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Path(_) => paths.push(expr),
        ExprKind::Unary(_, operand) => collect_paths(operand, paths),
        ExprKind::Binary(_, _, operands) => {
            collect_paths(&operands.0, paths);
            collect_paths(&operands.1, paths);
        }
        ExprKind::Conditional(parts) => {
            collect_paths(&parts.0, paths);
            collect_paths(&parts.1, paths);
            collect_paths(&parts.2, paths);
        }
        ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::Auto
        | ExprKind::Tbd(_)
        | ExprKind::Number(_)
        | ExprKind::Range(_)
        | ExprKind::Ratio(..)
        | ExprKind::Date
        | ExprKind::Text(_)
        | ExprKind::List(_)
        | ExprKind::Comprehension(_)
        | ExprKind::Map(_)
        | ExprKind::Call(..) => {}
    }
}

/// Mistakes in the assertion itself.
fn problems(context: &Context<'_>, block: BlockId, reader: &mut Reader<'_>) -> Found {
    let wrong = reader.take_problems();
    let as_found = |diagnostic: Diagnostic| (Finding::about(context.model(), block, ""), diagnostic);
    wrong.into_iter().filter(|problem| problem.primary() != Span::DETACHED).map(as_found).collect()
}
