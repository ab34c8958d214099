//! # A rack gives off more heat than air usually carries away
//!
//! Above about 40 kW a rack needs a closed aisle with much air, a rear-door heat exchanger or liquid. It is the room that
//! decides: some carry more. Then say so with `air_limit` of the site.
//!
//! ```aip
//! rack gpu { cooling = air, power_limit = 60 kW }        # five nodes of 11.3 kW
//! rack gpu { cooling = rear-door, power_limit = 60 kW }  # right
//! site hall { air_limit = 60 kW }                        # right where the room carries it
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

/// What air carries away from one rack in a good room, where nobody said.
const AIR_WATTS: f64 = 40_000.0;

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.racks.iter().filter_map(|row| {
        let site = &model[row.site];
        let own = row.id.and_then(|id| model[id].cooling);
        let by_air = own.or(site.cooling) == Some(Cooling::Air);
        let hottest = row.racks.iter().max_by(|a, b| a.heat.total_cmp(&b.heat))?;
        let limit = site.air_limit.map_or(AIR_WATTS, |limit| limit.watts());
        if !by_air || !round::exceeds(hottest.heat, limit) {
            return None;
        }
        let message = format!(
            "a rack of `{}` gives off {}, air carries about {}",
            row.name,
            amount::power(hottest.heat),
            amount::power(limit)
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
        Some(finding.help("place fewer nodes in a rack, plan `cooling = rear-door`, or raise `air_limit` of the site if the room carries it"))
    });
    judged.collect()
}
