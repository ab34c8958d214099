//! # A liquid-cooled machine stands where there is only air
//!
//! ```aip
//! site dc1 { cooling = air }     # wrong for a server with `cooling = liquid`
//! rack gpu { cooling = liquid }  # right, when the room has the loop
//! ```
//!
//! Source: the vendor's data sheet; such a machine does not start without its loop.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Cooling;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3047),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("liquid_in_air.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.pools.iter().filter_map(|pool| {
        let server = pool.server?;
        let own = pool.rack.and_then(|rack| Some((rack, model[rack].cooling?)));
        let (cooling, place) = match own {
            Some((rack, cooling)) => (cooling, model.place_of(rack, "cooling")),
            None => (model[pool.site].cooling?, model.place_of(pool.site, "cooling")),
        };
        if model[server].cooling != Cooling::Liquid || cooling == Cooling::Liquid {
            return None;
        }
        let message = format!(
            "`{}` is cooled by liquid, where `{}` stands there is `{cooling}`",
            model.address(server.block()),
            model.address(pool.id.block())
        );
        let finding = Finding::on(model, pool.id.block(), "server", message).see(place, "cooling set here");
        Some(finding.help("choose the air-cooled variant, or set `cooling = liquid` on the rack when the room has the loop"))
    });
    judged.collect()
}
