//! What became of everything that is not in the draft as it was.

use std::fmt::Write;

use crate::base::source::Sources;
use crate::base::span::Span;

use super::draft::comment;

/// Something that is not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Where it stands.
    pub place: String,
    /// What it is.
    pub what: String,
    /// Why, and what to do.
    pub why: String,
}

/// Everything to say beside the draft.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fates {
    /// What is not taken over.
    pub dropped: Vec<Dropped>,
    /// Names that change, old and new, folded.
    pub renamed: Vec<(String, String)>,
    /// Keys that the build writes beyond what was given.
    pub added: Vec<String>,
    /// What a person should know of what was taken over.
    pub notes: Vec<String>,
}

impl Fates {
    /// Something is not taken over.
    pub fn drop(&mut self, sources: &Sources, at: Span, what: impl Into<String>, why: impl Into<String>) {
        let place = sources.place(at);
        let place = place.rsplit_once(':').map_or(place.clone(), |(line, _)| line.to_string());
        let dropped = Dropped { place, what: what.into(), why: why.into() };
        if !self.dropped.contains(&dropped) {
            self.dropped.push(dropped);
        }
    }

    /// As comments at the end of the draft.
    pub fn comment(&self) -> String {
        let mut text = String::new();
        if !self.notes.is_empty() {
            text.push_str("\n# To know:\n");
            self.notes.iter().for_each(|note| text.push_str(&format!("#   {}\n", comment(note))));
        }
        if !self.dropped.is_empty() {
            text.push_str("\n# Not taken over:\n");
            for dropped in &self.dropped {
                let line = format!("{} {}: {}", dropped.place, dropped.what, dropped.why);
                let _ = writeln!(text, "#   {}", comment(&line));
            }
        }
        if !self.added.is_empty() {
            text.push_str("\n# Keys that the build writes beyond what was given:\n");
            self.added.iter().for_each(|key| text.push_str(&format!("#   {}\n", comment(key))));
        }
        text
    }

    /// The same for a terminal.
    pub fn words(&self) -> String {
        let mut text = String::new();
        for (old, new) in &self.renamed {
            let _ = writeln!(text, "renamed: {old} is {new}");
        }
        self.notes.iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
        for dropped in &self.dropped {
            let _ = writeln!(text, "not taken over: {} {}: {}", dropped.place, dropped.what, dropped.why);
        }
        if !self.added.is_empty() {
            let _ = writeln!(text, "the build also writes: {}", self.added.join(", "));
        }
        text
    }
}
