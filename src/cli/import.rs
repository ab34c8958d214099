//! `aipc import`: an existing configuration as a draft of a package.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use clap::Subcommand;

use crate::base::diagnostic::{Diagnostics, Severity};
use crate::base::source::Sources;
use crate::fmt;
use crate::import::slurm::{self, Import};

use super::args::{Format, ReportArgs, Threshold};
use super::console::Console;
use super::failure::{Exit, Failure};
use super::findings::Findings;
use super::package;

/// Read an existing configuration and write a draft of a package
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Slurm(SlurmArgs),
}

/// From slurm.conf, gres.conf, cgroup.conf, topology.conf and slurmdbd.conf
#[derive(clap::Args)]
struct SlurmArgs {
    /// The files, or the folder that they are in
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The release of Slurm: `25.11`; without it the newest that reads all keys stands in
    #[arg(long, value_name = "RELEASE")]
    version: Option<String>,
    /// The file to write, instead of the standard output; one that is there already stays; `-` is the standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The files of a folder that are read.
const NAMES: &[&str] = &["slurm.conf", "gres.conf", "cgroup.conf", "topology.conf", "slurmdbd.conf"];

/// Writes the draft, and says what is not in it.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    match &args.what {
        What::Slurm(args) => from_slurm(args, console),
    }
}

fn from_slurm(args: &SlurmArgs, console: &mut Console) -> Result<Exit, Failure> {
    let paths = files(&args.paths)?;
    let mut texts = Vec::new();
    for path in &paths {
        texts.push((package::shown(path), package::text(path)?));
    }
    let folders: BTreeSet<PathBuf> = paths.iter().map(|path| folder(path)).collect();
    let mut load = |name: &str| included(&folders, name);
    let import = slurm::import_beside(texts, &beside(&folders), args.version.as_deref(), &mut load);
    let Some(text) = &import.text else { return show(&import.sources, import.problems, console) };
    let text = formatted(text);
    match &args.out {
        Some(path) if path.as_os_str() != "-" => write_new(path, &text)?,
        Some(_) | None => console.answer(&text)?,
    }
    console.tell(&import.fates.words());
    tell_build(&import, console);
    Ok(Exit::unless(import.build.is_some() || !import.unexplained.is_empty()))
}

/// Writes a file that is not there yet; a link that leads nowhere is there.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let new = OpenOptions::new().write(true).create_new(true).open(path);
    let written = new.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::new(format!("`{}` is there already", path.display())).help("choose another name")
        }
        _ => Failure::path("write", path, error),
    })
}

/// A draft that cannot be built yet is one all the same; what it lacks is said.
fn tell_build(import: &Import, console: &mut Console) {
    if let Some((sources, problems)) = &import.build {
        console.tell("the draft cannot be built yet:\n");
        for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
            console.tell(&format!("  {}: {}\n", sources.place(problem.primary()), problem.message));
        }
    }
    for one in &import.unexplained {
        let new = one.new.as_deref().unwrap_or("nothing");
        console.tell(&format!("differs: {:?} {}: {} is {new}\n", one.place, one.key, one.old));
    }
}

/// The draft in the one style; as it is, should it not parse.
fn formatted(text: &str) -> String {
    let mut sources = Sources::new();
    let id = sources.add("draft.aip", text);
    fmt::format(id, text).unwrap_or_else(|_| text.to_string())
}

fn show(sources: &Sources, problems: Diagnostics, console: &mut Console) -> Result<Exit, Failure> {
    if problems.is_empty() {
        return Ok(Exit::Fine);
    }
    let helps: BTreeSet<String> = problems.iter().filter_map(|problem| problem.help.clone()).collect();
    let mut findings = Findings::default();
    findings.add(None, problems, Vec::new());
    // Lines of these files may hold secrets, so places are named and no line is shown.
    let exit = findings.show(&ReportArgs { format: Format::Short, fail_on: Threshold::Error }, sources, console)?;
    helps.iter().for_each(|help| console.tell(&format!("help: {help}\n")));
    Ok(exit)
}

/// The files that the arguments name.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let about = fs::metadata(path).map_err(|error| Failure::path("read", path, error))?;
        if about.is_file() {
            files.push(path.clone());
            continue;
        }
        if !about.is_dir() {
            // Reading a pipe would wait for whoever writes to it.
            return Err(Failure::path("read", path, "it is no file and no folder"));
        }
        let inside: Vec<PathBuf> = NAMES.iter().map(|name| path.join(name)).filter(|file| file.is_file()).collect();
        if inside.is_empty() {
            return Err(Failure::new(format!("`{}` has none of Slurm's files", path.display()))
                .help("name the folder that slurm.conf is in"));
        }
        files.extend(inside);
    }
    Ok(files)
}

fn folder(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}

/// The names of all that is in the folders of the files; a folder that cannot be listed has none to tell.
fn beside(folders: &BTreeSet<PathBuf>) -> Vec<String> {
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let names: BTreeSet<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.into_iter().collect()
}

/// The text of an included file.
fn included(folders: &BTreeSet<PathBuf>, name: &str) -> Result<(String, String), String> {
    let Some(path) = places(folders, Path::new(name)).into_iter().find(|path| path.is_file()) else {
        return Err(String::from("it is not there"));
    };
    let text = package::text(&path).map_err(|failure| failure.message)?;
    Ok((package::shown(&path), text))
}

/// Where an included file may be: a name without a folder is beside the files that were named, and so are the files of
/// a whole path when a copy of their folder is read elsewhere, as much of the path as there is.
fn places(folders: &BTreeSet<PathBuf>, name: &Path) -> Vec<PathBuf> {
    if name.is_relative() {
        return folders.iter().map(|folder| folder.join(name)).collect();
    }
    let parts: Vec<_> = name.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let ends = (0..parts.len()).map(|from| parts.iter().skip(from).collect::<PathBuf>());
    let copies = ends.flat_map(|end| folders.iter().map(move |folder| folder.join(&end)));
    [name.to_path_buf()].into_iter().chain(copies).collect()
}
