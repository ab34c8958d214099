//! What a build owns: each file with the digest of what was written.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use crate::base::diagnostic::Diagnostic;
use crate::cli::json::pretty;
use crate::target::problems;

use super::disk::{Disk, is_clean};

/// Where it stands.
pub const PATH: &str = ".aipc/manifest.json";

/// The list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The form of this file.
    version: u32,
    /// SHA-256 by path.
    pub files: BTreeMap<String, String>,
}

impl Manifest {
    /// A list of files.
    pub fn new(files: BTreeMap<String, String>) -> Manifest {
        Manifest { version: 1, files }
    }

    /// The list of the folder, empty where nothing was built yet; or why it cannot be read.
    pub fn read(disk: &Disk<'_>) -> io::Result<Result<Manifest, Box<Diagnostic>>> {
        let refuse = |why: &str| Err(Box::new(problems::manifest(&disk.shown(PATH), why)));
        let Some(text) = disk.read_own(PATH)? else { return Ok(Ok(Manifest::new(BTreeMap::new()))) };
        Ok(match serde_json::from_str::<Manifest>(&text) {
            Err(error) => refuse(&error.to_string()),
            Ok(manifest) if manifest.version != 1 => refuse("it is of another version"),
            Ok(manifest) if !manifest.files.keys().all(|path| is_clean(path)) => refuse("it names paths outside"),
            Ok(manifest) => Ok(manifest),
        })
    }

    /// The file's text.
    pub fn text(&self) -> String {
        pretty(self)
    }
}
