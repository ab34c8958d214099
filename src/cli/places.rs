//! Lines and columns of many places: each source is cut into lines once.

use std::collections::BTreeMap;

use crate::base::source::{Position, Sources};
use crate::base::span::{SourceId, Span};

/// The lines of the sources that were asked about.
pub struct Places<'a> {
    sources: &'a Sources,
    starts: BTreeMap<SourceId, Vec<usize>>,
}

/// A span as people say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file.
    pub path: &'a str,
    /// Its first character.
    pub start: Position,
    /// One past its last character.
    pub end: Position,
}

impl<'a> Places<'a> {
    /// Nothing asked yet.
    pub fn new(sources: &'a Sources) -> Places<'a> {
        Places { sources, starts: BTreeMap::new() }
    }

    /// The sources themselves.
    pub fn sources(&self) -> &'a Sources {
        self.sources
    }

    /// Where a span is; nothing when it is detached.
    pub fn of(&mut self, span: Span) -> Option<Place<'a>> {
        let id = span.source()?;
        let source = self.sources.get(id)?;
        let start = self.position(id, span.start())?;
        let end = self.position(id, span.end())?;
        Some(Place { path: &source.path, start, end })
    }

    /// The bytes of a line, from 1, without its end.
    pub fn line(&mut self, id: SourceId, line: usize) -> (usize, &'a str) {
        let Some(source) = self.sources.get(id) else { return (0, "") };
        let starts = self.starts(id);
        let start = starts.get(line.saturating_sub(1)).copied().unwrap_or(source.text.len());
        let end = starts.get(line).copied().unwrap_or(source.text.len());
        let text = source.text.get(start..end).unwrap_or("");
        (start, text.trim_end_matches(['\n', '\r']))
    }

    fn position(&mut self, id: SourceId, offset: usize) -> Option<Position> {
        let text = &self.sources.get(id)?.text;
        let starts = self.starts(id);
        let line = starts.partition_point(|&start| start <= offset);
        let before = text.as_bytes().get(*starts.get(line - 1)?..offset.min(text.len()))?;
        // A character has exactly one byte that does not continue another.
        Some(Position { line, column: before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() + 1 })
    }

    fn starts(&mut self, id: SourceId) -> &[usize] {
        let text = self.sources.get(id).map_or("", |source| source.text.as_str());
        self.starts.entry(id).or_insert_with(|| {
            let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }
}
