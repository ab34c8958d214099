//! # Capacity is planned so full that requests queue
//!
//! Requests come when they come, not evenly. The time they wait grows without bound as the utilisation nears one: at 90 % a
//! request waits about as long as nine others take, and the promised time to the first token is missed at every small peak.
//!
//! ```aip
//! demand { utilisation = 95% }  # wrong
//! demand { utilisation = 75% }  # right
//! ```
//!
//! Source: queueing theory (Kingman 1961); practice plans with 70 to 80 %.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3026),
    levels: Levels::always(Severity::Warning),
    text: include_str!("no_room_for_queues.rs"),
    dated: false,
    check,
};

/// The most that is planned with.
const FULL: f64 = 0.80;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let full = model.tables.demands.iter().filter(|demand| round::exceeds(demand.utilisation.fraction(), FULL));
    full.map(|demand| {
        let message = format!(
            "`{}` plans to use {} of the capacity at the peak, which leaves no room for queues",
            model.address(demand.id.block()),
            amount::share(demand.utilisation.fraction())
        );
        Finding::on(model, demand.id.block(), "utilisation", message).help("plan with 70 to 80 %")
    })
    .collect()
}
