//! # The shares of the tenants are more than the whole
//!
//! A share is a weight in the fair-share order, so schedulers take any numbers; but readers take percentages for parts of a
//! whole, and these are not.
//!
//! ```aip
//! tenant a { share = 80% }
//! tenant b { share = 40% }  # wrong: 120% together
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8012),
    levels: Levels::always(Severity::Warning),
    text: include_str!("shares_over_whole.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut tenants = model.tables.tenants.iter().filter(|tenant| tenant.share.is_some());
    let total: f64 = tenants.clone().filter_map(|tenant| tenant.share).map(|share| share.fraction()).sum();
    let Some(last) = tenants.next_back() else { return Vec::new() };
    if !round::exceeds(total, 1.0) {
        return Vec::new();
    }
    let message = format!("the shares of the tenants are {} together", amount::share(total));
    vec![Finding::on(model, last.id.block(), "share", message).help("write shares that are 100% together")]
}
