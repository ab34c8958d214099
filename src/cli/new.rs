//! `aipc new`: a first package.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::phrase;

use super::config;
use super::console::Console;
use super::failure::{Exit, Failure};

/// Make a folder with a small package to start from
#[derive(clap::Args)]
pub struct Args {
    /// The folder; its last part is the platform's name
    path: PathBuf,
    /// What it is for
    #[arg(long, value_enum, default_value_t = Template::Serving)]
    template: Template,
}

/// Packages to start from.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Template {
    /// A rented server that answers questions, under Kubernetes
    Serving,
    /// Servers of our own that train a model, under Slurm
    Training,
}

impl Template {
    fn package(self) -> &'static str {
        match self {
            Template::Serving => include_str!("new-serving.aip"),
            Template::Training => include_str!("new-training.aip"),
        }
    }
}

const CONFIG: &str = "[package]\nname = \"NAME\"\n\n# Levels of findings: allow, warn, deny, forbid.\n[lint]\n";

/// Writes the package; what is there stays.
pub fn run(args: &Args, console: &mut Console) -> Result<Exit, Failure> {
    let name = name(&args.path)?;
    if args.path.exists() {
        return Err(Failure::new(format!("`{}` is there already", args.path.display())).help("choose another name"));
    }
    let failed = |error| Failure::path("make", &args.path, error);
    fs::create_dir_all(&args.path).map_err(failed)?;
    fs::write(args.path.join("main.aip"), args.template.package().replace("NAME", &name)).map_err(failed)?;
    fs::write(args.path.join(config::FILE), CONFIG.replace("NAME", &name)).map_err(failed)?;
    console.tell(&format!("`{0}/main.aip` is there; `aipc check {0}` looks at it\n", args.path.display()));
    Ok(Exit::Fine)
}

/// The last part of the path, when it is a legal name.
fn name(path: &Path) -> Result<String, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if first && name.bytes().all(legal) && !name.ends_with('-') && !name.contains("--") && name.len() <= 40 {
        return Ok(name);
    }
    Err(Failure::new(format!("`{}` is no legal name", phrase::excerpt(&name, 60)))
        .help("lower-case letters, digits and single hyphens, a letter first, at most 40 characters"))
}
