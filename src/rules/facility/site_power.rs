//! # A site draws more power than it gets
//!
//! The machines' maximum with cooling (IT power × PUE) is more than the building gives.
//!
//! ```aip
//! site dc1 { power_limit = 40 kW, pue = 1.3 }  # wrong: four nodes of 10.2 kW are 53 kW with cooling
//! site dc1 { power_limit = 60 kW, pue = 1.3 }  # right
//! ```
//!
//! Source: facility power = IT power × PUE; IT power is the sum of the vendors' maxima.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Kind;
use crate::plan::SitePlan;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3040),
    levels: Levels::always(Severity::Error),
    text: include_str!("site_power.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.sites.values().filter_map(|site| judge(context, site)).collect()
}

fn judge(context: &Context<'_>, row: &SitePlan) -> Option<Finding> {
    let model = context.model();
    let site = &model[row.id];
    let limit = site.power_limit.given()?.watts();
    if !round::exceeds(row.power, limit) {
        return None;
    }
    let message = format!(
        "site `{}` draws {} at peak, its limit is {}",
        model.name(row.id),
        amount::power(row.power),
        amount::power(limit)
    );
    let finding = Finding::on(model, row.id.block(), "power_limit", message).saying("limit set here");
    let finding = match site.pue.given() {
        Some(pue) => finding.fact(format!("{} of machines × {} (PUE)", amount::power(row.it_power), pue.exact())),
        None => finding,
    };
    let finding = model.blocks_of(Kind::Pool).iter().fold(finding, |finding, block| {
        let pool = model.as_id(*block).and_then(|id| context.plan.pools.get(&id));
        match pool.filter(|pool| model[pool.id].site == row.id).and_then(|pool| pool.power) {
            Some(power) => finding.fact(format!("{} by `{}`", amount::power(power), model.address(*block))),
            None => finding,
        }
    });
    let over = amount::power(row.power - limit);
    Some(finding.help(format!("{over} too much: place fewer nodes here, or raise `power_limit` if the building allows it")))
}
