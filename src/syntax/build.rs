//! From the pairs of pest to the tree: a function for each rule of the grammar, with its name.
//!
//! The grammar lets some mistakes pass so that they can be named here: a `-` without blanks, a chain of comparisons, a
//! name that is no name. Such a piece still makes a tree, so that nothing else is said about it.

use pest::iterators::{Pair, Pairs};

use super::ast::{
    Annotation, Argument, Attribute, BinaryOp, Block, Comprehension, Drop, Entry, Expr, ExprKind, For, Item, Label,
    Path, Segment, Set, TextPart, UnaryOp,
};
use super::grammar::Rule;
use super::number;
use super::problems;
use super::read::Reader;
use super::text;
use crate::base::span::Span;

/// How high a tree of operators may grow: everything that walks the tree may recurse.
const MAX_HEIGHT: usize = 200;

/// The pairs inside of a rule.
struct Parts<'t> {
    pairs: Pairs<'t, Rule>,
}

impl<'t> Parts<'t> {
    fn of(pair: Pair<'t, Rule>) -> Parts<'t> {
        Parts { pairs: pair.into_inner() }
    }

    fn peek(&mut self) -> Option<Rule> {
        self.pairs.peek().map(|pair| pair.as_rule())
    }

    fn next_if(&mut self, rule: Rule) -> Option<Pair<'t, Rule>> {
        (self.peek() == Some(rule)).then(|| self.pairs.next()).flatten()
    }
}

impl<'t> Iterator for Parts<'t> {
    type Item = Pair<'t, Rule>;

    fn next(&mut self) -> Option<Pair<'t, Rule>> {
        self.pairs.next()
    }
}

/// What stands before the brace of a block.
pub(super) struct Head {
    start: Span,
    doc: Vec<Span>,
    annotations: Vec<Annotation>,
    kind: Span,
    label: Option<Label>,
    repeat: Option<For>,
}

impl Head {
    /// The block with this head.
    pub(super) fn with(self, items: Vec<Item>, end: Span) -> Block {
        let Head { start, doc, annotations, kind, label, repeat } = self;
        Block { span: start.to(end), doc, annotations, kind, label, repeat, items }
    }
}

// ---- blocks and what stands in them

/// One item of a block, or a block.
pub(super) fn item(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Item> {
    let span = reader.span(&pair);
    let doc = reader.doc_before(span);
    if pair.as_rule() == Rule::noted {
        return noted(reader, pair, doc);
    }
    plain_item(reader, pair, Before { span, doc, annotations: Vec::new() })
}

/// What stands before the words of an item, and its whole place.
struct Before {
    span: Span,
    doc: Vec<Span>,
    annotations: Vec<Annotation>,
}

/// An item with its annotations.
fn noted(reader: &mut Reader<'_>, pair: Pair<'_, Rule>, doc: Vec<Span>) -> Option<Item> {
    let span = reader.span(&pair);
    let mut parts = Parts::of(pair);
    let annotations = annotations(reader, &mut parts);
    plain_item(reader, parts.next()?, Before { span, doc, annotations })
}

fn plain_item(reader: &mut Reader<'_>, pair: Pair<'_, Rule>, before: Before) -> Option<Item> {
    let mut parts = Parts::of(pair);
    let name = reader.span(&parts.next()?);
    if let Some(pair) = parts.next_if(Rule::expr) {
        reader.check_word(name);
        if reader.is_reserved(name) {
            return None;
        }
        let value = value(reader, pair)?;
        let Before { span, doc, annotations } = before;
        return Some(Item::Attribute(Attribute { span, doc, annotations, name, value }));
    }
    let path = match parts.next_if(Rule::address) {
        Some(pair) => Some(address(reader, pair)?),
        None => None,
    };
    match (parts.peek(), path) {
        (Some(Rule::expr), Some(path)) => set(reader, before, (name, path), &mut parts),
        (None, path) => drop_or_word(reader, before, (name, path)),
        (Some(_), path) => {
            let span = before.span;
            let head = finish_head(reader, (before, name), path, &mut parts);
            let items = body(reader, name, parts);
            Some(Item::Block(Box::new(head?.with(items, span))))
        }
    }
}

/// The header of a broken block.
pub(super) fn head(reader: &mut Reader<'_>, pairs: Pairs<'_, Rule>) -> Option<Head> {
    let mut parts = Parts { pairs };
    let start = reader.base_span();
    let doc = reader.doc_before(start);
    let annotations = annotations(reader, &mut parts);
    let mut parts = Parts::of(parts.next()?);
    let kind = reader.span(&parts.next()?);
    let path = match parts.next_if(Rule::address) {
        Some(pair) => Some(address(reader, pair)?),
        None => None,
    };
    finish_head(reader, (Before { span: start, doc, annotations }, kind), path, &mut parts)
}

/// The rest of a header; nothing when its loop was reported and has no meaning.
fn finish_head(
    reader: &mut Reader<'_>,
    (before, kind): (Before, Span),
    path: Option<Path>,
    parts: &mut Parts<'_>,
) -> Option<Head> {
    let Before { span: start, doc, annotations } = before;
    reader.check_word(kind);
    let label = path.map(|path| label(reader, path));
    let repeat = match parts.next_if(Rule::each) {
        Some(pair) => Some(each(reader, pair)?),
        None => None,
    };
    parts.next_if(Rule::open);
    Some(Head { start, doc, annotations, kind, label, repeat })
}

fn body(reader: &mut Reader<'_>, kind: Span, parts: Parts<'_>) -> Vec<Item> {
    let outer = reader.enter(kind);
    let mut items = Vec::with_capacity(parts.pairs.len());
    items.extend(parts.filter_map(|pair| item(reader, pair)));
    reader.leave(outer);
    items
}

fn label(reader: &mut Reader<'_>, path: Path) -> Label {
    match path.segments.as_slice() {
        [Segment::Name(name)] => {
            reader.check_name(*name);
            Label::Name(*name)
        }
        _ => Label::Address(path),
    }
}

/// `set path = value`: the only item with a path before its `=`.
fn set(reader: &mut Reader<'_>, before: Before, (word, path): (Span, Path), parts: &mut Parts<'_>) -> Option<Item> {
    let value = value(reader, parts.next()?)?;
    if reader.text(word) != "set" {
        reader.report(problems::two_words_before_equals(word, path.span, reader.text(word)));
        return None;
    }
    reader.refuse_annotations(&before.annotations);
    Some(Item::Set(Set { span: before.span, doc: before.doc, path, value }))
}

/// `drop path`: the only item that ends after its path.
fn drop_or_word(reader: &mut Reader<'_>, before: Before, (word, path): (Span, Option<Path>)) -> Option<Item> {
    match path {
        Some(path) if reader.text(word) == "drop" => {
            reader.refuse_annotations(&before.annotations);
            // The rule goes on over the blanks that a header may have here.
            let span = Span::new(reader.source, before.span.start(), path.span.end());
            Some(Item::Drop(Drop { span, doc: before.doc, path }))
        }
        _ => {
            let words = reader.text(before.span).trim_end();
            let place = Span::new(reader.source, before.span.start(), before.span.start() + words.len());
            reader.report(problems::no_value(place, words));
            None
        }
    }
}

fn annotations(reader: &mut Reader<'_>, parts: &mut Parts<'_>) -> Vec<Annotation> {
    let mut annotations = Vec::new();
    while let Some(pair) = parts.next_if(Rule::annotation) {
        annotations.extend(annotation(reader, pair));
    }
    annotations
}

fn annotation(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Annotation> {
    let span = reader.span_from(&pair, 1);
    let mut parts = Parts::of(pair);
    let name = reader.span(&parts.next()?);
    let arguments = parts.filter_map(|pair| argument(reader, pair)).collect();
    Some(Annotation { span, name, arguments })
}

fn argument(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Argument> {
    let mut parts = Parts::of(pair);
    let key = parts.next_if(Rule::word).map(|pair| reader.span(&pair));
    parts.next_if(Rule::eq);
    let value = expr(reader, parts.next()?);
    Some(Argument { key, value })
}

fn each(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<For> {
    let mut parts = Parts::of(pair);
    let variable = reader.span(&parts.next()?);
    reader.check_variable(variable);
    let list = value(reader, parts.next()?)?;
    Some(For { variable, list })
}

/// What `set` and `drop` name.
pub(super) fn address(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Path> {
    let span = reader.span(&pair);
    let mut segments = Vec::new();
    reader.unread = false;
    for part in Parts::of(pair) {
        match part.as_rule() {
            Rule::path => path(reader, &part, &mut segments),
            Rule::index => segments.push(index(reader, part)?),
            Rule::address => segments.push(Segment::Address(Box::new(address(reader, part)?))),
            _ => {}
        }
    }
    (!reader.unread).then_some(Path { span, segments })
}

/// `PATH = VALUE` of the command line.
pub(super) fn setting(reader: &mut Reader<'_>, mut pairs: Pairs<'_, Rule>) -> Option<Set> {
    let path = address(reader, pairs.find(|pair| pair.as_rule() == Rule::address)?)?;
    let value = expr(reader, pairs.find(|pair| pair.as_rule() == Rule::expr)?);
    Some(Set { span: path.span.to(value.span), doc: Vec::new(), path, value })
}

// ---- values

/// The value of an item; nothing when a part of it was reported and has no meaning.
fn value(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Expr> {
    reader.unread = false;
    let value = expr(reader, pair);
    (!reader.unread).then_some(value)
}

/// A value.
pub(super) fn expr(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Expr {
    let span = reader.span(&pair);
    let mut parts = Parts::of(pair);
    let mut row = Row::default();
    while let Some(part) = parts.next() {
        match part.as_rule() {
            Rule::signs => signs(reader, part, &mut row),
            Rule::op => {
                let place = reader.span(&part);
                row.operator(reader, place, op(&part));
            }
            Rule::expr => {
                let condition = row.finish(reader, span);
                return conditional(reader, condition, part, parts);
            }
            _ => {
                let operand = primary(reader, part, &mut parts);
                if parts.peek().is_none() && row.is_empty() {
                    return operand;
                }
                row.operand(reader, operand);
            }
        }
    }
    row.finish(reader, span)
}

fn signs(reader: &Reader<'_>, pair: Pair<'_, Rule>, row: &mut Row) {
    for part in Parts::of(pair) {
        row.sign(reader.span(&part), sign(&part));
    }
}

fn conditional(reader: &mut Reader<'_>, condition: Expr, then: Pair<'_, Rule>, mut parts: Parts<'_>) -> Expr {
    let mut height = reader.height;
    let then = expr(reader, then);
    height = height.max(reader.height);
    let Some(otherwise) = parts.next() else { return then };
    let otherwise = expr(reader, otherwise);
    reader.height = height.max(reader.height) + 1;
    reader.check_blanks_between(&condition, &then, "?");
    reader.check_blanks_between(&then, &otherwise, ":");
    let span = condition.span.to(otherwise.span);
    Expr { span, kind: ExprKind::Conditional(Box::new((condition, then, otherwise))) }
}

fn sign(pair: &Pair<'_, Rule>) -> UnaryOp {
    if pair.as_str() == "-" { UnaryOp::Minus } else { UnaryOp::Not }
}

fn op(pair: &Pair<'_, Rule>) -> BinaryOp {
    match pair.as_str() {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        "/" => BinaryOp::Divide,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "in" => BinaryOp::In,
        _ => BinaryOp::NotIn,
    }
}

/// A value without operators, with what is glued to it.
fn primary(reader: &mut Reader<'_>, pair: Pair<'_, Rule>, parts: &mut Parts<'_>) -> Expr {
    reader.height = 1;
    match pair.as_rule() {
        Rule::path => reference(reader, &pair, parts),
        Rule::number => number::number(reader, &pair),
        Rule::plain_text => plain_text(reader, &pair),
        Rule::short_text => text_of(reader, pair, 1),
        Rule::long_text => text_of(reader, pair, 3),
        Rule::list => list(reader, pair),
        Rule::map => map(reader, pair),
        Rule::paren => paren(reader, pair),
        _ => {
            let span = reader.span(&pair);
            unread(reader, span)
        }
    }
}

/// What stands for a value that has been reported: the item with it is left out.
fn unread(reader: &mut Reader<'_>, span: Span) -> Expr {
    reader.unread = true;
    Expr { span, kind: ExprKind::Null }
}

/// A word, a reference or a call.
fn reference(reader: &mut Reader<'_>, pair: &Pair<'_, Rule>, parts: &mut Parts<'_>) -> Expr {
    let span = reader.span(pair);
    match parts.peek() {
        Some(Rule::call) => call_of(reader, span, parts),
        Some(Rule::indexes) => long_reference(reader, pair, parts),
        _ => word_or_path(reader, pair, span),
    }
}

fn word_or_path(reader: &mut Reader<'_>, pair: &Pair<'_, Rule>, span: Span) -> Expr {
    let kind = match pair.as_str() {
        "true" => ExprKind::Bool(true),
        "false" => ExprKind::Bool(false),
        "null" => ExprKind::Null,
        "auto" => ExprKind::Auto,
        "tbd" => {
            reader.report(problems::tbd_without_reason(span));
            return unread(reader, span);
        }
        "and" | "or" | "in" | "for" | "if" | "not" => {
            reader.report(problems::reserved_as_value(span, reader.text(span)));
            return unread(reader, span);
        }
        _ => {
            let mut segments = Vec::new();
            path(reader, pair, &mut segments);
            ExprKind::Path(Path { span, segments })
        }
    };
    Expr { span, kind }
}

/// A reference with indexes.
fn long_reference(reader: &mut Reader<'_>, first: &Pair<'_, Rule>, parts: &mut Parts<'_>) -> Expr {
    let start = reader.span(first);
    let mut segments = Vec::new();
    let mut height = 1;
    path(reader, first, &mut segments);
    let Some(indexes) = parts.next() else { return unread(reader, start) };
    let span = start.to(reader.span(&indexes));
    for part in Parts::of(indexes) {
        if part.as_rule() == Rule::path {
            path(reader, &part, &mut segments);
        } else {
            segments.extend(index(reader, part));
            height = height.max(reader.height + 1);
        }
    }
    reader.height = height;
    Expr { span, kind: ExprKind::Path(Path { span, segments }) }
}

/// The words of a path, between its dots.
fn path(reader: &mut Reader<'_>, pair: &Pair<'_, Rule>, segments: &mut Vec<Segment>) {
    let whole = reader.span(pair);
    let text = pair.as_str();
    let judged = reader.is_plain_path(text);
    segments.reserve(text.bytes().filter(|byte| *byte == b'.').count() + 1);
    let mut start = whole.start();
    for word in text.split('.') {
        let name = Span::new(reader.source, start, start + word.len());
        if !judged && !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            reader.unread = true;
            return reader.report(problems::path_form(whole, text));
        }
        if !judged {
            reader.check_word(name);
        }
        segments.push(Segment::Name(name));
        start += word.len() + 1;
    }
}

fn index(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Segment> {
    let span = reader.span_from(&pair, 1);
    let inner = Parts::of(pair).next()?;
    match inner.as_rule() {
        Rule::splat => {
            reader.height = 1;
            Some(Segment::Splat(span))
        }
        _ => Some(Segment::Index(Box::new(expr(reader, inner)))),
    }
}

/// `name(arguments)`; `tbd` has its own form.
fn call_of(reader: &mut Reader<'_>, name: Span, parts: &mut Parts<'_>) -> Expr {
    let Some(pair) = parts.next() else { return unread(reader, name) };
    let span = name.to(reader.span(&pair));
    let arguments = values(reader, Parts::of(pair));
    let word = reader.text(name);
    if word.contains('.') {
        reader.report(problems::call_of_reference(Span::new(reader.source, name.end(), span.end())));
        return unread(reader, span);
    }
    reader.check_word(name);
    let kind = if word == "tbd" { tbd(reader, span, arguments) } else { ExprKind::Call(name, arguments) };
    Expr { span, kind }
}

fn tbd(reader: &mut Reader<'_>, span: Span, mut arguments: Vec<Expr>) -> ExprKind {
    match (arguments.pop(), arguments.len()) {
        (Some(reason @ Expr { kind: ExprKind::Text(_), .. }), 0) => ExprKind::Tbd(Box::new(reason)),
        _ => {
            reader.report(problems::tbd_without_reason(span));
            reader.unread = true;
            ExprKind::Null
        }
    }
}

/// Values in a row; the height of all of them.
fn values(reader: &mut Reader<'_>, parts: Parts<'_>) -> Vec<Expr> {
    let mut height = 0;
    let mut values = Vec::with_capacity(parts.pairs.len());
    for part in parts {
        values.push(expr(reader, part));
        height = height.max(reader.height);
    }
    reader.height = height + 1;
    values
}

/// A value in parentheses: the place covers them, so that they can be printed again.
fn paren(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Expr {
    let span = reader.span_from(&pair, 1);
    match Parts::of(pair).next() {
        Some(inner) => Expr { span, ..expr(reader, inner) },
        None => unread(reader, span),
    }
}

fn list(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Expr {
    let span = reader.span_from(&pair, 1);
    let mut parts = Parts::of(pair);
    match parts.next_if(Rule::comprehension) {
        Some(pair) => comprehension(reader, pair, span).unwrap_or_else(|| unread(reader, span)),
        None => Expr { span, kind: ExprKind::List(values(reader, parts)) },
    }
}

fn comprehension(reader: &mut Reader<'_>, pair: Pair<'_, Rule>, span: Span) -> Option<Expr> {
    let mut parts = Parts::of(pair);
    let variable = reader.span(&parts.next()?);
    reader.check_variable(variable);
    let mut values = values(reader, parts).into_iter();
    let (list, body, filter) = (values.next()?, values.next()?, values.next());
    Some(Expr { span, kind: ExprKind::Comprehension(Box::new(Comprehension { variable, list, body, filter })) })
}

fn map(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Expr {
    let span = reader.span_from(&pair, 1);
    let mut height = 0;
    let mut entries = Vec::new();
    for part in Parts::of(pair) {
        entries.extend(entry(reader, part));
        height = height.max(reader.height);
    }
    reader.height = height + 1;
    Expr { span, kind: ExprKind::Map(entries) }
}

fn entry(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Entry> {
    let mut parts = Parts::of(pair);
    let key = reader.span(&parts.next()?);
    if reader.text(key).starts_with('"') {
        let inner = Span::new(reader.source, key.start() + 1, key.end() - 1);
        text::check_escapes(reader, inner);
        if reader.text(inner).replace("$${", "").contains("${") {
            reader.report(problems::value_in_key(key));
        }
    } else {
        reader.check_word(key);
    }
    parts.next_if(Rule::eq);
    let value = expr(reader, parts.next()?);
    Some(Entry { key, value })
}

// ---- text

/// A string without escapes or values.
fn plain_text(reader: &mut Reader<'_>, pair: &Pair<'_, Rule>) -> Expr {
    let span = reader.span_from(pair, 1);
    let raw = Span::new(reader.source, span.start() + 1, span.end() - 1);
    let pieces = if raw.start() < raw.end() { vec![TextPart::Raw(raw)] } else { Vec::new() };
    Expr { span, kind: ExprKind::Text(pieces) }
}

/// A string; `quotes` is how many characters stand before the rule.
fn text_of(reader: &mut Reader<'_>, pair: Pair<'_, Rule>, quotes: usize) -> Expr {
    let span = reader.span_from(&pair, quotes);
    let mut height = 0;
    let mut pieces = Vec::new();
    for part in Parts::of(pair) {
        if part.as_rule() == Rule::hole {
            pieces.extend(Parts::of(part).next().map(|inner| TextPart::Expr(expr(reader, inner))));
            height = height.max(reader.height);
        } else if !part.as_str().is_empty() {
            let raw = reader.span(&part);
            text::check_escapes(reader, raw);
            pieces.push(TextPart::Raw(raw));
        }
    }
    reader.height = height + 1;
    Expr { span, kind: ExprKind::Text(pieces) }
}

// ---- operators

/// Operands and operators in a row, on their way to a tree.
#[derive(Default)]
struct Row {
    operands: Vec<Operand>,
    operators: Vec<Operator>,
    /// Its tree was too high, or a comparison chained: said once.
    refused: bool,
}

struct Operand {
    expr: Expr,
    height: usize,
    /// Made of a comparison in this row, without parentheses.
    compared: bool,
}

enum Operator {
    Unary(UnaryOp, Span),
    Binary(BinaryOp, Span),
}

impl Operator {
    /// How tightly it binds.
    fn strength(&self) -> u8 {
        match self {
            Operator::Unary(UnaryOp::Not, _) => 3,
            Operator::Unary(UnaryOp::Minus, _) => 7,
            Operator::Binary(op, _) => strength(*op),
        }
    }
}

/// How tightly an operator binds; a conditional binds less than all of them.
pub(super) fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::In
        | BinaryOp::NotIn => 4,
        BinaryOp::Add | BinaryOp::Subtract => 5,
        BinaryOp::Multiply | BinaryOp::Divide => 6,
    }
}

impl Row {
    fn is_empty(&self) -> bool {
        self.operands.is_empty() && self.operators.is_empty()
    }

    fn operand(&mut self, reader: &Reader<'_>, expr: Expr) {
        self.operands.push(Operand { expr, height: reader.height, compared: false });
    }

    fn sign(&mut self, place: Span, op: UnaryOp) {
        self.operators.push(Operator::Unary(op, place));
    }

    fn operator(&mut self, reader: &mut Reader<'_>, place: Span, op: BinaryOp) {
        let divides_literal =
            matches!(self.operands.last(), Some(Operand { expr: Expr { kind: ExprKind::Number(_), .. }, .. }));
        reader.check_blanks_around(place, op, divides_literal);
        while self.operators.last().is_some_and(|last| last.strength() >= strength(op)) {
            self.reduce(reader);
        }
        self.operators.push(Operator::Binary(op, place));
    }

    /// Joins the last operator with its operands.
    fn reduce(&mut self, reader: &mut Reader<'_>) {
        let (Some(operator), Some(last)) = (self.operators.pop(), self.operands.pop()) else { return };
        let joined = match operator {
            Operator::Unary(op, place) => unary(op, place, last),
            Operator::Binary(op, place) => match self.operands.pop() {
                Some(first) => self.binary(reader, (op, place), first, last),
                None => last,
            },
        };
        let limited = self.limited(reader, joined);
        self.operands.push(limited);
    }

    fn binary(
        &mut self,
        reader: &mut Reader<'_>,
        (op, place): (BinaryOp, Span),
        first: Operand,
        last: Operand,
    ) -> Operand {
        let compared = strength(op) == strength(BinaryOp::Equal);
        if compared && first.compared && !self.refused {
            self.refused = true;
            reader.report(problems::comparison_chain(place, first.expr.span.to(last.expr.span)));
        }
        let span = first.expr.span.to(last.expr.span);
        let height = first.height.max(last.height) + 1;
        let kind = ExprKind::Binary(op, place, Box::new((first.expr, last.expr)));
        Operand { expr: Expr { span, kind }, height, compared }
    }

    /// The operand, unless its tree is too high to be walked.
    fn limited(&mut self, reader: &mut Reader<'_>, operand: Operand) -> Operand {
        if operand.height <= MAX_HEIGHT {
            return operand;
        }
        if !self.refused {
            self.refused = true;
            reader.report(problems::too_many_operators(operand.expr.span));
        }
        Operand { expr: unread(reader, operand.expr.span), height: 1, compared: false }
    }

    fn finish(mut self, reader: &mut Reader<'_>, span: Span) -> Expr {
        while !self.operators.is_empty() {
            self.reduce(reader);
        }
        match self.operands.pop() {
            Some(Operand { expr, height, .. }) => {
                reader.height = height;
                expr
            }
            None => unread(reader, span),
        }
    }
}

fn unary(op: UnaryOp, place: Span, operand: Operand) -> Operand {
    let span = place.to(operand.expr.span);
    let kind = ExprKind::Unary(op, Box::new(operand.expr));
    Operand { expr: Expr { span, kind }, height: operand.height + 1, compared: false }
}

#[cfg(test)]
mod tests {
    use crate::base::span::SourceId;
    use crate::syntax::parse_expression;
    use crate::syntax::shape::shape_of_value;

    /// A value has this shape.
    fn check(text: &str, shape: &str) {
        match parse_expression(SourceId(0), text) {
            Ok(value) => assert_eq!(shape_of_value(text, &value), shape, "{text}"),
            Err(found) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn operators_bind_as_ruled() {
        check("1 + 2 * 3 - 4", "(- (+ 1'' (* 2'' 3'')) 4'')");
        check("a or b and not c == d", "(or .a (and .b (not (== .c .d))))");
        check("-a * b", "(* (- .a) .b)");
        check("a not in b and c in d", "(and (not in .a .b) (in .c .d))");
        check("(1 + 2) * 3", "(* (+ 1'' 2'') 3'')");
        check("a ? b : c ? d : e", "(? .a .b (? .c .d .e))");
        check("a or b ? c : d", "(? (or .a .b) .c .d)");
        check("- - a", "(- (- .a))");
    }

    #[test]
    fn numbers_are_told_apart() {
        check("31_500 EUR", "31_500''EUR");
        check("4.2million EUR/year", "4.2'million'EUR/year");
        check("20/month", "20''/month");
        check("99.9 %", "99.9''%");
        check("1..2 TB", "1..2''TB");
        check("2:1", "2:1");
        check("2027-03-31", "2027-03-31");
        check("8 TB / 2", "(/ 8''TB 2'')");
        check("8 or b", "(or 8'' .b)");
        check("4 millions", "4''millions");
    }

    #[test]
    fn references_and_calls_have_their_parts() {
        check("pool.train[*].nodes", ".pool.train[*].nodes");
        check("let.x[1 + 1]", ".let.x[(+ 1'' 1'')]");
        check("erasure(8, 2)", "(erasure 8'' 2'')");
        check("[for x in xs : x.a if x.b]", "[for x .xs : .x.a if .x.b]");
        check("tbd(\"why\")", "(tbd (text \"why\"))");
        check("\"a ${let.x} $${b}\"", "(text \"a \" .let.x \" $${b}\")");
    }
}
