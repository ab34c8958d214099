//! # Loads take turns that never meet
//!
//! Taking turns saves nodes only when both loads run on the same pool.
//!
//! ```aip
//! finetune f { runs_on = pool.a, takes_turns_with = [training.t] }  # wrong: `training.t` runs on `pool.b`
//! ```


use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(7004),
    levels: Levels::always(Severity::Warning),
    text: include_str!("turns_elsewhere.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let tables = &model.tables;
    let trainings = tables.trainings.iter().map(|one| (one.id.block(), &one.takes_turns_with));
    let finetunes = tables.finetunes.iter().map(|one| (one.id.block(), &one.takes_turns_with));
    let inferences = tables.inferences.iter().map(|one| (one.id.block(), &one.takes_turns_with));
    let datapreps = tables.datapreps.iter().map(|one| (one.id.block(), &one.takes_turns_with));
    let all = trainings.chain(finetunes).chain(inferences).chain(datapreps);
    let pairs = all.flat_map(|(load, others)| others.iter().map(move |other| (load, other.block)));
    pairs
        .filter_map(|(load, other)| {
            let (here, there) = (context.pool_of(load)?, context.pool_of(other)?);
            if here == there {
                return None;
            }
            let message = format!(
                "`{}` takes turns with `{}`, which runs on `{}`",
                model.address(load),
                model.address(other),
                model.address(there.block())
            );
            let finding = Finding::on(model, load, "takes_turns_with", message);
            Some(finding.see(model.block(other).place_of("runs_on"), "another pool").help("remove it, or use one pool"))
        })
        .collect()
}
