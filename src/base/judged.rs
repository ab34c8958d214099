//! What was found about a platform, for those who show it without knowing the rules.

use std::sync::Arc;

use super::date::Date;
use super::diagnostic::{Diagnostic, Diagnostics};

/// A finding that a waiver takes away.
#[derive(Debug, Clone)]
pub struct Waived {
    /// What was found.
    pub finding: Diagnostic,
    /// Why it is all right.
    pub reason: Arc<str>,
    /// Until when.
    pub until: Option<Date>,
}

/// Findings that stand, and those that somebody has taken responsibility for.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'j> {
    /// What stands.
    pub problems: &'j Diagnostics,
    /// What is waived.
    pub waived: &'j [Waived],
}
