//! A folder is built into, killed at every step, and built into again.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::target::files::Files;

use super::disk::Disk;
use super::{Done, Wanted, commit, write_on};

/// A folder of its own for each test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("aipc-store-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder in the temporary folder");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Paths with texts, as a target would give them.
fn wanted(targets: &[&str], texts: &[(&str, &str)]) -> Wanted {
    let targets: Vec<String> = targets.iter().map(|name| (*name).to_string()).collect();
    let mut files = Files::default();
    for (path, text) in texts {
        files.add_text(*path, text);
    }
    let mut wanted = Wanted::new(&targets);
    wanted.add(None, files, String::from("{}\n"));
    wanted
}

const OLD: &[(&str, &str)] = &[("slurm/a.conf", "a1"), ("slurm/b.conf", "b1"), ("bom/only/old.csv", "o1")];
const NEW: &[(&str, &str)] = &[("slurm/a.conf", "a2"), ("slurm/b.conf", "b1"), ("bom/new.csv", "n2")];

fn build(root: &Path, texts: &[(&str, &str)]) -> Done {
    write_on(&Disk::new(root), wanted(&[], texts), false).expect("the disk works").expect("nothing is in the way")
}

/// The codes of what stands against a build.
fn refusals(root: &Path, texts: &[(&str, &str)]) -> Vec<u16> {
    let result = write_on(&Disk::new(root), wanted(&[], texts), false).expect("the disk works");
    result.expect_err("something is in the way").iter().map(|problem| problem.code.0).collect()
}

/// Every file of a folder with its text.
fn tree(root: &Path) -> BTreeMap<String, String> {
    fn walk(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                assert!(fs::read_dir(&path).expect("a folder").next().is_some(), "{} is empty", path.display());
                walk(root, &path, files);
            } else {
                let name = path.strip_prefix(root).expect("a path below").to_string_lossy().into_owned();
                files.insert(name, fs::read_to_string(&path).expect("a text"));
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(root, root, &mut files);
    files
}

fn tree_of(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
    let scratch = Scratch::new();
    build(&scratch.0, texts);
    tree(&scratch.0)
}

#[test]
fn a_second_build_writes_nothing() {
    let scratch = Scratch::new();
    assert_eq!(build(&scratch.0, OLD).written, 5);
    let manifest = scratch.0.join(".aipc/manifest.json");
    let before = fs::metadata(&manifest).and_then(|about| about.modified()).expect("a time");
    assert_eq!(build(&scratch.0, OLD), Done { unchanged: 5, ..Done::default() });
    assert_eq!(fs::metadata(&manifest).and_then(|about| about.modified()).expect("a time"), before);
}

#[test]
fn stale_files_and_empty_folders_go() {
    let scratch = Scratch::new();
    build(&scratch.0, OLD);
    fs::write(scratch.0.join("slurm/notes.txt"), "mine").expect("a foreign file");
    assert_eq!(build(&scratch.0, NEW), Done { written: 2, unchanged: 3, removed: 1, recovered: false });
    assert!(!scratch.0.join("bom/only").exists());
    assert!(scratch.0.join("slurm/notes.txt").exists());
}

#[test]
fn an_edited_file_stops_the_build() {
    let scratch = Scratch::new();
    build(&scratch.0, OLD);
    fs::write(scratch.0.join("slurm/a.conf"), "mine").expect("an edit");
    fs::write(scratch.0.join("bom/only/old.csv"), "mine").expect("an edit");
    assert_eq!(refusals(&scratch.0, NEW), [6090, 6090]);
    assert_eq!(fs::read_to_string(scratch.0.join("slurm/a.conf")).expect("a text"), "mine");
    let forced = write_on(&Disk::new(&scratch.0), wanted(&[], NEW), true).expect("the disk works");
    assert!(forced.is_ok());
    assert_eq!(tree(&scratch.0), tree_of(NEW));
}

#[test]
fn a_foreign_file_stops_the_build_unless_it_is_the_same() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.0.join("slurm")).expect("a folder");
    fs::write(scratch.0.join("slurm/a.conf"), "a1").expect("a foreign file");
    fs::write(scratch.0.join("slurm/b.conf"), "mine").expect("a foreign file");
    assert_eq!(refusals(&scratch.0, OLD), [6091]);
    fs::remove_file(scratch.0.join("slurm/b.conf")).expect("it was there");
    assert_eq!(build(&scratch.0, OLD).unchanged, 1);
}

#[test]
fn a_build_of_one_target_leaves_the_others() {
    let scratch = Scratch::new();
    build(&scratch.0, OLD);
    let only = wanted(&["slurm"], &[("slurm/a.conf", "a2")]);
    let done = write_on(&Disk::new(&scratch.0), only, false).expect("the disk works").expect("nothing is in the way");
    assert_eq!(done.removed, 1);
    assert!(scratch.0.join("bom/only/old.csv").exists());
    assert!(!scratch.0.join("slurm/b.conf").exists());
    assert_eq!(build(&scratch.0, OLD).written, 2);
}

#[test]
fn a_manifest_cannot_lead_outside() {
    let scratch = Scratch::new();
    let outside = scratch.0.join("precious");
    fs::write(&outside, "mine").expect("a file");
    let root = scratch.0.join("out");
    build(&root, OLD);
    let digest = super::disk::digest(b"mine");
    let text = format!("{{\"version\":1,\"files\":{{\"../precious\":\"{digest}\"}}}}");
    fs::write(root.join(".aipc/manifest.json"), text).expect("an edit");
    assert_eq!(refusals(&root, NEW), [6092]);
    assert!(outside.exists());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let scratch = Scratch::new();
    let (root, outside) = (scratch.0.join("out"), scratch.0.join("outside"));
    fs::create_dir_all(&root).expect("a folder");
    fs::create_dir_all(&outside).expect("a folder");
    std::os::unix::fs::symlink(&outside, root.join("slurm")).expect("a link");
    let forced = write_on(&Disk::new(&root), wanted(&[], OLD), true).expect("the disk works");
    assert!(forced.is_err());
    assert!(fs::read_dir(&outside).expect("a folder").next().is_none());
}

#[test]
fn a_killed_build_is_finished_or_undone() {
    let (old, new) = (tree_of(OLD), tree_of(NEW));
    let (mut undone, mut finished) = (0, 0);
    for step in 0.. {
        let scratch = Scratch::new();
        build(&scratch.0, OLD);
        if !killed_at(step, &scratch.0, |disk| write_on(disk, wanted(&[], NEW), false).map(|_| ())) {
            break;
        }
        commit::recover(&Disk::new(&scratch.0)).expect("the disk works");
        let now = tree(&scratch.0);
        assert!(now == old || now == new, "step {step}: {now:#?}");
        undone += u32::from(now == old);
        finished += u32::from(now == new);
        build(&scratch.0, NEW);
        assert_eq!(tree(&scratch.0), new, "step {step}");
    }
    assert!(undone > 3 && finished > 5, "{undone} undone, {finished} finished");
}

#[test]
fn a_recovery_that_is_killed_is_recovered() {
    let new = tree_of(NEW);
    for first in 6..14 {
        for second in 0..14 {
            let scratch = Scratch::new();
            build(&scratch.0, OLD);
            killed_at(first, &scratch.0, |disk| write_on(disk, wanted(&[], NEW), false).map(|_| ()));
            killed_at(second, &scratch.0, |disk| commit::recover(disk).map(|_| ()));
            build(&scratch.0, NEW);
            assert_eq!(tree(&scratch.0), new, "steps {first} and {second}");
        }
    }
}

#[test]
fn an_edit_after_the_kill_is_not_lost() {
    for step in 0..14 {
        let scratch = Scratch::new();
        build(&scratch.0, OLD);
        killed_at(step, &scratch.0, |disk| write_on(disk, wanted(&[], NEW), false).map(|_| ()));
        fs::write(scratch.0.join("slurm/a.conf"), "mine").expect("an edit");
        assert_eq!(refusals(&scratch.0, NEW), [6090], "step {step}");
        assert_eq!(fs::read_to_string(scratch.0.join("slurm/a.conf")).expect("a text"), "mine");
    }
}

/// Runs work that ends before its change of this number: true when it came so far.
fn killed_at(step: u32, root: &Path, work: impl Fn(&Disk<'_>) -> io::Result<()>) -> bool {
    let left = Cell::new(step);
    let before = || match left.get().checked_sub(1) {
        Some(less) => {
            left.set(less);
            Ok(())
        }
        None => Err(io::Error::other("killed")),
    };
    work(&Disk::ending(root, &before)).is_err()
}
