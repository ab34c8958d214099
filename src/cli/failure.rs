//! How a run ends.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// The exit codes, the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to complain about.
    Fine = 0,
    /// Findings at or above the threshold, or a difference with `fmt --check`.
    Findings = 1,
    /// Wrong use, or input that cannot be read.
    Misuse = 2,
    /// A bug of this program.
    Bug = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

impl Exit {
    /// Fine, unless something was found.
    pub fn unless(found: bool) -> Exit {
        if found { Exit::Findings } else { Exit::Fine }
    }
}

/// Why a command could not be carried out: wrong use, or the world outside did not play along.
#[derive(Debug)]
pub struct Failure {
    /// One line, in the style of the diagnostics.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl Failure {
    /// A failure in words.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), help: None }
    }

    /// What the system refused to do with a path.
    pub fn path(what: &str, path: &Path, why: impl Display) -> Failure {
        Failure::new(format!("cannot {what} `{}`: {why}", path.display()))
    }

    /// Says what to do next.
    pub fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }
}
