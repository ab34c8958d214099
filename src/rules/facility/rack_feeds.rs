//! # A node does not survive the loss of a power feed
//!
//! Its supplies are spread over the feeds of the rack. When one feed fails, those that are left are fewer than the node
//! needs to run.
//!
//! ```aip
//! rack gpu { feeds = 2 }  # wrong for a node with 6 supplies of which 4 are needed: 3 are left
//! rack gpu { feeds = 3 }  # right: 4 are left
//! ```
//!
//! Source: the vendors' user guides state supplies installed and required, as 4 + 2 for DGX H100 and 5 + 1 for DGX B200.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::words::Stage;
use crate::plan::power::feeds;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3045),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning)]),
    text: include_str!("rack_feeds.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.pools.iter().filter_map(|pool| {
        let (rack, server) = (pool.rack?, &model[pool.server?]);
        let supplies = server.psus?;
        let feeds = model[rack].feeds;
        let left = |feeds: u64| feeds::supplies(server, feeds).map_or(0, |(left, _)| left);
        let (_, required) = feeds::supplies(server, feeds)?;
        if left(feeds) >= required {
            return None;
        }
        let message = format!(
            "a node of `{}` does not survive the loss of a feed: {} of {supplies} supplies are left, it needs {required}",
            model.address(pool.id.block()),
            left(feeds)
        );
        let finding = Finding::on(model, pool.id.block(), "rack", message);
        let finding = finding.see(model.place_of(rack, "feeds"), phrase::count(feeds, "feed"));
        let enough = (feeds..=supplies).find(|feeds| left(*feeds) >= required);
        Some(match enough {
            Some(enough) => finding.help(format!("spread the supplies over {enough} feeds")),
            None => finding.help("no number of feeds is enough: plan for its loss with a spare node"),
        })
    });
    judged.collect()
}
