//! A side of a difference: where its texts are, and which environment of them is meant.

use std::path::{Path, PathBuf};

use crate::base::date::Date;
use crate::base::phrase;

use crate::cli::args::PackageArgs;
use crate::cli::failure::Failure;
use crate::cli::package::{self, Loaded};

use super::git;

/// `PATH[@ENV]` or `git:REV[:PATH][@ENV]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    place: Place,
    environment: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// On the disk.
    Disk(PathBuf),
    /// In a revision: which, and the path there as from the working folder.
    Git(String, String),
}

impl Source {
    /// Reads a side as the command line has it.
    pub fn parse(text: &str) -> Result<Source, Failure> {
        match text.strip_prefix("git:") {
            Some(rest) => Source::of_git(rest),
            None => Ok(Source::of_disk(text)),
        }
    }

    /// A path may have an `@` itself: one that is there is taken as it is.
    fn of_disk(text: &str) -> Source {
        let (path, environment) = match split_environment(text) {
            (path, Some(environment)) if !Path::new(text).exists() => (path, Some(environment)),
            _ => (text, None),
        };
        let path = if path.is_empty() { "." } else { path };
        Source { place: Place::Disk(PathBuf::from(path)), environment: environment.map(str::to_string) }
    }

    fn of_git(text: &str) -> Result<Source, Failure> {
        let (rest, environment) = split_environment(text);
        let (revision, path) = rest.split_once(':').unwrap_or((rest, "."));
        let path = if path.is_empty() { "." } else { path };
        let wrong = |why: &str| {
            Failure::new(format!("`git:{}` is no side of a difference: {why}", phrase::excerpt(text, 80)))
                .help("write `git:REV`, `git:REV:PATH` or `git:REV:PATH@ENV`, such as `git:main:platform@pilot`")
        };
        if revision.is_empty() {
            return Err(wrong("it names no revision"));
        }
        // Git would take it for one of its options.
        if revision.starts_with('-') {
            return Err(wrong("a revision does not begin with `-`"));
        }
        if Path::new(path).is_absolute() {
            return Err(wrong("its path is not one from the working folder"));
        }
        let place = Place::Git(revision.to_string(), path.to_string());
        Ok(Source { place, environment: environment.map(str::to_string) })
    }

    /// Reads and parses the package.
    pub fn load(&self, as_of: Option<Date>) -> Result<Loaded, Failure> {
        let env = self.environment.clone();
        match &self.place {
            Place::Disk(path) => package::load(&PackageArgs { path: path.clone(), env, set: Vec::new(), as_of }),
            Place::Git(revision, path) => {
                let (texts, config) = git::read(revision, path)?;
                Ok(package::loaded(texts, config, &[], env, as_of))
            }
        }
    }
}

/// `PATH` and `ENV` of `PATH@ENV`: what stands after the last `@` is an environment when it can be the name of one.
fn split_environment(text: &str) -> (&str, Option<&str>) {
    let legal = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    match text.rsplit_once('@') {
        Some((path, name)) if legal(name) => (path, Some(name)),
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Place, Source};

    fn parsed(text: &str) -> (Place, Option<String>) {
        let source = Source::parse(text).expect("a side");
        (source.place, source.environment)
    }

    #[test]
    fn paths_and_environments() {
        let disk = |path: &str| Place::Disk(PathBuf::from(path));
        assert_eq!(parsed("a/b"), (disk("a/b"), None));
        assert_eq!(parsed("a/b@pilot"), (disk("a/b"), Some(String::from("pilot"))));
        assert_eq!(parsed("@pilot"), (disk("."), Some(String::from("pilot"))));
        assert_eq!(parsed("a@1/b"), (disk("a@1/b"), None));
    }

    #[test]
    fn revisions() {
        let git = |revision: &str, path: &str| Place::Git(revision.to_string(), path.to_string());
        assert_eq!(parsed("git:main"), (git("main", "."), None));
        assert_eq!(parsed("git:HEAD~2:a/b@pilot"), (git("HEAD~2", "a/b"), Some(String::from("pilot"))));
        assert_eq!(parsed("git:HEAD@{1}:a"), (git("HEAD@{1}", "a"), None));
        assert_eq!(parsed("git:v1@base"), (git("v1", "."), Some(String::from("base"))));
        for wrong in ["git:", "git::a", "git:--all", "git:main:/etc"] {
            assert!(Source::parse(wrong).expect_err("no side").help.is_some(), "{wrong}");
        }
    }
}
