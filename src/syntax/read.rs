//! Reads the pieces the scanner cut: with pest in one go, or item by item when that fails.
//!
//! A broken block is never read again as a whole: its header and each of its items are read once on their own, so that
//! each mistake costs one diagnostic and recovery stays linear.

use std::borrow::Cow;

use pest::Parser;
use pest::iterators::{Pair, Pairs};

use super::MAX_PROBLEMS;
use super::ast::{Annotation, BinaryOp, Block, Expr, Item, Set};
use super::build::{self, Head};
use super::expected::{self, Failure};
use super::grammar::{Grammar, Rule};
use super::problems;
use super::scan::{Form, Piece, Refusal, Scanner, is_attribute_sign, is_word};
use crate::base::diagnostic::Diagnostic;
use crate::base::span::{SourceId, Span};

/// A piece larger than this is read item by item at once, so that the memory of the parser stays small.
const LARGE: usize = 1 << 20;

/// How many bytes of blocks are given to pest at once.
const BATCH: usize = 16 << 10;

/// One item may not be larger than this.
const TOO_LARGE: usize = 8 << 20;

/// Blocks whose attributes are keys of another program: those of `patch`.
const FOREIGN: [&str; 5] = ["set", "cgroup", "slurmdbd", "gres", "topology"];

/// What reading a piece needs to know, and what it finds.
pub(super) struct Reader<'t> {
    /// The source.
    pub(super) source: SourceId,
    /// The whole text.
    whole: &'t str,
    /// Where the slice given to pest begins.
    base: usize,
    /// All comments of the file.
    comments: &'t [Span],
    /// The first comment that may stand after the item under way.
    next_comment: usize,
    /// What the scanner has refused, in order.
    refusals: &'t [Refusal],
    /// The problems found.
    pub(super) found: Vec<Diagnostic>,
    /// How many of them were found before the piece under way.
    found_before: usize,
    /// The height of the tree last built.
    pub(super) height: usize,
    /// A part of the value under way was reported and has no meaning.
    pub(super) unread: bool,
    /// Inside of a block of [`FOREIGN`]: the keys belong to a target.
    foreign_keys: bool,
}

impl<'t> Reader<'t> {
    /// Over a text whose comments and refusals are known.
    pub(super) fn new(source: SourceId, whole: &'t str, comments: &'t [Span], refusals: &'t [Refusal]) -> Reader<'t> {
        Reader {
            source,
            whole,
            base: 0,
            comments,
            next_comment: 0,
            refusals,
            found: Vec::new(),
            found_before: 0,
            height: 0,
            unread: false,
            foreign_keys: false,
        }
    }

    // ---- pieces

    /// The items that pieces hold, each with its piece.
    pub(super) fn pieces(&mut self, pieces: &[Piece], mut take: impl FnMut(&mut Self, &Piece, Item)) {
        let mut rest = pieces;
        while !rest.is_empty() {
            let (batch, others) = rest.split_at(batch_len(rest));
            rest = others;
            match self.batch(batch) {
                Some(items) => {
                    for (piece, item) in batch.iter().zip(items) {
                        item.into_iter().for_each(|item| take(self, piece, item));
                    }
                }
                None => {
                    for piece in batch {
                        self.piece(piece).into_iter().for_each(|item| take(self, piece, item));
                    }
                }
            }
        }
    }

    /// Several pieces at once, because each call of pest has its price; nothing when one of them is not well formed.
    fn batch(&mut self, pieces: &[Piece]) -> Option<Vec<Option<Item>>> {
        let (first, last) = (pieces.first()?, pieces.last()?);
        if pieces.len() == 1 {
            return None;
        }
        let build = |reader: &mut Self, pairs: Pairs<'_, Rule>| {
            // The last pair is the end of the text.
            let complete = pairs.len() == pieces.len() + 1;
            complete.then(|| pairs.take(pieces.len()).map(|pair| reader.batched(pair)).collect())
        };
        self.parse(Rule::only_items, first.start, last.end, build).ok()?
    }

    fn batched(&mut self, pair: Pair<'_, Rule>) -> Option<Item> {
        self.found_before = self.found.len();
        build::item(self, pair)
    }

    /// The item a piece holds.
    pub(super) fn piece(&mut self, piece: &Piece) -> Option<Item> {
        self.found_before = self.found.len();
        if piece.deep {
            return None;
        }
        let small = piece.end - piece.start <= LARGE;
        if small && !piece.broken && self.begins_item(piece.start) {
            match self.whole_piece(piece) {
                Ok(item) => return item,
                Err(error) => return self.recover_all(piece, &error),
            }
        }
        self.recover(piece)
    }

    fn whole_piece(&mut self, piece: &Piece) -> Result<Option<Item>, Failure> {
        let build = |reader: &mut Self, mut pairs: Pairs<'_, Rule>| build::item(reader, pairs.next()?);
        self.parse(Rule::only_item, piece.start, piece.end, build)
    }

    /// Gives a slice to pest, comments wiped out, and what pest makes of it to a builder.
    fn parse<T>(
        &mut self,
        rule: Rule,
        start: usize,
        end: usize,
        build: impl FnOnce(&mut Self, Pairs<'_, Rule>) -> T,
    ) -> Result<T, Failure> {
        self.base = start;
        let text = self.without_comments(start, end);
        match Grammar::parse(rule, &text) {
            Ok(pairs) => Ok(build(self, pairs)),
            Err(error) => Err(Failure::new(start, &error)),
        }
    }

    /// A slice with blanks in place of its comments, so that all places stay the same.
    fn without_comments(&self, start: usize, end: usize) -> Cow<'t, str> {
        let slice = self.whole.get(start..end).unwrap_or("");
        let first = self.comments.partition_point(|comment| comment.start() < start);
        let inside = self.comments[first..].iter().take_while(|comment| comment.end() <= end);
        let mut wiped: Option<Vec<u8>> = None;
        for comment in inside {
            let bytes = wiped.get_or_insert_with(|| slice.as_bytes().to_vec());
            bytes[comment.start() - start..comment.end() - start].fill(b' ');
        }
        // Whole comments are replaced: what is left is text.
        wiped.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Cow::Borrowed(slice), Cow::Owned)
    }

    /// Whether an item can begin with this character: pest need not be called for what cannot.
    fn begins_item(&self, at: usize) -> bool {
        self.whole.as_bytes().get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'@')
    }

    /// Reads a piece that failed as a whole; says something in every case.
    fn recover_all(&mut self, piece: &Piece, failure: &Failure) -> Option<Item> {
        let before = self.found.len();
        let item = self.recover(piece);
        if self.found.len() == before && !self.is_refused(piece.start, piece.end) {
            self.explain(piece.start, piece.end, failure);
        }
        item
    }

    /// Reads a piece in parts.
    fn recover(&mut self, piece: &Piece) -> Option<Item> {
        if !self.begins_item(piece.start) {
            self.explain_unless_refused(piece.start, piece.end, &Failure::at(piece.start));
            return None;
        }
        match piece.open {
            Some(open) if !self.is_attribute(piece, open) => {
                self.broken_block(piece, open).map(|block| Item::Block(Box::new(block)))
            }
            _ => self.single(piece),
        }
    }

    /// Whether a piece has its `=` before its first brace.
    fn is_attribute(&self, piece: &Piece, open: usize) -> bool {
        let head = self.bytes(piece.start, open);
        let word = head.iter().take_while(|byte| is_word(**byte)).count();
        let blanks = head[word..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let rest = &head[word + blanks..];
        let path = rest.iter().take_while(|byte| is_word(**byte) || **byte == b'.').count();
        let after = rest[path..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        word > 0 && (is_attribute_sign(rest) || is_attribute_sign(&rest[path + after..]))
    }

    fn broken_block(&mut self, piece: &Piece, open: usize) -> Option<Block> {
        let head = self.broken_head(piece, open);
        let kind = self.leading_word(piece.start);
        let outer = self.enter(kind);
        let items = self.broken_body(open + 1, piece.close.unwrap_or(piece.end));
        self.leave(outer);
        let end = Span::new(self.source, open, piece.end);
        head.map(|head| head.with(items, end))
    }

    fn leading_word(&self, start: usize) -> Span {
        let length = self.bytes(start, self.whole.len()).iter().take_while(|byte| is_word(**byte)).count();
        Span::new(self.source, start, start + length)
    }

    fn broken_head(&mut self, piece: &Piece, open: usize) -> Option<Head> {
        match self.parse(Rule::only_head, piece.start, open + 1, build::head) {
            Ok(head) => head,
            Err(failure) => {
                self.explain_unless_refused(piece.start, open + 1, &failure);
                None
            }
        }
    }

    fn broken_body(&mut self, start: usize, end: usize) -> Vec<Item> {
        let mut scanner = Scanner::body(self.whole, start, end);
        let mut items = Vec::new();
        let mut before = start;
        while let Some(piece) = scanner.next_piece() {
            if piece.form == Form::Stray || piece.deep {
                continue;
            }
            self.check_separator(before, &piece, start);
            before = piece.end;
            items.extend(self.recover(&piece));
        }
        items
    }

    /// Two items need a comma or the end of a line between them.
    fn check_separator(&mut self, before: usize, piece: &Piece, start: usize) {
        let between = self.bytes(before, piece.start);
        if before > start && !between.iter().any(|byte| matches!(byte, b'\n' | b',')) {
            let at = self.first_character(piece.start);
            let end = Span::new(self.source, before, before);
            self.report(problems::missing_separator(at, end));
        }
    }

    /// A piece that cannot be cut further.
    fn single(&mut self, piece: &Piece) -> Option<Item> {
        if piece.end - piece.start > TOO_LARGE {
            self.report(problems::item_too_large(self.first_character(piece.start)));
            return None;
        }
        match self.whole_piece(piece) {
            Ok(item) => item,
            Err(failure) => {
                self.explain_unless_refused(piece.start, piece.end, &failure);
                None
            }
        }
    }

    /// A value on its own: the whole text.
    pub(super) fn only_value(&mut self) -> Option<Expr> {
        let end = self.whole.len();
        match self.parse(Rule::only_value, 0, end, |reader, mut pairs| Some(build::expr(reader, pairs.next()?))) {
            Ok(value) => value,
            Err(failure) => {
                self.explain_unless_refused(0, end, &failure);
                None
            }
        }
    }

    /// `PATH = VALUE`: the whole text.
    pub(super) fn only_setting(&mut self) -> Option<Set> {
        let end = self.whole.len();
        match self.parse(Rule::only_setting, 0, end, build::setting) {
            Ok(setting) => setting,
            Err(failure) => {
                self.explain_unless_refused(0, end, &failure);
                None
            }
        }
    }

    // ---- problems

    /// Keeps a problem, while there is room.
    pub(super) fn report(&mut self, problem: Diagnostic) {
        if self.has_room() {
            self.found.push(problem);
        }
    }

    /// Each piece may report one more than are shown, while the pieces before have not filled the list. Counted by
    /// pieces, the first problems by place are the same on every number of threads.
    fn has_room(&self) -> bool {
        self.found_before <= MAX_PROBLEMS && self.found.len() - self.found_before <= MAX_PROBLEMS
    }

    fn explain(&mut self, start: usize, end: usize, failure: &Failure) {
        if self.has_room() {
            self.found.push(expected::explain(self.source, self.whole, (start, end), failure));
        }
    }

    fn explain_unless_refused(&mut self, start: usize, end: usize, failure: &Failure) {
        if !self.is_refused(start, end) {
            self.explain(start, end, failure);
        }
    }

    /// Whether the scanner has refused something in a place: what follows from it is not said.
    fn is_refused(&self, start: usize, end: usize) -> bool {
        let first = self.refusals.partition_point(|refusal| refusal.end <= start);
        self.refusals.get(first).is_some_and(|refusal| refusal.start < end.max(start + 1))
    }

    // ---- places

    fn bytes(&self, start: usize, end: usize) -> &'t [u8] {
        self.whole.as_bytes().get(start..end).unwrap_or(&[])
    }

    fn first_character(&self, at: usize) -> Span {
        let length = self.whole.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Span::new(self.source, at, at + length)
    }

    /// The text of a place.
    pub(super) fn text(&self, span: Span) -> &'t str {
        self.whole.get(span.start()..span.end()).unwrap_or("")
    }

    /// The place of the slice given to pest; its end does not matter.
    pub(super) fn base_span(&self) -> Span {
        Span::new(self.source, self.base, self.base)
    }

    /// The place of a pair.
    pub(super) fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        self.span_from(pair, 0)
    }

    /// The place of a pair with some characters before it.
    pub(super) fn span_from(&self, pair: &Pair<'_, Rule>, before: usize) -> Span {
        let span = pair.as_span();
        Span::new(self.source, self.base + span.start() - before, self.base + span.end())
    }

    // ---- documentation

    /// The `##` lines that touch an item from above. Items are asked for in the order of the text.
    pub(super) fn doc_before(&mut self, item: Span) -> Vec<Span> {
        while self.comments.get(self.next_comment).is_some_and(|comment| comment.end() <= item.start()) {
            self.next_comment += 1;
        }
        let mut doc = Vec::new();
        let mut next = item.start();
        for comment in self.comments[..self.next_comment].iter().rev() {
            if !self.touches(comment, next) || !is_doc(self.text(*comment)) {
                break;
            }
            doc.push(*comment);
            next = comment.start();
        }
        doc.reverse();
        doc
    }

    /// Whether a comment has a line for itself, right above `next`.
    fn touches(&self, comment: &Span, next: usize) -> bool {
        let mut at = next;
        let mut lines = 0;
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = at.checked_sub(1).and_then(|at| self.whole.as_bytes().get(at)) {
            at -= 1;
            lines += usize::from(self.whole.as_bytes().get(at) == Some(&b'\n'));
            if lines > 1 {
                return false;
            }
        }
        at == comment.end() && lines == 1 && self.begins_line(comment.start())
    }

    fn begins_line(&self, at: usize) -> bool {
        let before = self.bytes(0, at).iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(before, None | Some(b'\n')) || self.whole.get(..at).is_some_and(|text| text == "\u{FEFF}")
    }

    // ---- words

    /// Goes into a block; gives back what `leave` needs.
    pub(super) fn enter(&mut self, kind: Span) -> bool {
        let outer = self.foreign_keys;
        self.foreign_keys = FOREIGN.contains(&self.text(kind));
        outer
    }

    /// Goes out of a block.
    pub(super) fn leave(&mut self, outer: bool) {
        self.foreign_keys = outer;
    }

    /// Whether nothing is wrong with the words of a path: each begins with a letter, ends in a letter or a digit, and
    /// has no double hyphen.
    pub(super) fn is_plain_path(&self, text: &str) -> bool {
        let mut before = b'.';
        let mut good = true;
        for byte in text.bytes() {
            good &= match before {
                b'.' => byte.is_ascii_alphabetic(),
                b'-' => byte != b'-' && byte != b'.',
                b'_' => byte != b'.',
                _ => true,
            };
            before = byte;
        }
        good && !matches!(before, b'.' | b'-' | b'_')
    }

    /// A word ends in a letter or a digit and has no double hyphen.
    pub(super) fn check_word(&mut self, word: Span) {
        let text = self.text(word);
        let tail = self.foreign_keys && text.ends_with(['-', '_']) && !text.contains("--");
        if !self.is_plain_path(text) && !tail {
            self.report(problems::word_form(word, text));
        }
    }

    /// A name is legal in every artefact.
    pub(super) fn check_name(&mut self, name: Span) {
        if let Some(problem) = problems::name_form(name, self.text(name)) {
            // What is no word either has been said as such; as a name it has a repair.
            if self.found.last().is_some_and(|last| last.primary() == name) {
                self.found.pop();
            }
            self.report(problem);
        }
    }

    /// Whether an attribute is called like a word with a meaning of its own, which is reported. Keys of other programs
    /// may be.
    pub(super) fn is_reserved(&mut self, name: Span) -> bool {
        let reserved = !self.foreign_keys && problems::is_reserved(self.text(name));
        if reserved {
            self.report(problems::reserved_name(name, self.text(name)));
        }
        reserved
    }

    /// `set` and `drop` have no annotations.
    pub(super) fn refuse_annotations(&mut self, annotations: &[Annotation]) {
        if let Some(first) = annotations.first() {
            self.report(problems::misplaced_annotation(first.span));
        }
    }

    /// A loop variable is a word, and no reserved one.
    pub(super) fn check_variable(&mut self, variable: Span) {
        self.check_word(variable);
        if problems::is_reserved(self.text(variable)) {
            self.report(problems::reserved_name(variable, self.text(variable)));
        }
    }

    /// `-` has blanks on both sides; `/` after a number too.
    pub(super) fn check_blanks_around(&mut self, place: Span, op: BinaryOp, divides_literal: bool) {
        let needed = match op {
            BinaryOp::Subtract => true,
            BinaryOp::Divide => divides_literal,
            _ => false,
        };
        if needed && !(self.is_blank(place.start().wrapping_sub(1)) && self.is_blank(place.end())) {
            self.report(problems::blanks_around(place, op.symbol()));
        }
    }

    /// `?` and `:` of a condition have blanks on both sides.
    pub(super) fn check_blanks_between(&mut self, before: &Expr, after: &Expr, sign: &str) {
        if self.is_blank(before.span.end()) && self.is_blank(after.span.start().wrapping_sub(1)) {
            return;
        }
        let between = self.bytes(before.span.end(), after.span.start());
        let offset = between.iter().position(|byte| sign.as_bytes().contains(byte)).unwrap_or(0);
        let at = before.span.end() + offset;
        self.report(problems::blanks_around(Span::new(self.source, at, at + 1), sign));
    }

    fn is_blank(&self, at: usize) -> bool {
        self.whole.as_bytes().get(at).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'#'))
    }
}

/// How many of the next pieces are read at once: whole blocks, as many as are a batch; at least one piece.
fn batch_len(pieces: &[Piece]) -> usize {
    let start = pieces.first().map_or(0, |piece| piece.start);
    let fits = |piece: &&Piece| piece.is_whole_block() && piece.end - start <= BATCH;
    pieces.iter().take_while(fits).count().max(1)
}

/// Whether a comment documents what stands below it.
pub(super) fn is_doc(comment: &str) -> bool {
    comment.starts_with("##") && !comment.starts_with("###")
}
