//! Putting new content in its place: staged, written down, renamed, listed. A run that ends anywhere in between is
//! finished or undone by the next one.

use std::collections::BTreeMap;
use std::io;

use super::compare::Changes;
use super::disk::{Disk, State};
use super::journal::{self, Journal, STAGE, Staged, staged};
use super::manifest::{self, Manifest};

/// Makes the changes.
pub fn commit(disk: &Disk<'_>, changes: Changes, force: bool) -> io::Result<()> {
    if changes.write.is_empty() && changes.remove.is_empty() && !changes.relist {
        return Ok(());
    }
    disk.make_folder(STAGE)?;
    let mut write = BTreeMap::new();
    for (number, (path, (file, digest))) in changes.write.into_iter().enumerate() {
        let name = format!("{number:06}");
        disk.write(&staged(&name), &file.bytes, file.executable)?;
        write.insert(path, Staged { name, digest });
    }
    let journal = Journal { force, write, remove: changes.remove, manifest: changes.manifest };
    // From the moment the journal stands in its place the stage is known to be complete.
    disk.write(&staged("journal"), crate::cli::json::pretty(&journal).as_bytes(), false)?;
    disk.rename(&staged("journal"), journal::PATH)?;
    for (path, staging) in &journal.write {
        disk.rename(&staged(&staging.name), path)?;
    }
    for path in journal.remove.keys() {
        disk.remove(path)?;
        disk.remove_empty_above(path)?;
    }
    finish(disk, &journal.manifest)
}

/// Brings an interrupted build to its end: true when there was one.
pub fn recover(disk: &Disk<'_>) -> io::Result<bool> {
    let Some(journal) = Journal::read(disk)? else {
        // A stage without a journal is not complete: what was there still stands.
        let left = disk.state(STAGE)?;
        if let State::Blocked(_, "a folder") = left {
            disk.remove_folder(STAGE)?;
        }
        if let State::File(_) = disk.state(journal::PATH)? {
            disk.remove(journal::PATH)?;
        }
        return Ok(false);
    };
    let old = Manifest::read(disk)?.unwrap_or_default();
    let mut listed = journal.manifest.files.clone();
    for (path, staging) in &journal.write {
        if !put(disk, &journal, &old, path, staging)? {
            relist(&mut listed, &old, path);
        }
    }
    for (path, digest) in &journal.remove {
        if !take(disk, &journal, path, digest)? {
            relist(&mut listed, &old, path);
        }
    }
    finish(disk, &Manifest::new(listed))?;
    Ok(true)
}

/// Puts staged content in its place, unless somebody has edited what stands there since.
fn put(disk: &Disk<'_>, journal: &Journal, old: &Manifest, path: &str, staging: &Staged) -> io::Result<bool> {
    let waits = disk.digest(&staged(&staging.name))?.as_ref() == Some(&staging.digest);
    let (free, done) = match disk.state(path)? {
        State::Missing => (true, false),
        State::Link => (journal.force, false),
        State::Blocked(..) => (false, false),
        State::File(_) => {
            let there = disk.digest(path)?;
            let done = there.as_ref() == Some(&staging.digest);
            (done || journal.force || there.as_ref() == old.files.get(path), done)
        }
    };
    if waits && free {
        disk.rename(&staged(&staging.name), path)?;
        return Ok(true);
    }
    Ok(done)
}

/// Removes what is no longer wanted, unless somebody has edited it since.
fn take(disk: &Disk<'_>, journal: &Journal, path: &str, digest: &str) -> io::Result<bool> {
    let free = match disk.state(path)? {
        State::Missing => true,
        State::Link => journal.force,
        State::Blocked(..) => return Ok(true),
        State::File(_) => journal.force || disk.digest(path)?.as_deref() == Some(digest),
    };
    if free {
        disk.remove(path)?;
        disk.remove_empty_above(path)?;
    }
    Ok(free)
}

/// Lists a file as it was before.
fn relist(listed: &mut BTreeMap<String, String>, old: &Manifest, path: &str) {
    match old.files.get(path) {
        Some(digest) => listed.insert(path.to_string(), digest.clone()),
        None => listed.remove(path),
    };
}

/// The manifest comes last; then the traces of the work go.
fn finish(disk: &Disk<'_>, manifest: &Manifest) -> io::Result<()> {
    disk.make_folder(STAGE)?;
    disk.write(&staged("manifest"), manifest.text().as_bytes(), false)?;
    disk.rename(&staged("manifest"), manifest::PATH)?;
    disk.remove(journal::PATH)?;
    disk.remove_folder(STAGE)
}
