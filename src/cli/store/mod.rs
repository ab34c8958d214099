//! The folder that `build` writes into.
//!
//! 1. `recover` brings an interrupted build to its end.
//! 2. `compare` holds what is wanted against what is there: nothing that somebody else wrote or edited is lost.
//! 3. `commit` stages new content beside, writes down what it is about to do, and renames file by file; the manifest
//!    comes last.
//!
//! A file whose content is as wanted is not touched. Links inside the folder are never followed.

mod commit;
mod compare;
mod disk;
mod journal;
mod manifest;
mod wanted;

use std::io;
use std::path::Path;

use crate::base::diagnostic::Diagnostic;

use super::failure::Failure;
use disk::Disk;

pub use wanted::Wanted;

/// What a build did to the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Files written.
    pub written: usize,
    /// Files that were as wanted.
    pub unchanged: usize,
    /// Files of an earlier build that are no longer wanted.
    pub removed: usize,
    /// True when an interrupted build was brought to its end first.
    pub recovered: bool,
}

/// Makes the folder hold what is wanted, or says what stands against it and leaves it as it is.
pub fn write(root: &Path, wanted: Wanted, force: bool) -> Result<Result<Done, Vec<Diagnostic>>, Failure> {
    write_on(&Disk::new(root), wanted, force).map_err(|error| Failure::path("build into", root, error))
}

fn write_on(disk: &Disk<'_>, wanted: Wanted, force: bool) -> io::Result<Result<Done, Vec<Diagnostic>>> {
    if let Some(blocked) = disk.root_blocked()? {
        return Ok(Err(vec![blocked]));
    }
    let recovered = commit::recover(disk)?;
    let changes = match compare::compare(disk, wanted, force)? {
        Ok(changes) => changes,
        Err(problems) => return Ok(Err(problems)),
    };
    let done =
        Done { written: changes.write.len(), unchanged: changes.unchanged, removed: changes.remove.len(), recovered };
    commit::commit(disk, changes, force)?;
    Ok(Ok(done))
}

#[cfg(test)]
mod tests;
