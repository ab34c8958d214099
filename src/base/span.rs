//! A place in a source: small, copyable, with a named state for "nowhere".

use std::fmt;

/// One source text of a compilation, by its position in [`Sources`](super::source::Sources).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A half-open byte range in one source.
///
/// A detached span belongs to no source: defaults, the catalogue and the command line have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    source: u32,
    start: u32,
    end: u32,
}

impl Span {
    /// The place of things that no source wrote.
    pub const DETACHED: Span = Span { source: u32::MAX, start: 0, end: 0 };

    /// The bytes `start..end` of `source`.
    pub fn new(source: SourceId, start: usize, end: usize) -> Span {
        Span { source: source.0, start: clamp(start), end: clamp(end) }
    }

    /// The source this place is in, unless it is detached.
    pub fn source(self) -> Option<SourceId> {
        (!self.is_detached()).then_some(SourceId(self.source))
    }

    /// First byte.
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// One past the last byte.
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// True for [`Span::DETACHED`].
    pub fn is_detached(self) -> bool {
        self.source == u32::MAX
    }

    /// The smallest place that covers both; the attached one when only one is attached.
    pub fn to(self, other: Span) -> Span {
        if self.is_detached() {
            return other;
        }
        if other.source != self.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Sources are refused above 4 GiB before any span is made, so nothing is cut here.
fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_detached() {
            f.write_str("detached")
        } else {
            write!(f, "{}:{}..{}", self.source, self.start, self.end)
        }
    }
}
