//! # A rack gives off more heat than air usually carries away
//!
//! Above about 40 kW a rack needs a closed aisle with much air, a rear-door heat exchanger or liquid. It is the room that
//! decides: some carry more. Then say so with a waiver.
//!
//! ```aip
//! rack gpu { cooling = air, power_limit = 60 kW }        # five nodes of 11.3 kW
//! rack gpu { cooling = rear-door, power_limit = 60 kW }  # right
//! ```
//!
//! Source: planning guides put the practical ceiling of air at 25 to 40 kW a rack; NVIDIA shows air-cooled racks of 56 kW.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Cooling;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3046),
    levels: Levels::always(Severity::Warning),
    text: include_str!("air_cooling.rs"),
    dated: false,
    check,
};

/// What air carries away from one rack in a good room.
const AIR_WATTS: f64 = 40_000.0;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.racks.iter().filter_map(|row| {
        let site = &model[row.site];
        let own = row.id.and_then(|id| model[id].cooling);
        let by_air = own.or(site.cooling) == Some(Cooling::Air);
        let hottest = row.racks.iter().max_by(|a, b| a.heat.total_cmp(&b.heat))?;
        if !by_air || !round::exceeds(hottest.heat, AIR_WATTS) {
            return None;
        }
        let message = format!(
            "a rack of `{}` gives off {}, air carries about {}",
            row.name,
            amount::power(hottest.heat),
            amount::power(AIR_WATTS)
        );
        let (block, attribute) = match row.id {
            Some(id) => (id.block(), "power_limit"),
            None => (row.site.block(), "cooling"),
        };
        let cooling = match (row.id, own) {
            (Some(id), Some(_)) => model.place_of(id, "cooling"),
            (Some(_) | None, _) => model.place_of(row.site, "cooling"),
        };
        let finding = Finding::on(model, block, attribute, message).see(cooling, "cooling set here");
        Some(finding.help("place fewer nodes in a rack, plan `cooling = rear-door`, or waive it when the room carries it"))
    });
    judged.collect()
}
