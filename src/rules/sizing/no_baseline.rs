//! # A workload has no measured sample run
//!
//! Its speed stands on published runs of other people, with a wide error bar. A run of 10 to 30 minutes on the hardware in
//! question costs little and replaces the assumption.
//!
//! ```aip
//! baseline sample {
//!   of         = training.t
//!   gpu        = catalog.gpu.h100-sxm
//!   gpus       = 8
//!   throughput = 7_400 tok/s
//! }
//! ```
//!
//! Source: planning practice; sample jobs of 10 to 30 minutes steer budget, service levels and capacity.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Kind;
use crate::model::words::Stage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3007),
    levels: Levels::steps(&[(Stage::Pilot, Severity::Warning)]),
    text: include_str!("no_baseline.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let measured = [Kind::Training, Kind::Finetune, Kind::Inference];
    let loads = measured.into_iter().flat_map(|kind| model.blocks_of(kind));
    let without = loads.filter(|load| context.users_of(**load, Kind::Baseline, "of").next().is_none());
    without
        .map(|load| {
            let message = format!("no sample run of `{}` has been measured", model.address(*load));
            let help = "run it for 10 to 30 minutes and write down the throughput in a `baseline`";
            Finding::about(model, *load, message).help(help)
        })
        .collect()
}
