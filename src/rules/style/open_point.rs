//! # Something is still to be decided
//!
//! `tbd("why")` keeps an unknown visible; in production there should be none left. Open prices are counted by AIP5003.
//!
//! ```aip
//! dataset d { size = tbd("the first crawl is running") }
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::kinds::Kind;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(7005),
    levels: Levels::steps(&[(Stage::Poc, Severity::Note), (Stage::Production, Severity::Warning)]),
    text: include_str!("open_point.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let open = model.open_points.iter().filter(|point| model.block(point.block).kind != Kind::PriceLine);
    open.map(|point| {
        let message = format!(
            "`{}` of `{}` is still open: {}",
            point.attribute,
            model.address(point.block),
            phrase::excerpt(&point.why, 120)
        );
        Finding::on(model, point.block, point.attribute, message).help("decide it, or say who decides it when")
    })
    .collect()
}
