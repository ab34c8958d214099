//! What has to be settled before a platform goes into production: every price, and everything that is still `tbd`.
//!
//! In `check` and `build` these are warnings at most; at the gate each is an error of its own.

use crate::base::code::codes;
use crate::base::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::plan::bill::{Line, Priced};

codes! {
    /// # A line without a price
    ///
    /// `check --gate production` lists every line of the bill that has no price in the platform's currency. Add a `quote`
    /// block, or a `rate` block for a price in another currency.
    UNPRICED = 5090;
    /// # Something is still open
    ///
    /// `check --gate production` lists every `tbd`. Decide it, and write the value.
    OPEN = 8091;
}

/// Everything that stands between a plan and production.
pub fn production(plan: &Plan<'_>) -> Vec<Diagnostic> {
    undecided(plan).chain(plan.bill.lines.iter().filter_map(|line| unpriced(plan, line))).collect()
}

fn undecided(plan: &Plan<'_>) -> impl Iterator<Item = Diagnostic> {
    plan.model.open_points.iter().map(|point| {
        let address = format!("{}.{}", plan.model.address(point.block), point.attribute);
        Diagnostic::error(OPEN, format!("`{address}` is still open: {}", point.why))
            .at(point.place, "")
            .help("decide it, and write the value")
            .about(address)
    })
}

fn unpriced(plan: &Plan<'_>, line: &Line) -> Option<Diagnostic> {
    let why = match &line.each {
        Priced::Known(_) => return None,
        Priced::Foreign(_) => "its price is in another currency, and no `rate` block converts it",
        Priced::Tbd(why) => why,
        Priced::Unknown => "nobody gave a price",
    };
    let address = plan.model.address(line.of);
    let message = format!("the bill has no price for `{}` of `{address}`: {why}", line.description);
    let problem = Diagnostic::error(UNPRICED, message).at(plan.model.block(line.of).place, "");
    Some(problem.help("add it to a `quote` block").about(address))
}
