//! What became of everything that is not in the draft as it was.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write;

use crate::base::phrase;
use crate::base::source::Sources;
use crate::base::span::{SourceId, Span};

/// No line of Slurm's files that is shown is longer.
const LONGEST_COMMENT: usize = 4_000;

/// Something that is not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Where it stands first.
    pub place: String,
    /// In how many places it stands beside that one.
    pub more: usize,
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
    /// What was dropped for what reason: its position, and where it was seen last.
    known: BTreeMap<(String, String), (usize, Span)>,
    /// Where the lines of each source begin.
    starts: BTreeMap<SourceId, Vec<usize>>,
}

/// `slurm.conf:12`. Counting lines anew for each of many places would take long.
fn place(starts: &mut BTreeMap<SourceId, Vec<usize>>, sources: &Sources, at: Span) -> String {
    let Some((id, source)) = at.source().and_then(|id| Some((id, sources.get(id)?))) else {
        return String::from("(built in)");
    };
    let ends = || source.text.match_indices('\n').map(|(end, _)| end + 1);
    let starts = starts.entry(id).or_insert_with(|| ends().collect());
    format!("{}:{}", source.path, starts.partition_point(|start| *start <= at.start()) + 1)
}

impl Dropped {
    /// `slurm.conf:12 and 3 more places Boards=2: why`.
    fn words(&self) -> String {
        let more = match self.more {
            0 => String::new(),
            more => format!(" and {}", phrase::count(more as u64, "more place")),
        };
        format!("{}{more} {}: {}", self.place, self.what, self.why)
    }
}

impl Fates {
    /// Something is not taken over. The same in several places is said once.
    pub fn drop(&mut self, sources: &Sources, at: Span, what: impl Into<String>, why: impl Into<String>) {
        let (what, why) = (what.into(), why.into());
        match self.known.entry((what.clone(), why.clone())) {
            Entry::Occupied(known) => {
                let (dropped, last) = known.into_mut();
                // One line may be looked at from several sides.
                if *last != at {
                    *last = at;
                    self.dropped[*dropped].more += 1;
                }
            }
            Entry::Vacant(new) => {
                new.insert((self.dropped.len(), at));
                let place = place(&mut self.starts, sources, at);
                self.dropped.push(Dropped { place, more: 0, what, why });
            }
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
                let _ = writeln!(text, "#   {}", comment(&dropped.words()));
            }
        }
        if !self.added.is_empty() {
            text.push_str("\n# Keys that the build writes beyond what was given, and that are not Slurm's defaults:\n");
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
            let _ = writeln!(text, "not taken over: {}", dropped.words());
        }
        if !self.added.is_empty() {
            let count = phrase::count(self.added.len() as u64, "key");
            let _ = writeln!(
                text,
                "the build also writes {count} that nobody gave and that it cannot leave out: they stand at the end of the draft"
            );
        }
        text
    }
}

/// A text that can stand in a comment, not too long.
pub fn comment(text: &str) -> String {
    let shown: String =
        text.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).take(LONGEST_COMMENT).collect();
    shown
}
