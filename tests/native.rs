//! The real tools judge what is written: terraform, the Kubernetes schemas and kustomize, LibreOffice.
//!
//! Where a tool is missing the test says `skipped: …`; under `AIPC_REQUIRE_TOOLS` that is a failure.

#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::target::template::Templates;

/// An output folder that goes when the test ends.
struct Output(PathBuf);

impl Drop for Output {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes an example below a folder of its own.
fn build(example: &str, set: &[&str], label: &str) -> Output {
    let path = format!("examples/{example}/main.aip");
    let text = fs::read_to_string(&path).expect("an example");
    let settings: Vec<String> = set.iter().map(|setting| (*setting).to_string()).collect();
    let package = compile::parse(vec![(path, text)], &settings);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    assert!(!compiled.problems.has_errors(), "{:#?}", compiled.problems.iter().collect::<Vec<_>>());
    let plan = compiled.plan.as_ref().expect("a package without errors has a plan");
    let (files, problems) = compile::emit(plan, compiled.judged(), &[], &Templates::shipped());
    assert!(!problems.has_errors(), "{:#?}", problems.iter().collect::<Vec<_>>());
    let output = Output(std::env::temp_dir().join(format!("aipc-native-{}-{label}-{example}", std::process::id())));
    for (path, file) in files.iter() {
        let path = output.0.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::write(path, &file.bytes).expect("the file can be written");
    }
    output
}

/// Runs one of the scripts in `tests/conformance`.
fn judge(script: &str, path: &Path, more: &[&str]) {
    let python = std::env::var("AIPC_PYTHON").unwrap_or_else(|_| String::from("python3"));
    let script = format!("tests/conformance/{script}");
    let result = Command::new(&python).arg(&script).arg(path).args(more).output();
    let Ok(result) = result else {
        return skip(&format!("{python} is missing"));
    };
    let said = format!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    match result.status.code() {
        Some(0) => println!("{said}"),
        Some(77) => skip(said.trim().trim_start_matches("skipped: ")),
        _ => panic!("{script} on {}:\n{said}", path.display()),
    }
}

fn skip(why: &str) {
    assert!(std::env::var_os("AIPC_REQUIRE_TOOLS").is_none(), "a tool is missing: {why}");
    println!("skipped: {why}");
}

#[test]
fn terraform_accepts_every_example() {
    for example in ["aurora", "clinic-chat", "superpod"] {
        let output = build(example, &[], "terraform");
        judge("terraform_check.py", &output.0.join("terraform"), &[]);
    }
}

#[test]
fn strict_schemas_accept_the_manifests() {
    for example in ["aurora", "clinic-chat"] {
        let output = build(example, &[], "kubernetes");
        judge("kubernetes_check.py", &output.0.join("kubernetes"), &["--version", "1.35"]);
    }
}

#[test]
fn a_spreadsheet_recalculates_to_the_same_numbers() {
    for example in ["aurora", "clinic-chat", "superpod"] {
        let output = build(example, &[], "sheet");
        judge("sheet_check.py", &output.0.join("bom/bom.xlsx"), &[]);
    }
}

#[test]
fn the_hardware_bill_is_valid() {
    for example in ["aurora", "clinic-chat", "superpod"] {
        let output = build(example, &[], "hardware");
        judge("cdx_check.py", &output.0.join("bom/bom.cdx.json"), &[]);
    }
}
