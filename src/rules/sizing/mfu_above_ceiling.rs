//! # A utilisation is written that no GPU of its kind reaches
//!
//! `mfu` is above the share of the peak that the best matrix product alone has reached on this GPU, so training cannot run at
//! it. Often the peak with sparsity was taken, or the arithmetic that is done again was counted.
//!
//! ```aip
//! training t { mfu = 90% }  # wrong: the best matrix product on an H100 reaches 80 % in bf16
//! training t { mfu = 41% }  # right
//! ```
//!
//! Source: tables of the best matrix products that were measured (ml-engineering).

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Pool;
use crate::model::words::Precision;
use crate::plan::assumption::{self, Key};
use crate::plan::formula::constants::{self, Name};
use crate::plan::formula::round;
use crate::plan::gpu::Card;
use crate::plan::shape;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3024),
    levels: Levels::always(Severity::Error),
    text: include_str!("mfu_above_ceiling.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let trainings = model.tables.trainings.iter().filter_map(|one| {
        let precision = one.precision.unwrap_or_else(|| shape::precision(model, one.model));
        judge(context, one.id.block(), one.runs_on, precision, one.mfu.given()?.fraction())
    });
    let assumed = model.tables.trainings.iter().filter_map(|one| {
        let precision = one.precision.unwrap_or_else(|| shape::precision(model, one.model));
        assumed(context, one.id.block(), one.runs_on, precision).filter(|_| one.mfu.is_auto())
    });
    let finetunes = model.tables.finetunes.iter().filter_map(|one| {
        judge(context, one.id.block(), one.runs_on, Precision::Bf16, one.mfu.given()?.fraction())
    });
    trainings.chain(assumed).chain(finetunes).collect()
}

/// A training that stands on an assumption of the package.
fn assumed(context: &Context<'_>, load: BlockId, pool: Id<Pool>, precision: Precision) -> Option<Finding> {
    let model = context.model();
    let card = Card::of(model, context.plan.pools.get(&pool)?.node.gpu?);
    let found = assumption::find(model, Name::TrainingUtilisation, Key::of(&card, precision.word()))?;
    let mfu = found.bar.value;
    found.is_given().then(|| judge(context, load, pool, precision, mfu)).flatten()
}

fn judge(context: &Context<'_>, load: BlockId, pool: Id<Pool>, precision: Precision, mfu: f64) -> Option<Finding> {
    let model = context.model();
    let card = Card::of(model, context.plan.pools.get(&pool)?.node.gpu?);
    let (ceiling, _) = constants::find(Name::MatmulCeiling, &card.names(), precision.word(), "")?;
    if !round::exceeds(mfu, ceiling.high) {
        return None;
    }
    let message = format!(
        "`{}` is to run at {} of the peak, the best matrix product on `{}` reaches {}",
        model.address(load),
        amount::share(mfu),
        model.address(card.id.block()),
        amount::share(ceiling.value)
    );
    let finding = Finding::on(model, load, "mfu", message).fact(ceiling.source.to_string());
    Some(finding.help("leave `mfu` to the compiler, or measure a sample run and write a `baseline`"))
}
