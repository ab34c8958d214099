//! Packages in a revision, read with the `git` command line: only plumbing that prints objects, no network.

use std::io;
use std::process::{Command, Output, Stdio};

use crate::base::phrase;
use crate::syntax::MAX_SOURCE;

use crate::cli::config::{self, Config};
use crate::cli::failure::Failure;
use crate::cli::package;

/// The mode of a symbolic link in a tree.
const LINK: &str = "120000";

/// The texts of a folder or file in a revision, and the configuration beside them.
pub fn read(revision: &str, path: &str) -> Result<(Vec<(String, String)>, Config), Failure> {
    let folder = path.trim_end_matches('/');
    if ask(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])?.is_none() {
        let shown = phrase::excerpt(revision, 60);
        return Err(match ask(&["rev-parse", "--git-dir"])? {
            Some(_) => Failure::new(format!("git knows no revision `{shown}`"))
                .help("name a branch, a tag or a commit of this repository; `git log --oneline` lists commits"),
            None => Failure::new(format!("`git:{shown}` needs a repository, and the working folder is in none"))
                .help("run the command inside the repository that has the revision"),
        });
    }
    let missing = || {
        Failure::new(format!("revision `{}` has no `{}`", phrase::excerpt(revision, 60), phrase::excerpt(path, 80)))
            .help("the path is one from the working folder, as for the side on the disk")
    };
    let object = object(revision, folder)?.ok_or_else(missing)?;
    let kind = ask(&["cat-file", "-t", &object])?.ok_or_else(missing)?;
    if kind.trim_ascii() != b"tree" {
        let parent = folder.rsplit_once('/').map_or(".", |(parent, _)| parent);
        let beside = match self::object(revision, parent)? {
            Some(tree) => configuration(&tree, revision, parent)?,
            None => Config::default(),
        };
        return Ok((vec![(folder.to_string(), text(&object, folder)?)], beside));
    }
    let mut texts = Vec::new();
    for entry in entries(&object)?.into_iter().filter(|entry| entry.name.ends_with(".aip")) {
        texts.push((entry.name_in(folder), entry.text(folder)?));
    }
    if texts.is_empty() {
        let shown = phrase::excerpt(revision, 60);
        return Err(Failure::new(format!("`{path}` has no `.aip` file in revision `{shown}`"))
            .help("name a folder with `.aip` files, or one file"));
    }
    texts.sort();
    Ok((texts, configuration(&object, revision, folder)?))
}

/// The object of a path, seen from the working folder.
fn object(revision: &str, path: &str) -> Result<Option<String>, Failure> {
    let path = if path == "." { "" } else { path };
    let found = ask(&["rev-parse", "--verify", "--quiet", &format!("{revision}:./{path}")])?;
    Ok(found.map(|bytes| String::from_utf8_lossy(bytes.trim_ascii()).into_owned()))
}

/// A file of a tree.
struct Entry {
    mode: String,
    object: String,
    name: String,
}

impl Entry {
    /// Its name in messages: as it would be on the disk.
    fn name_in(&self, folder: &str) -> String {
        let folder = folder.strip_prefix("./").unwrap_or(folder);
        if matches!(folder, "" | ".") { self.name.clone() } else { format!("{folder}/{}", self.name) }
    }

    fn text(&self, folder: &str) -> Result<String, Failure> {
        let name = self.name_in(folder);
        if self.mode == LINK {
            return Err(Failure::new(format!("`{name}` is a symbolic link in the revision, and leads out of it"))
                .help("keep the file itself in the repository"));
        }
        text(&self.object, &name)
    }
}

/// The files of a tree; folders in it are other packages.
fn entries(tree: &str) -> Result<Vec<Entry>, Failure> {
    let listed = ask(&["ls-tree", "-z", tree])?.unwrap_or_default();
    // `100644 blob 257cc5…\tmain.aip`, each with a zero at its end.
    let one = |line: &[u8]| {
        let line = std::str::from_utf8(line).ok()?;
        let (about, name) = line.split_once('\t')?;
        let [mode, "blob", object] = about.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(Entry { mode: mode.to_string(), object: object.to_string(), name: name.to_string() })
    };
    Ok(listed.split(|byte| *byte == 0).filter_map(one).collect())
}

fn configuration(tree: &str, revision: &str, folder: &str) -> Result<Config, Failure> {
    match entries(tree)?.into_iter().find(|entry| entry.name == config::FILE) {
        Some(entry) => config::of_text(&format!("{revision}:{}", entry.name_in(folder)), &entry.text(folder)?),
        None => Ok(Config::default()),
    }
}

/// The text of a file, of bounded size.
fn text(object: &str, name: &str) -> Result<String, Failure> {
    let unreadable = |why: &str| Failure::new(format!("cannot read `{}`: {why}", phrase::excerpt(name, 80)));
    let size = ask(&["cat-file", "-s", object])?.unwrap_or_default();
    let size: Option<usize> = std::str::from_utf8(size.trim_ascii()).ok().and_then(|size| size.parse().ok());
    if size.is_none_or(|size| size > MAX_SOURCE) {
        let why = format!("it is larger than {} MiB", MAX_SOURCE >> 20);
        return Err(unreadable(&why).help("split it into several files of one folder"));
    }
    let bytes = ask(&["cat-file", "blob", object])?
        .ok_or_else(|| unreadable("the repository lacks it").help("fetch the whole history, without a filter"))?;
    package::utf8(bytes).map_err(|why| unreadable(&why).help("save it as UTF-8"))
}

/// What git answers; nothing when it says no.
fn ask(arguments: &[&str]) -> Result<Option<Vec<u8>>, Failure> {
    let Output { status, stdout, .. } = Command::new("git")
        .args(arguments)
        // A repository that lacks objects must not fetch them.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| not_started(&error))?;
    Ok(status.success().then_some(stdout))
}

fn not_started(error: &io::Error) -> Failure {
    let why = if error.kind() == io::ErrorKind::NotFound {
        String::from("there is no `git` on this machine")
    } else {
        format!("`git` does not start: {error}")
    };
    Failure::new(why).help("install git, or check the revision out and name its folder")
}
