//! The command line: exit codes, formats, the output folder.

mod support;

use std::fs;
use std::io::Read;
use std::process::Stdio;

use support::{Test, program};

const PLATFORM: &str =
    "platform p {\n  owner    = \"a@b.example\"\n  stage    = poc\n  currency = EUR\n  as_of    = 2026-12-01\n}\n";

/// A platform whose only fault is a rack that nothing uses: a warning.
const UNUSED: &str = "platform p {\n  owner = \"a@b.example\"\n  stage = poc\n  currency = EUR\n  as_of = 2026-12-01\n}\n\n\
    site s {\n  provider = on-prem\n  country = DE\n}\n\nrack r { site = site.s }\n";

#[test]
fn a_clean_package_is_fine() {
    let ran = Test::new().file("main.aip", PLATFORM).run(&["check"]).status(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn errors_are_shown_with_their_lines() {
    let ran = Test::new().file("main.aip", PLATFORM.replace("poc", "pocc")).run(&["check"]).status(1);
    assert_eq!(ran.stdout, "");
    assert_eq!(
        ran.stderr,
        "error[AIP1010]: `platform.stage` does not take `pocc`
   ╭─[main.aip:3:14]
 3 │   stage    = pocc
   ·              ──┬─
   ·                ╰── not one of its words
   ╰────
help: did you mean `poc`?

1 error
"
    );
}

#[test]
fn the_short_form_is_one_line_a_problem() {
    let ran = Test::new().file("main.aip", PLATFORM.replace("poc", "pocc")).run(&["check", "--format", "short"]);
    assert_eq!(ran.status(1).stderr, "main.aip:3:14: error[AIP1010]: `platform.stage` does not take `pocc`\n");
}

#[test]
fn json_counts_columns_in_characters() {
    let text = PLATFORM.replace("stage    = poc", "title = \"ü\", stage = pocc");
    let ran = Test::new().file("main.aip", text).run(&["check", "--format", "json"]).status(1);
    let document = ran.json();
    let problem = &document["problems"][0];
    assert_eq!(problem["code"], "AIP1010");
    assert_eq!(problem["file"], "main.aip");
    assert_eq!((&problem["line"], &problem["column"]), (&3.into(), &24.into()));
    assert_eq!((&problem["end_line"], &problem["end_column"]), (&3.into(), &28.into()));
    assert_eq!(document["summary"]["errors"], 1);
    assert_eq!(document["waived"], serde_json::json!([]));
}

#[test]
fn warnings_fail_only_from_their_threshold_on() {
    let test = Test::new().file("main.aip", UNUSED);
    assert!(test.run(&["check"]).status(0).stderr.contains("warning[AIP7001]"));
    test.run(&["check", "--fail-on", "warning"]).status(1);
}

#[test]
fn the_configuration_sets_levels() {
    let test = Test::new().file("main.aip", UNUSED).file("aipc.toml", "[lint]\nAIP7001 = \"deny\"\n");
    assert!(test.run(&["check"]).status(1).stderr.contains("error[AIP7001]"));
    test.write("aipc.toml", "[lint]\nAIP7001 = \"allow\"\n");
    assert_eq!(test.run(&["check"]).status(0).stderr, "");
}

#[test]
fn wrong_use_and_unreadable_input_end_with_2() {
    let test = Test::new()
        .file("bad/main.aip", [b'a', 0xFF])
        .file("empty/notes.txt", "")
        .file("key/main.aip", PLATFORM)
        .file("key/aipc.toml", "[package]\ncolour = 1\n");
    let said = |args: &[&str], words: &str| {
        let ran = test.run(args).status(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    };
    said(&["check", "missing"], "cannot read `missing`");
    said(&["check", "bad"], "line 1 is not UTF-8");
    said(&["check", "empty"], "has no `.aip` file");
    said(&["check", "key"], "key/aipc.toml:2:1: ");
    said(&["check", "--as-of", "yesterday"], "2027-03-31");
    said(&["chekc"], "check");
    said(&["build", "--target", "ansible"], "terraform");
}

#[test]
fn a_hostile_line_does_not_reach_the_terminal() {
    let long = "x".repeat(10_000);
    let text = format!("platform p {{ owner = \"\u{1b}[31m{long}\", stage = pocc, currency = EUR }}\n");
    let ran = Test::new().file("main.aip", text).run(&["check"]).status(1);
    assert!(!ran.stderr.contains('\u{1b}'));
    assert!(ran.stderr.contains("main.aip:1:10"), "{}", ran.stderr);
    assert!(ran.stderr.lines().all(|line| line.len() < 300));
}

#[test]
fn colour_obeys_the_flag() {
    let test = Test::new().file("main.aip", PLATFORM.replace("poc", "pocc"));
    assert!(test.run(&["check", "--color", "always"]).stderr.contains('\u{1b}'));
    assert!(!test.run(&["check", "--color", "never"]).stderr.contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let test = Test::new();
    let mut child = program(&["schema", "kinds"], &test.path("")).stdin(Stdio::null()).spawn().expect("it starts");
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
    assert_eq!((child.wait().expect("it ends").code(), said.as_str()), (Some(0), ""));
}

#[test]
fn a_value_is_set_on_the_command_line() {
    let test = Test::new().file("main.aip", PLATFORM);
    test.run(&["check", "--set", "platform.p.stage = pilot"]).status(0);
    test.run(&["check", "--set", "platform.p.stage = pilto"]).status(1);
}

#[test]
fn every_environment_is_checked_and_a_problem_is_shown_once() {
    let lab = "let { tier = hot }\nenvironment lab { set platform.p.stage = let.tier }";
    let text = format!("{PLATFORM}\n{lab}\nenvironment two {{ }}\n");
    let test = Test::new().file("main.aip", text);
    test.run(&["check"]).status(0);
    let ran = test.run(&["check", "--all-envs"]).status(1);
    assert!(ran.stderr.contains("note: in environment `lab`"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("1 error\n"), "{}", ran.stderr);
    let short = test.run(&["check", "--all-envs", "--format", "short"]).status(1).stderr;
    assert!(short.lines().next().is_some_and(|line| line.ends_with(" (in environment `lab`)")), "{short}");
}

#[test]
fn nothing_is_built_from_a_package_with_errors() {
    let test = Test::new().file("main.aip", PLATFORM.replace("poc", "pocc"));
    let ran = test.run(&["build"]).status(1);
    assert!(ran.stderr.ends_with("nothing was written\n"));
    assert!(!test.path("out").exists());
}

#[test]
fn a_build_owns_what_it_wrote() {
    let test = Test::new().file("main.aip", PLATFORM);
    test.run(&["build"]).status(0);
    let manifest: serde_json::Value = serde_json::from_str(&test.read("out/.aipc/manifest.json")).expect("JSON");
    assert_eq!(manifest["files"]["plan.json"].as_str().map(str::len), Some(64));
    assert!(!test.path("out/.aipc/stage").exists());
    let again = test.run(&["build"]).status(0);
    assert!(again.stderr.starts_with("out: ") && !again.stderr.contains("written"), "{}", again.stderr);

    test.write("out/plan.json", "mine");
    let ran = test.run(&["build"]).status(1);
    assert!(ran.stderr.contains("error[AIP6090]: `out/plan.json` was edited"), "{}", ran.stderr);
    assert_eq!(test.read("out/plan.json"), "mine");
    test.run(&["build", "--force"]).status(0);
    assert_ne!(test.read("out/plan.json"), "mine");
}

#[test]
fn every_environment_is_built_into_its_folder() {
    let text = format!("{PLATFORM}\nenvironment lab {{ set platform.p.stage = pilot }}\n");
    let test = Test::new().file("main.aip", text);
    test.run(&["build"]).status(0);
    test.run(&["build", "--all-envs"]).status(0);
    assert!(!test.path("out/plan.json").exists());
    assert_ne!(test.read("out/base/plan.json"), test.read("out/lab/plan.json"));
}

#[test]
fn files_are_formatted_in_place() {
    let test = Test::new().file("main.aip", "platform   p{owner=\"a\"}\n").file("other.aip", PLATFORM);
    let ran = test.run(&["fmt", "--check"]).status(1);
    assert_eq!(ran.stderr, "main.aip is not formatted\n");
    let ran = test.run(&["fmt", "--diff"]).status(0);
    assert!(ran.stdout.contains("-platform   p{owner=\"a\"}\n+platform p { owner = \"a\" }\n"), "{}", ran.stdout);
    test.run(&["fmt"]).status(0);
    assert_eq!(test.read("main.aip"), "platform p { owner = \"a\" }\n");
    assert_eq!(fs::read_dir(test.path("")).expect("a folder").count(), 2);
    test.run(&["fmt", "--check"]).status(0);
}

#[test]
fn the_standard_input_is_formatted() {
    let ran = Test::new().stdin("platform   p{owner=\"a\"}\n").run(&["fmt", "-"]).status(0);
    assert_eq!(ran.stdout, "platform p { owner = \"a\" }\n");
    let ran = Test::new().stdin("platform p {").run(&["fmt", "-"]).status(1);
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_new_package_checks_clean_and_is_formatted() {
    let test = Test::new();
    for template in ["serving", "training"] {
        test.run(&["new", template, "--template", template]).status(0);
        let ran = test.run(&["check", template, "--fail-on", "warning"]).status(0);
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        test.run(&["fmt", "--check", template]).status(0);
        test.run(&["build", template]).status(0);
    }
    test.run(&["new", "first"]).status(0);
    test.run(&["new", "first"]).status(2);
    test.run(&["new", "First_One"]).status(2);
}

#[test]
fn a_check_tries_what_is_about_the_source() {
    let package = include_str!("../src/cli/new-training.aip").replace("NAME", "first");
    Test::new().file("main.aip", &package).run(&["check"]).status(0);
    let ran = Test::new().file("main.aip", package.replace("\"25.11\"", "\"25.12\"")).run(&["check"]).status(1);
    assert!(ran.stderr.contains("is no release of Slurm"), "{}", ran.stderr);
}

#[test]
fn codes_are_explained() {
    let test = Test::new();
    let ran = test.run(&["explain", "AIP1001"]).status(0);
    assert!(ran.stdout.starts_with("# AIP1001: No such kind of block\n\n"), "{}", ran.stdout);
    assert!(test.run(&["explain", "AIP1999"]).status(2).stderr.contains("perhaps `AIP1"));
    for wrong in ["AIPX", "AIP9999"] {
        assert!(test.run(&["explain", wrong]).status(2).stderr.contains("`aipc schema codes` lists them"));
    }
    let codes = test.run(&["schema", "codes", "--format", "json"]).status(0).json();
    assert_eq!(codes.as_array().map(Vec::len), Some(aipc::explain::codes().len()));
    assert!(test.run(&["explain", "partition"]).status(0).stdout.contains("max_time: a time"));
}

#[test]
fn a_word_alone_needs_no_package_to_be_wrong() {
    let test = Test::new();
    for (word, help) in [
        ("qos", "`aipc schema kinds` lists the kinds"),
        ("poll", "perhaps the kind `pool`"),
        ("max_nodes", "`partition` can have it: `aipc explain partition`"),
    ] {
        let said = test.run(&["explain", word]).status(2).stderr;
        assert!(
            said.contains(&format!("`{word}` is no kind, no code and no address")) && said.contains(help),
            "{said}"
        );
    }
    let said = test.run(&["schema", "kinds", "partition"]).status(0).stdout;
    assert!(said.starts_with("partition (") && !said.contains("\npool ("), "{said}");
    assert!(test.run(&["schema", "kinds", "parttion"]).status(2).stderr.contains("perhaps `partition`"));
    test.run(&["schema", "plan", "partition"]).status(2);
}

#[test]
fn values_are_explained_down_to_their_lines() {
    let test = Test::new().file("main.aip", PLATFORM);
    let ran = test.run(&["explain", "platform.p.stage"]).status(0);
    assert_eq!(ran.stdout, "platform.p.stage = poc  main.aip:3\n");
    assert!(test.run(&["explain", "platform.p.stag"]).status(2).stderr.contains("perhaps `platform.p.stage`"));
}

#[test]
fn lines_of_a_file_are_explained_by_what_stands_on_them() {
    let package = include_str!("../src/cli/new-training.aip").replace("NAME", "first");
    let test = Test::new().file("main.aip", &package);
    test.run(&["build"]).status(0);
    let conf = test.read("out/slurm/main/slurm.conf");
    let explained = |file: &str, text: &str, start: &str, more: &[&str]| {
        let line = text.lines().position(|line| line.starts_with(start)).expect("such a line") + 1;
        let at = format!("out/slurm/main/{file}:{line}");
        test.run(&[&["explain", at.as_str()], more].concat()).status(0).stdout
    };
    for (start, rest) in [("NodeName=", &["Boards", "State"][..]), ("PartitionName=", &["OverSubscribe", "State"])] {
        let line = conf.lines().find(|line| line.starts_with(start)).expect("such a line");
        let said = explained("slurm.conf", &conf, start, &[]);
        let words = line.split([' ', '"', ',']).filter(|word| word.contains('=') && !word.ends_with('='));
        let fixed = |word: &&str| rest.iter().any(|key| word.starts_with(key));
        for word in words.filter(|word| !fixed(word) && *word != "PartitionName=train" && *word != "CPU=1") {
            assert!(said.lines().any(|line| line.starts_with(word)), "{word} is not explained in {said}");
        }
    }
    let nodes = explained("slurm.conf", &conf, "NodeName=", &[]);
    assert!(nodes.contains("2063000 − 41984 = 2021016 MiB are left for jobs"), "{nodes}");
    assert!(nodes.contains("`aipc explain pool.train` follows its"), "{nodes}");
    let job = test.read("out/slurm/main/jobs/pretrain.sbatch");
    let time = explained("jobs/pretrain.sbatch", &job, "#SBATCH --time=", &[]);
    assert!(time.contains("37.2 h at most, rounded up to whole hours"), "{time}");
    let none = test.run(&["explain", "out/slurm/main/slurm.conf:9999"]).status(2).stderr;
    let lines = conf.lines().count();
    assert!(none.contains(&format!("`out/slurm/main/slurm.conf` has {lines} lines")), "{none}");
    let whole = test.run(&["explain", "out/slurm/main/slurm.conf"]).status(2).stderr;
    assert!(whole.contains("`aipc explain out/slurm/main/slurm.conf:12`"), "{whole}");
    // The package says something else now.
    let other =
        explained("slurm.conf", &conf, "PartitionName=", &["--set", "cluster.main.partition.train.max_time=2 days"]);
    assert!(other.contains("\nMaxTime: another value than the package leads to, which is 2-00:00:00"), "{other}");
}

#[test]
fn an_import_says_what_to_do_next() {
    let test = Test::new().file("slurm.conf", "ClusterName=c\nSlurmctldHost=a\nNodeName=n CPUs=4\n");
    let said = test.run(&["import", "slurm", "slurm.conf", "--version", "21.08"]).status(1).stderr;
    assert!(said.contains("help: give one of `22.05`"), "{said}");
}

#[test]
fn the_catalogue_names_its_sources() {
    let test = Test::new();
    assert!(test.run(&["catalog"]).status(0).stdout.contains("server"));
    let ran = test.run(&["catalog", "gpu", "h200-sxm", "--format", "json"]).status(0);
    assert!(ran.json().as_array().is_some_and(|facts| facts.iter().all(|fact| fact["source"] != "")));
    assert!(test.run(&["catalog", "server", "H100"]).status(2).stderr.contains("`dgx-h100`"));
    assert!(test.run(&["catalog", "gpu", "h200-sxn"]).status(2).stderr.contains("perhaps `h200-sxm`"));
}

#[test]
fn tables_and_pictures_are_printed() {
    let test = Test::new().file("main.aip", UNUSED);
    for args in [
        &["size", "--format", "json"][..],
        &["bom", "--format", "json"],
        &["plan"],
        &["schema", "plan"],
        &["schema", "kinds", "--format", "json"],
    ] {
        test.run(args).status(0).json();
    }
    assert!(test.run(&["graph"]).status(0).stdout.contains("\"rack.r\" -> \"site.s\""));
    assert!(test.run(&["graph", "--format", "mermaid"]).status(0).stdout.starts_with("flowchart LR\n"));
    assert!(test.run(&["completions", "bash"]).status(0).stdout.contains("aipc"));
}
