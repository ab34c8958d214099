//! # A context is longer than the model was made for
//!
//! The engine refuses requests beyond the positions that the model was trained with, or answers nonsense. It also refuses a
//! request that is longer than the context it was started with.
//!
//! ```aip
//! inference i { model = catalog.model.mistral-7b, context = 131_072 tok }  # wrong: made for 32,768
//! ```
//!
//! Source: `max_position_embeddings` of the model's published configuration; engines check it at the start.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::model::kinds::Inference;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3011),
    levels: Levels::always(Severity::Error),
    text: include_str!("context_too_long.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let too_long = model.tables.inferences.iter().filter_map(|inference| request_too_long(context, inference));
    let judged = model.tables.inferences.iter().filter_map(|inference| {
        let longest = longest(context, inference.model.block())?;
        let wanted = inference.context.tokens();
        if wanted <= longest as f64 {
            return None;
        }
        let message = format!(
            "`{}` asks for a context of {wanted:.0} tok, `{}` was made for {longest}",
            model.address(inference.id.block()),
            model.address(inference.model.block())
        );
        let help = format!("lower `context` to {longest} tok, or choose a model with a longer one");
        Some(Finding::on(model, inference.id.block(), "context", message).help(help))
    });
    judged.chain(too_long).collect()
}

/// A prompt with its answer that the engine would not take.
fn request_too_long(context: &Context<'_>, inference: &Inference) -> Option<Finding> {
    let model = context.model();
    let id = *inference.demand.first()?;
    let demand = &model[id];
    let (request, limit) = (demand.prompt.tokens() + demand.answer.tokens(), inference.context.tokens());
    if request <= limit {
        return None;
    }
    let message = format!(
        "a request to `{}` has {request:.0} tok with its answer, its context is {limit:.0} tok",
        model.address(inference.id.block())
    );
    let finding = Finding::on(model, inference.id.block(), "context", message);
    let finding = finding.see(model.place_of(id, "prompt"), "the prompt");
    Some(finding.help(format!("raise `context` to {request:.0} tok or more, or lower `prompt` or `answer`")))
}

/// The context of a model, or of the one it is based on.
fn longest(context: &Context<'_>, mut block: BlockId) -> Option<u64> {
    let model = context.model();
    // A chain of bases is short, and a circle would have been refused.
    for _ in 0..16 {
        let written = model.typed::<crate::model::kinds::Model>(block)?;
        match (written.context, written.base) {
            (Some(tokens), _) => return Some(tokens),
            (None, Some(base)) => block = base.block(),
            (None, None) => return None,
        }
    }
    None
}
