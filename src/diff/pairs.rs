//! Which block of one package is which of the other.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Model;
use crate::model::block::Origin;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::value::Value;

/// Blocks that are the same on both sides, and those that are on one only.
#[derive(Debug, Default)]
pub struct Pairs {
    new_of: BTreeMap<BlockId, BlockId>,
    old_of: BTreeMap<BlockId, BlockId>,
}

/// A block on one side, on the other, or on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// On the old side.
    pub old: Option<BlockId>,
    /// On the new side.
    pub new: Option<BlockId>,
}

impl Pairs {
    /// Matches all blocks, those of the catalogue included.
    pub fn of(old: &Model<'_>, new: &Model<'_>) -> Pairs {
        let mut pairs = Pairs::default();
        let top = |model: &Model<'_>| {
            let blocks = model.all_blocks().filter(|(_, block)| block.parent.is_none());
            blocks.map(|(id, _)| id).collect::<Vec<BlockId>>()
        };
        pairs.platform(old, new);
        pairs.level(old, new, &top(old), &top(new));
        pairs
    }

    /// The block of the new side that an old one is.
    pub fn new_of(&self, old: BlockId) -> Option<BlockId> {
        self.new_of.get(&old).copied()
    }

    /// The block of the old side that a new one is.
    pub fn old_of(&self, new: BlockId) -> Option<BlockId> {
        self.old_of.get(&new).copied()
    }

    /// Every block of the packages once, in the order of the new side, then what is gone.
    pub fn subjects(&self, old: &Model<'_>, new: &Model<'_>) -> Vec<Subject> {
        let there = new.package_blocks().map(|(id, _)| Subject { old: self.old_of(id), new: Some(id) });
        let gone = old.package_blocks().filter(|(id, _)| self.new_of(*id).is_none());
        there.chain(gone.map(|(id, _)| Subject { old: Some(id), new: None })).collect()
    }

    fn join(&mut self, old: BlockId, new: BlockId) {
        self.new_of.insert(old, new);
        self.old_of.insert(new, old);
    }

    /// A package has one platform, so it is the same one whatever it is called.
    fn platform(&mut self, old: &Model<'_>, new: &Model<'_>) {
        if let (Some(old), Some(new)) = (old.platform(), new.platform()) {
            self.join(old.id.block(), new.id.block());
        }
    }

    /// Blocks that stand in the same block, or at top level: by name first, then by what they were called.
    fn level(&mut self, old: &Model<'_>, new: &Model<'_>, olds: &[BlockId], news: &[BlockId]) {
        let named: BTreeMap<Key<'_>, BlockId> = olds.iter().map(|id| (key(old, *id), *id)).collect();
        for id in news {
            if let Some(was) = named.get(&key(new, *id)) {
                self.join(*was, *id);
            }
        }
        self.renamed(old, new, olds, news);
        self.readdressed(old, new, olds, news);
        for old_id in olds {
            if let Some(new_id) = self.new_of(*old_id) {
                self.level(old, new, &children(old, *old_id), &children(new, new_id));
            }
        }
    }

    /// `@was` on either side, so that the way back is the same rename.
    fn renamed(&mut self, old: &Model<'_>, new: &Model<'_>, olds: &[BlockId], news: &[BlockId]) {
        let mut found = BTreeSet::new();
        for new_id in news.iter().copied().filter(|id| self.old_of(*id).is_none()) {
            for old_id in olds.iter().copied().filter(|id| self.new_of(*id).is_none()) {
                let (one, other) = (old.block(old_id), new.block(new_id));
                let package = one.origin == Origin::Package && other.origin == Origin::Package;
                let says = |was: &Option<std::sync::Arc<str>>, name: &str| was.as_deref() == Some(name);
                if package && one.kind == other.kind && (says(&other.was, &one.name) || says(&one.was, &other.name)) {
                    found.insert((old_id, new_id));
                }
            }
        }
        self.join_unambiguous(&found);
    }

    /// Blocks that are named by the address of another follow it when it is renamed.
    fn readdressed(&mut self, old: &Model<'_>, new: &Model<'_>, olds: &[BlockId], news: &[BlockId]) {
        let mut found = BTreeSet::new();
        for new_id in news.iter().copied().filter(|id| self.old_of(*id).is_none()) {
            for old_id in olds.iter().copied().filter(|id| self.new_of(*id).is_none()) {
                let same_kind = old.block(old_id).kind == new.block(new_id).kind;
                if let (true, Value::Block(one), Value::Block(other)) =
                    (same_kind, addressed(old, old_id), addressed(new, new_id))
                    && self.new_of(one) == Some(other)
                {
                    found.insert((old_id, new_id));
                }
            }
        }
        self.join_unambiguous(&found);
    }

    /// Two blocks that both claim to be a third are neither.
    fn join_unambiguous(&mut self, found: &BTreeSet<(BlockId, BlockId)>) {
        let once = |(old, new): &&(BlockId, BlockId)| {
            found.iter().filter(|(other, _)| other == old).count() == 1
                && found.iter().filter(|(_, other)| other == new).count() == 1
        };
        for (old, new) in found.iter().filter(once) {
            self.join(*old, *new);
        }
    }
}

type Key<'m> = (bool, Kind, &'m str);

fn key<'m>(model: &'m Model<'_>, id: BlockId) -> Key<'m> {
    let block = model.block(id);
    (block.origin == Origin::Catalogue, block.kind, &block.name)
}

fn children(model: &Model<'_>, id: BlockId) -> Vec<BlockId> {
    model.block(id).children.clone()
}

/// What a block that stands inside another is for, when that is its name.
fn addressed(model: &Model<'_>, id: BlockId) -> Value {
    if model.block(id).parent.is_some() { model.value(id, "of") } else { Value::Null }
}
