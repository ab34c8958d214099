//! `aipc.toml`, the only place that knows TOML.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use crate::base::code::Code;
use crate::rules::levels::{Configured, Level};

use super::failure::Failure;

/// Its name, beside the package.
pub const FILE: &str = "aipc.toml";

/// What the configuration says.
#[derive(Debug, Default)]
pub struct Config {
    /// The environment where `--env` names none.
    pub environment: Option<String>,
    /// Levels of findings.
    pub levels: Configured,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Document {
    package: Package,
    lint: BTreeMap<Spanned<String>, Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Package {
    /// For people; the compiler names things after `platform`.
    #[serde(rename = "name")]
    _name: Option<String>,
    environment: Option<String>,
}

/// Reads the configuration of a folder; one without a file has none.
pub fn read(folder: &Path) -> Result<Config, Failure> {
    let path = folder.join(FILE);
    match fs::read_to_string(&path) {
        Ok(text) => of_text(&path.display().to_string(), &text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(Failure::path("read", &path, error)),
    }
}

/// The configuration that a text is, with the name that messages give it.
pub fn of_text(name: &str, text: &str) -> Result<Config, Failure> {
    parse(text).map_err(|(offset, why)| refused(name, text, offset, &why))
}

/// What the text says, or where and why it says nothing.
fn parse(text: &str) -> Result<Config, (usize, String)> {
    let document: Document = toml::from_str(text)
        .map_err(|error| (error.span().map_or(0, |span| span.start), error.message().replace('\n', ", ")))?;
    let mut config = Config { environment: document.package.environment, levels: Configured::default() };
    for (code, level) in document.lint {
        let parsed = Code::parse(code.get_ref())
            .ok_or_else(|| (code.span().start, format!("`{}` is not a code such as `AIP7001`", code.get_ref())))?;
        let known = Level::from_word(level.get_ref()).ok_or_else(|| {
            let why = format!("`{}` is not one of `allow`, `warn`, `deny` or `forbid`", level.get_ref());
            (level.span().start, why)
        })?;
        config.levels.levels.insert(parsed, known);
    }
    Ok(config)
}

fn refused(name: &str, text: &str, offset: usize, why: &str) -> Failure {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Failure::new(format!("{name}:{line}:{column}: {why}"))
        .help("it has `[package]` with `name` and `environment`, and `[lint]` with `AIP7001 = \"warn\"`")
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::base::code::Code;
    use crate::rules::levels::Level;

    #[test]
    fn levels_and_the_environment_are_read() {
        let config = parse("[package]\nenvironment = \"poc\"\n[lint]\nAIP7001 = \"deny\"\n").expect("it is legal");
        assert_eq!(config.environment.as_deref(), Some("poc"));
        assert_eq!(config.levels.levels.get(&Code(7001)), Some(&Level::Deny));
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_place() {
        assert_eq!(parse("[lint]\nAIP7001 = \"loud\"\n").expect_err("no such level").0, 17);
        assert_eq!(parse("[lint]\nunused = \"warn\"\n").expect_err("no such code").0, 7);
        assert!(parse("[package]\ncolour = 1\n").expect_err("no such key").1.contains("colour"));
    }
}
