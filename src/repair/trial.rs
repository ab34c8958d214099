//! A package tried with other settings.

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::source::Sources;
use crate::catalog::Catalogue;
use crate::compile::{self, Options, Package};
use crate::plan::Plan;
use crate::syntax::{self, ast};

/// A copy of a package whose settings change from try to try.
pub struct Trial<'t> {
    package: Package,
    options: &'t Options,
    catalogue: &'t Catalogue,
    /// Settings of the command line.
    own: Vec<ast::Set>,
    /// Errors that were there before.
    known: BTreeSet<(Code, Option<String>)>,
    /// How many tries are left.
    left: usize,
}

impl<'t> Trial<'t> {
    /// Of a package with errors that are known, for so many tries.
    pub fn of(
        package: &Package,
        options: &'t Options,
        catalogue: &'t Catalogue,
        known: BTreeSet<(Code, Option<String>)>,
        tries: usize,
    ) -> Trial<'t> {
        Trial { package: package.clone(), options, catalogue, own: package.settings.clone(), known, left: tries }
    }

    /// Whether the package with these settings passes, and no error has come; nothing when no tries are left.
    pub fn cures(&mut self, settings: &[String], passes: impl Fn(&Plan<'_>) -> bool) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        self.set(settings);
        let compiled = compile::check(&self.package, self.options, self.catalogue);
        let new = super::errors(compiled.problems.iter());
        Some(new.is_subset(&self.known) && compiled.plan.as_ref().is_some_and(passes))
    }

    /// Settings that are tried stand in place of those of the command line for the same path.
    fn set(&mut self, settings: &[String]) {
        let mut sets = Vec::with_capacity(settings.len());
        for setting in settings {
            let source = self.package.sources.add("--set", setting.as_str());
            sets.extend(syntax::parse_setting(source, setting));
        }
        let sources = &self.package.sources;
        let kept = |own: &&ast::Set| sets.iter().all(|set| path(sources, set) != path(sources, own));
        let own: Vec<ast::Set> = self.own.iter().filter(kept).cloned().collect();
        self.package.settings = own.into_iter().chain(sets).collect();
    }
}

fn path<'s>(sources: &'s Sources, set: &ast::Set) -> &'s str {
    &sources[set.path.span]
}
