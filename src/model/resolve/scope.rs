//! Names that loops bring in: they may not hide a word that has a meaning of its own.

use crate::base::diagnostic::Diagnostics;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::model::problems;
use crate::model::schema;
use crate::syntax::ast::{Block, Expr, ExprKind, File, Item, Path, Segment, TextPart};

/// A problem for every loop variable that is a kind or an enum word.
pub(super) fn hidden_words(sources: &Sources, files: &[File]) -> Diagnostics {
    let mut walk = Walk { sources, problems: Diagnostics::new(), entries: Vec::new() };
    files.iter().flat_map(|file| &file.blocks).for_each(|block| walk.block(block));
    walk.problems
}

/// Kind and id of every catalogue entry that an expression names.
pub(super) fn entries<'s>(sources: &'s Sources, expr: &Expr) -> Vec<(&'s str, &'s str)> {
    let mut walk = Walk { sources, problems: Diagnostics::new(), entries: Vec::new() };
    walk.expr(expr);
    walk.entries
}

/// True for a value that leads to no other.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::Auto
        | ExprKind::Number(_)
        | ExprKind::Range(_)
        | ExprKind::Ratio(..)
        | ExprKind::Date => true,
        ExprKind::Text(parts) => parts.iter().all(|part| matches!(part, TextPart::Raw(_))),
        ExprKind::List(items) | ExprKind::Call(_, items) => items.iter().all(is_literal),
        ExprKind::Path(path) => path.segments.len() == 1,
        ExprKind::Tbd(inner) | ExprKind::Unary(_, inner) => is_literal(inner),
        ExprKind::Map(_) | ExprKind::Comprehension(_) | ExprKind::Binary(..) | ExprKind::Conditional(_) => false,
    }
}

struct Walk<'s> {
    sources: &'s Sources,
    problems: Diagnostics,
    entries: Vec<(&'s str, &'s str)>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        if let Some(repeat) = &block.repeat {
            self.variable(repeat.variable);
            self.expr(&repeat.list);
        }
        for item in &block.items {
            match item {
                Item::Attribute(attribute) => self.expr(&attribute.value),
                Item::Block(inner) => self.block(inner),
                Item::Set(set) => self.expr(&set.value),
                Item::Drop(_) => {}
            }
        }
    }

    fn variable(&mut self, at: Span) {
        let word = &self.sources[at];
        if schema::has_meaning(word) {
            self.problems.push(problems::shadowing(word, at));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Comprehension(comprehension) = &expr.kind {
            self.variable(comprehension.variable);
        }
        if let ExprKind::Path(path) = &expr.kind {
            self.path(path);
        }
        expr.for_each_child(|child| self.expr(child));
    }

    fn path(&mut self, path: &Path) {
        let sources = self.sources;
        if let [Segment::Name(root), Segment::Name(kind), Segment::Name(id), ..] = path.segments.as_slice()
            && sources[*root] == *"catalog"
        {
            self.entries.push((&sources[*kind], &sources[*id]));
        }
    }
}
