//! The terraform target.

use crate::plan::Plan;

use super::Emitted;
use super::template::Templates;

/// Writes it.
pub fn emit(_plan: &Plan<'_>, _templates: &Templates) -> Emitted {
    Emitted::default()
}
