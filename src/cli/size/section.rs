//! A section of the answer: a table with a title.

use crate::cli::args::TableFormat;
use crate::cli::json::pretty;
use crate::cli::table::Table;

/// A table with its title and what is said above it.
pub struct Section {
    /// Its field in the JSON document.
    key: &'static str,
    /// Its title where people read.
    title: &'static str,
    /// Sentences above the table.
    lead: Vec<String>,
    /// The table.
    table: Table,
}

impl Section {
    /// A table under a title.
    pub fn new(key: &'static str, title: &'static str, table: Table) -> Section {
        Section { key, title, lead: Vec::new(), table }
    }

    /// Puts sentences above the table, where people read.
    pub fn lead(mut self, lines: Vec<String>) -> Section {
        self.lead = lines;
        self
    }

    fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    fn human(&self) -> String {
        let lead: String = self.lead.iter().map(|line| format!("{line}\n")).collect();
        let gap = if lead.is_empty() { "" } else { "\n" };
        format!("{}\n\n{lead}{gap}{}", self.title, self.table.print(TableFormat::Human))
    }

    fn markdown(&self) -> String {
        let lead: String = self.lead.iter().map(|line| format!("- {line}\n")).collect();
        let gap = if lead.is_empty() { "" } else { "\n" };
        format!("## {}\n\n{lead}{gap}{}", self.title, self.table.print(TableFormat::Markdown))
    }
}

/// All sections in a format: texts one below the other; JSON as one document with a field for the rows of each, and one
/// for the sentences above them. A file of comma-separated values is one table, so it has the first.
pub fn print(sections: &[Section], format: TableFormat) -> String {
    let texts = |text: fn(&Section) -> String| {
        sections.iter().filter(|section| !section.is_empty()).map(text).collect::<Vec<_>>().join("\n")
    };
    match format {
        TableFormat::Human => texts(Section::human),
        TableFormat::Markdown => texts(Section::markdown),
        TableFormat::Csv => sections.first().map(|section| section.table.print(format)).unwrap_or_default(),
        TableFormat::Json => {
            let fields = sections.iter().map(|section| (section.key.to_string(), section.table.to_json()));
            let said = sections.iter().filter(|section| !section.lead.is_empty());
            let said = said.map(|section| (section.key.to_string(), section.lead.clone().into()));
            let sentences = (String::from("sentences"), said.collect::<serde_json::Map<_, _>>().into());
            pretty(&fields.chain(std::iter::once(sentences)).collect::<serde_json::Map<_, _>>())
        }
    }
}
