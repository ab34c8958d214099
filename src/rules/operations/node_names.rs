//! # Names of nodes that cannot be
//!
//! A pool that says how its nodes are called says it for every node, in lists that fold as Slurm folds them. A name is a
//! host's: letters, digits, `.`, `-` and `_`, at most 63 characters, and no other node has it.
//!
//! ```aip
//! pool train { nodes = 4, node_names = ["gpu[001-003]"] }           # wrong: three names for four nodes
//! pool train { nodes = 4, node_names = ["gpu[001-003]", "spare"] }  # right
//! ```
//!
//! Source: RFC 1123 on names of hosts; `slurm.conf` on `NodeName`.

use std::collections::HashMap;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::hosts;
use crate::base::phrase;
use crate::model::ids::BlockId;
use crate::model::kinds::Pool;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(8020),
    levels: Levels::always(Severity::Error),
    text: include_str!("node_names.rs"),
    dated: false,
    check,
};

/// Names that Slurm reads as something else: all nodes, and what lines below begin with.
const RESERVED: &[&str] = &["ALL", "DEFAULT"];

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let named: Vec<&Pool> = model.tables.pools.iter().filter(|pool| !pool.node_names.is_empty()).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let mut owners: HashMap<String, BlockId> = HashMap::new();
    for pool in model.tables.pools.iter().filter(|pool| pool.node_names.is_empty()) {
        owners.extend(context.plan.node_names(pool.id).map(|name| (name, pool.id.block())));
    }
    let wrong = named.into_iter().filter_map(|pool| {
        let on = |message: String| Finding::on(model, pool.id.block(), "node_names", message);
        let names = match listed(pool) {
            Ok(names) => names,
            Err(why) => return Some(on(why).help("write lists such as `gpu[001-024]`")),
        };
        if let Some(name) = names.iter().find(|name| !hosts::is_name(name)) {
            let message = format!("`{}` is no name of a host", phrase::excerpt(name, 60));
            return Some(on(message).help("letters, digits, `.`, `-` and `_`, a letter or digit first, at most 63 of them"));
        }
        if let Some(name) = names.iter().find(|name| RESERVED.iter().any(|word| word.eq_ignore_ascii_case(name))) {
            let message = format!("`{name}` is a word of Slurm for other nodes");
            return Some(on(message).help("give the node another name"));
        }
        let nodes = context.plan.pool(pool.id).nodes.high;
        if names.len() as u64 != nodes {
            let address = model.address(pool.id.block());
            let names = phrase::count(names.len() as u64, "name");
            let message = format!("{names} for {} of `{address}`", phrase::count(nodes, "node"));
            return Some(on(message).help("name every node once, or leave `node_names` out"));
        }
        let block = pool.id.block();
        names.into_iter().find_map(|name| {
            let other = owners.insert(name.clone(), block)?;
            let message = format!("`{name}` is a node of `{}` already", model.address(other));
            let message = if other == block { format!("`{name}` is named twice") } else { message };
            Some(on(message).help("give every node a name of its own"))
        })
    });
    wrong.collect()
}

fn listed(pool: &Pool) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for list in &pool.node_names {
        let found = hosts::unfold(list);
        names.extend(found.map_err(|why| format!("`{}` is no list of hosts: {why}", phrase::excerpt(list, 60)))?);
    }
    Ok(names)
}
