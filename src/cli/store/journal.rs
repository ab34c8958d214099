//! What a build is about to do, written down before it is done, so that the next run can bring it to its end.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::disk::{Disk, is_clean};
use super::manifest::Manifest;

/// Where it stands while a build is under way.
pub const PATH: &str = ".aipc/journal.json";

/// Where new content waits.
pub const STAGE: &str = ".aipc/stage";

/// The list of steps.
#[derive(Debug, Serialize, Deserialize)]
pub struct Journal {
    /// True when edits may be lost.
    pub force: bool,
    /// What is put in its place, by path.
    pub write: BTreeMap<String, Staged>,
    /// What is removed, with the digest it had.
    pub remove: BTreeMap<String, String>,
    /// The manifest afterwards.
    pub manifest: Manifest,
}

/// New content that waits.
#[derive(Debug, Serialize, Deserialize)]
pub struct Staged {
    /// Its name in the stage.
    pub name: String,
    /// Its digest.
    pub digest: String,
}

impl Journal {
    /// The journal of an interrupted build. One that does not parse was not written by a build and says nothing.
    pub fn read(disk: &Disk<'_>) -> io::Result<Option<Journal>> {
        let Some(text) = disk.read_own(PATH)? else { return Ok(None) };
        Ok(serde_json::from_str(&text).ok().filter(Journal::is_clean))
    }

    fn is_clean(&self) -> bool {
        let names = self.write.values().map(|staged| &staged.name);
        let paths = self.write.keys().chain(self.remove.keys()).chain(self.manifest.files.keys());
        names.chain(paths).all(|path| is_clean(path))
    }
}

/// The path of a name in the stage.
pub fn staged(name: &str) -> String {
    format!("{STAGE}/{name}")
}
