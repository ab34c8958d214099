//! A problem: facts and places, rendered elsewhere.

use super::code::Code;
use super::source::Sources;
use super::span::Span;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Worth mending.
    Warning,
    /// Nothing is written.
    Error,
}

impl Severity {
    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place with what is to be said there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; may be empty.
    pub text: String,
}

/// A repair that a machine can make: put `text` in place of `span`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the repair does.
    pub title: String,
    /// The place to replace.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// Settings that were tried and take a problem away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// What kind of change it is: `more nodes`.
    pub title: &'static str,
    /// `PATH = VALUE`, all of them together.
    pub settings: Vec<String>,
}

/// One problem. The first label is the place to edit, further ones are places that explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// One line, lower case, no final stop, the user's words in backticks.
    pub message: String,
    /// Places, the primary one first.
    pub labels: Vec<Label>,
    /// What to do next.
    pub help: Option<String>,
    /// Further facts, one a line.
    pub notes: Vec<String>,
    /// Machine-made repairs.
    pub fixes: Vec<Fix>,
    /// The smallest changes that take it away, each on its own.
    pub repairs: Vec<Repair>,
    /// The address of the block or attribute it is about, where there is one.
    pub address: Option<String>,
}

impl Diagnostic {
    /// A problem of a severity, without a place.
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            labels: Vec::new(),
            help: None,
            notes: Vec::new(),
            fixes: Vec::new(),
            repairs: Vec::new(),
            address: None,
        }
    }

    /// An error.
    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// A note.
    pub fn note(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, code, message)
    }

    /// Adds a place; the first one added is the primary one.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do next.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a fact.
    pub fn fact(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds a repair.
    pub fn fix(mut self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.fixes.push(Fix { title: title.into(), span, text: text.into() });
        self
    }

    /// Names the block or attribute it is about.
    pub fn about(mut self, address: impl Into<String>) -> Diagnostic {
        self.address = Some(address.into());
        self
    }

    /// The place to edit.
    pub fn primary(&self) -> Span {
        self.labels.first().map_or(Span::DETACHED, |label| label.span)
    }
}

/// The problems of a run: sorted by place, each once.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds many.
    pub fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        self.list.extend(more);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// True when something stops the build.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// Without those that a broken block elsewhere may have caused: names (1xxx) that lead nowhere.
    pub fn without_missing_names(mut self) -> Diagnostics {
        self.list
            .retain(|problem| problem.severity != Severity::Error || !matches!(problem.code.0, 1003 | 1022 | 1024));
        self
    }

    /// The problem at a position.
    pub fn get(&self, position: usize) -> Option<&Diagnostic> {
        self.list.get(position)
    }

    /// The same, to add to.
    pub fn get_mut(&mut self, position: usize) -> Option<&mut Diagnostic> {
        self.list.get_mut(position)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Sorted by path, place, severity (worst first) and code, each once.
    pub fn sorted(mut self, sources: &Sources) -> Diagnostics {
        let path = |d: &Diagnostic| d.primary().source().and_then(|id| sources.get(id)).map_or("", |s| s.path.as_str());
        self.list.sort_by(|a, b| {
            let key = |d: &Diagnostic| {
                (d.primary().is_detached(), d.primary().start(), std::cmp::Reverse(d.severity), d.code)
            };
            (path(a), key(a), &a.message).cmp(&(path(b), key(b), &b.message))
        });
        self.list.dedup();
        self
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
