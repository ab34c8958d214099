//! What the user wrote: places on everything, nothing decided.
//!
//! The tree holds no text of its own. A name is a [`Span`], read through `&sources[span]`, so the tree stays small and
//! a block can be moved without touching it.

use crate::base::span::{SourceId, Span};

/// One parsed file.
#[derive(Debug, Clone)]
pub struct File {
    /// The source it came from.
    pub source: SourceId,
    /// `##` lines at the top that are followed by a blank line: they document the package.
    pub doc: Vec<Span>,
    /// Its blocks, in the order written. A block that did not parse is absent and has its diagnostics.
    pub blocks: Vec<Block>,
    /// Every comment of the file (`#` and `##`), in order, without the newline.
    pub comments: Vec<Span>,
}

/// `kind name for x in list { … }`.
#[derive(Debug, Clone)]
pub struct Block {
    /// From the first annotation (or the kind) to the closing brace. Documentation is not part of it.
    pub span: Span,
    /// `##` lines that touch it from above, each without the newline.
    pub doc: Vec<Span>,
    /// `@allow(…)`, `@was(…)`.
    pub annotations: Vec<Annotation>,
    /// The word before the name.
    pub kind: Span,
    /// The name or address after the kind.
    pub label: Option<Label>,
    /// `for x in list`.
    pub repeat: Option<For>,
    /// What stands between the braces, in the order written.
    pub items: Vec<Item>,
}

/// What stands after a block's kind.
#[derive(Debug, Clone)]
pub enum Label {
    /// `pool train`.
    Name(Span),
    /// `price catalog.server.dgx-h100`: two segments or more.
    Address(Path),
}

/// `for variable in list`, in a block's header.
#[derive(Debug, Clone)]
pub struct For {
    /// The loop variable.
    pub variable: Span,
    /// What it runs over.
    pub list: Expr,
}

/// One thing between the braces of a block.
#[derive(Debug, Clone)]
pub enum Item {
    /// `name = value`.
    Attribute(Attribute),
    /// A block in a block.
    Block(Box<Block>),
    /// `set path = value` in an environment.
    Set(Set),
    /// `drop address` in an environment.
    Drop(Drop),
}

/// `name = value`.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// From the first annotation (or the name) to the end of the value.
    pub span: Span,
    /// `##` lines that touch it from above.
    pub doc: Vec<Span>,
    /// `@allow(…)`, `@locked`.
    pub annotations: Vec<Annotation>,
    /// The name.
    pub name: Span,
    /// The value.
    pub value: Expr,
}

/// `set path = value`.
#[derive(Debug, Clone)]
pub struct Set {
    /// The whole of it.
    pub span: Span,
    /// `##` lines that touch it from above.
    pub doc: Vec<Span>,
    /// What is set.
    pub path: Path,
    /// To what.
    pub value: Expr,
}

/// `drop address`.
#[derive(Debug, Clone)]
pub struct Drop {
    /// The whole of it.
    pub span: Span,
    /// `##` lines that touch it from above.
    pub doc: Vec<Span>,
    /// What is dropped.
    pub path: Path,
}

/// `@name` or `@name(argument, key = argument)`.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// From the `@` to the end.
    pub span: Span,
    /// The word after the `@`.
    pub name: Span,
    /// What stands in the parentheses; empty without them.
    pub arguments: Vec<Argument>,
}

/// One argument of an annotation.
#[derive(Debug, Clone)]
pub struct Argument {
    /// `key` of `key = value`.
    pub key: Option<Span>,
    /// The value.
    pub value: Expr,
}

/// `pool.train`, `pool.train[*]`, `quote.vendor-a.price(catalog.server.x).each`.
#[derive(Debug, Clone)]
pub struct Path {
    /// The whole of it.
    pub span: Span,
    /// At least one.
    pub segments: Vec<Segment>,
}

/// One step of a path.
#[derive(Debug, Clone)]
pub enum Segment {
    /// A word: the first, or one after a dot.
    Name(Span),
    /// `[*]`: every instance.
    Splat(Span),
    /// `[expression]`.
    Index(Box<Expr>),
    /// `(address)` after a word, only in paths of `set` and `drop`.
    Address(Box<Path>),
}

/// A value with its place.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The forms of a value.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// `true`, `false`.
    Bool(bool),
    /// `null`.
    Null,
    /// `auto`.
    Auto,
    /// `tbd("why")`.
    Tbd(Box<Expr>),
    /// `42`, `4.2 million`, `80 GiB`, `99.9%`, `0.19 EUR/kWh`, `20/month`.
    Number(Literal),
    /// `2..6`, `1..2 TB`.
    Range(Box<Range>),
    /// `2:1`, without blanks: both sides as written.
    Ratio(Span, Span),
    /// `2027-03-31`.
    Date,
    /// A string with its parts, quotes not included.
    Text(Vec<TextPart>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `[for x in xs : body if filter]`.
    Comprehension(Box<Comprehension>),
    /// `{ key = value }`.
    Map(Vec<Entry>),
    /// A word (one segment) or a reference.
    Path(Path),
    /// `name(arguments)`: a function or a tagged word.
    Call(Span, Vec<Expr>),
    /// `-x`, `not x`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`: the place of the operator between the operands.
    Binary(BinaryOp, Span, Box<(Expr, Expr)>),
    /// `condition ? then : otherwise`.
    Conditional(Box<(Expr, Expr, Expr)>),
}

impl Expr {
    /// Visits the expressions directly inside this one; those in `[…]` of a reference are among them.
    pub fn for_each_child<'e>(&'e self, mut visit: impl FnMut(&'e Expr)) {
        match &self.kind {
            ExprKind::Tbd(inner) | ExprKind::Unary(_, inner) => visit(inner),
            ExprKind::Text(parts) => {
                for part in parts {
                    match part {
                        TextPart::Expr(inner) => visit(inner),
                        TextPart::Raw(_) => {}
                    }
                }
            }
            ExprKind::List(items) | ExprKind::Call(_, items) => items.iter().for_each(visit),
            ExprKind::Comprehension(inner) => {
                visit(&inner.list);
                visit(&inner.body);
                inner.filter.iter().for_each(visit);
            }
            ExprKind::Map(entries) => entries.iter().for_each(|entry| visit(&entry.value)),
            ExprKind::Path(path) => {
                for segment in &path.segments {
                    if let Segment::Index(index) = segment {
                        visit(index);
                    }
                }
            }
            ExprKind::Binary(_, _, operands) => {
                visit(&operands.0);
                visit(&operands.1);
            }
            ExprKind::Conditional(parts) => {
                visit(&parts.0);
                visit(&parts.1);
                visit(&parts.2);
            }
            ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Auto
            | ExprKind::Number(_)
            | ExprKind::Range(_)
            | ExprKind::Ratio(..)
            | ExprKind::Date => {}
        }
    }
}

/// A number as written.
#[derive(Debug, Clone, Copy)]
pub struct Literal {
    /// The digits, with `_` and at most one point.
    pub number: Span,
    /// `thousand`, `million`, `billion`, `trillion`.
    pub scale: Option<Span>,
    /// `GiB`, `%`, `EUR/kWh`, `/month`; with its glued `/`.
    pub unit: Option<Span>,
}

/// Both ends of a range; the unit stands after the second.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The digits of the lower end.
    pub low: Span,
    /// The upper end with scale and unit.
    pub high: Literal,
}

/// A piece of a string.
#[derive(Debug, Clone)]
pub enum TextPart {
    /// Text as written, escapes and `$${` not yet read.
    Raw(Span),
    /// `${expression}`.
    Expr(Expr),
}

/// `[for variable in list : body if filter]`.
#[derive(Debug, Clone)]
pub struct Comprehension {
    /// The loop variable.
    pub variable: Span,
    /// What it runs over.
    pub list: Expr,
    /// What is collected.
    pub body: Expr,
    /// What is kept.
    pub filter: Option<Expr>,
}

/// `key = value` in a map.
#[derive(Debug, Clone)]
pub struct Entry {
    /// A word, or a string with its quotes.
    pub key: Span,
    /// The value.
    pub value: Expr,
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `not`
    Not,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `and`
    And,
    /// `or`
    Or,
    /// `in`
    In,
    /// `not in`
    NotIn,
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::In => "in",
            BinaryOp::NotIn => "not in",
        }
    }
}
