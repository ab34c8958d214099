//! Hostile use of the command line: whatever it is called with, it ends with an exit code of its own and says why.

#![cfg(unix)]

#[allow(dead_code, reason = "the transcripts of other tests need more of it")]
mod support;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;

use support::{Test, program};

const PLATFORM: &str = "platform p { owner = \"a@b.example\", currency = EUR, as_of = 2026-12-01 }\n";

/// The exit code of a run that must not be a bug.
#[track_caller]
fn ends(test: &Test, args: &[OsString]) -> i32 {
    let done = program(args, &test.path("")).stdin(std::process::Stdio::null()).output().expect("the program runs");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let code = done.status.code().unwrap_or_else(|| panic!("{args:?} was killed: {said}"));
    assert!(matches!(code, 0..=2), "{args:?} ended with {code}: {said}");
    assert!(code == 0 || !said.is_empty(), "{args:?} failed without a word");
    code
}

fn words(args: &[&str]) -> Vec<OsString> {
    args.iter().map(OsString::from).collect()
}

#[test]
fn paths_may_have_any_bytes() {
    let test = Test::new().file("a b/main.aip", PLATFORM).file("line\nbreak/main.aip", PLATFORM);
    let odd = OsString::from_vec(vec![b'x', 0xFF]);
    std::fs::create_dir(test.path("").join(&odd)).expect("a folder");
    std::fs::write(test.path("").join(&odd).join("main.aip"), PLATFORM).expect("a file");
    for folder in [OsString::from("a b"), OsString::from("line\nbreak"), odd] {
        assert_eq!(ends(&test, &[OsString::from("check"), folder.clone()]), 0);
        assert_eq!(
            ends(&test, &[OsString::from("build"), folder, OsString::from("--out=o p"), OsString::from("--force")]),
            0
        );
    }
    assert_eq!(ends(&test, &[OsString::from("check"), OsString::from_vec(vec![0xFE])]), 2);
}

#[test]
fn settings_may_be_any_text() {
    let test = Test::new().file("main.aip", PLATFORM);
    let deep = "(".repeat(500);
    for setting in [
        "",
        "=",
        "a",
        "a.b.c",
        "platform.p.title =",
        "platform.p.title = \"\\u{0}\"",
        "[[[[",
        "}",
        "set a = 1",
        "let.x = 1",
        deep.as_str(),
        "platform.p.title = [for a in 1..9999 : [for b in 1..9999 : 1]]",
        "platform.p(x).title = 1",
        "platform.p.title = \"x\"\nplatform.p.owner = \"y\"",
    ] {
        assert_eq!(ends(&test, &words(&["check", "--set", setting])), 1, "{setting}");
    }
    assert_eq!(ends(&test, &[OsString::from("check"), OsString::from("--set"), OsString::from_vec(vec![0xFF])]), 2);
}

#[test]
fn the_output_folder_may_be_anything() {
    let test = Test::new().file("main.aip", PLATFORM).file("file", "mine").file("folder/kept", "mine");
    symlink(test.path("folder"), test.path("link")).expect("a link");
    symlink(test.path("nowhere"), test.path("dangling")).expect("a link");
    assert_eq!(ends(&test, &words(&["build", "--out", "file", "--force"])), 1);
    assert_eq!(test.read("file"), "mine");
    for out in ["link", "dangling", "/proc/none", "/dev/null", "file/below", "."] {
        ends(&test, &words(&["build", "--out", out]));
    }
    assert_eq!(test.read("folder/kept"), "mine");
    for manifest in
        ["junk", "[[[[", "{\"files\":{\"../../escaped\":\"x\",\"/etc/passwd\":\"y\"}}", "{\"files\":3}", "\u{0}"]
    {
        test.write("out/.aipc/manifest.json", manifest);
        ends(&test, &words(&["build"]));
    }
}

#[test]
fn the_configuration_may_be_any_text() {
    let test = Test::new().file("main.aip", PLATFORM);
    let (lists, dots) = ("[".repeat(50_000), "a.".repeat(50_000));
    for text in [
        "[lint",
        "x = 1",
        "[lint]\nAIP7001 = 5",
        "[lint]\nAIP9 = \"deny\"",
        lists.as_str(),
        dots.as_str(),
        "a = \"\u{0}\"",
    ] {
        test.write("aipc.toml", text);
        assert_eq!(ends(&test, &words(&["check"])), 2, "{text:.40}");
    }
    test.write("aipc.toml", [0xFF, 0xFE]);
    assert_eq!(ends(&test, &words(&["check"])), 2);
}

#[test]
fn a_password_is_shown_nowhere() {
    let package = "platform p { currency = EUR }\nsite s { provider = on-prem, country = DE }\n\
        pool control { site = site.s, server = catalog.server.management-1s, nodes = 1 }\n\
        pool gpu { site = site.s, server = catalog.server.dgx-h100, nodes = 2 }\n\
        cluster hpc {\n scheduler = slurm\n version = \"22.05\"\n pools = [pool.gpu]\n control = pool.control\n \
        patch slurm { reason = \"r\", slurmdbd { StoragePass = \"hunter2\", Wrong = 5 kW } }\n}\n";
    let test = Test::new().file("main.aip", package);
    let commands: [&[&str]; 7] = [
        &["check"],
        &["check", "--format", "json"],
        &["plan"],
        &["build", "--target", "bom", "--out", "out"],
        &["build", "--target", "slurm", "--out", "out"],
        &["explain", "cluster.hpc.patch.slurm.slurmdbd.StoragePass"],
        &["check", "--set", "cluster.hpc.patch.slurm.slurmdbd.StoragePass = \"hunter2\""],
    ];
    for args in commands {
        let ran = test.run(args).status(1);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("hunter2"), "{args:?}: {ran:#?}");
    }
    assert!(!test.path("out").exists());
}
