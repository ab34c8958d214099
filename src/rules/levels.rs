//! How bad a finding is: by the stage of the platform, and by `aipc.toml`.

use std::collections::BTreeMap;

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::model::words::Stage;

/// A severity for each stage. What is a warning in a proof of concept can be an error in production.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Levels {
    from_start: Severity,
    rises: Option<(Stage, Severity)>,
}

impl Levels {
    /// The same at every stage.
    pub const fn always(severity: Severity) -> Levels {
        Levels { from_start: severity, rises: None }
    }

    /// One severity before a stage, another from it on.
    pub const fn rising(before: Severity, stage: Stage, from: Severity) -> Levels {
        Levels { from_start: before, rises: Some((stage, from)) }
    }

    /// The severity at a stage.
    pub fn at(self, stage: Stage) -> Severity {
        match self.rises {
            Some((from, severity)) if stage >= from => severity,
            Some(_) | None => self.from_start,
        }
    }
}

/// What `aipc.toml` says of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is not shown.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Deny,
    /// It is an error, and no waiver takes it away.
    Forbid,
}

impl Level {
    /// Reads the word of the configuration.
    pub fn from_word(word: &str) -> Option<Level> {
        match word {
            "allow" => Some(Level::Allow),
            "warn" => Some(Level::Warn),
            "deny" => Some(Level::Deny),
            "forbid" => Some(Level::Forbid),
            _ => None,
        }
    }
}

/// The levels that the configuration sets.
#[derive(Debug, Clone, Default)]
pub struct Configured {
    /// By code.
    pub levels: BTreeMap<Code, Level>,
}

impl Configured {
    /// The findings with the configured severities.
    pub fn apply(&self, findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
        findings.into_iter().filter_map(|finding| self.one(finding)).collect()
    }

    fn one(&self, mut finding: Diagnostic) -> Option<Diagnostic> {
        match self.levels.get(&finding.code) {
            Some(Level::Allow) => return None,
            Some(Level::Warn) => finding.severity = Severity::Warning,
            Some(Level::Deny | Level::Forbid) => finding.severity = Severity::Error,
            None => {}
        }
        Some(finding)
    }

    /// True when no waiver may take the finding away.
    pub fn is_forbidden(&self, code: Code) -> bool {
        self.levels.get(&code) == Some(&Level::Forbid)
    }
}

#[cfg(test)]
mod tests {
    use super::Levels;
    use crate::base::diagnostic::Severity;
    use crate::model::words::Stage;

    #[test]
    fn severity_rises_with_the_stage() {
        let levels = Levels::rising(Severity::Warning, Stage::Pilot, Severity::Error);
        assert_eq!(levels.at(Stage::Poc), Severity::Warning);
        assert_eq!(levels.at(Stage::Pilot), Severity::Error);
        assert_eq!(levels.at(Stage::Production), Severity::Error);
    }
}
