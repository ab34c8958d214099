//! # The power of a device is not known
//!
//! Neither the catalogue nor the package says what it draws at most. Sums of racks and sites leave it out and are too low.
//!
//! ```aip
//! server s { height = 2 U }                       # wrong
//! server s { height = 2 U, max_power = 1.2 kW }   # right: from the vendor's data sheet
//! ```

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::block::Origin;
use crate::model::ids::BlockId;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3044),
    levels: Levels::always(Severity::Warning),
    text: include_str!("power_unknown.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut users: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
    for device in context.plan.racks.iter().flat_map(|row| &row.racks).flat_map(|rack| &rack.devices) {
        if device.power.is_none() {
            users.entry(device.product).or_default().insert(device.of);
        }
    }
    let judged = users.into_iter().map(|(product, of)| {
        let message = format!("the maximum power of `{}` is not known", model.address(product));
        let place = of.iter().next().copied().unwrap_or(product);
        let own = model.block(product).origin == Origin::Package;
        let finding = if own {
            Finding::about(model, product, message)
        } else {
            Finding::about(model, place, message)
        };
        let word = model.block(product).kind.schema().word;
        let help = if own {
            format!("write `max_power` from the data sheet into `{}`", model.address(product))
        } else {
            format!("write `max_power` from the data sheet into a `{word}` block of its own")
        };
        finding.fact("sums of racks and sites leave it out").help(help)
    });
    judged.collect()
}
