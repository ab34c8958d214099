//! Standard output and standard error. A reader that has gone away is no failure: what is left unsaid does not change
//! the verdict.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;

use super::failure::{Exit, Failure};

/// When messages are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where answers and messages go.
pub struct Console {
    colour: bool,
    closed: bool,
}

impl Console {
    /// The process's own streams.
    pub fn new(colour: Colour) -> Console {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let colour = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => !set("NO_COLOR") && (set("CLICOLOR_FORCE") || io::stderr().is_terminal()),
        };
        Console { colour, closed: false }
    }

    /// True when messages are coloured.
    pub fn coloured(&self) -> bool {
        self.colour
    }

    /// True when the terminal draws more than ASCII.
    pub fn unicode(&self) -> bool {
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
        locale.is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8") || !io::stderr().is_terminal()
        })
    }

    /// Prints an answer.
    pub fn answer(&mut self, text: &str) -> Result<(), Failure> {
        self.answer_bytes(text.as_bytes())
    }

    /// True when answers go to a person and not to a file or another program.
    pub fn is_read_by_people(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Prints an answer that is no text.
    pub fn answer_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) => Err(Failure::new(format!("cannot write to the standard output: {error}"))),
            Ok(()) => Ok(()),
        }
    }

    /// Prints a message for people.
    pub fn tell(&mut self, text: &str) {
        let mut err = io::stderr().lock();
        // Who cannot be told cannot be told that either.
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Says why a command could not be carried out.
    pub fn fail(&mut self, failure: &Failure) -> Exit {
        let mut text = format!("error: {}\n", failure.message);
        if let Some(help) = &failure.help {
            text.push_str(&format!("help: {help}\n"));
        }
        self.tell(&text);
        Exit::Misuse
    }
}
