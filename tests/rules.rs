//! Every rule finds what it is for and leaves the repaired source alone.
//!
//! A folder a rule under `tests/cases/rules/`, named by its code: `bad.aip` opens with `# expect: CODE [severity]`, a line
//! for each, and `good.aip` with `# without: CODE`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aipc::base::code::Code;
use aipc::base::diagnostic::Diagnostic;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::rules::{FAMILIES, RULES, docs};

/// What is found in a source, and whether the lower floors accepted it.
fn findings(path: &Path) -> (bool, Vec<Diagnostic>) {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let package = compile::parse(vec![(String::from("main.aip"), text)], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    (compiled.plan.is_some(), compiled.problems.iter().cloned().collect())
}

/// What is found in a text.
fn found_in(text: &str) -> Vec<Diagnostic> {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    compile::check(&package, &options, &catalogue).problems.iter().cloned().collect()
}

fn words(found: &[Diagnostic]) -> String {
    found.iter().map(|one| format!("\n  {} {}: {}", one.severity.word(), one.code, one.message)).collect()
}

/// The rest of each line of the opening comment that starts with a word.
fn heads(path: &Path, start: &str) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let head = text.lines().take_while(|line| line.starts_with('#'));
    head.filter_map(|line| line.strip_prefix(start)).map(|rest| rest.trim().to_string()).collect()
}

fn cases() -> Vec<(Code, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/rules");
    let mut cases: Vec<(Code, PathBuf)> = fs::read_dir(&root)
        .expect("the folder of cases")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((Code::parse(path.file_name()?.to_str()?.get(..7)?)?, path)))
        .collect();
    cases.sort();
    cases
}

#[test]
fn every_rule_finds_its_bad_case_and_spares_its_good_one() {
    let mut wrong = Vec::new();
    for (code, folder) in cases() {
        let (bad, good) = (folder.join("bad.aip"), folder.join("good.aip"));
        let expected = heads(&bad, "# expect:");
        assert!(!expected.is_empty(), "{} expects nothing", bad.display());
        let (sized, found) = findings(&bad);
        if !sized {
            wrong.push(format!("{} is not sized:{}", bad.display(), words(&found)));
        }
        for line in expected {
            let (name, severity) = line.split_once(' ').unwrap_or((&line, ""));
            let matches = |one: &&Diagnostic| {
                one.code.to_string() == name && (severity.is_empty() || one.severity.word() == severity)
            };
            if !found.iter().any(|one| matches(&one)) {
                wrong.push(format!("{}: no {line} in{}", bad.display(), words(&found)));
            }
        }
        let (sized, spared) = findings(&good);
        if !sized {
            wrong.push(format!("{} is not sized:{}", good.display(), words(&spared)));
        }
        if let Some(one) = spared.iter().find(|one| one.code == code) {
            wrong.push(format!("{}: {} {}: {}", good.display(), one.severity.word(), one.code, one.message));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let covered: BTreeSet<Code> = cases().into_iter().map(|(code, _)| code).collect();
    let missing: Vec<String> =
        RULES.iter().filter(|rule| !covered.contains(&rule.code)).map(|rule| rule.code.to_string()).collect();
    assert!(missing.is_empty(), "no case for {}", missing.join(", "));
    let known: BTreeSet<Code> = RULES.iter().map(|rule| rule.code).collect();
    let stray: Vec<String> = covered.difference(&known).map(ToString::to_string).collect();
    assert!(stray.is_empty(), "cases without a rule: {}", stray.join(", "));
}

#[test]
fn codes_are_unique_and_of_their_family() {
    let mut seen = BTreeSet::new();
    for code in docs() {
        assert!(seen.insert(code.code), "{} is given twice", code.code);
    }
    for (family, rules) in FAMILIES {
        let digit = match *family {
            "sizing" | "fabric" | "facility" => 3,
            "security" => 4,
            "money" => 5,
            "style" => 7,
            "operations" => 8,
            other => panic!("{other} has no digit"),
        };
        for rule in *rules {
            assert_eq!(rule.code.0 / 1_000, digit, "{} is in {family}", rule.code);
        }
    }
}

#[test]
fn every_rule_explains_itself() {
    for rule in docs().iter().filter(|doc| RULES.iter().any(|rule| rule.code == doc.code)) {
        let text: String =
            rule.doc.lines().map(|line| line.trim_start_matches("//!").trim_start()).collect::<Vec<_>>().join("\n");
        assert!(text.starts_with("# "), "{} has no title", rule.code);
        assert!(
            text.lines().next().is_some_and(|title| !title.ends_with('.')),
            "{}: the title ends in a stop",
            rule.code
        );
        assert!(text.contains("```aip"), "{} has no example", rule.code);
    }
}

#[test]
fn a_rack_that_nobody_described_or_cools_is_held_against_air() {
    let text = |site: &str, rack: &str| {
        let lines = [
            String::from("platform p { stage = poc, currency = EUR }"),
            format!("site dc {{ provider = on-prem, country = DE{site} }}"),
            String::from("server box { height = 6 U, max_power = 11.5 kW, gpus = 8 * catalog.gpu.h100-sxm }"),
            format!("pool train {{ site = site.dc, server = server.box, nodes = 6{rack} }}"),
            String::from("rack r { site = site.dc }"),
        ];
        lines.join("\n")
    };
    let said = |site: &str, rack: &str| -> Vec<Diagnostic> {
        found_in(&text(site, rack)).into_iter().filter(|one| one.code == Code(3046)).collect()
    };
    let silent = said("", "");
    assert_eq!(silent.len(), 1, "{silent:#?}");
    assert_eq!(silent[0].message, "a rack of `dc-rack` gives off 69 kW, air carries about 40 kW");
    assert_eq!(silent[0].notes, ["how heat leaves it is not said: `site.dc` has no `cooling`"]);
    assert!(silent[0].help.as_ref().is_some_and(|help| help.starts_with("describe a `rack` with a `power_limit`")));
    let described = said("", ", rack = rack.r");
    assert_eq!(described.len(), 1, "{described:#?}");
    assert!(described[0].help.as_ref().is_some_and(|help| help.starts_with("place fewer nodes in a rack")));
    for (site, count) in [(", cooling = air", 1), (", cooling = rear-door", 0), (", air_limit = 70 kW", 0)] {
        assert_eq!(said(site, "").len(), count, "{site}");
    }
    // A machine that is cooled by liquid brings its own question.
    let liquid = text("", "").replace("height = 6 U,", "height = 6 U, cooling = liquid,");
    assert!(found_in(&liquid).iter().all(|one| one.code != Code(3046)));
}

#[test]
fn partitions_and_names_that_slurm_would_read_otherwise_are_found() {
    let of = |pool: &str, partitions: &str| {
        let found = found_in(&format!(
            "platform p {{ stage = poc, currency = EUR }}\nsite dc {{ provider = on-prem, country = DE }}\n\
             pool control {{ site = site.dc, server = catalog.server.management-1s, nodes = 2 }}\n\
             pool gpu {{ site = site.dc, server = catalog.server.dgx-h100, nodes = 1{pool} }}\n\
             cluster hpc {{\n scheduler = slurm\n version = \"25.11\"\n pools = [pool.gpu]\n control = pool.control\n\
             {partitions}\n}}\n"
        ));
        found.iter().map(|one| one.code.0).filter(|code| [8020, 8023].contains(code)).collect::<Vec<_>>()
    };
    assert_eq!(of("", "partition a { max_time = 1 day }"), [0u16; 0]);
    assert_eq!(of("", "partition a { grace = 5 min }"), [8023]);
    assert_eq!(of("", "partition a { priority = 2 }\n partition b { preempt = requeue, grace = 5 min }"), [0u16; 0]);
    assert_eq!(of("", "partition a { preempt = requeue }\n partition b { priority = 1 }"), [8023]);
    for name in ["ALL", "default"] {
        assert_eq!(of(&format!(", node_names = [\"{name}\"]"), ""), [8020], "{name}");
    }
}
