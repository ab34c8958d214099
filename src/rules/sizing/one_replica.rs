//! # A high availability is promised with one replica
//!
//! 99.9% are less than nine hours of standstill a year, updates included. One copy cannot be replaced, moved or updated
//! without standing still.
//!
//! ```aip
//! inference i { replicas = 1, slo { availability = 99.9% } }     # wrong
//! inference i { replicas = 2..4, slo { availability = 99.9% } }  # right
//! ```
//!
//! When `replicas` may go down to 1, it is a warning.
//!
//! Source: arithmetic; 0.1% of a year is 8.8 h.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Stage;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3016),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Pilot, Severity::Warning), (Stage::Production, Severity::Error)]),
    text: include_str!("one_replica.rs"),
    dated: false,
    check,
};

/// Availability from which one copy is not enough.
const HIGH: f64 = 0.999;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.inferences.values().filter_map(|inference| {
        let slo = model[inference.id].slo.first().copied()?;
        let (promised, replicas) = (model[slo].availability?.fraction(), inference.replicas?);
        if round::exceeds(HIGH, promised) || replicas.low > 1 {
            return None;
        }
        let still = amount::time((1.0 - promised) * 8_760.0 * 3_600.0);
        let address = model.address(inference.id.block());
        let place = model.place_of(slo, "availability");
        let promise = format!("{} is {still} of standstill a year", amount::share(promised));
        let finding = |message: String| {
            Finding::on(model, inference.id.block(), "replicas", message)
                .see(place, promise.clone())
                .help("set the least of `replicas` to 2 or more, on two nodes")
        };
        Some(if replicas.high <= 1 {
            finding(format!("`{address}` promises {} with one replica", amount::share(promised)))
        } else {
            finding(format!("`{address}` promises {} and may go down to one replica", amount::share(promised))).softened()
        })
    });
    judged.collect()
}
