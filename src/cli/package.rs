//! Reading a package: its texts, its configuration, what the command line asks of it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::base::date::Date;
use crate::base::source::Sources;
use crate::compile::{self, Options, Package};
use crate::syntax::{MAX_SOURCE, ast};

use super::args::PackageArgs;
use super::config::{self, Config};
use super::failure::Failure;

/// A package as read from the disk, with the options of the run.
pub struct Loaded {
    /// The package, parsed.
    pub package: Package,
    /// What is asked of it.
    pub options: Options,
}

/// Reads and parses the package that the arguments name.
pub fn load(args: &PackageArgs) -> Result<Loaded, Failure> {
    let (texts, config) = read(&args.path)?;
    Ok(loaded(texts, config, &args.set, args.env.clone(), args.as_of))
}

/// Parses texts that were read, with the configuration beside them.
pub fn loaded(
    texts: Vec<(String, String)>,
    config: Config,
    set: &[String],
    environment: Option<String>,
    as_of: Option<Date>,
) -> Loaded {
    let environment = environment.or(config.environment);
    let options = Options { environment, as_of, levels: config.levels };
    Loaded { package: compile::parse(texts, set), options }
}

/// The environments to look at: all of them by name, or the one that the options say.
pub fn wanted_environments(package: &Package, all: bool) -> Vec<Option<String>> {
    if all { environments(package).into_iter().map(Some).collect() } else { vec![None] }
}

/// Every environment of a package, `base` first.
fn environments(package: &Package) -> Vec<String> {
    let mut names = vec![String::from("base")];
    for block in package.files.iter().flat_map(|file| &file.blocks) {
        if package.sources[block.kind] == *"environment" {
            names.extend(label(&package.sources, block).filter(|name| !names.contains(name)));
        }
    }
    names
}

fn label(sources: &Sources, block: &ast::Block) -> Option<String> {
    match &block.label {
        Some(ast::Label::Name(span)) => Some(sources[*span].to_string()),
        Some(ast::Label::Address(_)) | None => None,
    }
}

/// The texts of a path with the names that messages use, and the configuration beside them.
fn read(path: &Path) -> Result<(Vec<(String, String)>, Config), Failure> {
    let about = fs::metadata(path).map_err(|error| Failure::path("read", path, error))?;
    if !about.is_dir() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        return Ok((vec![(shown(path), text(path)?)], config::read(folder)?));
    }
    let files = sources_in(path)?;
    if files.is_empty() {
        return Err(Failure::new(format!("`{}` has no `.aip` file", path.display()))
            .help("name a folder with `.aip` files, or one file; `aipc new NAME` makes a first one"));
    }
    let texts = files.iter().map(|file| Ok((shown(file), text(file)?))).collect::<Result<_, Failure>>()?;
    Ok((texts, config::read(path)?))
}

/// The `.aip` files of a folder, by name; folders in it are other packages.
pub fn sources_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| Failure::path("read", folder, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension() == Some(OsStr::new("aip")) && !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A path as messages show it: with `/`, and without `./` at its start.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() };
    text.strip_prefix("./").map_or_else(|| text.clone(), str::to_string)
}

/// The text of a file, of bounded size.
pub fn text(path: &Path) -> Result<String, Failure> {
    let unreadable = |error| Failure::path("read", path, error);
    let mut file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_or(0, |about| about.len());
    let limit = MAX_SOURCE as u64;
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0) + 1);
    (&mut file).take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_SOURCE {
        let why = format!("it is larger than {} MiB", MAX_SOURCE >> 20);
        return Err(Failure::path("read", path, why).help("split it into several files of one folder"));
    }
    utf8(bytes).map_err(|why| Failure::path("read", path, why).help("save it as UTF-8"))
}

/// The bytes as text, or where they stop being one.
pub fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("line {line} is not UTF-8")
    })
}
