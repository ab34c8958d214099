//! What is wanted against what is there.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;

use crate::base::diagnostic::Diagnostic;
use crate::target::files::File;
use crate::target::problems;

use super::disk::{self, Disk, OWN, State};
use super::manifest::Manifest;
use super::wanted::Wanted;

/// Where the addresses of lines stand.
const MAP: &str = ".aipc/map.json";

/// What has to be done.
pub struct Changes {
    /// New content by path, with its digest.
    pub write: BTreeMap<String, (File, String)>,
    /// Files to be removed, with the digest they have.
    pub remove: BTreeMap<String, String>,
    /// How many files are as wanted.
    pub unchanged: usize,
    /// The manifest afterwards.
    pub manifest: Manifest,
    /// True when the manifest itself has to be written.
    pub relist: bool,
}

/// Finds what has to be done, or why it must not be.
pub fn compare(disk: &Disk<'_>, mut wanted: Wanted, force: bool) -> io::Result<Result<Changes, Vec<Diagnostic>>> {
    let old = match Manifest::read(disk)? {
        Ok(manifest) => manifest,
        Err(problem) => return Ok(Err(vec![*problem])),
    };
    let map = wanted.map(kept_lines(disk, &wanted)?);
    wanted.files.insert(String::from(MAP), File { bytes: map.into_bytes(), lines: Vec::new(), executable: false });
    let mut ctx = Ctx { disk, old: &old, force, problems: Vec::new() };
    let remove = ctx.stale(&wanted)?;
    let mut listed: BTreeMap<String, String> =
        old.files.iter().filter(|(path, _)| !wanted.decides(path)).map(|(p, d)| (p.clone(), d.clone())).collect();
    let (mut write, mut unchanged) = (BTreeMap::new(), 0);
    for (path, file) in wanted.files {
        let digest = disk::digest(&file.bytes);
        listed.insert(path.clone(), digest.clone());
        if ctx.is_as_wanted(&path, &file)? {
            unchanged += 1;
        } else {
            write.insert(path, (file, digest));
        }
    }
    if !ctx.problems.is_empty() {
        return Ok(Err(ctx.problems));
    }
    let manifest = Manifest::new(listed);
    let relist = manifest != old;
    Ok(Ok(Changes { write, remove, unchanged, manifest, relist }))
}

struct Ctx<'a> {
    disk: &'a Disk<'a>,
    old: &'a Manifest,
    force: bool,
    problems: Vec<Diagnostic>,
}

impl Ctx<'_> {
    /// Files of an earlier build that nobody wants any more.
    fn stale(&mut self, wanted: &Wanted) -> io::Result<BTreeMap<String, String>> {
        let mut stale = BTreeMap::new();
        let unwanted = |path: &&String| wanted.decides(path) && !wanted.files.contains_key(*path);
        for path in self.old.files.keys().filter(unwanted) {
            let digest = match self.disk.state(path)? {
                State::File(_) => self.disk.digest(path)?.unwrap_or_default(),
                State::Link => String::new(),
                // Who removed it, or put a folder there, has taken it over.
                State::Missing | State::Blocked(..) => continue,
            };
            if self.old.files.get(path) != Some(&digest) && !self.force {
                self.problems.push(problems::edited(&self.disk.shown(path)));
            }
            stale.insert(path.clone(), digest);
        }
        Ok(stale)
    }

    /// True when the file is there as it should be; a problem when it may not be replaced.
    fn is_as_wanted(&mut self, path: &str, file: &File) -> io::Result<bool> {
        match self.disk.state(path)? {
            State::Missing => {}
            State::File(about) => return self.is_same(path, file, &about),
            State::Link => self.foreign(path),
            State::Blocked(at, what) => self.problems.push(problems::blocked(&self.disk.shown(&at), what)),
        }
        Ok(false)
    }

    fn is_same(&mut self, path: &str, file: &File, about: &Metadata) -> io::Result<bool> {
        if about.len() == file.bytes.len() as u64 && self.disk.read(path)? == file.bytes {
            return Ok(disk::has_mode(about, file.executable));
        }
        if self.force {
            return Ok(false);
        }
        match self.old.files.get(path) {
            None => self.foreign(path),
            Some(digest) if self.disk.digest(path)?.as_ref() != Some(digest) => self.foreign(path),
            Some(_) => {}
        }
        Ok(false)
    }

    /// A file that a build did not leave there. The compiler's own folder is always its own.
    fn foreign(&mut self, path: &str) {
        if self.force || path.split('/').next() == Some(OWN) {
            return;
        }
        let shown = self.disk.shown(path);
        let listed = self.old.files.contains_key(path);
        self.problems.push(if listed { problems::edited(&shown) } else { problems::in_the_way(&shown) });
    }
}

/// Lines of the map of files that this build does not decide on.
fn kept_lines(disk: &Disk<'_>, wanted: &Wanted) -> io::Result<BTreeMap<String, String>> {
    let State::File(_) = disk.state(MAP)? else { return Ok(BTreeMap::new()) };
    let text = disk.read_own(MAP)?.unwrap_or_default();
    // A map that does not parse is written anew; what it said of other targets comes back with their next build.
    let lines: BTreeMap<String, serde_json::Value> = serde_json::from_str(&text).unwrap_or_default();
    Ok(lines
        .into_iter()
        .filter(|(path, _)| !wanted.decides(path))
        .map(|(path, line)| (path, line.to_string()))
        .collect())
}
