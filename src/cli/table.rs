//! A table of texts, in the ways it is printed.

use super::args::TableFormat;
use super::json::pretty;

/// Rows of as many cells as there are columns.
pub struct Table {
    columns: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Table {
    /// No rows yet.
    pub fn new(columns: &'static [&'static str]) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// The text in a format.
    pub fn print(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Human => self.human(),
            TableFormat::Json => pretty(&self.to_json()),
            TableFormat::Markdown => self.markdown(),
            TableFormat::Csv => self.csv(),
        }
    }

    fn human(&self) -> String {
        let heads = self.columns.iter().map(|name| name.to_uppercase()).collect();
        let shown = |row: &[String]| row.iter().map(|cell| one_line(cell)).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = std::iter::once(heads).chain(self.rows.iter().map(|row| shown(row))).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let cell = |text: &String| one_line(text).replace('\\', "\\\\").replace('|', "\\|");
        let mut text = line(self.columns.iter().map(|name| (*name).to_string()).collect());
        text.push_str(&line(self.columns.iter().map(|_| String::from("---")).collect()));
        self.rows.iter().for_each(|row| text.push_str(&line(row.iter().map(cell).collect())));
        text
    }

    fn csv(&self) -> String {
        let line = |cells: Vec<String>| format!("{}\n", cells.join(","));
        let mut text = line(self.columns.iter().map(|name| (*name).to_string()).collect());
        self.rows.iter().for_each(|row| text.push_str(&line(row.iter().map(|cell| csv_cell(cell)).collect())));
        text
    }

    /// True without a row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows as objects of texts, by the names of the columns.
    pub fn to_json(&self) -> serde_json::Value {
        let row = |row: &Vec<String>| {
            let cells = self.columns.iter().zip(row);
            cells
                .map(|(name, cell)| ((*name).to_string(), cell.as_str().into()))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        serde_json::Value::Array(self.rows.iter().map(row).collect())
    }
}

/// A text on one line, without what a terminal would obey.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A cell that is no formula for any spreadsheet, whatever it begins with.
fn csv_cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_string() };
    let plain = !text.contains(['"', ',', '\n', '\r']);
    if plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::Table;
    use crate::cli::args::TableFormat;

    #[test]
    fn cells_stay_cells() {
        let mut table = Table::new(&["name", "value"]);
        table.row([String::from("=1+1"), String::from("a|b, \"c\"\n")]);
        assert_eq!(table.print(TableFormat::Csv), "name,value\n'=1+1,\"a|b, \"\"c\"\"\n\"\n");
        assert_eq!(table.print(TableFormat::Markdown), "| name | value |\n| --- | --- |\n| =1+1 | a\\|b, \"c\"  |\n");
        assert_eq!(table.print(TableFormat::Human), "NAME  VALUE\n=1+1  a|b, \"c\"\n");
    }
}
