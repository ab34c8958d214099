//! From the pairs of pest to the tree: a function for each rule of the grammar, with its name.
//!
//! The grammar lets some mistakes pass so that they can be named here: a `-` without blanks, a chain of comparisons, a
//! name that is no name. Such a piece still makes a tree, so that nothing else is said about it.

use pest::iterators::{Pair, Pairs};

use super::ast::{
    Annotation, Argument, Attribute, BinaryOp, Block, Comprehension, Drop, Entry, Expr, ExprKind, For, Item, Label,
    Literal, Path, Range, Segment, Set, TextPart, UnaryOp,
};
use super::grammar::Rule;
use super::problems;
use super::read::Reader;
use super::text;
use crate::base::span::Span;

/// How high a tree of operators may grow: everything that walks the tree may recurse.
const MAX_HEIGHT: usize = 200;

/// The pairs inside of a rule, comments left out.
struct Parts<'t> {
    pairs: Pairs<'t, Rule>,
}

impl<'t> Parts<'t> {
    fn of(pair: Pair<'t, Rule>) -> Parts<'t> {
        Parts { pairs: pair.into_inner() }
    }

    fn peek(&mut self) -> Option<Rule> {
        loop {
            match self.pairs.peek()?.as_rule() {
                Rule::comment => self.pairs.next(),
                rule => return Some(rule),
            };
        }
    }

    fn next_if(&mut self, rule: Rule) -> Option<Pair<'t, Rule>> {
        (self.peek() == Some(rule)).then(|| self.pairs.next()).flatten()
    }
}

impl<'t> Iterator for Parts<'t> {
    type Item = Pair<'t, Rule>;

    fn next(&mut self) -> Option<Pair<'t, Rule>> {
        self.pairs.find(|pair| pair.as_rule() != Rule::comment)
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
    let mut parts = Parts::of(pair);
    let annotations = notes(reader, &mut parts);
    let name = reader.span(&parts.next()?);
    if parts.next_if(Rule::eq).is_some() {
        reader.check_word(name);
        let value = value(reader, parts.next()?)?;
        return Some(Item::Attribute(Attribute { span, doc, annotations, name, value }));
    }
    let path = parts.next_if(Rule::address).and_then(|pair| address(reader, pair));
    match (parts.peek(), path) {
        (Some(Rule::eq), Some(path)) => set(reader, span, doc, (name, path), &mut parts),
        (None, path) => drop_or_word(reader, span, doc, (name, path)),
        (Some(_), path) => {
            let head = Head { start: span, doc, annotations, kind: name, label: None, repeat: None };
            let head = finish_head(reader, head, path, &mut parts);
            Some(Item::Block(head.with(body(reader, name, parts), span)))
        }
    }
}

/// The header of a broken block.
pub(super) fn head(reader: &mut Reader<'_>, pair: Pair<'_, Rule>) -> Option<Head> {
    let start = reader.span(&pair);
    let doc = reader.doc_before(start);
    let mut parts = Parts::of(pair);
    let annotations = notes(reader, &mut parts);
    let kind = reader.span(&parts.next()?);
    let path = parts.next_if(Rule::address).and_then(|pair| address(reader, pair));
    let head = Head { start, doc, annotations, kind, label: None, repeat: None };
    Some(finish_head(reader, head, path, &mut parts))
}

fn finish_head(reader: &mut Reader<'_>, mut head: Head, path: Option<Path>, parts: &mut Parts<'_>) -> Head {
    reader.check_word(head.kind);
    head.label = path.map(|path| label(reader, path));
    head.repeat = parts.next_if(Rule::each).and_then(|pair| each(reader, pair));
    parts.next_if(Rule::open);
    head
}

fn body(reader: &mut Reader<'_>, kind: Span, parts: Parts<'_>) -> Vec<Item> {
    let outer = reader.enter(kind);
    let items = parts.filter_map(|pair| item(reader, pair)).collect();
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
fn set(
    reader: &mut Reader<'_>,
    span: Span,
    doc: Vec<Span>,
    (word, path): (Span, Path),
    parts: &mut Parts<'_>,
) -> Option<Item> {
    parts.next_if(Rule::eq);
    let value = value(reader, parts.next()?)?;
    if reader.text(word) != "set" {
        reader.report(problems::two_words_before_equals(word, path.span, reader.text(word)));
        return None;
    }
    Some(Item::Set(Set { span, doc, path, value }))
}

/// `drop path`: the only item that ends after its path.
fn drop_or_word(
    reader: &mut Reader<'_>,
    span: Span,
    doc: Vec<Span>,
    (word, path): (Span, Option<Path>),
) -> Option<Item> {
    match path {
        Some(path) if reader.text(word) == "drop" => {
            // The rule goes on over the blanks that a header may have here.
            let span = Span::new(reader.source, span.start(), path.span.end());
            Some(Item::Drop(Drop { span, doc, path }))
        }
        _ => {
            let words = reader.text(span).trim_end();
            let place = Span::new(reader.source, span.start(), span.start() + words.len());
            reader.report(problems::no_value(place, words));
            None
        }
    }
}

fn notes(reader: &mut Reader<'_>, parts: &mut Parts<'_>) -> Vec<Annotation> {
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
    for part in Parts::of(pair) {
        match part.as_rule() {
            Rule::path => path(reader, &part, &mut segments),
            Rule::index => segments.push(index(reader, part)?),
            Rule::address => segments.push(Segment::Address(Box::new(address(reader, part)?))),
            _ => {}
        }
    }
    Some(Path { span, segments })
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
            Rule::sign => row.sign(reader.span(&part), sign(&part)),
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
        Rule::number => number(reader, &pair),
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
        Some(Rule::path | Rule::index) => long_reference(reader, pair, parts),
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
    let mut span = reader.span(first);
    let mut segments = Vec::new();
    let mut height = 1;
    path(reader, first, &mut segments);
    while let Some(rule @ (Rule::path | Rule::index | Rule::call)) = parts.peek() {
        let Some(part) = parts.next() else { break };
        span = span.to(reader.span(&part));
        match rule {
            Rule::path => path(reader, &part, &mut segments),
            Rule::index => {
                segments.extend(index(reader, part));
                height = height.max(reader.height + 1);
            }
            _ => {
                reader.report(problems::call_of_reference(reader.span_from(&part, 1)));
                reader.unread = true;
            }
        }
    }
    reader.height = height;
    Expr { span, kind: ExprKind::Path(Path { span, segments }) }
}

/// The words of a path, between its dots.
fn path(reader: &mut Reader<'_>, pair: &Pair<'_, Rule>, segments: &mut Vec<Segment>) {
    let whole = reader.span(pair);
    let mut start = whole.start();
    for word in pair.as_str().split('.') {
        let name = Span::new(reader.source, start, start + word.len());
        reader.check_word(name);
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
    if let Some(Rule::path | Rule::index | Rule::call) = parts.peek() {
        reject_after_call(reader, span, parts);
    }
    let word = reader.text(name);
    if word.contains('.') {
        reader.report(problems::call_of_reference(Span::new(reader.source, name.end(), span.end())));
        return unread(reader, span);
    }
    reader.check_word(name);
    let kind = if word == "tbd" { tbd(reader, span, arguments) } else { ExprKind::Call(name, arguments) };
    Expr { span, kind }
}

fn reject_after_call(reader: &mut Reader<'_>, call: Span, parts: &mut Parts<'_>) {
    let height = reader.height;
    while let Some(Rule::path | Rule::index | Rule::call) = parts.peek() {
        parts.next();
    }
    reader.height = height;
    reader.unread = true;
    reader.report(problems::after_call(Span::new(reader.source, call.end(), call.end() + 1)));
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
    let mut values = Vec::new();
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
        text::check_escapes(reader, Span::new(reader.source, key.start() + 1, key.end() - 1));
    } else {
        reader.check_word(key);
    }
    parts.next_if(Rule::eq);
    let value = expr(reader, parts.next()?);
    Some(Entry { key, value })
}

// ---- text

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

// ---- numbers

/// A date, a ratio, a range or a quantity.
fn number(reader: &mut Reader<'_>, pair: &Pair<'_, Rule>) -> Expr {
    let span = reader.span(pair);
    let written = pair.as_str();
    let first = number_len(written);
    let rest = &written[first..];
    let part = |from: usize, to: usize| Span::new(reader.source, span.start() + from, span.start() + to);
    let low = part(0, first);
    let kind = match rest.as_bytes() {
        [b'-', ..] => ExprKind::Date,
        [b':', ..] => ExprKind::Ratio(low, part(first + 1, written.len())),
        [b'.', b'.', ..] => {
            let high = literal(&written[first + 2..], part(first + 2, written.len()));
            ExprKind::Range(Box::new(Range { low, high }))
        }
        _ => ExprKind::Number(literal(written, span)),
    };
    check_digits(reader, &kind, span);
    Expr { span, kind }
}

fn check_digits(reader: &mut Reader<'_>, kind: &ExprKind, span: Span) {
    let text = reader.text(span);
    let numbers = match kind {
        ExprKind::Date if text.len() != 10 || text.contains('_') => {
            return reader.report(problems::date_form(span, text));
        }
        ExprKind::Ratio(low, high) => [Some(*low), Some(*high)],
        ExprKind::Range(range) => [Some(range.low), Some(range.high.number)],
        ExprKind::Number(literal) => [Some(literal.number), None],
        _ => [None, None],
    };
    for number in numbers.into_iter().flatten() {
        let text = reader.text(number);
        if text.ends_with('_') || text.contains("__") || text.contains("_.") {
            reader.report(problems::digit_groups(number, text));
        }
    }
}

/// How many bytes of digits, with a point, a text begins with.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count();
    let whole = digits(0);
    match bytes.get(whole..) {
        Some([b'.', next, ..]) if next.is_ascii_digit() => whole + 1 + digits(whole + 1),
        _ => whole,
    }
}

/// Number, scale and unit of `text`, which stands at `span`.
fn literal(text: &str, span: Span) -> Literal {
    let Some(source) = span.source() else { return Literal { number: span, scale: None, unit: None } };
    let part = |from: usize, to: usize| Span::new(source, span.start() + from, span.start() + to);
    let digits = number_len(text);
    let number = part(0, digits);
    let blanks = |from: usize| text.len() - text[from..].trim_start().len();
    let first = blanks(digits);
    let scale_len = ["thousand", "million", "billion", "trillion"]
        .into_iter()
        .find(|scale| {
            text[first..].strip_prefix(scale).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphabetic()))
        })
        .map(str::len);
    let scale = scale_len.map(|length| part(first, first + length));
    let unit = blanks(first + scale_len.unwrap_or(0));
    Literal { number, scale, unit: (unit < text.len()).then(|| part(unit, text.len())) }
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
