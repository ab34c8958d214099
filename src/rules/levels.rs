//! How bad a finding is: by the stage of the platform, and by `aipc.toml`.

use std::collections::BTreeMap;

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::model::words::Stage;

/// A severity for each stage. What is a warning in a proof of concept can be an error in production.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Levels {
    /// From which stage on which severity, earliest first; before the first step the rule does not run.
    steps: &'static [(Stage, Severity)],
}

impl Levels {
    /// The same at every stage.
    pub const fn always(severity: Severity) -> Levels {
        match severity {
            Severity::Note => Levels::steps(&[(Stage::Poc, Severity::Note)]),
            Severity::Warning => Levels::steps(&[(Stage::Poc, Severity::Warning)]),
            Severity::Error => Levels::steps(&[(Stage::Poc, Severity::Error)]),
        }
    }

    /// From each stage on, earliest first, its severity.
    pub const fn steps(steps: &'static [(Stage, Severity)]) -> Levels {
        Levels { steps }
    }

    /// The severity at a stage; nothing where the rule does not run yet.
    pub fn at(self, stage: Stage) -> Option<Severity> {
        self.steps.iter().rev().find(|(from, _)| stage >= *from).map(|(_, severity)| *severity)
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
        let levels = Levels::steps(&[(Stage::Pilot, Severity::Warning), (Stage::Production, Severity::Error)]);
        assert_eq!(levels.at(Stage::Poc), None);
        assert_eq!(levels.at(Stage::Hardening), Some(Severity::Warning));
        assert_eq!(levels.at(Stage::Production), Some(Severity::Error));
    }
}
