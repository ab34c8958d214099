//! # A pool does not say what a node is
//!
//! A pool in a room of our own names a `server`, one in a cloud an `instance`, and never both. Without it nothing can be
//! counted, bought or configured.
//!
//! ```aip
//! pool train { site = site.dc1, nodes = 4 }                                        # wrong
//! pool train { site = site.dc1, nodes = 4, server = catalog.server.dgx-h100 }      # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Provider;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3019),
    levels: Levels::always(Severity::Error),
    text: include_str!("pool_without_machine.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.pools.iter().filter_map(|pool| {
        let rented = model[pool.site].provider != Provider::OnPrem;
        let wanted = if rented { "instance" } else { "server" };
        let address = model.address(pool.id.block());
        match (pool.server, pool.instance) {
            (None, None) => {
                let message = format!("`{address}` does not say what a node is");
                let help = format!("name a `{wanted}`, such as `catalog.{wanted}.…`");
                Some(Finding::about(model, pool.id.block(), message).help(help))
            }
            (Some(_), Some(_)) => {
                let message = format!("`{address}` has a `server` and an `instance`, a node is one of them");
                let finding = Finding::on(model, pool.id.block(), "instance", message);
                let finding = finding.see(model.place_of(pool.id, "server"), "the server");
                Some(finding.help(format!("keep the `{wanted}`")))
            }
            (Some(_), None) | (None, Some(_)) => None,
        }
    });
    judged.collect()
}
