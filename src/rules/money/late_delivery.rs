//! # Something comes after it is needed
//!
//! Ordered today, it arrives after the day that the platform or its pool must be ready. The longest lead time is the
//! critical path: nothing else can bring that day nearer.
//!
//! ```aip
//! platform p { needed_by = 2027-03-01 }
//! quote q { price catalog.server.dgx-h200 { lead_time = 14 weeks } }  # wrong on 2026-12-01: it comes on 2027-03-09
//! ```
//!
//! Needs `--as-of` or `platform.as_of`. Lines without a lead time are not judged.

use crate::base::code::Code;
use crate::base::date::Date;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::plan::bill::{Category, Line, delivery};
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(5010),
    levels: Levels::always(Severity::Warning),
    text: include_str!("late_delivery.rs"),
    dated: true,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let Some(today) = context.as_of else { return Vec::new() };
    // Spares come with what they are spares of.
    let lines = context.plan.bill.lines.iter().filter(|line| line.category != Category::Spare);
    let late = lines.filter_map(|line| {
        let (arrives, needed) = (delivery::arrives(line, today)?, line.needed_by?);
        (arrives > needed).then(|| finding(context, line, today, arrives, needed))
    });
    late.collect()
}

fn finding(context: &Context<'_>, line: &Line, today: Date, arrives: Date, needed: Date) -> Finding {
    let model = context.model();
    let days = u64::try_from(arrives.days() - needed.days()).unwrap_or_default();
    let what = phrase::excerpt(&line.description, 60);
    let message = format!("{what} comes on {arrives}, {} after it is needed", phrase::count(days, "day"));
    let finding = Finding::about(model, line.of, message).fact(format!("ordered on {today}, needed by {needed}"));
    let finding = match line.quote {
        Some(quote) => finding.fact(format!("lead time from `{}`", model.address(quote))),
        None => finding,
    };
    let help = match delivery::order_by(line) {
        Some(order) if order < today => format!("it had to be ordered by {order}: move `needed_by`, or ask another supplier"),
        Some(_) | None => String::from("move `needed_by`, or ask another supplier"),
    };
    finding.help(help)
}
