//! # A sample run was measured on another GPU
//!
//! The baseline's GPU is not the one of the pool that the workload runs on. Its throughput is scaled by data-sheet figures,
//! which real programs seldom follow.
//!
//! ```aip
//! baseline b { of = training.t, gpu = catalog.gpu.a100-sxm-80gb }  # wrong: pool.train has H100
//! baseline b { of = training.t, gpu = catalog.gpu.h100-sxm }       # right
//! ```
//!
//! Source: planning practice; throughput between generations does not scale with peak FLOP/s.

use std::collections::BTreeMap;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::model::ids::Id;
use crate::model::kinds::Pool;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3008),
    levels: Levels::always(Severity::Warning),
    text: include_str!("baseline_of_other_gpu.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let pools: BTreeMap<BlockId, Id<Pool>> = context.loads.iter().map(|load| (load.block, load.pool)).collect();
    let other = model.tables.baselines.iter().filter_map(|baseline| {
        let pool = context.plan.pools.get(pools.get(&baseline.of.block)?)?;
        let gpu = pool.node.gpu?;
        if gpu == baseline.gpu {
            return None;
        }
        let message = format!(
            "`{}` was measured on `{}`, `{}` has `{}`",
            model.address(baseline.id.block()),
            model.name(baseline.gpu),
            model.address(pool.id.block()),
            model.name(gpu)
        );
        let finding = Finding::on(model, baseline.id.block(), "gpu", message);
        let place = model.place_of(pool.id, if pool.node.rented { "instance" } else { "server" });
        Some(finding.see(place, "what it runs on").help("measure again on the GPU of the pool"))
    });
    other.collect()
}
