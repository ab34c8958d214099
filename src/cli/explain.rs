//! `aipc explain`: a code, a kind, an address, or a line of an artefact.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::base::code::Code;
use crate::base::phrase;
use crate::explain::{self, Explanation};
use crate::model::kinds::Kind;

use super::args::PackageArgs;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::{package, schema, sized};

/// Where a build says which lines come from what, below the folder that it was built into.
const MAP: &str = ".aipc/map.json";

/// Explain a code, or how a value came to be
#[derive(clap::Args)]
pub struct Args {
    /// A code (`AIP3001`), a kind (`partition`), an address (`training.pretrain.time`), or a line of an artefact
    /// (`out/slurm/hpc/slurm.conf:12`)
    what: String,
    #[command(flatten)]
    package: PackageArgs,
}

/// Prints the explanation.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    if args.what.to_ascii_uppercase().starts_with("AIP") && !args.what.contains('.') {
        return code(&args.what, console);
    }
    let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind.schema().word == args.what).collect();
    if !kinds.is_empty() {
        console.answer(&kinds.into_iter().map(|kind| schema::words(kind.schema())).collect::<String>())?;
        return Ok(Exit::Fine);
    }
    match artefact_line(&args.what) {
        Some((path, line)) => self::line(&line_at(path, line)?, args, console),
        None if Path::new(&args.what).is_file() => Err(whole_file(&args.what)),
        // An address names a kind and a block, so that a word alone needs no package to be wrong.
        None if !args.what.contains('.') => Err(word(&args.what)),
        None => address(&args.what, args, console),
    }
}

fn whole_file(path: &str) -> Failure {
    let shown = phrase::excerpt(path, 200);
    Failure::new(format!("`{shown}` is a file, and it is a line that can be explained"))
        .help(format!("add the number of a line: `aipc explain {shown}:12`"))
}

/// A word that is neither a code nor a kind.
fn word(what: &str) -> Failure {
    let shown = phrase::excerpt(what, 40);
    let failure = Failure::new(format!("`{shown}` is no kind, no code and no address"));
    let kinds = || Kind::ALL.iter().map(|kind| kind.schema());
    let having = kinds().filter(|kind| kind.attribute(what).is_some() || kind.derived(what).is_some());
    let having: BTreeSet<&str> = having.map(|kind| kind.word).collect();
    let first = having.first().copied().unwrap_or_default();
    let list = "`aipc schema kinds` lists the kinds; an address is like `pool.train` or `pool.train.nodes`";
    match (phrase::nearest(what, kinds().map(|kind| kind.word)), having.is_empty()) {
        (_, false) => failure.help(format!("{} can have it: `aipc explain {first}`", phrase::all_of(&having))),
        (Some(near), true) => failure.help(format!("perhaps the kind `{near}`; {list}")),
        (None, true) => failure.help(list),
    }
}

fn code(what: &str, console: &mut Console) -> Result<Exit, Failure> {
    let shown = phrase::excerpt(what, 40);
    let Some(code) = Code::parse(&what.to_ascii_uppercase()) else {
        return Err(Failure::new(format!("`{shown}` is no code"))
            .help("a code is `AIP` and four digits; `aipc schema codes` lists them"));
    };
    match explain::code(code) {
        Ok(text) => console.answer(&text)?,
        Err(near) => {
            let failure = Failure::new(format!("there is no code `{shown}`"));
            return Err(match near {
                Some(near) => failure.help(format!("perhaps `{near}`")),
                None => failure.help("`aipc schema codes` lists them"),
            });
        }
    }
    Ok(Exit::Fine)
}

fn address(what: &str, args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |plan, _, console| match explain::explain(plan, what) {
        Explanation::Found(text) => {
            console.answer(&text)?;
            Ok(Exit::Fine)
        }
        Explanation::Missing(near) => {
            let failure = Failure::new(format!("the platform has no `{}`", phrase::excerpt(what, 80)));
            Err(match near {
                Some(near) => failure.help(format!("perhaps `{near}`")),
                None => failure.help("`aipc size` lists the figures"),
            })
        }
    })
}

fn line(line: &Line, args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    sized::with_plan(&args.package, console, |plan, _, console| {
        let text = explain::line(plan, &line.address, &line.text).ok_or_else(|| {
            Failure::new(format!("the platform has no `{}`, where the line came from", line.address))
                .help("name the package that was built after the line, or build it again")
        })?;
        console.answer(&text)?;
        Ok(Exit::Fine)
    })
}

/// `path:line`.
fn artefact_line(what: &str) -> Option<(&Path, usize)> {
    let (path, line) = what.rsplit_once(':')?;
    Some((Path::new(path), line.parse().ok()?))
}

/// A line of a generated file.
struct Line {
    /// What it comes from.
    address: String,
    /// What it says.
    text: String,
}

/// A line of a file that was built, with the last address that begins at or before it.
fn line_at(path: &Path, line: usize) -> Result<Line, Failure> {
    let none = || Failure::new(format!("`{}` is not a generated file", path.display()));
    let root = root_of(path).ok_or_else(none)?;
    let text = fs::read_to_string(root.join(MAP)).map_err(|error| Failure::path("read", root, error))?;
    let map: BTreeMap<String, Vec<(usize, String)>> =
        serde_json::from_str(&text).map_err(|error| Failure::path("read", &root.join(MAP), error))?;
    let root = if root == Path::new(".") { Path::new("") } else { root };
    let name = path.strip_prefix(root).map(package::shown).map_err(|_| none())?;
    let addresses = map.get(&name).ok_or_else(|| {
        Failure::new(format!("nothing is known of the lines of `{}`", path.display())).help("build it again")
    })?;
    let text = package::text(path)?;
    let lines = text.lines().count();
    let Some(text) = line.checked_sub(1).and_then(|before| text.lines().nth(before)) else {
        let has = format!("`{}` has {}", path.display(), phrase::count(lines as u64, "line"));
        return Err(Failure::new(format!("there is no line {line}: {has}")));
    };
    match addresses.iter().rev().find(|(start, _)| *start <= line) {
        Some((_, address)) => Ok(Line { address: address.clone(), text: text.to_string() }),
        None => Err(Failure::new(format!("line {line} comes from no block"))),
    }
}

/// The folder that a file was built into.
fn root_of(path: &Path) -> Option<&Path> {
    let folders = path.ancestors().skip(1);
    let named = folders.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    named.into_iter().find(|folder| folder.join(MAP).is_file())
}
