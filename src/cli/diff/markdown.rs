//! A comment for a review: the summary, the changes by class, the tables.

use std::fmt::Write;

use crate::diff::{Cause, Class, Diff, Group, What, delta_text};

use super::{Report, text, words};

/// The comment.
pub fn print(report: &Report<'_>) -> String {
    let diff = &report.diff;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "**{}**, {} → {}: {}",
        report.platform,
        code(report.old),
        code(report.new),
        words::summary(report)
    );
    for class in Class::WORST_FIRST {
        changes(&mut out, diff, class);
    }
    for group in Group::SHOWN {
        figures(&mut out, diff, group);
    }
    bill(&mut out, diff);
    text::notes(diff).iter().for_each(|note| {
        let _ = writeln!(out, "\n{note}");
    });
    out
}

fn changes(out: &mut String, diff: &Diff, class: Class) {
    let rows = diff.changes.iter().filter(|change| change.class == class).map(|change| {
        vec![
            code(&change.address),
            value(&words::value(change, &change.old)),
            value(&words::value(change, &change.new)),
            change.delta_text.clone(),
            words::from(change, cause),
            change.why.to_string(),
        ]
    });
    table(out, &title(class), &["what", "old", "new", "delta", "from", "why"], rows.collect());
}

fn title(class: Class) -> String {
    let words = class.words();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

fn figures(out: &mut String, diff: &Diff, group: Group) {
    let rows = diff.figures.iter().filter(|figure| figure.group == group).map(|figure| {
        let basis = words::basis(figure).map(|basis| format!("; its basis {basis}")).unwrap_or_default();
        let causes = words::because(&figure.because, cause);
        vec![
            code(&figure.address),
            figure.old.show(),
            figure.new.show(),
            delta_text(&figure.old, &figure.new),
            format!("{causes}{basis}").trim_start_matches("; ").to_string(),
        ]
    });
    table(out, group.title().1, &["figure", "old", "new", "delta", "because"], rows.collect());
}

fn bill(out: &mut String, diff: &Diff) {
    let rows = diff.lines.iter().map(|line| {
        vec![
            line.category.to_string(),
            code(&line.of),
            value(&words::description(line)),
            words::both(&line.quantity, line.unit),
            words::both(&line.each, "ea"),
            line.extended.0.show(),
            line.extended.1.show(),
            words::extended(line),
            words::because(&line.because, cause),
        ]
    });
    let columns = ["category", "for", "description", "quantity", "each", "old", "new", "delta", "because"];
    table(out, "Bill", &columns, rows.collect());
}

/// A table under its title; nothing without rows.
fn table(out: &mut String, title: &str, columns: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n### {title}\n");
    let mut line = |cells: &[String]| {
        let _ = writeln!(out, "| {} |", cells.iter().map(|cell| one_line(cell)).collect::<Vec<_>>().join(" | "));
    };
    line(&columns.iter().map(|name| (*name).to_string()).collect::<Vec<_>>());
    line(&columns.iter().map(|_| String::from("---")).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn cause(cause: &Cause) -> String {
    match cause.what {
        What::Added | What::Removed => format!("{} {}", code(&cause.address), cause.what.word()),
        What::Renamed | What::Changed | What::Follows => {
            let side = |side: &Option<String>| side.as_deref().map_or_else(|| String::from("none"), value);
            format!("{} {} → {}", code(&cause.address), side(&cause.old), side(&cause.new))
        }
    }
}

/// A text of the package: plain where it has no character that Markdown could obey, else as code.
fn value(text: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '%' | '/' | ':' | '(' | ')' | '+' | '-' | '→');
    if text.chars().all(plain) { text.to_string() } else { code(text) }
}

/// A text as code, whatever is in it; a pipe would end the cell of a table also there.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", one_line(text).replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::{code, value};

    #[test]
    fn texts_are_never_markup() {
        assert_eq!(value("80 GiB"), "80 GiB");
        assert_eq!(value("<b>@all</b>"), "`<b>@all</b>`");
        assert_eq!(code("a `b` | c"), "`` a `b` \\| c ``");
    }
}
