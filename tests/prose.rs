//! What is written for people is true: the blocks of the README compile, its output is what the program prints, its
//! commands run, and the examples in the documentation of rules and codes are the language.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aipc::base::span::SourceId;
use aipc::syntax;

/// The fenced blocks of a text that start with a word.
fn blocks(text: &str, word: &str) -> Vec<String> {
    let fence = format!("```{word}\n");
    let pieces = text.split(&fence).skip(1);
    pieces.filter_map(|rest| rest.split("```").next()).map(str::to_string).collect()
}

fn readme() -> String {
    fs::read_to_string("README.md").expect("the README")
}

/// A folder of this test's own, removed when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("aipc-prose-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn aipc(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_aipc")).args(arguments).output().expect("the program runs");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).to_string())
}

#[test]
fn the_example_of_the_readme_prints_what_the_readme_shows() {
    let folder = Folder::new("readme");
    let source = blocks(&readme(), "aip").into_iter().next().expect("an example");
    let path = folder.0.join("demo.aip");
    fs::write(&path, &source).expect("the file can be written");
    let path = path.to_string_lossy();
    assert_eq!(aipc(&["check", &path]).0, 0);
    assert_eq!(aipc(&["fmt", "--check", &path]).0, 0, "the example is in the one style");
    let (status, printed) = aipc(&["size", &path]);
    assert_eq!(status, 0);
    let shown = blocks(&readme(), "text").into_iter().next().expect("its output");
    for line in shown.lines() {
        let found = printed.lines().any(|other| other.trim_end() == line.trim_end());
        assert!(found, "`aipc size` does not print:\n{line}\nbut:\n{printed}");
    }
}

#[test]
fn the_build_command_of_the_readme_runs() {
    let folder = Folder::new("build");
    let commands = blocks(&readme(), "sh");
    let build = commands.iter().find(|command| command.contains(" build ")).expect("a command that builds");
    let (_, arguments) = build.trim().split_once(" -- ").expect("arguments after `--`");
    let out = folder.0.join("out").to_string_lossy().to_string();
    let arguments: Vec<&str> =
        arguments.split(' ').map(|word| if word.starts_with("out/") { out.as_str() } else { word }).collect();
    assert_eq!(aipc(&arguments).0, 0, "{arguments:?}");
    assert!(commands.iter().any(|command| command.trim() == "cargo test"));
    // The line that the table of commands explains is one that people ask about.
    let text = readme();
    let (_, number) = text.split_once("slurm/hpc/slurm.conf:").expect("a line of a generated file");
    let number: usize = number.split(' ').next().and_then(|number| number.parse().ok()).expect("its number");
    let conf = fs::read_to_string(Path::new(&out).join("slurm/hpc/slurm.conf")).expect("it was built");
    let line = conf.lines().nth(number - 1).unwrap_or_default();
    assert!(line.starts_with("NodeName="), "line {number} of slurm.conf is `{line}`");
}

#[test]
fn examples_in_explanations_are_the_language() {
    let mut wrong = Vec::new();
    for doc in aipc::explain::codes().into_iter().filter(|doc| doc.code.0 >= 3000) {
        let text: String = doc
            .doc
            .lines()
            .map(|line| format!("{}\n", line.trim_start_matches("//!").trim_start_matches(' ')))
            .collect();
        for block in blocks(&text, "aip") {
            let (_, problems) = syntax::parse(SourceId(0), &block);
            if problems.has_errors() {
                let said: Vec<&String> = problems.iter().map(|problem| &problem.message).collect();
                wrong.push(format!("{}: {said:?}\n{block}", doc.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
