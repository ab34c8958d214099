//! Where a path that leads nowhere may have been meant to lead.

use crate::base::phrase;
use crate::model::block::{Block, Origin};
use crate::model::ids::BlockId;

use super::address;

/// The addresses that a path may have meant that begins with the word of a block inside another (`partition.batch`) or
/// with a name (`gpu.nodes`): the blocks of the package with that word and name or a near one, else those of the name.
pub(in crate::model) fn meant(blocks: &[Block<'_>], first: &str, second: Option<&str>) -> Vec<String> {
    let parts = inside(blocks, |block| block.kind.schema().word == first);
    let wanted = second.and_then(|second| {
        let names = || parts.iter().map(|(_, block)| &*block.name);
        names().find(|name| *name == second).or_else(|| phrase::nearest(second, names()))
    });
    let named = parts.iter().filter(|(_, block)| Some(&*block.name) == wanted).map(|(id, _)| *id);
    let mut found: Vec<String> = named.map(|id| address(blocks, id)).collect();
    if found.is_empty() {
        let called: Vec<(BlockId, &Block<'_>)> =
            own(blocks).filter(|(_, block)| block.parent.is_none() && *block.name == *first).collect();
        let has = |block: &Block<'_>| {
            let schema = block.kind.schema();
            second.is_some_and(|word| schema.attribute(word).is_some() || schema.derived(word).is_some())
        };
        // Of several with the name those that have the attribute are likelier.
        let any = called.iter().any(|(_, block)| has(block));
        found = called.iter().filter(|(_, block)| !any || has(block)).map(|(id, _)| address(blocks, *id)).collect();
    }
    found.sort();
    found
}

/// The address of the one block inside another that is of these kinds and has this name.
pub(super) fn only_inside(blocks: &[Block<'_>], kinds: &[&str], name: &str) -> Option<String> {
    let found = inside(blocks, |block| kinds.contains(&block.kind.schema().word) && *block.name == *name);
    match found.as_slice() {
        [(id, _)] => Some(address(blocks, *id)),
        [] | [_, _, ..] => None,
    }
}

fn inside<'b, 'a>(blocks: &'b [Block<'a>], fits: impl Fn(&Block<'a>) -> bool) -> Vec<(BlockId, &'b Block<'a>)> {
    own(blocks).filter(|(_, block)| block.parent.is_some() && fits(block)).collect()
}

/// The blocks of the package.
fn own<'b, 'a>(blocks: &'b [Block<'a>]) -> impl Iterator<Item = (BlockId, &'b Block<'a>)> {
    (0u32..).map(BlockId).zip(blocks).filter(|(_, block)| block.origin == Origin::Package)
}
