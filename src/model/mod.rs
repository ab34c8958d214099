//! What the package means: every name resolved, every value checked, every reference a typed id.
//!
//! Absent on purpose: sizes, sums, rules. Nothing here knows what a platform needs, only what was said.

pub mod accept;
pub mod block;
pub mod decode;
pub mod effort;
pub mod eval;
mod facts;
pub mod functions;
pub mod ids;
pub mod kinds;
pub mod patched;
pub mod problems;
mod resolve;
pub mod schema;
mod units;
pub mod value;
pub mod words;

use std::collections::HashMap;
use std::ops::Index;
use std::sync::Arc;

use crate::base::source::Sources;
use crate::base::span::Span;
use crate::catalog::{Catalogue, Confidence, Source};

use block::{Block, Origin, SetBy};
use ids::{BlockId, Id};
use kinds::{Kind, Kinded, Model as LanguageModel, Platform, Tables};
use value::Value;

pub use resolve::{Settings, resolve};

/// Bases of a language model that are followed before giving up; circles are found by the graph.
pub const MAX_BASES: usize = 32;

/// A resolved package.
pub struct Model<'a> {
    /// The texts it came from.
    pub sources: &'a Sources,
    /// The catalogue it draws on.
    pub catalogue: &'a Catalogue,
    blocks: Vec<Block<'a>>,
    /// Typed blocks by kind, in source order; catalogue entries that are used are among them.
    pub tables: Tables,
    names: HashMap<(Kind, Arc<str>), BlockId>,
    families: HashMap<(Kind, Arc<str>), Vec<BlockId>>,
    by_kind: HashMap<Kind, Vec<BlockId>>,
    dropped: HashMap<(Kind, Arc<str>), Span>,
    lets: HashMap<String, Value>,
    /// The environments of the package, by name.
    pub environments: Vec<Arc<str>>,
    /// What the package says of itself.
    pub doc: String,
    /// Everything that a person still has to decide.
    pub open_points: Vec<OpenPoint>,
    /// True when a string shows a figure, so that the package must be resolved again after sizing.
    pub wants_figures: bool,
}

/// Something left open with `tbd`.
#[derive(Debug, Clone)]
pub struct OpenPoint {
    /// Of which block.
    pub block: BlockId,
    /// Which attribute.
    pub attribute: &'static str,
    /// Why.
    pub why: Arc<str>,
    /// Where.
    pub place: Span,
}

impl<'a> Model<'a> {
    /// The platform. A model without one is not planned.
    pub fn platform(&self) -> Option<&Platform> {
        self.tables.platforms.first()
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block<'a> {
        &self.blocks[id.index()]
    }

    /// Blocks of the package at top level, in source order (catalogue entries and dropped blocks left out).
    pub fn blocks_of(&self, kind: Kind) -> &[BlockId] {
        self.by_kind.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// Every block of the package with those inside it, in source order.
    pub fn package_blocks(&self) -> impl Iterator<Item = (BlockId, &Block<'a>)> {
        (0u32..)
            .map(BlockId)
            .zip(&self.blocks)
            .filter(|(_, block)| block.origin == Origin::Package && block.row.is_some())
    }

    /// Every block, catalogue entries included.
    pub fn all_blocks(&self) -> impl Iterator<Item = (BlockId, &Block<'a>)> {
        (0u32..).map(BlockId).zip(&self.blocks).filter(|(_, block)| block.row.is_some())
    }

    /// The block of a kind with a name.
    pub fn find(&self, kind: Kind, name: &str) -> Option<BlockId> {
        self.names.get(&(kind, Arc::from(name))).copied()
    }

    /// The instances that a block with `for` made.
    pub fn family(&self, kind: Kind, name: &str) -> Option<&[BlockId]> {
        self.families.get(&(kind, Arc::from(name))).map(Vec::as_slice)
    }

    /// Where the environment dropped the block of a kind with a name.
    pub fn dropped(&self, kind: Kind, name: &str) -> Option<Span> {
        self.dropped.get(&(kind, Arc::from(name))).copied()
    }

    /// The value of a name in a `let` block.
    pub fn let_value(&self, name: &str) -> Option<&Value> {
        self.lets.get(name)
    }

    /// The names of all `let` blocks, sorted.
    pub fn let_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.lets.keys().cloned().collect();
        names.sort();
        names
    }

    /// `pool.train`, `cluster.hpc.partition.debug`, `catalog.gpu.h200-sxm`.
    pub fn address(&self, id: BlockId) -> String {
        resolve::address(&self.blocks, id)
    }

    /// The addresses that a path may have meant that leads nowhere.
    pub fn meant(&self, first: &str, second: Option<&str>) -> Vec<String> {
        resolve::meant(&self.blocks, first, second)
    }

    /// The block that says an attribute for a block: itself, or for a language model the nearest of its bases that does.
    pub fn says(&self, id: BlockId, name: &str) -> BlockId {
        let mut next = Some(id);
        for _ in 0..MAX_BASES {
            let Some(block) = next else { break };
            if self.value(block, name) != Value::Null {
                return block;
            }
            next = self.typed::<LanguageModel>(block).and_then(|model| model.base).map(Id::block);
        }
        id
    }

    /// The name of a typed block.
    pub fn name<K>(&self, id: Id<K>) -> &str {
        &self.block(id.block()).name
    }

    /// Kind and name of a block in the source.
    pub fn place<K>(&self, id: Id<K>) -> Span {
        self.block(id.block()).place
    }

    /// Where an attribute is written; the block's header when it is left out.
    pub fn place_of<K>(&self, id: Id<K>, attribute: &str) -> Span {
        self.block(id.block()).place_of(attribute)
    }

    /// The value of an attribute as written or by default; `null` without either.
    pub fn value(&self, id: BlockId, attribute: &str) -> Value {
        let block = self.block(id);
        let Some((position, row)) = block.kind.schema().attribute(attribute) else { return Value::Null };
        match block.slot(position) {
            Some(slot) => slot.value.clone().unwrap_or(Value::Null),
            None => row.default.map_or(Value::Null, |text| facts::literal(text, &row.ty)),
        }
    }

    /// A block of a kind, when the id is of that kind.
    pub fn typed<K: Kinded>(&self, id: BlockId) -> Option<&K> {
        let block = self.block(id);
        (block.kind == K::KIND).then(|| K::table(&self.tables).get(block.row? as usize))?
    }

    /// The same as an id.
    pub fn as_id<K: Kinded>(&self, id: BlockId) -> Option<Id<K>> {
        (self.block(id).kind == K::KIND).then(|| Id::new(id))
    }

    /// The source of a catalogue fact; nothing for what the package says itself.
    pub fn fact_source(&self, id: BlockId, attribute: &str) -> Option<&Source> {
        let block = self.block(id);
        let (position, _) = block.kind.schema().attribute(attribute)?;
        match &block.slot(position)?.set_by {
            SetBy::Catalogue(source) => self.catalogue.source(block.kind.schema().word, source),
            SetBy::Block | SetBy::Environment(_) | SetBy::CommandLine => None,
        }
    }

    /// True when a catalogue fact was written from memory.
    pub fn is_from_memory(&self, id: BlockId, attribute: &str) -> bool {
        self.fact_source(id, attribute).is_some_and(|source| source.confidence == Confidence::Memory)
    }

    /// A value as people read it, references by their address.
    pub fn show(&self, value: &Value) -> String {
        match value {
            Value::Block(id) => self.address(*id),
            Value::Part(count, id) => format!("{count} * {}", self.address(*id)),
            Value::List(items) => {
                format!("[{}]", items.iter().map(|item| self.show(item)).collect::<Vec<_>>().join(", "))
            }
            Value::Text(text) => format!("{text:?}"),
            other => other.to_string(),
        }
    }
}

/// A typed block by its id. A model that is planned has no errors, so every id that it holds has its row.
impl<K: Kinded> Index<Id<K>> for Model<'_> {
    type Output = K;

    fn index(&self, id: Id<K>) -> &K {
        let row = self.block(id.block()).row.expect("a model without errors has a row for every id");
        &K::table(&self.tables)[row as usize]
    }
}
