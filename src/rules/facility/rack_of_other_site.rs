//! # Something stands in a rack of another site
//!
//! ```aip
//! rack r { site = site.berlin }
//! pool p { site = site.bonn, rack = rack.r }  # wrong
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3048),
    levels: Levels::always(Severity::Error),
    text: include_str!("rack_of_other_site.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let tables = &model.tables;
    let pools = tables.pools.iter().filter_map(|one| Some((one.id.block(), one.site, one.rack?)));
    let storages = tables.storages.iter().filter_map(|one| Some((one.id.block(), one.site, one.rack?)));
    let elsewhere = pools.chain(storages).filter(|(_, site, rack)| model[*rack].site != *site);
    elsewhere
        .map(|(block, site, rack)| {
            let message = format!(
                "`{}` is at `{}`, its rack `{}` is at `{}`",
                model.address(block),
                model.address(site.block()),
                model.name(rack),
                model.address(model[rack].site.block())
            );
            let finding = Finding::on(model, block, "rack", message);
            finding.see(model.place_of(rack, "site"), "site of the rack").help("name a rack of the same site")
        })
        .collect()
}
