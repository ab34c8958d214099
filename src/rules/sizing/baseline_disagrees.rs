//! # A sample run and the formula do not agree
//!
//! What was measured lies outside the bar of what published runs on the same GPU lead to expect. The plan stands on the
//! measurement all the same. Slower: the sample waited for data, network or compilation, and the platform will, too. Faster:
//! another unit (tokens of all GPUs together), another sequence length, or a shorter answer than in production.
//!
//! ```aip
//! baseline b { gpus = 8, throughput = 2_000 tok/s }  # wrong: half of what published runs reach
//! baseline b { gpus = 8, throughput = 4_600 tok/s }  # right
//! ```
//!
//! Source: the constants of `aipc explain LOAD.utilisation` or `LOAD.throughput` without the baseline.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::plan::pace::Disagreement;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3023),
    levels: Levels::always(Severity::Warning),
    text: include_str!("baseline_disagrees.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let plan = context.plan;
    let trainings = plan.trainings.values().map(|one| (one.id.block(), one.disagreement));
    let finetunes = plan.finetunes.values().map(|one| (one.id.block(), one.disagreement));
    let inferences = plan.inferences.values().map(|one| (one.id.block(), one.disagreement));
    let all = trainings.chain(finetunes).chain(inferences);
    all.filter_map(|(load, disagreement)| Some(judge(context, load, disagreement?))).collect()
}

fn judge(context: &Context<'_>, load: BlockId, found: Disagreement) -> Finding {
    let model = context.model();
    let message = format!(
        "`{}` measured {:.0} tok/s a GPU, published runs lead to expect {:.0} to {:.0}",
        model.address(found.baseline),
        found.measured,
        found.low,
        found.high
    );
    let finding = Finding::on(model, found.baseline, "throughput", message);
    let finding = finding.see(model.block(load).place, "the workload that was sampled");
    finding.help(if found.measured < found.low {
        "find out what the sample waited for (data, network, compilation) before more hardware is ordered"
    } else {
        "hold unit, number of GPUs and sequence length of the sample against the workload"
    })
}
