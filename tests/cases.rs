//! Case files: a package that is wrong, and beside it what is said about it.
//!
//! `tests/cases/errors/AIP1002_unknown_attribute.aip` has its expectation in `….expected`: a line for each problem. With
//! `BLESS=1` the expectations are written anew; read every change as prose.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aipc::base::diagnostic::Diagnostic;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options, Package};

/// Compiles a case; one with an environment called `pilot` in it.
fn problems(text: &str) -> (Package, Vec<Diagnostic>) {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let environment = text.contains("environment pilot").then(|| String::from("pilot"));
    let options = Options { environment, ..Options::default() };
    let catalogue = Catalogue::new();
    let found = compile::check(&package, &options, &catalogue).problems.into_iter().collect();
    (package, found)
}

/// A problem as a case states it: place, severity, code, message, further places, help.
fn line(package: &Package, problem: &Diagnostic) -> String {
    let mut text = format!(
        "{}: {}[{}]: {}\n",
        package.sources.place(problem.primary()),
        problem.severity.word(),
        problem.code,
        problem.message
    );
    for label in problem.labels.iter().skip(1) {
        text.push_str(&format!("  {}: {}\n", package.sources.place(label.span), label.text));
    }
    for note in &problem.notes {
        text.push_str(&format!("  note: {note}\n"));
    }
    if let Some(help) = &problem.help {
        text.push_str(&format!("  help: {help}\n"));
    }
    text
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "aip"));
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a name").to_string_lossy().to_string()
}

#[test]
fn every_case_says_what_it_must() {
    let mut wrong = Vec::new();
    for path in cases("tests/cases/errors") {
        let text = fs::read_to_string(&path).expect("a case");
        let (package, mut found) = problems(&text);
        // Findings of rules have their own cases, in `tests/cases/rules`.
        found.retain(|problem| problem.code.0 < 3000);
        let said: String = found.iter().map(|problem| line(&package, problem)).collect();
        let expected = path.with_extension("expected");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &said).expect("the case folder can be written");
        }
        if fs::read_to_string(&expected).unwrap_or_default() != said {
            wrong.push(format!("{}:\n{said}", stem(&path)));
        }
        let code = stem(&path).split('_').next().unwrap_or_default().to_string();
        if code.starts_with("AIP") && !found.iter().any(|problem| problem.code.to_string() == code) {
            wrong.push(format!("{} does not show {code}", stem(&path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn eight_mistakes_get_eight_diagnostics() {
    let text = fs::read_to_string("tests/cases/errors/eight_mistakes.aip").expect("the case");
    let (_, found) = problems(&text);
    assert_eq!(found.len(), 8, "{found:#?}");
    assert!(found.iter().filter(|problem| problem.help.is_some()).count() >= 6, "repairs are named");
}

#[test]
fn every_code_of_the_model_has_a_case() {
    let shown: BTreeSet<String> = cases("tests/cases/errors")
        .iter()
        .map(|path| stem(path).split('_').next().unwrap_or_default().to_string())
        .collect();
    // The environment is named on the command line, not in a case.
    let elsewhere = ["AIP1014"];
    for doc in aipc::model::problems::CODES.iter().chain(aipc::graph::CODES) {
        let code = doc.code.to_string();
        assert!(shown.contains(&code) || elsewhere.contains(&code.as_str()), "{code} has no case");
    }
}
