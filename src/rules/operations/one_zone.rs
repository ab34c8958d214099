//! # A high availability is promised in one zone
//!
//! A cloud zone is one or a few buildings. When it fails, everything in it does, however many replicas there are.
//!
//! ```aip
//! site cloud { zones = 1 }  # wrong under an inference with `availability = 99.9%`
//! site cloud { zones = 2 }  # right
//! ```
//!
//! Source: the providers' own agreements promise 99.99% of instances over two zones and less for one.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Provider;
use crate::model::words::Stage;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8001),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Pilot, Severity::Warning)]),
    text: include_str!("one_zone.rs"),
    dated: false,
    check,
};

/// Availability from which one zone is not enough.
const HIGH: f64 = 0.999;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.inferences.iter().filter_map(|inference| {
        let slo = inference.slo.first().copied()?;
        let promised = model[slo].availability?.fraction();
        let site = &model[model[inference.runs_on].site];
        if site.provider == Provider::OnPrem || site.zones > 1 || round::exceeds(HIGH, promised) {
            return None;
        }
        let message = format!(
            "`{}` promises {} in one zone of `{}`",
            model.address(inference.id.block()),
            amount::share(promised),
            model.address(site.id.block())
        );
        let finding = Finding::on(model, slo.block(), "availability", message);
        Some(finding.see(model.place_of(site.id, "zones"), "one zone").help("set `zones` to 2 or more, or promise less"))
    });
    judged.collect()
}
