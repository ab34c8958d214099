//! From text to [`ast::File`].
//!
//! 1. `scan` cuts the text into top-level blocks and refuses what has no end or nests too deep.
//! 2. `read` gives each block to pest (`grammar/aip.pest`), on several threads when the file is large; a block that
//!    fails is read item by item.
//! 3. `build` makes the tree from pest's pairs.
//! 4. `expected` finds the words for what did not fit; `problems` has the codes.
//!
//! `text` says what a string means, `print` writes a tree as canonical text. Parsing never fails: what could not be
//! read is missing in the tree and has its diagnostics.

pub mod ast;
mod build;
mod expected;
mod grammar;
mod number;
pub mod print;
pub mod problems;
mod read;
mod scan;
pub mod shape;
pub mod text;

use std::num::NonZero;
use std::thread;

use self::ast::{Expr, Item, Set};
use self::read::Reader;
use self::scan::{Form, Piece, Refusal, Scanner};
use crate::base::diagnostic::{Diagnostic, Diagnostics};
use crate::base::span::{SourceId, Span};

/// A source larger than this is refused.
pub const MAX_SOURCE: usize = 64 << 20;

/// How many syntax errors of a file are shown.
const MAX_PROBLEMS: usize = 20;

/// From this size on blocks are read on several threads.
const PARALLEL_FROM: usize = 256 << 10;

/// The tree of a source, and its syntax errors: sorted by place, at most 20 and one that says there are more.
pub fn parse(source: SourceId, text: &str) -> (ast::File, Diagnostics) {
    let threads = if text.len() < PARALLEL_FROM { 1 } else { thread::available_parallelism().map_or(1, NonZero::get) };
    parse_on(threads, source, text)
}

/// As [`parse`], on a number of threads: the result is the same for every number.
pub fn parse_on(threads: usize, source: SourceId, text: &str) -> (ast::File, Diagnostics) {
    let mut file = ast::File { source, doc: Vec::new(), blocks: Vec::new(), comments: Vec::new() };
    if text.len() > MAX_SOURCE {
        return (file, few(vec![problems::source_too_large(source, text.len(), MAX_SOURCE)]));
    }
    let cut = cut(source, text);
    let (blocks, mut found) = read_blocks(threads, source, text, &cut);
    found.extend(cut.refusals.iter().map(|refusal| problems::refused(source, refusal)));
    found.extend(cut.found);
    file.doc = package_doc(text, &cut.comments);
    file.comments = cut.comments;
    file.blocks = blocks;
    (file, few(found))
}

/// A value on its own.
pub fn parse_expression(source: SourceId, text: &str) -> Result<Expr, Diagnostics> {
    parse_alone(source, text, |reader| reader.only_value())
}

/// `PATH = VALUE`, as `--set` has it.
pub fn parse_setting(source: SourceId, text: &str) -> Result<Set, Diagnostics> {
    parse_alone(source, text, |reader| reader.only_setting())
}

fn parse_alone<T>(
    source: SourceId,
    text: &str,
    read: impl FnOnce(&mut Reader<'_>) -> Option<T>,
) -> Result<T, Diagnostics> {
    if text.len() > MAX_SOURCE {
        return Err(few(vec![problems::source_too_large(source, text.len(), MAX_SOURCE)]));
    }
    let mut scanner = Scanner::file(text);
    while scanner.next_piece().is_some() {}
    let comments: Vec<Span> = scanner.comments.iter().map(|&(start, end)| Span::new(source, start, end)).collect();
    let refusals = scanner.refusals;
    if !refusals.is_empty() {
        return Err(few(refusals.iter().map(|refusal| problems::refused(source, refusal)).collect()));
    }
    let mut reader = Reader::new(source, text, &comments, &[]);
    match read(&mut reader) {
        Some(value) if reader.found.is_empty() => Ok(value),
        _ => Err(few(reader.found)),
    }
}

/// What the scanner made of a file.
struct Cut {
    pieces: Vec<Piece>,
    comments: Vec<Span>,
    refusals: Vec<Refusal>,
    /// What stands outside of blocks.
    found: Vec<Diagnostic>,
}

/// Cuts a file into its top-level blocks.
fn cut(source: SourceId, text: &str) -> Cut {
    let mut scanner = Scanner::file(text);
    let mut outside = Outside { source, text, found: Vec::new(), first: None, last_block: None };
    let mut pieces = Vec::new();
    while let Some(piece) = scanner.next_piece() {
        if !outside.takes(&piece) {
            pieces.push(piece);
        }
    }
    outside.finish(None);
    let comments = scanner.comments.iter().map(|&(start, end)| Span::new(source, start, end)).collect();
    Cut { pieces, comments, refusals: scanner.refusals, found: outside.found }
}

/// Collects the lines outside of blocks: a `}` that comes too early leaves many of them, and one mistake.
struct Outside<'t> {
    source: SourceId,
    text: &'t str,
    found: Vec<Diagnostic>,
    /// The first line of those under way.
    first: Option<Piece>,
    /// The end of the block before them.
    last_block: Option<usize>,
}

impl Outside<'_> {
    /// Whether a piece belongs to the lines outside of blocks.
    fn takes(&mut self, piece: &Piece) -> bool {
        match piece.form {
            Form::Stray => self.stray(piece),
            Form::Item if self.is_attribute(piece) => {
                self.first.get_or_insert(*piece);
            }
            Form::Item if self.first.is_some() && self.is_indented(piece) => {}
            Form::Item => {
                self.finish(None);
                self.last_block = piece.close;
                return false;
            }
        }
        true
    }

    /// A `}` too many: the one of the block that ended too early, when lines came before it.
    fn stray(&mut self, piece: &Piece) {
        if self.first.is_some() {
            self.finish(self.last_block);
        } else if self.found.len() <= MAX_PROBLEMS && !self.is_stray_again(piece) {
            self.found.push(problems::stray_brace(Span::new(self.source, piece.start, piece.end)));
        }
        self.last_block = Some(piece.start);
    }

    /// Whether only blanks lie between this `}` and the one before.
    fn is_stray_again(&self, piece: &Piece) -> bool {
        let before = self.found.last().filter(|problem| problem.code == problems::STRAY_BRACKET);
        let last = self.last_block.filter(|_| before.is_some());
        last.and_then(|last| self.text.get(last + 1..piece.start)).is_some_and(|between| between.trim().is_empty())
    }

    fn finish(&mut self, closed_early: Option<usize>) {
        let Some(first) = self.first.take() else { return };
        if first.broken || self.found.len() > MAX_PROBLEMS {
            return;
        }
        let place = Span::new(self.source, first.start, first.end);
        let brace = closed_early.map(|at| Span::new(self.source, at, at + 1));
        self.found.push(problems::outside(place, self.text.get(first.start..first.end).unwrap_or(""), brace));
    }

    /// Whether a piece is `name = …`.
    fn is_attribute(&self, piece: &Piece) -> bool {
        let bytes = self.text.as_bytes().get(piece.start..piece.end).unwrap_or(&[]);
        let word = bytes.iter().take_while(|byte| scan::is_word(**byte)).count();
        let blanks = bytes[word..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        word > 0 && scan::is_attribute_sign(&bytes[word + blanks..])
    }

    fn is_indented(&self, piece: &Piece) -> bool {
        matches!(self.text.as_bytes().get(piece.start.wrapping_sub(1)), Some(b' ' | b'\t'))
    }
}

/// Reads the pieces on some threads, each a run of neighbours, and joins the results in order.
fn read_blocks(threads: usize, source: SourceId, text: &str, cut: &Cut) -> (Vec<ast::Block>, Vec<Diagnostic>) {
    let runs = runs(&cut.pieces, threads);
    let [] = runs.as_slice() else {
        let results = thread::scope(|scope| {
            let read = |run| scope.spawn(move || read_run(source, text, cut, run));
            let handles: Vec<_> = runs.into_iter().map(read).collect();
            handles.into_iter().map(|handle| handle.join()).collect::<Vec<_>>()
        });
        return join(results);
    };
    read_run(source, text, cut, &cut.pieces)
}

type Read = (Vec<ast::Block>, Vec<Diagnostic>);

fn join(results: Vec<thread::Result<Read>>) -> Read {
    let mut all = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok((blocks, found)) => {
                all.0.extend(blocks);
                all.1.extend(found);
            }
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    all
}

/// Neighbouring pieces of about the same size for each thread; none for a single thread.
fn runs(pieces: &[Piece], threads: usize) -> Vec<&[Piece]> {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Vec::new() };
    if threads < 2 {
        return Vec::new();
    }
    let share = (last.end - first.start).div_ceil(threads).max(1);
    pieces.chunk_by(|a, b| (a.start - first.start) / share == (b.start - first.start) / share).collect()
}

fn read_run(source: SourceId, text: &str, cut: &Cut, pieces: &[Piece]) -> Read {
    let mut reader = Reader::new(source, text, &cut.comments, &cut.refusals);
    let mut blocks = Vec::with_capacity(pieces.len());
    reader.pieces(pieces, |reader, piece, item| match item {
        Item::Block(block) => blocks.push(*block),
        Item::Attribute(_) | Item::Set(_) | Item::Drop(_) => {
            let place = Span::new(source, piece.start, piece.end);
            reader.report(problems::outside(place, reader.text(place), None));
        }
    });
    (blocks, reader.found)
}

/// The `##` lines at the top that are followed by a blank line.
fn package_doc(text: &str, comments: &[Span]) -> Vec<Span> {
    let mut doc: Vec<Span> = Vec::new();
    let mut end = 0;
    for comment in comments {
        let between = text.get(end..comment.start()).unwrap_or("x");
        let touches = between.trim_start_matches('\u{FEFF}').trim().is_empty()
            && (doc.is_empty() || between.matches('\n').count() == 1);
        let line = text.get(comment.start()..comment.end()).unwrap_or("");
        if !touches || !read::is_doc(line) {
            break;
        }
        doc.push(*comment);
        end = comment.end();
    }
    let after = text.get(end..).unwrap_or("");
    let blanks = &after[..after.len() - after.trim_start().len()];
    if blanks.matches('\n').count() > 1 || blanks.len() == after.len() { doc } else { Vec::new() }
}

/// The problems by place, each once, and no more than people read.
fn few(mut found: Vec<Diagnostic>) -> Diagnostics {
    found.sort_by_key(|problem| (problem.primary(), problem.code));
    found.dedup();
    if let Some(next) = found.get(MAX_PROBLEMS).map(Diagnostic::primary) {
        found.truncate(MAX_PROBLEMS);
        found.push(problems::more(next, MAX_PROBLEMS));
    }
    let mut few = Diagnostics::new();
    few.extend(found);
    few
}
