//! A package tried with other settings.

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::catalog::Catalogue;
use crate::compile::{self, Options, Package};
use crate::plan::Plan;

/// A package, and how often it may still be tried.
pub struct Trial<'t> {
    package: &'t Package,
    options: &'t Options,
    catalogue: &'t Catalogue,
    /// Errors that were there before.
    known: BTreeSet<(Code, Option<String>)>,
    left: usize,
}

impl<'t> Trial<'t> {
    /// Of a package with errors that are known, for so many tries.
    pub fn of(
        package: &'t Package,
        options: &'t Options,
        catalogue: &'t Catalogue,
        known: BTreeSet<(Code, Option<String>)>,
        tries: usize,
    ) -> Trial<'t> {
        Trial { package, options, catalogue, known, left: tries }
    }

    /// Whether the package with these settings passes, and no error has come; nothing when no tries are left.
    pub fn cures(&mut self, settings: &[String], passes: impl Fn(&Plan<'_>) -> bool) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let package = self.package.with(settings);
        let compiled = compile::check(&package, self.options, self.catalogue);
        let new = super::errors(compiled.problems.iter());
        Some(new.is_subset(&self.known) && compiled.plan.as_ref().is_some_and(passes))
    }
}
