//! # A rack gives off more heat than air usually carries away
//!
//! Above about 40 kW a rack needs a closed aisle with much air, a rear-door heat exchanger or liquid. It is the room that
//! decides: some carry more. Then say so with `air_limit` of the site. Where neither rack nor site says its `cooling`, air is
//! taken. A rack that no block describes is filled by height alone, whatever it gives off: describe one with a `power_limit`.
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
use crate::plan::FilledRack;
use crate::plan::RackPlan;
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

const SET_HERE: &str = "cooling set here";
/// What air carries away from one rack in a good room, where nobody said.
const AIR_WATTS: f64 = 40_000.0;

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.racks.iter().filter_map(|row| judge(context, row)).collect()
}

fn judge(context: &Context<'_>, row: &RackPlan) -> Option<Finding> {
    let model = context.model();
    let site = &model[row.site];
    // Without a word on the cooling a room has air; what is cooled by liquid needs more than that, and not this advice.
    let by_air = |rack: &&FilledRack| match row.cooling {
        Some(cooling) => cooling == Cooling::Air,
        None => !rack.liquid,
    };
    let hottest = row.racks.iter().filter(by_air).max_by(|a, b| a.heat.total_cmp(&b.heat))?;
    let limit = site.air_limit.map_or(AIR_WATTS, |limit| limit.watts());
    if !round::exceeds(hottest.heat, limit) {
        return None;
    }
    let (heat, carried) = (amount::power(hottest.heat), amount::power(limit));
    let message = format!("a rack of `{}` gives off {heat}, air carries about {carried}", row.name);
    let (block, attribute) = match row.id {
        Some(id) => (id.block(), "power_limit"),
        None => (row.site.block(), "cooling"),
    };
    let finding = match (row.id.filter(|id| model[*id].cooling.is_some()), row.cooling) {
        (Some(id), _) => Finding::on(model, block, attribute, message).see(model.place_of(id, "cooling"), SET_HERE),
        (None, Some(_)) => {
            Finding::on(model, block, attribute, message).see(model.place_of(row.site, "cooling"), SET_HERE)
        }
        (None, None) => Finding::on(model, block, attribute, message)
            .fact(format!("how heat leaves it is not said: `{}` has no `cooling`", model.address(row.site.block()))),
    };
    let fewer = match row.id {
        Some(_) => "place fewer nodes in a rack",
        None => "describe a `rack` with a `power_limit` and name it where the machines stand",
    };
    let other = "plan `cooling = rear-door`, or raise `air_limit` of the site if the room carries it";
    Some(finding.help(format!("{fewer}, {other}")))
}
