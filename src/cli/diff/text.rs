//! For people on a terminal.

use crate::cli::args::TableFormat;
use crate::cli::table::Table;
use crate::diff::{Cause, Diff, Group, delta_text};

use super::Report;
use super::words;

/// The summary, then tables.
pub fn print(report: &Report<'_>) -> String {
    let diff = &report.diff;
    let mut text = format!("{}: {} → {}\n{}\n", report.platform, report.old, report.new, words::summary(report));
    section(&mut text, "Changes", &changes(diff));
    for group in Group::SHOWN {
        section(&mut text, group.title().1, &figures(diff, group));
    }
    section(&mut text, "Bill", &bill(diff));
    notes(diff).iter().for_each(|note| text.push_str(&format!("\n{note}\n")));
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

/// What is said below the tables.
pub fn notes(diff: &Diff) -> Vec<String> {
    let further = diff.figures.iter().filter(|figure| figure.group == Group::Further).count() as u64;
    let count = crate::base::phrase::count(further, "further figure");
    let hidden =
        (further > 0).then(|| format!("{count} changed, as steps on the way or by less than 0.5%: `--format json`"));
    words::unpriced(diff).filter(|_| !diff.lines.is_empty()).into_iter().chain(hidden).collect()
}

fn section(text: &mut String, title: &str, table: &Table) {
    if !table.is_empty() {
        text.push_str(&format!("\n{title}\n\n{}", table.print(TableFormat::Human)));
    }
}

fn changes(diff: &Diff) -> Table {
    let mut table = Table::new(&["class", "what", "old", "new", "delta", "from", "why of its class"]);
    for change in &diff.changes {
        table.row([
            change.class.words().to_string(),
            change.address.clone(),
            words::value(change, &change.old),
            words::value(change, &change.new),
            change.delta_text.clone(),
            words::from(change, Cause::text),
            change.why.to_string(),
        ]);
    }
    table
}

fn figures(diff: &Diff, group: Group) -> Table {
    let mut table = Table::new(&["figure", "old", "new", "delta", "because"]);
    for figure in diff.figures.iter().filter(|figure| figure.group == group) {
        let causes = words::because(&figure.because, Cause::text);
        let basis = words::basis(figure).map(|basis| format!("; its basis {basis}")).unwrap_or_default();
        table.row([
            figure.address.clone(),
            figure.old.show(),
            figure.new.show(),
            delta_text(&figure.old, &figure.new),
            format!("{causes}{basis}").trim_start_matches("; ").to_string(),
        ]);
    }
    table
}

fn bill(diff: &Diff) -> Table {
    let mut table =
        Table::new(&["category", "for", "description", "quantity", "each", "old", "new", "delta", "because"]);
    for line in &diff.lines {
        table.row([
            line.category.to_string(),
            line.of.clone(),
            words::description(line),
            words::both(&line.quantity, line.unit),
            words::both(&line.each, "ea"),
            line.extended.0.show(),
            line.extended.1.show(),
            words::extended(line),
            words::because(&line.because, Cause::text),
        ]);
    }
    table
}
