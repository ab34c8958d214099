//! # Data are open to the internet
//!
//! A storage, dataset or vector store is the target of a flow from the internet. Users come to a service, and the service
//! comes to the data.
//!
//! ```aip
//! flow f { from = internet, to = storage.lake }      # wrong
//! flow f { from = internet, to = inference.chat }    # right
//! flow g { from = inference.chat, to = storage.lake }
//! ```
//!
//! Source: BSI C5 COS-01; most published leaks of training data were open object stores and vector databases.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::decode::Endpoint;
use crate::model::kinds::Kind;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4010),
    levels: Levels::always(Severity::Error),
    text: include_str!("public_store.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let public = model.tables.flows.iter().filter(|flow| flow.from == Endpoint::Internet);
    public
        .filter_map(|flow| {
            let Endpoint::Block(to) = flow.to else { return None };
            if !matches!(model.block(to).kind, Kind::Storage | Kind::Dataset | Kind::Retrieval) {
                return None;
            }
            let message = format!("`{}` opens `{}` to the internet", model.address(flow.id.block()), model.address(to));
            let finding = Finding::on(model, flow.id.block(), "to", message);
            Some(finding.help("let users reach an `inference`, and let that reach the data by a flow of its own"))
        })
        .collect()
}
