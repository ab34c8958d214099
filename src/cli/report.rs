//! Findings for people, with the lines of their sources. The only place that knows miette.
//!
//! miette draws the lines and the marks under them; header, help and notes are ours. A label is cut at the end of its
//! first line, control characters of a source never reach the terminal, and a line too long to be read is shown around
//! its label only.

use std::fmt::{self, Write};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents, ThemeCharacters, ThemeStyles,
};

use crate::base::diagnostic::{Diagnostic, Label, Severity};
use crate::base::phrase;
use crate::base::secret;
use crate::base::source::Sources;
use crate::base::span::SourceId;

use super::console::Console;
use super::findings::{Findings, head};
use super::places::Places;

/// How many problems are shown.
const SHOWN: usize = 50;

/// Bytes of a line that people read as a whole.
const READABLE: usize = 300;

/// Bytes shown on each side of a label in a longer line.
const AROUND: usize = 60;

/// Labels whose lines are at most so far apart are drawn together.
const NEAR: usize = 2;

/// Every problem with its lines, and how many there are.
pub fn human(findings: &Findings, sources: &Sources, console: &Console) -> String {
    let mut writer = Writer::new(sources, console.coloured(), console.unicode());
    for found in findings.problems.iter().take(SHOWN) {
        writer.problem(&found.problem);
    }
    if let Some(more) = findings.problems.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(
            writer.text,
            "{} not shown here; `--format json` has all of them\n",
            phrase::count(more as u64, "problem")
        );
    }
    if let Some(summary) = findings.summary().words() {
        let _ = writeln!(writer.text, "{summary}");
    }
    writer.text
}

struct Writer<'a> {
    places: Places<'a>,
    handler: GraphicalReportHandler,
    colour: bool,
    text: String,
}

/// A label as it is drawn: in one line.
struct Mark<'a> {
    source: SourceId,
    line: usize,
    /// Bytes of the source.
    start: usize,
    end: usize,
    text: &'a str,
}

impl<'a> Writer<'a> {
    fn new(sources: &'a Sources, colour: bool, unicode: bool) -> Writer<'a> {
        let characters = if unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() };
        let styles = if colour { ThemeStyles::ansi() } else { ThemeStyles::none() };
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
            .with_context_lines(0)
            .with_wrap_lines(false)
            .with_links(false)
            .without_syntax_highlighting();
        Writer { places: Places::new(sources), handler, colour, text: String::new() }
    }

    fn problem(&mut self, problem: &Diagnostic) {
        let head = self.paint(&head(problem), severity_style(problem.severity));
        let _ = writeln!(self.text, "{head}: {}", safe(&problem.message));
        for group in self.groups(&problem.labels) {
            self.draw(&group);
        }
        for note in &problem.notes {
            let _ = writeln!(self.text, "{}: {}", self.paint("note", "1"), safe(note));
        }
        if let Some(help) = &problem.help {
            let _ = writeln!(self.text, "{}: {}", self.paint("help", "36"), safe(help));
        }
        for repair in &problem.repairs {
            let words = format!("{}: {}", repair.title, phrase::all_of(&repair.settings));
            let _ = writeln!(self.text, "{}: {}", self.paint("smallest repair", "36"), safe(&words));
        }
        self.text.push('\n');
    }

    fn paint(&self, text: &str, style: &str) -> String {
        if self.colour { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_string() }
    }

    /// Labels that stand near each other, the primary one's group first.
    fn groups<'d>(&mut self, labels: &'d [Label]) -> Vec<Vec<Mark<'d>>> {
        let mut groups: Vec<Vec<Mark<'d>>> = Vec::new();
        for label in labels {
            let Some(mark) = self.mark(label) else { continue };
            let near = |other: &Mark<'_>| other.source == mark.source && other.line.abs_diff(mark.line) <= NEAR;
            match groups.iter_mut().find(|group| group.iter().any(near)) {
                Some(group) => group.push(mark),
                None => groups.push(vec![mark]),
            }
        }
        groups
    }

    fn mark<'d>(&mut self, label: &'d Label) -> Option<Mark<'d>> {
        let source = label.span.source()?;
        let line = self.places.of(label.span)?.start.line;
        let (start, text) = self.places.line(source, line);
        let first = label.span.start().min(start + text.len());
        let last = label.span.end().clamp(first, start + text.len());
        Some(Mark { source, line, start: first, end: last, text: &label.text })
    }

    fn draw(&mut self, group: &[Mark<'_>]) {
        let Some(first) = group.first() else { return };
        let lines = group.iter().map(|mark| self.places.line(mark.source, mark.line).1.len());
        if lines.max().unwrap_or(0) > READABLE {
            return group.iter().for_each(|mark| self.excerpt(mark));
        }
        let Some(source) = self.places.sources().get(first.source) else { return };
        let from = group.iter().map(|mark| mark.line).min().unwrap_or(first.line);
        let to = group.iter().map(|mark| mark.line).max().unwrap_or(first.line);
        let start = self.places.line(first.source, from).0;
        let (last, text) = self.places.line(first.source, to);
        let window = Window {
            name: safe(&source.path),
            first_line: from - 1,
            text: same_length(&secret::masked(source.text.get(start..last + text.len()).unwrap_or(""))),
        };
        let labels = group.iter().enumerate().map(|(index, mark)| {
            let text = (!mark.text.is_empty()).then(|| safe(mark.text));
            let span = (mark.start - start, mark.end - mark.start);
            if index == 0 {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        });
        let snippet = Snippet { window, labels: labels.collect() };
        let mut drawn = String::new();
        // The first line is miette's own header, which is empty here.
        match self.handler.render_report(&mut drawn, &snippet) {
            Ok(()) => self.text.push_str(drawn.split_once('\n').map_or("", |(_, lines)| lines)),
            Err(fmt::Error) => group.iter().for_each(|mark| self.excerpt(mark)),
        }
    }

    /// A piece of a line that is too long to be read.
    fn excerpt(&mut self, mark: &Mark<'_>) {
        let (start, line) = self.places.line(mark.source, mark.line);
        let line = &*secret::masked(line);
        let path = self.places.sources().get(mark.source).map_or("", |source| source.path.as_str());
        let (at, end) = (mark.start - start, (mark.end - start).min(mark.start - start + AROUND));
        let from = floor(line, at.saturating_sub(AROUND));
        let to = floor(line, end.saturating_add(AROUND).min(line.len()));
        let before = safe(line.get(from..at).unwrap_or(""));
        let inside = safe(line.get(at..floor(line, end)).unwrap_or(""));
        let after = safe(line.get(floor(line, end)..to).unwrap_or(""));
        let column = line.get(..at).map_or(1, |before| before.chars().count() + 1);
        let carets = "^".repeat(inside.chars().count().max(1));
        let blanks = " ".repeat(before.chars().count());
        let _ = writeln!(self.text, "  {}:{}:{column}", safe(path), mark.line);
        let _ = writeln!(self.text, "    …{before}{inside}{after}…");
        let _ = writeln!(self.text, "     {blanks}{carets} {}", safe(mark.text));
    }
}

fn severity_style(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "1;36",
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// True for what a terminal would obey or hide: escapes, and marks that turn the direction of writing.
fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t' && c != '\r')
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}')
}

/// A text without anything that a terminal would obey.
fn safe(text: &str) -> String {
    text.chars().map(|c| if is_hostile(c) || c == '\r' { '\u{FFFD}' } else { c }).collect()
}

/// The same with every byte in its place, so that spans still fit.
fn same_length(text: &str) -> String {
    let stand_in = |c: char| match c.len_utf8() {
        1 => '?',
        2 => '\u{BF}',
        _ => '\u{FFFD}',
    };
    text.chars().map(|c| if is_hostile(c) { stand_in(c) } else { c }).collect()
}

/// Some lines of a source.
#[derive(Debug)]
struct Window {
    name: String,
    /// The number of the first, from 0.
    first_line: usize,
    text: String,
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        let head = self.text.get(..start).ok_or(MietteError::OutOfBounds)?;
        let tail = self.text.get(end..).ok_or(MietteError::OutOfBounds)?;
        let line_start = head.rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = tail.find('\n').map_or(self.text.len(), |newline| end + newline);
        let text = &self.text[line_start..line_end];
        let line = self.first_line + head.matches('\n').count();
        let column = head[line_start..].chars().count();
        let whole = SourceSpan::from((line_start, line_end - line_start));
        // One more than there are: miette joins pieces that touch, and one line between them is no reason to part them.
        let lines = text.matches('\n').count() + 2;
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), text.as_bytes(), whole, line, column, lines)))
    }
}

/// What miette draws: lines and labels, no words of its own.
#[derive(Debug)]
struct Snippet {
    window: Window,
    labels: Vec<LabeledSpan>,
}

impl fmt::Display for Snippet {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Snippet {}

impl miette::Diagnostic for Snippet {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.window)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
