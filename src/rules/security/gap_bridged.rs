//! # An air gap is bridged
//!
//! `air_gap = true` says that no line leads outside, and something else in the package needs one.
//!
//! ```aip
//! security s { air_gap = true }
//! flow f { from = internet, to = inference.chat }  # wrong
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::decode::Endpoint;
use crate::model::words::Provider;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4019),
    levels: Levels::always(Severity::Error),
    text: include_str!("gap_bridged.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let Some(security) = context.securities().iter().find(|security| security.air_gap) else { return Vec::new() };
    let tables = &model.tables;
    let flows = tables.flows.iter().filter_map(|flow| match (flow.from, flow.to) {
        (Endpoint::Internet, _) => Some((flow.id.block(), "from")),
        (Endpoint::Block(_), Endpoint::Internet) => Some((flow.id.block(), "to")),
        (Endpoint::Block(_), Endpoint::Block(_)) => None,
    });
    let clouds = tables.sites.iter().filter(|site| site.provider != Provider::OnPrem);
    let clouds = clouds.map(|site| (site.id.block(), "provider"));
    flows
        .chain(clouds)
        .map(|(block, attribute)| {
            let message = format!("`{}` needs a line to the outside, there is an air gap", model.address(block));
            let finding = Finding::on(model, block, attribute, message);
            let finding = finding.see(model.place_of(security.id, "air_gap"), "air gap set here");
            finding.help("remove it, or say that there is no air gap")
        })
        .collect()
}
