//! Names for places in the model: private integers.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// Any block of the model, sub-blocks and catalogue entries included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub(super) u32);

impl BlockId {
    /// Its position in the model's list of blocks.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block-{}", self.0)
    }
}

/// A block that is known to be of the kind `K`: `Id<Pool>`.
pub struct Id<K> {
    pub(super) block: BlockId,
    kind: PhantomData<fn() -> K>,
}

impl<K> Id<K> {
    /// The caller has checked the kind.
    pub(super) fn new(block: BlockId) -> Id<K> {
        Id { block, kind: PhantomData }
    }

    /// The block itself, for names, addresses and places.
    pub fn block(self) -> BlockId {
        self.block
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Id<K> {}

impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.block == other.block
    }
}

impl<K> Eq for Id<K> {}

impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.block.hash(state);
    }
}

impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.block.cmp(&other.block)
    }
}

impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.block.fmt(f)
    }
}
