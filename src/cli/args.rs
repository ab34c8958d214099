//! Arguments that several commands share.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::base::date::Date;
use crate::base::diagnostic::Severity;

/// Which package, and which of its environments.
#[derive(clap::Args)]
pub struct PackageArgs {
    /// The package: a folder with `.aip` files, or one file
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// The environment; `base` without one
    #[arg(long, value_name = "NAME")]
    pub env: Option<String>,
    /// Sets one value, after the environment
    #[arg(long = "set", value_name = "PATH = VALUE")]
    pub set: Vec<String>,
    /// The day that quotes, waivers and support dates are held against
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub as_of: Option<Date>,
}

/// How findings are shown, and which of them make the run fail.
#[derive(clap::Args)]
pub struct ReportArgs {
    /// How findings are shown
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub format: Format,
    /// The least severity that makes the exit code 1
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = Threshold::Error)]
    pub fail_on: Threshold,
}

/// A way to show findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// With the lines of the source
    Human,
    /// One line each: `file:line:column: error[CODE]: message`
    Short,
    /// One JSON document on the standard output
    Json,
}

/// A severity on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Threshold {
    /// Everything
    Note,
    /// Warnings and errors
    Warning,
    /// Errors
    Error,
}

impl Threshold {
    /// The severity.
    pub fn severity(self) -> Severity {
        match self {
            Threshold::Note => Severity::Note,
            Threshold::Warning => Severity::Warning,
            Threshold::Error => Severity::Error,
        }
    }
}

/// How a table is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Aligned columns
    Human,
    /// One JSON document
    Json,
    /// A Markdown table
    Markdown,
    /// Comma-separated values
    Csv,
}

/// A day on the command line.
pub fn date(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| String::from("a date is written `2027-03-31`"))
}
