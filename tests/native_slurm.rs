//! Real Slurm daemons on what is written: MariaDB, slurmdbd, slurmctld and slurmd, on loopback.
//!
//! Each package is built for the Slurm that is installed, whatever release it names itself; `tests/slurm.rs` judges the
//! other releases by their keys. Where Slurm is missing the test says `skipped: …`; under `AIPC_REQUIRE_TOOLS` that is a
//! failure.

#![allow(clippy::print_stdout, reason = "a skipped test says so, and how long a boot took is worth reading")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use aipc::base::diagnostic::Severity;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::target::slurm::version::{KNOWN, Release};
use aipc::target::template::Templates;

/// Boots at the same time.
const LANES: usize = 3;
/// Cases that the installed release cannot have, with the reason.
const NOT_HERE: &[(&str, &str)] = &[("nvl72", "a block for one job, from 24.05 on")];

/// An output folder that goes when the test ends.
struct Output(PathBuf);

impl Drop for Output {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The release of the installed Slurm, when it is a known one.
fn installed() -> Option<&'static str> {
    let said = Command::new("slurmctld")
        .arg("-V")
        .output()
        .or_else(|_| Command::new("/usr/sbin/slurmctld").arg("-V").output());
    let said = String::from_utf8(said.ok()?.stdout).ok()?;
    let version = said.split_whitespace().last()?.to_string();
    KNOWN.iter().copied().find(|known| Release::of(known) == Release::of(&version))
}

fn skip(why: &str) {
    assert!(std::env::var_os("AIPC_REQUIRE_TOOLS").is_none(), "a tool is missing: {why}");
    println!("skipped: {why}");
}

/// Writes the Slurm files of a package below a folder of its own.
fn build(path: &Path, cluster: &str, release: &str, set: &[&str]) -> Output {
    let text = fs::read_to_string(path).expect("a package");
    let mut settings = vec![format!("cluster.{cluster}.version = \"{release}\"")];
    settings.extend(set.iter().map(|setting| format!("cluster.{cluster}.{setting}")));
    let package = compile::parse(vec![(path.display().to_string(), text)], &settings);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    assert!(!compiled.problems.has_errors(), "{:#?}", compiled.problems.iter().collect::<Vec<_>>());
    let plan = compiled.plan.as_ref().expect("a package without errors has a plan");
    let (files, problems) = compile::emit(plan, compiled.judged(), &[String::from("slurm")], &Templates::shipped());
    let errors: Vec<_> = problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let stem = path.with_extension("").display().to_string().replace(['/', '.'], "-");
    let output = Output(std::env::temp_dir().join(format!("aipc-slurm-{}-{stem}", std::process::id())));
    for (path, file) in files.iter().filter(|(path, _)| path.starts_with("slurm/")) {
        let path = output.0.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::write(&path, &file.bytes).expect("the file can be written");
        if file.executable {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the script can be run");
        }
    }
    output
}

/// What became of a boot.
enum Boot {
    Fine,
    Skipped(String),
    /// What is wrong, in the words of the script.
    Wrong(String),
}

/// Boots what is written for one package.
fn boot(path: &Path, cluster: &str, set: &[&str]) -> Boot {
    let Some(release) = installed() else {
        return Boot::Skipped(String::from("slurmctld is missing, or of no known release"));
    };
    let output = build(path, cluster, release, set);
    let python = std::env::var("AIPC_PYTHON").unwrap_or_else(|_| String::from("python3"));
    let start = Instant::now();
    let folder = output.0.join("slurm").join(cluster);
    let Ok(result) = Command::new(&python).arg("tests/conformance/slurm_boot.py").arg(&folder).output() else {
        return Boot::Skipped(format!("{python} is missing"));
    };
    let took = start.elapsed().as_secs();
    let said = format!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    match result.status.code() {
        Some(0) => {
            println!("{}: {took} s: {}", path.display(), said.trim());
            Boot::Fine
        }
        Some(77) => Boot::Skipped(said.trim().trim_start_matches("skipped: ").to_string()),
        _ => Boot::Wrong(format!("{} on Slurm {release}, after {took} s:\n{said}", path.display())),
    }
}

/// Boots one package and fails when it does. What is written is the same each time, so a fault of it is there the second
/// time, too; what is not, was the machine's, and is printed.
fn boots(path: &Path, cluster: &str, set: &[&str]) {
    judge(boot(path, cluster, set), || boot(path, cluster, set));
}

fn judge(first: Boot, again: impl FnOnce() -> Boot) {
    match first {
        Boot::Fine => {}
        Boot::Skipped(why) => skip(&why),
        Boot::Wrong(first) => {
            println!("once: {first}");
            if let Boot::Wrong(second) = again() {
                panic!("twice: {second}");
            }
        }
    }
}

#[test]
fn slurm_starts_on_aurora() {
    boots(Path::new("examples/aurora/main.aip"), "hpc", &[]);
}

#[test]
fn slurm_starts_on_superpod() {
    boots(Path::new("examples/superpod/main.aip"), "slurm", &[]);
}

#[test]
fn slurm_starts_on_an_imported_configuration() {
    // Its own prologue and epilogue are on the hosts, not here.
    let ours =
        ["Prolog", "Epilog"].map(|key| format!("patch.slurm.set.{key} = \"/etc/slurm/{}.sh\"", key.to_lowercase()));
    let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
    boots(Path::new("tests/cases/import/learning/draft.aip"), "vision-lab", &ours);
}

#[test]
fn slurm_starts_on_an_imported_topology_with_qualities_of_service() {
    boots(Path::new("tests/cases/import/campus/draft.aip"), "campus", &[]);
}

#[test]
fn slurm_starts_on_every_case() {
    let entries = fs::read_dir("tests/cases/slurm").expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "aip"));
    paths.sort();
    let older = installed().is_some_and(|release| release < "24.05");
    paths.retain(|path| {
        let stem = path.file_stem().expect("a name").to_string_lossy();
        !(older && NOT_HERE.iter().any(|(name, _)| *name == stem))
    });
    assert!(paths.len() >= 12, "{}", paths.len());
    // A boot waits more than it works.
    let done: Vec<(&PathBuf, Boot)> = std::thread::scope(|scope| {
        let lane = |first: usize| {
            let own = paths.iter().skip(first).step_by(LANES);
            scope.spawn(move || own.map(|path| (path, boot(path, "hpc", &[]))).collect::<Vec<_>>())
        };
        let lanes: Vec<_> = (0..LANES).map(lane).collect();
        lanes.into_iter().flat_map(|lane| lane.join().expect("a lane ends")).collect()
    });
    for (path, first) in done {
        judge(first, || boot(path, "hpc", &[]));
    }
}
