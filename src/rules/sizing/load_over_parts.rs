//! # A load needs whole GPUs, and those of its pool are divided
//!
//! Parts of GPUs have no links between them: they take copies of small models with one part each. Training, fine-tuning
//! and copies on several GPUs need whole ones.
//!
//! ```aip
//! pool p { mig = "1g.10gb" }
//! inference i { runs_on = pool.p, gpus_per_replica = 2 }  # wrong
//! inference i { runs_on = pool.p, gpus_per_replica = 1 }  # right: a part for each copy
//! ```
//!
//! Source: MIG user guide of NVIDIA; the device plugin refuses more than one part of a shared GPU.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::plan::cut::Cut;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3062),
    levels: Levels::always(Severity::Error),
    text: include_str!("load_over_parts.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut findings = Vec::new();
    for pool in context.plan.pools.values() {
        let Some(attribute) = Cut::of(model, pool.id).ok().and_then(|cut| cut.attribute()) else { continue };
        let (place, address) = (model.place_of(pool.id, attribute), model.address(pool.id.block()));
        for &load in pool.loads.iter().filter(|load| needs_whole(context, **load)) {
            let message = format!("`{}` needs whole GPUs, those of `{address}` are divided", model.address(load));
            let finding = Finding::on(model, load, "runs_on", message).see(place, "divided here");
            findings.push(finding.help("run it on a pool of whole GPUs"));
        }
    }
    findings
}

fn needs_whole(context: &Context<'_>, load: BlockId) -> bool {
    let model = context.model();
    match model.block(load).kind {
        Kind::Training | Kind::Finetune => true,
        Kind::Inference => {
            let row = model.as_id(load).and_then(|id| context.plan.inferences.get(&id));
            row.is_some_and(|row| row.gpus_per_replica > 1)
        }
        _ => false,
    }
}
