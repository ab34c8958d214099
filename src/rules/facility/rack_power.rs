//! # A rack draws more power than it gets
//!
//! The devices that stand in it draw more at their maximum than its `power_limit`. A breaker trips when all of them work.
//!
//! ```aip
//! rack gpu { power_limit = 30 kW, nodes_per_rack = 4 }  # wrong: four nodes of 10.2 kW draw 40.8 kW
//! rack gpu { power_limit = 30 kW }                      # right: two nodes a rack, in more racks
//! ```
//!
//! Source: racks count the vendor's maximum electrical power of every device.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::ids::BlockId;
use crate::model::ids::Id;
use crate::model::kinds::Kind;
use crate::model::kinds::Rack;
use crate::plan::FilledRack;
use crate::plan::RackPlan;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3041),
    levels: Levels::always(Severity::Error),
    text: include_str!("rack_power.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    context.plan.racks.iter().filter_map(|row| judge(context, row)).collect()
}

fn judge(context: &Context<'_>, row: &RackPlan) -> Option<Finding> {
    let model = context.model();
    let id = row.id?;
    let limit = model[id].power_limit.given()?.watts();
    let over = |rack: &&FilledRack| round::exceeds(rack.power, limit);
    let fullest = row.racks.iter().filter(over).max_by(|a, b| a.power.total_cmp(&b.power))?;
    let message = format!(
        "rack `{}` draws {} at peak, its limit is {}",
        row.name,
        amount::power(fullest.power),
        amount::power(limit)
    );
    // The groups of equal devices in the rack, in the order they stand.
    let mut groups: Vec<(BlockId, BlockId, Option<f64>, u64)> = Vec::new();
    for device in &fullest.devices {
        match groups.last_mut() {
            Some((of, product, _, count)) if *of == device.of && *product == device.product => *count += 1,
            _ => groups.push((device.of, device.product, device.power, 1)),
        }
    }
    let words = |(_, product, power, count): &(BlockId, BlockId, Option<f64>, u64)| match power {
        Some(power) => {
            format!("{count} × {} at {} (vendor maximum)", model.block(*product).name, amount::power(*power))
        }
        None => format!("{count} × {}, power unknown", model.block(*product).name),
    };
    let largest = groups.iter().max_by(|a, b| drawn(a).total_cmp(&drawn(b)))?;
    let mut finding = Finding::on(model, largest.0, "rack", message).saying(words(largest));
    finding = finding.see(model.place_of(id, "power_limit"), "limit set here");
    for group in groups.iter().filter(|group| *group != largest) {
        finding = finding.fact(words(group));
    }
    Some(finding.help(repair(context, row, id, largest, limit)))
}

fn drawn((_, _, power, count): &(BlockId, BlockId, Option<f64>, u64)) -> f64 {
    power.unwrap_or(0.0) * *count as f64
}

fn repair(
    context: &Context<'_>,
    row: &RackPlan,
    id: Id<Rack>,
    (of, _, power, _): &(BlockId, BlockId, Option<f64>, u64),
    limit: f64,
) -> String {
    let address = context.model().address(id.block());
    let raise = format!("raise `{address}.power_limit` if the room allows it");
    let each = power.unwrap_or(0.0);
    let fits = if each > 0.0 { round::floor_units(limit / each) } else { 0 };
    if fits == 0 {
        return format!("one of them alone draws {}: {raise}", amount::power(each));
    }
    let all = row.racks.iter().flat_map(|rack| &rack.devices).filter(|device| device.of == *of).count() as u64;
    let racks = round::div_ceil(all, fits);
    let noun = if context.model().block(*of).kind == Kind::Pool { "node" } else { "device" };
    format!("place at most {} a rack (`{address}.count` becomes {racks}), or {raise}", phrase::count(fits, noun))
}
