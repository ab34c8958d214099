//! # A feed carries more than it gives when another is lost
//!
//! Devices draw from all feeds of their rack. When one fails, the others carry all of it. A breaker gives four fifths of its
//! current without a break.
//!
//! ```aip
//! rack gpu { feeds = 2, voltage = 400 V, current = 32 A, nodes_per_rack = 2 }  # wrong: 20.4 kW on a feed of 17.7 kW
//! rack gpu { feeds = 2, voltage = 400 V, current = 63 A, nodes_per_rack = 2 }  # right: 34.9 kW
//! ```
//!
//! Source: NFPA 70, article 210, for the four fifths; three phases are √3 × voltage between phases × current.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::plan::FeedLoad;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3049),
    levels: Levels::always(Severity::Warning),
    text: include_str!("feed_overloaded.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = context.plan.racks.iter().filter_map(|row| {
        let id = row.id?;
        let loads = row.racks.iter().filter_map(|rack| Some((&rack.name, rack.feed?)));
        let carried = |feed: &FeedLoad| feed.after_loss.unwrap_or(feed.normal);
        let (name, feed) = loads.max_by(|a, b| carried(&a.1).total_cmp(&carried(&b.1)))?;
        let capacity = feed.capacity?;
        if !round::exceeds(carried(&feed), capacity) {
            return None;
        }
        let lost = if feed.after_loss.is_some() { "when another is lost" } else { "at peak" };
        let message = format!(
            "a feed of rack `{name}` carries {} {lost}, it gives {}",
            amount::power(carried(&feed)),
            amount::power(capacity)
        );
        let finding = Finding::on(model, id.block(), "current", message);
        let finding = finding.see(model.place_of(id, "feeds"), phrase::count(feed.feeds, "feed"));
        Some(finding.help("place fewer devices in a rack, or plan feeds with a larger breaker"))
    });
    judged.collect()
}
