//! # Appliances of a storage stand on no fabric
//!
//! Storage that is bought has ports, and nothing says what they are plugged into: no switch port is counted for them, no
//! cable is in the bill, and no node reaches them.
//!
//! ```aip
//! fabric data { connects = [pool.train] }                # wrong
//! fabric data { connects = [pool.train, storage.fast] }  # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3109),
    levels: Levels::always(Severity::Warning),
    text: include_str!("storage_off_fabric.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let bought = model.tables.storages.iter().filter(|storage| storage.product.is_some());
    let alone = bought.filter(|storage| context.fabrics(storage.id.block()).is_empty());
    alone
        .map(|storage| {
            let address = model.address(storage.id.block());
            let message = format!("no fabric connects the appliances of `{address}`");
            let help = format!("add `{address}` to `connects` of the fabric that carries data");
            Finding::on(model, storage.id.block(), "product", message).help(help)
        })
        .collect()
}
