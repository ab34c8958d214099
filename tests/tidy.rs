//! The house rules that a compiler cannot check: floors, doors of dependencies, codes, leftover words.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aipc::base::code::CodeDoc;

/// Floors, lowest first; those on one line do not know each other.
const FLOORS: &[&[&str]] = &[
    &["base"],
    &["catalog"],
    &["syntax"],
    &["model"],
    &["graph"],
    &["plan"],
    &["rules", "target"],
    &["compile"],
    &["fmt", "explain", "diff", "repair", "whatif"],
    &["cli"],
];

/// Dependencies and the places that may name them.
const DOORS: &[(&str, &[&str])] = &[
    ("pest", &["src/syntax/"]),
    ("pest_derive", &["src/syntax/"]),
    ("petgraph", &["src/graph/"]),
    ("minijinja", &["src/target/template.rs"]),
    ("rust_xlsxwriter", &["src/target/bom/workbook.rs", "src/target/bom/workbook/"]),
    ("calamine", &["src/cli/bom/workbook.rs"]),
    ("zip", &["src/cli/bom/workbook.rs"]),
    ("miette", &["src/cli/report.rs", "src/cli/report/"]),
    ("rust_decimal", &["src/base/number.rs"]),
    ("strsim", &["src/base/phrase.rs"]),
    ("clap", &["src/cli/"]),
    ("clap_complete", &["src/cli/"]),
    ("toml", &["src/cli/config.rs"]),
    ("similar", &["src/cli/"]),
];

/// What only the command line may touch.
const SURROUNDINGS: &[&str] =
    &["std::fs", "std::process", "std::env", "std::net::Tcp", "stdout()", "stderr()", "SystemTime", "Instant"];

fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    walk(Path::new("src"), &mut files);
    // Files of tests may compile whole packages.
    files.retain(|(path, _)| !path.to_string_lossy().ends_with("_tests.rs"));
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            files.push((path, text));
        }
    }
}

/// The floor of a file: its first folder, or its own name.
fn floor(path: &Path) -> String {
    let inner = path.strip_prefix("src").expect("a path below src");
    let first = inner.components().next().expect("a name").as_os_str().to_string_lossy().to_string();
    first.trim_end_matches(".rs").to_string()
}

fn height(floor: &str) -> Option<usize> {
    FLOORS.iter().position(|floors| floors.contains(&floor))
}

/// Text without its tests and comments.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]").next().unwrap_or(text);
    body.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_floor_imports_only_floors_below_it() {
    for (path, text) in sources() {
        let own = floor(&path);
        let Some(own_height) = height(&own) else { continue };
        for (at, _) in code(&text).match_indices("crate::") {
            let rest = &code(&text)[at + "crate::".len()..];
            let wanted: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(other) = height(&wanted) else { continue };
            assert!(other < own_height || wanted == own, "{} reaches up to `{wanted}`", path.display());
        }
    }
}

#[test]
fn every_dependency_has_one_door() {
    for (path, text) in sources() {
        let shown = path.to_string_lossy().replace('\\', "/");
        for (dependency, doors) in DOORS {
            let named = code(&text).contains(&format!("{dependency}::"));
            assert!(!named || doors.iter().any(|door| shown.starts_with(door)), "{shown} names `{dependency}`");
        }
    }
}

#[test]
fn only_the_command_line_touches_the_surroundings() {
    for (path, text) in sources() {
        if floor(&path) == "cli" || path.ends_with("main.rs") {
            continue;
        }
        for word in SURROUNDINGS {
            assert!(!code(&text).contains(word), "{} touches `{word}`", path.display());
        }
    }
}

#[test]
fn nothing_is_left_over() {
    let words = ["TODO", "FIXME", "XXX", "todo!", "unimplemented!", "dbg!"];
    let mut files = sources();
    walk(Path::new("tests"), &mut files);
    for (path, text) in files.into_iter().filter(|(path, _)| !path.ends_with("tidy.rs")) {
        for word in words {
            assert!(!text.contains(word), "{} has `{word}`", path.display());
        }
    }
}

/// Every code of every floor.
fn codes() -> Vec<CodeDoc> {
    aipc::explain::codes()
}

#[test]
fn every_code_is_one_problem_with_a_title() {
    let mut seen = BTreeMap::new();
    for doc in codes() {
        let title = doc.doc.lines().map(|line| line.trim_start_matches("//!").trim()).find(|line| !line.is_empty());
        let title = title.unwrap_or("").to_string();
        assert!(title.starts_with("# "), "{} has no title: {title}", doc.code);
        if let Some(other) = seen.insert(doc.code, title.clone()) {
            panic!("{} is both {other} and {title}", doc.code);
        }
    }
}

#[test]
fn every_row_of_the_schema_is_documented() {
    for kind in aipc::model::kinds::Kind::ALL {
        let schema = kind.schema();
        assert!(!schema.doc.trim().is_empty(), "{}", schema.word);
        let rows = schema.attributes.iter().map(|row| (row.name, row.doc));
        for (name, doc) in rows.chain(schema.derived.iter().map(|row| (row.name, row.doc))) {
            assert!(doc.trim().ends_with('.'), "{}.{name}: {doc}", schema.word);
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{name}");
        }
    }
}
