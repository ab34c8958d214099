//! From trees to the model: names first, then settings, then values, each value when something asks for it.

mod environment;
mod meant;
mod names;
mod repeat;
mod scope;
mod tables;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::diagnostic::Diagnostics;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::catalog::Catalogue;
use crate::syntax::ast;

use super::Model;
use super::block::{Bindings, Block, Origin};
use super::effort::Effort;
use super::ids::BlockId;
use super::kinds::Kind;
use super::schema::SubShape;
use super::value::Value;

pub(in crate::model) use meant::meant;

use environment::Change;

/// The most characters of a name.
const MAX_NAME: usize = 40;

/// What the command line adds to the package.
#[derive(Debug, Default)]
pub struct Settings<'a, 'f> {
    /// `--env`; without it the package as written.
    pub environment: Option<&'a str>,
    /// `--set`, already parsed.
    pub set: &'a [ast::Set],
    /// What sizing found, for strings that show it, by address: `fabric.compute.leaf_switches`. Absent the first time;
    /// when [`Model::wants_figures`] says so, the package is resolved again with them.
    pub figures: Option<&'f HashMap<String, Value>>,
}

/// Resolves a package.
pub fn resolve<'a>(
    sources: &'a Sources,
    files: &'a [ast::File],
    settings: &Settings<'a, '_>,
    catalogue: &'a Catalogue,
) -> (Model<'a>, Diagnostics) {
    let mut resolver = Resolver::new(sources, catalogue, settings.figures.cloned());
    resolver.collect(files);
    resolver.apply_environment(settings);
    resolver.multiply();
    resolver.apply_waiting();
    resolver.check_other_environments();
    resolver.evaluate();
    resolver.finish()
}

/// A name in a `let` block.
struct Let<'a> {
    expr: &'a ast::Expr,
    name: Span,
    value: Option<Value>,
    busy: bool,
}

/// What is being evaluated, to show a circle when one closes.
#[derive(Clone)]
struct Step {
    label: String,
    at: Span,
}

struct Resolver<'a> {
    sources: &'a Sources,
    catalogue: &'a Catalogue,
    blocks: Vec<Block<'a>>,
    names: HashMap<(Kind, Arc<str>), BlockId>,
    /// The same blocks, by kind.
    by_kind: HashMap<Kind, BTreeSet<BlockId>>,
    families: HashMap<(Kind, Arc<str>), Vec<BlockId>>,
    dropped: HashMap<(Kind, Arc<str>), Span>,
    entries: HashMap<(Kind, Arc<str>), BlockId>,
    lets: BTreeMap<&'a str, Let<'a>>,
    /// Blocks with `for`, until they are multiplied.
    pending: Vec<(&'a ast::Block, Kind)>,
    /// The same inside another block: the block it stands in, with the names that it may use.
    pending_children: Vec<(BlockId, &'a ast::Block, Bindings)>,
    /// Changes of blocks that a loop makes, until it has made them.
    waiting: Vec<Change<'a>>,
    /// The environment asked for, with those it extends.
    active: Vec<Arc<str>>,
    /// Labels that are addresses, until every name is known.
    labels: Vec<(BlockId, &'a ast::Path)>,
    environments: Vec<(Arc<str>, &'a ast::Block)>,
    /// The package as a document: `##` lines before the first block.
    doc: String,
    steps: Vec<Step>,
    depth: usize,
    effort: Effort,
    figures: Option<HashMap<String, Value>>,
    /// True while free text is evaluated: it may show figures, everything else is what sizing starts from.
    in_text: bool,
    wants_figures: bool,
    problems: Diagnostics,
}

impl<'a> Resolver<'a> {
    fn new(sources: &'a Sources, catalogue: &'a Catalogue, figures: Option<HashMap<String, Value>>) -> Resolver<'a> {
        Resolver {
            sources,
            catalogue,
            blocks: Vec::new(),
            names: HashMap::new(),
            by_kind: HashMap::new(),
            families: HashMap::new(),
            dropped: HashMap::new(),
            entries: HashMap::new(),
            lets: BTreeMap::new(),
            pending: Vec::new(),
            pending_children: Vec::new(),
            waiting: Vec::new(),
            active: Vec::new(),
            labels: Vec::new(),
            environments: Vec::new(),
            doc: String::new(),
            steps: Vec::new(),
            depth: 0,
            effort: Effort::of(sources),
            figures,
            in_text: false,
            wants_figures: false,
            problems: Diagnostics::new(),
        }
    }
}

/// The address of a block: `pool.train`, `cluster.hpc.partition.debug`, `quote.a.price(catalog.server.x)`.
pub(in crate::model) fn address(blocks: &[Block<'_>], id: BlockId) -> String {
    let block = &blocks[id.index()];
    let word = block.kind.schema().word;
    match block.parent {
        None if block.origin == Origin::Catalogue => format!("catalog.{word}.{}", block.name),
        None => format!("{word}.{}", block.name),
        Some(parent) => {
            let outer = address(blocks, parent);
            let sub = blocks[parent.index()].kind.schema().blocks.iter().find(|sub| sub.kind == block.kind);
            match sub.map(|sub| (sub.shape, sub.word)) {
                Some((SubShape::Single, word)) => format!("{outer}.{word}"),
                Some((SubShape::Addressed, word)) => format!("{outer}.{word}({})", block.name),
                Some((SubShape::Named, word)) => format!("{outer}.{word}.{}", block.name),
                Some((SubShape::Keyed, _)) => format!("{outer}.{}", block.name),
                None => outer,
            }
        }
    }
}

fn label_span(block: &ast::Block) -> Span {
    match &block.label {
        Some(ast::Label::Name(span)) => *span,
        Some(ast::Label::Address(path)) => path.span,
        None => block.kind,
    }
}

/// Why a name is illegal, if it is.
fn illegal(name: &str) -> Option<&'static str> {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.len() > MAX_NAME {
        Some("it has more than 40 characters")
    } else if !name.chars().all(legal) {
        Some("it has other characters than lower-case letters, digits and hyphens")
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        Some("it does not start with a letter")
    } else if name.ends_with('-') || name.contains("--") {
        Some("its hyphens do not stand alone between letters or digits")
    } else {
        None
    }
}
