//! Embeds the templates: every file under `targets/` becomes an entry of one table.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("targets");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut paths = Vec::new();
    walk(&root, &mut paths)?;
    paths.sort();
    let mut table = String::from("&[\n");
    for path in paths {
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let _ = writeln!(table, "    ({name:?}, include_str!({path:?})),");
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("templates.rs"), table)
}

fn walk(folder: &Path, paths: &mut Vec<std::path::PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, paths)?;
        } else if path.extension().is_some_and(|end| end == "j2") {
            println!("cargo::rerun-if-changed={}", path.display());
            paths.push(path);
        }
    }
    Ok(())
}
