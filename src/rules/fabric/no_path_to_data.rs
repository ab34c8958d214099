//! # A workload reads data at another site that no line leads to
//!
//! The data live in one place, the nodes are in another, and no `link` joins the two sites.
//!
//! ```aip
//! dataset d { lives_on = storage.far }                                    # wrong for nodes here, without a link
//! dataset d { lives_on = storage.far, prefetch_to = storage.here }        # right with a link: copied before it is read
//! link l { from = site.far, to = site.here, bandwidth = 10 Gbps }
//! ```


use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::model::ids::Id;
use crate::model::kinds::Dataset;
use crate::model::kinds::Pool;
use crate::model::kinds::Site;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3107),
    levels: Levels::steps(&[(Stage::Poc, Severity::Warning), (Stage::Pilot, Severity::Error)]),
    text: include_str!("no_path_to_data.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let tables = &model.tables;
    let trainings = tables.trainings.iter().map(|one| (one.id.block(), &one.reads));
    let finetunes = tables.finetunes.iter().map(|one| (one.id.block(), &one.reads));
    let datapreps = tables.datapreps.iter().map(|one| (one.id.block(), &one.reads));
    let retrievals = tables.retrievals.iter().map(|one| (one.id.block(), &one.reads));
    let all = trainings.chain(finetunes).chain(datapreps).chain(retrievals);
    let pairs = all.flat_map(|(load, reads)| reads.iter().map(move |dataset| (load, *dataset)));
    pairs.filter_map(|(load, dataset)| judge(context, load, context.pool_of(load)?, dataset)).collect()
}

fn judge(context: &Context<'_>, load: BlockId, pool: Id<Pool>, dataset: Id<Dataset>) -> Option<Finding> {
    let model = context.model();
    let here = model[pool].site;
    let copies = [model[dataset].lives_on, model[dataset].prefetch_to];
    let sites: Vec<Id<Site>> = copies.into_iter().flatten().map(|storage| model[storage].site).collect();
    let far = sites.first().copied()?;
    if sites.iter().any(|site| *site == here || context.are_joined(*site, here)) {
        return None;
    }
    let message = format!(
        "`{}` at `{}` reads `{}`, which is at `{}`",
        model.address(load),
        model.address(here.block()),
        model.address(dataset.block()),
        model.address(far.block())
    );
    let finding = Finding::on(model, load, "reads", message);
    let finding = finding.see(model.place_of(dataset, "lives_on"), "it lives here");
    let help = format!(
        "join the sites with a `link`, or keep a copy at `{}` (`prefetch_to`)",
        model.address(here.block())
    );
    Some(finding.help(help))
}
