//! # A switch blows against the air of its rack
//!
//! Its air goes the other way than that of the rack, so it draws in what the devices beside it give off. Switches are sold for
//! both ways.
//!
//! ```aip
//! rack network { airflow = front-to-rear }
//! fabric data { switch = catalog.switch.sn5610, rack = rack.network }  # wrong: rear to front
//! rack network { airflow = rear-to-front }                             # right, or the other order code of the switch
//! ```
//!
//! Source: vendors' installation guides ask for one direction of air in a rack.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Airflow;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3050),
    levels: Levels::always(Severity::Warning),
    text: include_str!("airflow_against.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.fabrics.iter().filter_map(|fabric| {
        let rack = fabric.rack?;
        let (air, switch) = (model[rack].airflow?, &model[fabric.switch]);
        let own = Airflow::from_word(switch.airflow.as_deref()?)?;
        if own == air {
            return None;
        }
        let message = format!(
            "air goes through the switches of `{}` {own}, through their rack {air}",
            model.address(fabric.id.block())
        );
        let finding = Finding::on(model, fabric.id.block(), "rack", message);
        let finding = finding.see(model.place_of(rack, "airflow"), "the air of the rack");
        Some(finding.help("take the order code of the switch with the other direction, or another rack"))
    });
    judged.collect()
}
