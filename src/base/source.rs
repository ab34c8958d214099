//! The source texts of a compilation, and lines and columns on demand.

use std::ops::Index;

use super::span::{SourceId, Span};

/// One text with the path people know it by (relative, with `/`).
#[derive(Debug, Clone)]
pub struct Source {
    /// Path as shown in messages.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// All texts of a compilation, in the order of their paths.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    all: Vec<Source>,
}

/// A place as people say it: both numbers from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Sources {
    /// No sources yet.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a text and names it.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.all.len()).unwrap_or(u32::MAX - 1));
        self.all.push(Source { path: path.into(), text: text.into() });
        id
    }

    /// The source with this id.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.all.get(id.0 as usize)
    }

    /// All sources with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        (0u32..).map(SourceId).zip(&self.all)
    }

    /// Line and column of the first byte of `span`; nothing when it is detached.
    pub fn position(&self, span: Span) -> Option<Position> {
        self.position_at(span.source()?, span.start())
    }

    /// Line and column of a byte of a source.
    pub fn position_at(&self, source: SourceId, offset: usize) -> Option<Position> {
        let text = &self.get(source)?.text;
        let before = text.get(..floor_char(text, offset))?;
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some(Position {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        })
    }

    /// `path:line:column` of a place, or `(built in)`.
    pub fn place(&self, span: Span) -> String {
        match (span.source().and_then(|id| self.get(id)), self.position(span)) {
            (Some(source), Some(at)) => format!("{}:{}:{}", source.path, at.line, at.column),
            _ => String::from("(built in)"),
        }
    }
}

/// The nearest character boundary at or before `offset`.
fn floor_char(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text of a place: empty when it is detached or outside its source.
impl Index<Span> for Sources {
    type Output = str;

    fn index(&self, span: Span) -> &str {
        span.source()
            .and_then(|id| self.get(id))
            .and_then(|source| source.text.get(span.start()..span.end()))
            .unwrap_or("")
    }
}
