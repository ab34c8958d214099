//! A test of the command line as a transcript: files and arguments in, output and exit code out.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own, removed at the end of the test.
pub struct Test {
    folder: PathBuf,
    stdin: String,
}

/// What a run said, and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// Answers.
    pub stdout: String,
    /// Messages.
    pub stderr: String,
    /// The exit code.
    pub status: i32,
}

impl Test {
    /// An empty folder.
    pub fn new() -> Test {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("aipc-cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder in the temporary folder");
        Test { folder, stdin: String::new() }
    }

    /// Adds a file.
    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Test {
        self.write(path, text);
        self
    }

    /// What the program reads from its standard input.
    pub fn stdin(mut self, text: &str) -> Test {
        self.stdin = text.to_string();
        self
    }

    /// Writes a file between two runs.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file stands in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a text")
    }

    /// A path in the folder.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Runs the program in the folder.
    pub fn run(&self, args: &[&str]) -> Ran {
        let mut child = program(args, &self.folder).stdin(Stdio::piped()).spawn().expect("the program starts");
        // A program that does not read its input may have ended before it gets it.
        let _ = child.stdin.take().expect("a pipe").write_all(self.stdin.as_bytes());
        let output = child.wait_with_output().expect("the program ends");
        Ran {
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
            status: output.status.code().expect("an exit code"),
        }
    }
}

impl Drop for Test {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Ran {
    /// Holds the exit code against the expected one.
    #[track_caller]
    pub fn status(self, expected: i32) -> Ran {
        assert_eq!(self.status, expected, "{self:#?}");
        self
    }

    /// The standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).expect("the standard output is one JSON document")
    }
}

/// The program without anything that the surroundings would change.
pub fn program(args: &[impl AsRef<OsStr>], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aipc"));
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command
}
