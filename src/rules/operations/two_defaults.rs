//! # A cluster has two default partitions
//!
//! A job that names no partition goes to the default one, so there is one at most. The scheduler takes the last of several
//! without a word.
//!
//! ```aip
//! cluster hpc {
//!   partition train { default = true }
//!   partition debug { default = true }  # wrong
//! }
//! ```
//!
//! Source: `slurm.conf` on `Default`.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8021),
    levels: Levels::always(Severity::Error),
    text: include_str!("two_defaults.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.clusters.iter().filter_map(|cluster| {
        let mut defaults = cluster.partition.iter().copied().filter(|partition| model[*partition].default);
        let (first, second) = (defaults.next()?, defaults.next()?);
        let [one, other] = [first, second].map(|partition| model.address(partition.block()));
        let message = format!("`{one}` and `{other}` are both the default of `{}`", model.address(cluster.id.block()));
        let finding = Finding::on(model, second.block(), "default", message);
        Some(finding.see(model.place_of(first, "default"), "the first one").help("keep one of them"))
    });
    judged.collect()
}
