//! A tree as canonical text: two blanks a level, `=` aligned, comments and single blank lines kept.
//!
//! What the printer does not lay out, a comment in the middle of an expression, stays as it is written.

use super::ast::{
    Annotation, Argument, Attribute, Block, Drop, Entry, Expr, ExprKind, File, Item, Label, Literal, Path, Segment,
    Set, TextPart, UnaryOp,
};
use super::build::strength;
use super::text;
use crate::base::span::Span;

/// The columns of a line.
const WIDTH: usize = 120;

/// One level of indent.
const STEP: usize = 2;

/// The canonical text of a file. `text` is what the tree was parsed from.
pub fn print(text: &str, file: &File) -> String {
    let printer = Printer { text, comments: &file.comments };
    let nodes: Vec<Node<'_>> = file.blocks.iter().map(Node::Block).collect();
    let margins = printer.margins(0, text.len(), &nodes);
    let mut lines = Lines::new(0);
    printer.nodes(&mut lines, &margins, &nodes);
    lines.out
}

/// What stands on lines of its own: an item of a block, an entry of a map, an item of a list.
#[derive(Clone, Copy)]
enum Node<'t> {
    Attribute(&'t Attribute),
    Block(&'t Block),
    Set(&'t Set),
    Drop(&'t Drop),
    Entry(&'t Entry),
    Value(&'t Expr),
}

impl<'t> Node<'t> {
    fn of(item: &'t Item) -> Node<'t> {
        match item {
            Item::Attribute(attribute) => Node::Attribute(attribute),
            Item::Block(block) => Node::Block(block),
            Item::Set(set) => Node::Set(set),
            Item::Drop(drop) => Node::Drop(drop),
        }
    }

    fn span(&self) -> Span {
        match self {
            Node::Attribute(attribute) => attribute.span,
            Node::Block(block) => block.span,
            Node::Set(set) => set.span,
            Node::Drop(drop) => drop.span,
            Node::Entry(entry) => entry.key.to(entry.value.span),
            Node::Value(value) => value.span,
        }
    }

    fn annotations(&self) -> &'t [Annotation] {
        match self {
            Node::Attribute(attribute) => &attribute.annotations,
            Node::Block(block) => &block.annotations,
            Node::Set(_) | Node::Drop(_) | Node::Entry(_) | Node::Value(_) => &[],
        }
    }

    /// Whether two nodes can be in one run of aligned lines.
    fn aligns_with(&self, other: &Node<'_>) -> bool {
        matches!(
            (self, other),
            (Node::Attribute(_), Node::Attribute(_)) | (Node::Set(_), Node::Set(_)) | (Node::Entry(_), Node::Entry(_))
        )
    }
}

/// A comment on a line of its own.
struct Above<'t> {
    /// A blank line stands before it.
    blank: bool,
    comment: &'t str,
}

/// What stands around a node.
struct Margin<'t> {
    above: Vec<Above<'t>>,
    /// A blank line stands right before the node.
    blank: bool,
    /// The comment behind it.
    behind: Option<&'t str>,
}

/// What stands around all nodes between two brackets.
struct Margins<'t> {
    /// The comment behind the opening bracket.
    opening: Option<&'t str>,
    around: Vec<Margin<'t>>,
    /// The comments before the closing bracket.
    closing: Vec<Above<'t>>,
}

impl Margins<'_> {
    fn has_comments(&self) -> bool {
        let around = |margin: &Margin<'_>| margin.behind.is_some() || !margin.above.is_empty();
        self.opening.is_some() || !self.closing.is_empty() || self.around.iter().any(around)
    }
}

/// Lines under way, all at one indent.
struct Lines {
    out: String,
    indent: usize,
    empty: bool,
}

impl Lines {
    fn new(indent: usize) -> Lines {
        Lines { out: String::new(), indent, empty: true }
    }

    fn push(&mut self, blank_before: bool, line: &str) {
        if blank_before && !self.empty {
            self.out.push('\n');
        }
        self.empty = false;
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.out.push_str(line);
        self.out.push('\n');
    }
}

struct Printer<'t> {
    text: &'t str,
    comments: &'t [Span],
}

impl<'t> Printer<'t> {
    // ---- places

    /// What is kept as it is written because comments stand in it; only the blanks at the ends of lines go, and where
    /// a text of several lines may own them not even those.
    fn kept(&self, span: Span) -> String {
        let written = self.slice(span);
        if written.contains("\"\"\"") {
            return written.to_owned();
        }
        written.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    fn slice(&self, span: Span) -> &'t str {
        self.between(span.start(), span.end())
    }

    fn between(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or("")
    }

    fn comments_between(&self, start: usize, end: usize) -> &'t [Span] {
        let first = self.comments.partition_point(|comment| comment.start() < start);
        let last = self.comments.partition_point(|comment| comment.start() < end);
        self.comments.get(first..last).unwrap_or(&[])
    }

    fn has_comments(&self, span: Span) -> bool {
        !self.comments_between(span.start(), span.end()).is_empty()
    }

    fn comment(&self, comment: Span) -> &'t str {
        self.slice(comment).trim_end()
    }

    fn breaks_line(&self, start: usize, end: usize) -> bool {
        self.between(start, end).contains('\n')
    }

    /// Whether a blank line stands between two places.
    fn has_blank_line(&self, start: usize, end: usize) -> bool {
        self.between(start, end).bytes().filter(|byte| *byte == b'\n').count() > 1
    }

    // ---- comments and blank lines

    /// The comments and blank lines around nodes between two places.
    fn margins(&self, start: usize, end: usize, nodes: &[Node<'_>]) -> Margins<'t> {
        let mut at = start;
        let first = nodes.first().map_or(end, |node| node.span().start());
        let opening = if start == 0 { None } else { self.behind(&mut at, first) };
        let mut around = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let span = node.span();
            let above = self.above(&mut at, span.start());
            let blank = self.has_blank_line(at, span.start());
            at = span.end();
            let next = nodes.get(index + 1).map_or(end, |node| node.span().start());
            around.push(Margin { above, blank, behind: self.behind(&mut at, next) });
        }
        Margins { opening, around, closing: self.above(&mut at, end) }
    }

    /// The comment on the line of `at`, which goes behind it.
    fn behind(&self, at: &mut usize, end: usize) -> Option<&'t str> {
        let comment = *self.comments_between(*at, end).first()?;
        if self.breaks_line(*at, comment.start()) {
            return None;
        }
        *at = comment.end();
        Some(self.comment(comment))
    }

    /// The comments from `at` on, which goes behind the last.
    fn above(&self, at: &mut usize, end: usize) -> Vec<Above<'t>> {
        let mut above = Vec::new();
        for comment in self.comments_between(*at, end) {
            above.push(Above { blank: self.has_blank_line(*at, comment.start()), comment: self.comment(*comment) });
            *at = comment.end();
        }
        above
    }

    // ---- lines

    fn nodes(&self, lines: &mut Lines, margins: &Margins<'_>, nodes: &[Node<'_>]) {
        let keys = self.key_widths(lines.indent, margins, nodes);
        for ((node, margin), key) in nodes.iter().zip(&margins.around).zip(keys) {
            for above in &margin.above {
                lines.push(above.blank, above.comment);
            }
            let mut line = self.node(node, lines.indent, key);
            if let Some(comment) = margin.behind {
                line.push_str("  ");
                line.push_str(comment);
            }
            lines.push(margin.blank, &line);
        }
        for above in &margins.closing {
            lines.push(above.blank, above.comment);
        }
    }

    /// The column of the `=` of each node: that of the widest key in its run of adjacent one-line nodes.
    fn key_widths(&self, indent: usize, margins: &Margins<'_>, nodes: &[Node<'_>]) -> Vec<usize> {
        let own: Vec<usize> = nodes.iter().map(|node| width(&self.key(node))).collect();
        let one_line = |at: usize, key: usize| !self.body(&nodes[at], indent, key).contains('\n');
        let mut single: Vec<bool> = (0..nodes.len()).map(|at| one_line(at, own[at])).collect();
        // What fits on a line only without the blanks of its run leaves the run.
        let wide = run_widths(&own, &single, margins, nodes);
        for at in 0..nodes.len() {
            single[at] = single[at] && one_line(at, wide[at]);
        }
        run_widths(&own, &single, margins, nodes)
    }

    /// A node with its annotations.
    fn node(&self, node: &Node<'_>, indent: usize, key: usize) -> String {
        let mut text = String::new();
        let mut at = node.span().start();
        for annotation in node.annotations() {
            self.before_word(&mut text, &mut at, annotation.span.start(), indent);
            text.push_str(&self.annotation(annotation, indent));
            at = annotation.span.end();
        }
        if !node.annotations().is_empty() {
            self.before_word(&mut text, &mut at, word_start(node), indent);
        }
        text.push_str(&self.body(node, indent, key));
        text
    }

    /// The comments between two annotations, and the end of the line.
    fn before_word(&self, text: &mut String, at: &mut usize, next: usize, indent: usize) {
        if let Some(comment) = self.behind(at, next) {
            text.push_str("  ");
            text.push_str(comment);
        }
        for above in self.above(at, next) {
            new_line(text, indent);
            text.push_str(above.comment);
        }
        if !text.is_empty() {
            new_line(text, indent);
        }
    }

    fn annotation(&self, annotation: &Annotation, indent: usize) -> String {
        if self.has_comments(annotation.span) {
            return self.kept(annotation.span);
        }
        let name = self.slice(annotation.name);
        if annotation.arguments.is_empty() {
            return format!("@{name}");
        }
        let arguments: Vec<String> = annotation.arguments.iter().map(|argument| self.argument(argument)).collect();
        let flat = format!("@{name}({})", arguments.join(", "));
        if indent + width(&flat) <= WIDTH {
            return flat;
        }
        let mut lines = Lines::new(indent + STEP);
        for argument in arguments {
            lines.push(false, &format!("{argument},"));
        }
        format!("@{name}(\n{}{})", lines.out, blanks(indent))
    }

    fn argument(&self, argument: &Argument) -> String {
        let value = self.flat(&argument.value);
        argument.key.map_or_else(|| value.clone(), |key| format!("{} = {value}", self.slice(key)))
    }

    /// What stands before the `=`.
    fn key(&self, node: &Node<'_>) -> String {
        match node {
            Node::Attribute(attribute) => self.slice(attribute.name).to_owned(),
            Node::Set(set) => format!("set {}", self.path(&set.path)),
            Node::Entry(entry) => self.slice(entry.key).to_owned(),
            Node::Block(_) | Node::Drop(_) | Node::Value(_) => String::new(),
        }
    }

    /// A node without its annotations, its `=` at a column.
    fn body(&self, node: &Node<'_>, indent: usize, column: usize) -> String {
        match node {
            Node::Attribute(Attribute { value, .. })
            | Node::Set(Set { value, .. })
            | Node::Entry(Entry { value, .. }) => self.assignment(node, value, indent, column),
            Node::Block(block) => self.block(block, indent),
            Node::Drop(drop) if self.has_comments(drop.span) => self.kept(drop.span),
            Node::Drop(drop) => format!("drop {}", self.path(&drop.path)),
            Node::Value(value) => self.value(value, indent, indent, 1) + ",",
        }
    }

    fn assignment(&self, node: &Node<'_>, value: &Expr, indent: usize, column: usize) -> String {
        let word = word_start(node);
        if !self.comments_between(word, value.span.start()).is_empty() {
            return self.between(word, value.span.end()).to_owned();
        }
        let key = self.key(node);
        let padding = blanks(column.saturating_sub(width(&key)));
        let start = indent + column.max(width(&key)) + 3;
        format!("{key}{padding} = {}", self.value(value, indent, start, 0))
    }

    // ---- blocks

    fn block(&self, block: &Block, indent: usize) -> String {
        let head_end = head_end(block);
        let word = block.kind.start();
        let commented = !self.comments_between(word, head_end).is_empty();
        let head = if commented { self.between(word, head_end).to_owned() } else { self.head(block) };
        let open = head_end + self.between(head_end, block.span.end()).find('{').unwrap_or(0);
        let close = block.span.end().saturating_sub(1);
        let nodes: Vec<Node<'_>> = block.items.iter().map(Node::of).collect();
        let margins = self.margins(open + 1, close, &nodes);
        if nodes.is_empty() && !margins.has_comments() {
            return format!("{head} {{}}");
        }
        let plain = !margins.has_comments() && !self.breaks_line(open, close);
        if plain && let Some(flat) = self.flat_body(&nodes) {
            let line = format!("{head} {flat}");
            if indent + width(&line) <= WIDTH && !line.contains('\n') {
                return line;
            }
        }
        format!("{head} {}", self.open(('{', '}'), indent, &margins, &nodes))
    }

    fn head(&self, block: &Block) -> String {
        let mut head = self.slice(block.kind).to_owned();
        match &block.label {
            None => {}
            Some(Label::Name(name)) => head = format!("{head} {}", self.slice(*name)),
            Some(Label::Address(path)) => head = format!("{head} {}", self.path(path)),
        }
        if let Some(each) = &block.repeat {
            head = format!("{head} for {} in {}", self.slice(each.variable), self.flat(&each.list));
        }
        head
    }

    /// The items of a block on one line; nothing when an item has annotations.
    fn flat_body(&self, nodes: &[Node<'_>]) -> Option<String> {
        let mut items = Vec::with_capacity(nodes.len());
        for node in nodes {
            items.push(self.flat_node(node)?);
        }
        Some(format!("{{ {} }}", items.join(", ")))
    }

    fn flat_node(&self, node: &Node<'_>) -> Option<String> {
        if !node.annotations().is_empty() {
            return None;
        }
        match node {
            Node::Attribute(Attribute { value, .. })
            | Node::Set(Set { value, .. })
            | Node::Entry(Entry { value, .. }) => Some(format!("{} = {}", self.key(node), self.flat(value))),
            Node::Drop(drop) => Some(format!("drop {}", self.path(&drop.path))),
            Node::Value(value) => Some(self.flat(value)),
            Node::Block(block) if block.items.is_empty() => Some(format!("{} {{}}", self.head(block))),
            Node::Block(block) => {
                let nodes: Vec<Node<'_>> = block.items.iter().map(Node::of).collect();
                Some(format!("{} {}", self.head(block), self.flat_body(&nodes)?))
            }
        }
    }

    /// Nodes between two brackets, on lines of their own.
    fn open(&self, brackets: (char, char), indent: usize, margins: &Margins<'_>, nodes: &[Node<'_>]) -> String {
        let mut lines = Lines::new(indent + STEP);
        self.nodes(&mut lines, margins, nodes);
        let behind = margins.opening.map_or_else(String::new, |comment| format!("  {comment}"));
        format!("{}{behind}\n{}{}{}", brackets.0, lines.out, blanks(indent), brackets.1)
    }

    // ---- values

    /// A value that begins at a column, with so many columns to come behind it: on one line when it fits.
    fn value(&self, value: &Expr, indent: usize, column: usize, behind: usize) -> String {
        let bare = !self.is_parenthesised(value);
        if self.has_comments(value.span) {
            return match &value.kind {
                ExprKind::List(items) if bare => self.open_list(value, items, indent),
                ExprKind::Map(entries) if bare => self.open_map(value, entries, indent),
                _ => self.kept(value.span),
            };
        }
        if !self.stays_open(value) {
            let flat = self.flat(value);
            if column + width(&flat) + behind <= WIDTH {
                return flat;
            }
        }
        if bare { self.broken(value, indent, column) } else { format!("({})", self.broken(value, indent, column + 1)) }
    }

    /// Whether a map in a value is written over several lines.
    fn stays_open(&self, value: &Expr) -> bool {
        if !self.breaks_line(value.span.start(), value.span.end()) {
            return false;
        }
        match &value.kind {
            ExprKind::Map(entries) => !entries.is_empty(),
            ExprKind::List(items) => items.iter().any(|item| self.stays_open(item)),
            _ => false,
        }
    }

    /// A value over several lines, where its kind has a way to.
    fn broken(&self, value: &Expr, indent: usize, column: usize) -> String {
        match &value.kind {
            ExprKind::List(items) if !items.is_empty() => self.open_list(value, items, indent),
            ExprKind::Map(entries) if !entries.is_empty() => self.open_map(value, entries, indent),
            ExprKind::Binary(..) => self.broken_row(value, indent, column),
            ExprKind::Conditional(parts) => {
                let line = |sign: &str, part: &Expr| {
                    let inner = indent + STEP;
                    format!("\n{}{sign} {}", blanks(inner), self.value(part, inner, inner + 2, 0))
                };
                let test = self.value(&parts.0, indent, column, 0);
                format!("{test}{}{}", line("?", &parts.1), line(":", &parts.2))
            }
            ExprKind::Call(name, arguments) if !arguments.is_empty() => {
                let mut lines = Lines::new(indent + STEP);
                for argument in arguments {
                    lines.push(false, &(self.value(argument, indent + STEP, indent + STEP, 1) + ","));
                }
                format!("{}(\n{}{})", self.slice(*name), lines.out, blanks(indent))
            }
            _ => self.flat_inner(value),
        }
    }

    fn open_list(&self, list: &Expr, items: &[Expr], indent: usize) -> String {
        let nodes: Vec<Node<'_>> = items.iter().map(Node::Value).collect();
        let margins = self.margins(list.span.start() + 1, list.span.end() - 1, &nodes);
        self.open(('[', ']'), indent, &margins, &nodes)
    }

    fn open_map(&self, map: &Expr, entries: &[Entry], indent: usize) -> String {
        let nodes: Vec<Node<'_>> = entries.iter().map(Node::Entry).collect();
        let margins = self.margins(map.span.start() + 1, map.span.end() - 1, &nodes);
        self.open(('{', '}'), indent, &margins, &nodes)
    }

    /// Operands joined by operators of one strength, a line each; the operator begins the line.
    fn broken_row(&self, value: &Expr, indent: usize, column: usize) -> String {
        let inner = indent + STEP;
        let mut rest = Vec::new();
        let mut first = value;
        let mut row_strength = None;
        while let ExprKind::Binary(op, _, operands) = &first.kind {
            if row_strength.is_some_and(|row| row != strength(*op) || self.is_parenthesised(first)) {
                break;
            }
            row_strength = Some(strength(*op));
            rest.push((op.symbol(), &operands.1));
            first = &operands.0;
        }
        let mut text = self.value(first, indent, column, 0);
        for (symbol, operand) in rest.into_iter().rev() {
            new_line(&mut text, inner);
            let start = inner + symbol.len() + 1;
            text.push_str(&format!("{symbol} {}", self.value(operand, inner, start, 0)));
        }
        text
    }

    /// A value on one line, whatever its length; a string over several lines keeps them.
    fn flat(&self, value: &Expr) -> String {
        if self.has_comments(value.span) {
            return self.kept(value.span);
        }
        let inner = self.flat_inner(value);
        if self.is_parenthesised(value) { format!("({inner})") } else { inner }
    }

    fn flat_inner(&self, value: &Expr) -> String {
        match &value.kind {
            ExprKind::Bool(true) => String::from("true"),
            ExprKind::Bool(false) => String::from("false"),
            ExprKind::Null => String::from("null"),
            ExprKind::Auto => String::from("auto"),
            ExprKind::Tbd(why) => format!("tbd({})", self.flat(why)),
            ExprKind::Number(literal) => self.literal(literal),
            ExprKind::Range(range) => format!("{}..{}", self.slice(range.low), self.literal(&range.high)),
            ExprKind::Ratio(low, high) => format!("{}:{}", self.slice(*low), self.slice(*high)),
            ExprKind::Date => self.slice(value.span).trim_matches(['(', ')', ' ', '\t', '\r', '\n']).to_owned(),
            ExprKind::Text(parts) => self.text_of(value, parts),
            ExprKind::List(items) => format!("[{}]", self.flat_all(items)),
            ExprKind::Comprehension(each) => {
                let filter =
                    each.filter.as_ref().map(|filter| format!(" if {}", self.flat(filter))).unwrap_or_default();
                let (list, body) = (self.flat(&each.list), self.flat(&each.body));
                format!("[for {} in {list} : {body}{filter}]", self.slice(each.variable))
            }
            ExprKind::Map(entries) if entries.is_empty() => String::from("{}"),
            ExprKind::Map(entries) => {
                let entry = |entry: &Entry| format!("{} = {}", self.slice(entry.key), self.flat(&entry.value));
                format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Path(path) => self.path(path),
            ExprKind::Call(name, arguments) => format!("{}({})", self.slice(*name), self.flat_all(arguments)),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, _, operands) => {
                format!("{} {} {}", self.flat(&operands.0), op.symbol(), self.flat(&operands.1))
            }
            ExprKind::Conditional(parts) => {
                format!("{} ? {} : {}", self.flat(&parts.0), self.flat(&parts.1), self.flat(&parts.2))
            }
        }
    }

    fn flat_all(&self, values: &[Expr]) -> String {
        values.iter().map(|value| self.flat(value)).collect::<Vec<_>>().join(", ")
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> String {
        let operand = self.flat(operand);
        match op {
            UnaryOp::Not => format!("not {operand}"),
            UnaryOp::Minus if operand.starts_with('-') => format!("- {operand}"),
            UnaryOp::Minus => format!("-{operand}"),
        }
    }

    fn literal(&self, literal: &Literal) -> String {
        let mut text = self.slice(literal.number).to_owned();
        for part in [literal.scale, literal.unit].into_iter().flatten() {
            let part = self.slice(part);
            if !part.starts_with(['%', '/']) {
                text.push(' ');
            }
            text.push_str(part);
        }
        text
    }

    fn text_of(&self, value: &Expr, parts: &[TextPart]) -> String {
        let quotes = if text::is_long(self.slice(value.span)) { "\"\"\"" } else { "\"" };
        let mut text = String::from(quotes);
        for part in parts {
            match part {
                TextPart::Raw(raw) => text.push_str(self.slice(*raw)),
                TextPart::Expr(expr) => text.push_str(&format!("${{{}}}", self.hole(expr))),
            }
        }
        text + quotes
    }

    /// A value in a string. A comment in it needs the end of its line.
    fn hole(&self, value: &Expr) -> String {
        let flat = self.flat(value);
        if flat.contains('#') && self.has_comments(value.span) { format!("{flat}\n") } else { flat }
    }

    fn path(&self, path: &Path) -> String {
        if self.has_comments(path.span) {
            return self.kept(path.span);
        }
        let mut text = String::new();
        for segment in &path.segments {
            match segment {
                Segment::Name(name) if text.is_empty() => text.push_str(self.slice(*name)),
                Segment::Name(name) => text.push_str(&format!(".{}", self.slice(*name))),
                Segment::Splat(_) => text.push_str("[*]"),
                Segment::Index(index) => text.push_str(&format!("[{}]", self.flat(index))),
                Segment::Address(path) => text.push_str(&format!("({})", self.path(path))),
            }
        }
        text
    }

    /// Whether a value is written in parentheses: its place then begins with one that no operand has.
    fn is_parenthesised(&self, value: &Expr) -> bool {
        let first = match &value.kind {
            ExprKind::Binary(_, _, operands) => Some(operands.0.span.start()),
            ExprKind::Conditional(parts) => Some(parts.0.span.start()),
            _ => None,
        };
        self.slice(value.span).starts_with('(') && first != Some(value.span.start())
    }
}

/// The key width of each node by the runs of adjacent nodes on one line.
fn run_widths(own: &[usize], single: &[bool], margins: &Margins<'_>, nodes: &[Node<'_>]) -> Vec<usize> {
    let mut widths = own.to_vec();
    let mut start = 0;
    for at in 1..=nodes.len() {
        let goes_on = at < nodes.len()
            && single[at]
            && single[at - 1]
            && nodes[at].aligns_with(&nodes[at - 1])
            && nodes[at].annotations().is_empty()
            && !margins.around[at].blank
            && margins.around[at].above.is_empty();
        if !goes_on {
            let widest = own[start..at].iter().copied().max().unwrap_or(0);
            widths[start..at].fill(widest);
            start = at;
        }
    }
    widths
}

/// Where a node begins after its annotations.
fn word_start(node: &Node<'_>) -> usize {
    match node {
        Node::Attribute(attribute) => attribute.name.start(),
        Node::Block(block) => block.kind.start(),
        Node::Set(_) | Node::Drop(_) | Node::Entry(_) | Node::Value(_) => node.span().start(),
    }
}

/// Where the last word before the brace of a block ends.
fn head_end(block: &Block) -> usize {
    let label = block.label.as_ref().map(|label| match label {
        Label::Name(name) => name.end(),
        Label::Address(path) => path.span.end(),
    });
    let list = block.repeat.as_ref().map(|each| each.list.span.end());
    list.or(label).unwrap_or(block.kind.end())
}

/// The columns a text takes.
fn width(text: &str) -> usize {
    text.chars().count()
}

fn blanks(count: usize) -> String {
    " ".repeat(count)
}

fn new_line(text: &mut String, indent: usize) {
    text.push('\n');
    text.push_str(&blanks(indent));
}
