//! The tree of a file as text without places: two files with the same shape mean the same.
//!
//! The formatter compares shapes to prove that it changed nothing; tests read them.

use std::fmt::Write;

use super::ast::{Annotation, Block, Expr, ExprKind, File, Item, Label, Literal, Path, Segment, TextPart, UnaryOp};
use crate::base::span::Span;

/// The shape of a file: blocks, items, values, documentation and comments, a line each.
pub fn shape(text: &str, file: &File) -> String {
    let mut shape = Shape { text, out: String::new(), depth: 0 };
    shape.documentation(&file.doc);
    for block in &file.blocks {
        shape.block(block);
    }
    for comment in &file.comments {
        shape.line(&format!("comment {:?}", shape.slice(*comment).trim_end()));
    }
    shape.out
}

/// The shape of a value.
pub fn shape_of_value(text: &str, value: &Expr) -> String {
    Shape { text, out: String::new(), depth: 0 }.expr(value)
}

struct Shape<'t> {
    text: &'t str,
    out: String,
    depth: usize,
}

impl<'t> Shape<'t> {
    fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start()..span.end()).unwrap_or("")
    }

    fn line(&mut self, line: &str) {
        let indent = 2 * self.depth;
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:indent$}{line}", "");
    }

    fn documentation(&mut self, doc: &[Span]) {
        for line in doc {
            self.line(&format!("doc {:?}", self.slice(*line).trim_end()));
        }
    }

    fn annotations(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            let mut line = format!("@{}", self.slice(annotation.name));
            for argument in &annotation.arguments {
                let key = argument.key.map_or("", |key| self.slice(key));
                line.push_str(&format!(" {key}={}", self.expr(&argument.value)));
            }
            self.line(&line);
        }
    }

    fn block(&mut self, block: &Block) {
        self.documentation(&block.doc);
        self.annotations(&block.annotations);
        let label = match &block.label {
            None => String::new(),
            Some(Label::Name(name)) => format!(" {}", self.slice(*name)),
            Some(Label::Address(path)) => format!(" {}", self.path(path)),
        };
        let repeat = block.repeat.as_ref();
        let repeat = repeat
            .map(|each| format!(" for {} in {}", self.slice(each.variable), self.expr(&each.list)))
            .unwrap_or_default();
        self.line(&format!("block {}{label}{repeat}", self.slice(block.kind)));
        self.depth += 1;
        for item in &block.items {
            self.item(item);
        }
        self.depth -= 1;
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Block(block) => self.block(block),
            Item::Attribute(attribute) => {
                self.documentation(&attribute.doc);
                self.annotations(&attribute.annotations);
                self.line(&format!("{} = {}", self.slice(attribute.name), self.expr(&attribute.value)));
            }
            Item::Set(set) => {
                self.documentation(&set.doc);
                self.line(&format!("set {} = {}", self.path(&set.path), self.expr(&set.value)));
            }
            Item::Drop(drop) => {
                self.documentation(&drop.doc);
                self.line(&format!("drop {}", self.path(&drop.path)));
            }
        }
    }

    fn path(&self, path: &Path) -> String {
        let mut text = String::new();
        for segment in &path.segments {
            match segment {
                Segment::Name(name) => text.push_str(&format!(".{}", self.slice(*name))),
                Segment::Splat(_) => text.push_str("[*]"),
                Segment::Index(index) => text.push_str(&format!("[{}]", self.expr(index))),
                Segment::Address(path) => text.push_str(&format!("({})", self.path(path))),
            }
        }
        text
    }

    fn literal(&self, literal: &Literal) -> String {
        let part = |span: Option<Span>| span.map_or("", |span| self.slice(span));
        format!("{}'{}'{}", self.slice(literal.number), part(literal.scale), part(literal.unit))
    }

    fn all<'a>(&self, values: impl IntoIterator<Item = &'a Expr>) -> String {
        values.into_iter().map(|value| self.expr(value)).collect::<Vec<_>>().join(" ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Null => String::from("null"),
            ExprKind::Auto => String::from("auto"),
            ExprKind::Tbd(why) => format!("(tbd {})", self.expr(why)),
            ExprKind::Number(literal) => self.literal(literal),
            ExprKind::Range(range) => format!("{}..{}", self.slice(range.low), self.literal(&range.high)),
            ExprKind::Ratio(low, high) => format!("{}:{}", self.slice(*low), self.slice(*high)),
            ExprKind::Date => self.slice(expr.span).trim_matches(['(', ')', ' ', '\n', '\r', '\t']).to_owned(),
            ExprKind::Text(parts) => {
                let part = |part: &TextPart| match part {
                    TextPart::Raw(raw) => format!("{:?}", self.slice(*raw)),
                    TextPart::Expr(expr) => self.expr(expr),
                };
                let long = if super::text::is_long(self.slice(expr.span)) { "lines" } else { "text" };
                format!("({long} {})", parts.iter().map(part).collect::<Vec<_>>().join(" "))
            }
            ExprKind::List(items) => format!("[{}]", self.all(items)),
            ExprKind::Comprehension(each) => {
                let filter = each.filter.as_ref().map_or(String::new(), |filter| self.expr(filter));
                let variable = self.slice(each.variable);
                format!("[for {variable} {} : {} if {filter}]", self.expr(&each.list), self.expr(&each.body))
            }
            ExprKind::Map(entries) => {
                let entry =
                    |entry: &super::ast::Entry| format!("{}={}", self.slice(entry.key), self.expr(&entry.value));
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(" "))
            }
            ExprKind::Path(path) => self.path(path),
            ExprKind::Call(name, arguments) => format!("({} {})", self.slice(*name), self.all(arguments)),
            ExprKind::Unary(UnaryOp::Minus, operand) => format!("(- {})", self.expr(operand)),
            ExprKind::Unary(UnaryOp::Not, operand) => format!("(not {})", self.expr(operand)),
            ExprKind::Binary(op, _, operands) => {
                format!("({} {} {})", op.symbol(), self.expr(&operands.0), self.expr(&operands.1))
            }
            ExprKind::Conditional(parts) => format!("(? {})", self.all([&parts.0, &parts.1, &parts.2])),
        }
    }
}
