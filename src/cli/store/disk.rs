//! The folder on the disk: every change of it goes through here, and nothing outside of it is touched.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::base::diagnostic::Diagnostic;
use crate::cli::package::shown;
use crate::target::problems;

/// The compiler's own folder in it.
pub const OWN: &str = ".aipc";

/// A folder that is built into.
pub struct Disk<'a> {
    root: &'a Path,
    /// Asked before each change; a test ends the run here.
    before: &'a dyn Fn() -> io::Result<()>,
}

/// What stands at a path.
pub enum State {
    /// Nothing.
    Missing,
    /// A regular file.
    File(Metadata),
    /// A link, to wherever.
    Link,
    /// Something that no file can replace: which path, and what it is.
    Blocked(String, &'static str),
}

impl<'a> Disk<'a> {
    /// The folder, which may not exist yet.
    pub fn new(root: &'a Path) -> Disk<'a> {
        Disk { root, before: &|| Ok(()) }
    }

    #[cfg(test)]
    pub fn ending(root: &'a Path, before: &'a dyn Fn() -> io::Result<()>) -> Disk<'a> {
        Disk { root, before }
    }

    /// The path as messages show it.
    pub fn shown(&self, path: &str) -> String {
        shown(&self.root.join(path))
    }

    /// Why nothing can be built into the folder.
    pub fn root_blocked(&self) -> io::Result<Option<Diagnostic>> {
        match fs::metadata(self.root) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => return Ok(Some(problems::blocked(&shown(self.root), "not a folder"))),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        for own in [String::from(OWN), format!("{OWN}/stage")] {
            match fs::symlink_metadata(self.at(&own)) {
                Ok(about) if about.is_dir() => {}
                Ok(_) => return Ok(Some(problems::blocked(&self.shown(&own), "not a folder"))),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// What stands at a path, without following links below the folder.
    pub fn state(&self, path: &str) -> io::Result<State> {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        for folder in folders {
            match fs::symlink_metadata(self.at(folder)) {
                Ok(about) if about.is_dir() => {}
                Ok(about) => return Ok(State::Blocked(folder.to_string(), kind(&about))),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(State::Missing),
                Err(error) => return Err(error),
            }
        }
        match fs::symlink_metadata(self.at(path)) {
            Ok(about) if about.is_file() => Ok(State::File(about)),
            Ok(about) if about.is_symlink() => Ok(State::Link),
            Ok(about) => Ok(State::Blocked(path.to_string(), kind(&about))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(State::Missing),
            Err(error) => Err(error),
        }
    }

    /// The content of a file.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        fs::read(self.at(path))
    }

    /// The text of one of our own files; nothing when it is missing.
    pub fn read_own(&self, path: &str) -> io::Result<Option<String>> {
        match fs::read_to_string(self.at(path)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The digest of a regular file; nothing when there is none.
    pub fn digest(&self, path: &str) -> io::Result<Option<String>> {
        let State::File(_) = self.state(path)? else { return Ok(None) };
        let mut file = fs::File::open(self.at(path))?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length = file.read(&mut buffer)?;
            if length == 0 {
                return Ok(Some(hex(&hasher.finalize())));
            }
            hasher.update(&buffer[..length]);
        }
    }

    /// Writes a file of ours whose folder exists.
    pub fn write(&self, path: &str, bytes: &[u8], executable: bool) -> io::Result<()> {
        (self.before)()?;
        fs::write(self.at(path), bytes)?;
        if executable { make_executable(&self.at(path)) } else { Ok(()) }
    }

    /// Makes a folder and those above it.
    pub fn make_folder(&self, path: &str) -> io::Result<()> {
        if self.at(path).is_dir() {
            return Ok(());
        }
        (self.before)()?;
        fs::create_dir_all(self.at(path))
    }

    /// Puts a file in its place; a link that stands there is replaced, not followed.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        if let Some((folder, _)) = to.rsplit_once('/') {
            self.make_folder(folder)?;
        }
        (self.before)()?;
        fs::rename(self.at(from), self.at(to))
    }

    /// Removes a file or link; one that is gone is removed.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        (self.before)()?;
        gone(fs::remove_file(self.at(path)))
    }

    /// Removes the folders above a path that hold nothing any more, up to the root.
    pub fn remove_empty_above(&self, path: &str) -> io::Result<()> {
        let mut rest = path;
        while let Some((folder, _)) = rest.rsplit_once('/') {
            (self.before)()?;
            if fs::remove_dir(self.at(folder)).is_err() {
                break;
            }
            rest = folder;
        }
        Ok(())
    }

    /// Removes a folder of ours with all it holds.
    pub fn remove_folder(&self, path: &str) -> io::Result<()> {
        (self.before)()?;
        gone(fs::remove_dir_all(self.at(path)))
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

/// The digest of bytes.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// True for a relative path with `/` that stays below its folder.
pub fn is_clean(path: &str) -> bool {
    let bad = |part: &str| part.is_empty() || part == "." || part == ".." || part.contains(['\\', ':', '\0']);
    !path.split('/').any(bad)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
        text
    })
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn kind(about: &Metadata) -> &'static str {
    if about.is_symlink() {
        "a link"
    } else if about.is_dir() {
        "a folder"
    } else if about.is_file() {
        "a file"
    } else {
        "not a regular file"
    }
}

/// True when the mode is as wanted; systems without one are always as wanted.
#[cfg(unix)]
pub fn has_mode(about: &Metadata, executable: bool) -> bool {
    use std::os::unix::fs::PermissionsExt;
    (about.permissions().mode() & 0o100 != 0) == executable
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    // Whoever may read it may run it, so that the user's umask is kept.
    permissions.set_mode(permissions.mode() | ((permissions.mode() & 0o444) >> 2));
    fs::set_permissions(path, permissions)
}

/// True when the mode is as wanted; systems without one are always as wanted.
#[cfg(not(unix))]
pub fn has_mode(_about: &Metadata, _executable: bool) -> bool {
    true
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}
