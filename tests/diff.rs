//! `aipc diff`: what two platforms differ in, why, and how much it hurts.
//!
//! The difference of an example's environments is kept in `tests/diff/`; with `BLESS=1` it is written anew: read every
//! line of it as a reviewer would.

#[allow(dead_code, reason = "the transcripts of other tests need more of it")]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use aipc::catalog::Catalogue;
use aipc::compile::{self, Options, Package};
use aipc::diff::{self, Class, Diff, Side, What};

use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::{prop_assert, prop_assert_eq};

use support::{Test, program};

/// A package with the environment that is meant.
#[derive(Clone)]
struct Given {
    texts: Vec<(String, String)>,
    environment: Option<String>,
    set: Vec<String>,
}

impl Given {
    fn text(text: &str) -> Given {
        Given { texts: vec![(String::from("main.aip"), text.to_string())], environment: None, set: Vec::new() }
    }

    fn example(name: &str) -> Given {
        Given::text(&fs::read_to_string(format!("examples/{name}/main.aip")).expect("an example"))
    }

    fn env(mut self, name: &str) -> Given {
        self.environment = Some(name.to_string());
        self
    }

    fn set(mut self, setting: &str) -> Given {
        self.set.push(setting.to_string());
        self
    }

    fn package(&self) -> Package {
        compile::parse(self.texts.clone(), &self.set)
    }
}

fn diff(old: &Given, new: &Given) -> Diff {
    let catalogue = Catalogue::new();
    let (before, after) = (old.package(), new.package());
    let options = |given: &Given| Options { environment: given.environment.clone(), ..Options::default() };
    let (old_options, new_options) = (options(old), options(new));
    let one = compile::check(&before, &old_options, &catalogue);
    let other = compile::check(&after, &new_options, &catalogue);
    let found = |compiled: &compile::Compiled<'_>| {
        compiled.problems.iter().map(|one| format!("{}: {}", one.code, one.message)).collect::<Vec<_>>()
    };
    let (Some(before), Some(after)) = (&one.plan, &other.plan) else {
        panic!("{:#?} {:#?}", found(&one), found(&other))
    };
    diff::diff(before, after)
}

/// What changed, each as `class address: old → new`.
fn changes(diff: &Diff) -> Vec<String> {
    let side = |side: &Option<String>| side.clone().unwrap_or_else(|| String::from("none"));
    diff.changes
        .iter()
        .map(|one| match one.what {
            What::Added | What::Removed => format!("{}: {} {}", one.class.words(), one.address, one.what.word()),
            What::Renamed | What::Changed | What::Follows => {
                format!("{}: {} {} → {}", one.class.words(), one.address, side(&one.old), side(&one.new))
            }
        })
        .collect()
}

const FRAME: &str = "
platform p { stage = poc, currency = EUR }
site dc { provider = on-prem, country = DE }
";

/// A platform with storage that something is kept on.
const KEEPS: &str = "
key one { from = vault(\"a/one\") }
key two { from = vault(\"a/two\") }
storage lake { tier = cold, site = site.dc, kind = s3, capacity = 100 TB, versioning = true, immutable = 1 year, key = key.one }
storage copy { tier = cold, site = site.dc, kind = s3, capacity = 900 TB }
dataset files { size = 40 TB, lives_on = storage.lake, retention = 3 years }
backup nightly { of = [storage.lake], to = storage.copy, every = 1 day, keep = 14 days }
monitoring all { metrics = prometheus, retention = 30 days }
";

fn with(text: &str) -> Given {
    Given::text(&format!("{FRAME}{text}"))
}

#[test]
fn the_example_reads_well() {
    for (format, file) in [("human", "aurora_pilot_base.txt"), ("markdown", "aurora_pilot_base.md")] {
        let arguments = ["diff", "examples/aurora@pilot", "examples/aurora@base", "--format", format];
        let ran = program(&arguments, Path::new(".")).output().expect("the program ends");
        let said = String::from_utf8(ran.stdout).expect("UTF-8");
        assert_eq!((ran.status.code(), String::from_utf8_lossy(&ran.stderr).as_ref()), (Some(0), ""));
        let path = Path::new("tests/diff").join(file);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &said).expect("the folder can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(said == expected, "{} is not what is said now:\n{said}", path.display());
    }
}

/// The text of a package before its first block, and each block with what stands above it.
fn pieces(given: &Given) -> (String, Vec<String>) {
    let package = given.package();
    let text = &given.texts[0].1;
    let blocks = &package.files[0].blocks;
    let mut from = blocks[0].doc.first().copied().unwrap_or(blocks[0].span).start();
    let head = text[..from].to_string();
    let mut pieces = Vec::new();
    for block in blocks {
        pieces.push(text[from..block.span.end()].to_string());
        from = block.span.end();
    }
    (head, pieces)
}

#[test]
fn a_package_does_not_differ_from_itself_however_it_is_cut() {
    for name in ["aurora", "clinic-chat", "superpod"] {
        let whole = Given::example(name);
        let (head, mut blocks) = pieces(&whole);
        assert!(diff(&whole, &whole).is_empty(), "{name}");
        blocks.reverse();
        let half = blocks.len() / 2;
        let (first, second) = (blocks[..half].join("\n"), blocks[half..].join("\n"));
        let texts =
            vec![(String::from("a.aip"), format!("{head}\n{first}\n")), (String::from("z.aip"), format!("{second}\n"))];
        let cut = Given { texts, ..whole.clone() };
        let differs = diff(&whole, &cut);
        assert!(differs.is_empty(), "{name}: {differs:#?}");
    }
}

/// The other way round: the same places, deltas with the other sign.
fn mirrored(there: &Diff, back: &Diff) -> Result<(), proptest::test_runner::TestCaseError> {
    let near = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) => (one + other).abs() <= 1e-6 * one.abs().max(1e-9),
        (one, other) => one.is_none() && other.is_none(),
    };
    let address = |one: &diff::Change| (one.address.clone(), one.what == What::Follows);
    let changes =
        |diff: &Diff| -> BTreeMap<_, _> { diff.changes.iter().map(|one| (address(one), one.clone())).collect() };
    let (ones, others) = (changes(there), changes(back));
    prop_assert_eq!(ones.keys().collect::<Vec<_>>(), others.keys().collect::<Vec<_>>());
    for (address, one) in &ones {
        let other = &others[address];
        prop_assert!(near(one.delta, other.delta), "{:?} {:?}", one, other);
        prop_assert!(one.old == other.new && one.new == other.old, "{:?} {:?}", one, other);
    }
    let figures =
        |diff: &Diff| -> BTreeMap<_, _> { diff.figures.iter().map(|one| (one.address.clone(), one.clone())).collect() };
    let (ones, others) = (figures(there), figures(back));
    prop_assert_eq!(ones.keys().collect::<Vec<_>>(), others.keys().collect::<Vec<_>>());
    for (address, one) in &ones {
        let other = &others[address];
        prop_assert!(near(one.delta, other.delta), "{:?} {:?}", one, other);
        prop_assert!(one.old == other.new && one.new == other.old && one.group == other.group, "{:?} {:?}", one, other);
        let names =
            |one: &diff::FigureChange| one.because.iter().map(|cause| cause.address.clone()).collect::<BTreeSet<_>>();
        prop_assert_eq!(names(one), names(other));
    }
    prop_assert_eq!(there.lines.len(), back.lines.len());
    for (one, other) in there.lines.iter().zip(&back.lines) {
        prop_assert_eq!((&one.of, one.category), (&other.of, other.category));
        let swapped = |one: &(Side, Side), other: &(Side, Side)| one.0 == other.1 && one.1 == other.0;
        prop_assert!(swapped(&one.extended, &other.extended) && swapped(&one.quantity, &other.quantity));
        let delta = |line: &diff::LineChange| diff::delta_of(&line.extended.0, &line.extended.1);
        prop_assert!(near(delta(one), delta(other)));
    }
    Ok(())
}

/// Settings that a reviewer may see in a change.
const SETTINGS: &[&str] = &[
    "param.train-nodes = 24",
    "training.pretrain.gpus = 32",
    "training.pretrain.tokens = 90 billion tok",
    "pool.serve.nodes = 2",
    "inference.assistant.replicas = 2",
    "inference.assistant.demand.requests = 3 req/s",
    "storage.lake.capacity = 2 PB",
    "dataset.corpus.size = 700 TB",
    "site.dc1.pue = 1.4",
    "site.dc1.power_price = tbd(\"not signed\")",
    "pool.train.server = catalog.server.dgx-h100",
    "quote.vendor-a.price(catalog.switch.qm9700).each = tbd(\"asked again\")",
    "fabric.data.oversubscription = 1:1",
    "training.pretrain.checkpoint.keep = 3",
    "platform.aurora.lifetime = 4 years",
    "backup.checkpoints.keep = 7 days",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn the_way_back_has_the_opposite_deltas(one in any::<u16>(), other in any::<u16>()) {
        let given = |bits: u16| {
            let chosen = SETTINGS.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
            chosen.fold(Given::example("aurora"), |given, (_, setting)| given.set(setting))
        };
        let (old, new) = (given(one), given(other));
        mirrored(&diff(&old, &new), &diff(&new, &old))?;
    }
}

#[test]
fn platforms_with_nothing_in_common_have_a_way_back_too() {
    let (old, new) = (Given::example("clinic-chat"), Given::example("superpod"));
    let (there, back) = (diff(&old, &new), diff(&new, &old));
    let renamed = |diff: &Diff| diff.changes.iter().filter(|one| one.what == What::Renamed).count();
    assert_eq!((renamed(&there), renamed(&back)), (1, 1), "the platform is the same one");
    assert_eq!(there.figures.len(), back.figures.len());
    let unknown = |one: &&diff::FigureChange| [&one.old, &one.new].iter().any(|side| !matches!(side, Side::Known(_)));
    for figure in there.figures.iter().filter(unknown) {
        assert_eq!(figure.delta, None, "{figure:?}");
    }
}

/// Every named cause is one: without it alone, or with it alone, the figure is another.
#[test]
fn a_named_reason_has_something_to_do_with_the_figure() {
    let text = fs::read_to_string("examples/aurora/main.aip").expect("an example");
    let (before, environment) = text.split_once("environment pilot {").expect("the environment");
    let lines: Vec<&str> = environment.lines().filter(|line| line.trim().starts_with("set ")).collect();
    let pilot =
        |kept: &[&str]| Given::text(&format!("{before}environment pilot {{\n{}\n}}\n", kept.join("\n"))).env("pilot");
    let (old, new) = (pilot(&lines), pilot(&[]));
    let differs = diff(&old, &new);
    let place =
        |line: &str| line.trim().trim_start_matches("set ").split('=').next().unwrap_or_default().trim().to_string();
    let moves = |one: &Given, other: &Given| -> BTreeSet<String> {
        let differs = diff(one, other);
        let follows = differs.changes.iter().map(|one| one.address.clone());
        differs.figures.iter().map(|one| one.address.clone()).chain(follows).collect()
    };
    let (mut checked, mut unmoved) = (0, Vec::new());
    for line in &lines {
        let without: Vec<&str> = lines.iter().copied().filter(|other| other != line).collect();
        let moved: BTreeSet<String> = &moves(&old, &pilot(&without)) | &moves(&pilot(&[line]), &new);
        let attribute = match place(line).as_str() {
            "param.train-nodes" => String::from("pool.train.nodes"),
            other => other.to_string(),
        };
        let figures = differs.figures.iter().map(|one| (&one.address, &one.because));
        let follows = differs.changes.iter().map(|one| (&one.address, &one.because));
        for (address, _) in
            figures.chain(follows).filter(|(_, because)| because.iter().any(|one| one.address == attribute))
        {
            if !moved.contains(address) {
                unmoved.push(format!("{attribute} {address}"));
            }
            checked += 1;
        }
    }
    // The formula is a share of the cost of all nodes: their number is a factor of both and cancels out.
    let cancels = ["cost_per_million_tokens", "cost_per_request"];
    let mut expected = cancels.map(|name| format!("pool.serve.nodes inference.assistant.{name}")).to_vec();
    // A part of an energy is said by its lower end, which this does not move.
    expected.insert(0, String::from("training.pretrain.gpus site.dc1.energy"));
    assert_eq!(unmoved, expected);
    assert!(checked > 60, "{checked} reasons");
    let shown = |one: &&diff::FigureChange| one.group != diff::Group::Further;
    for figure in differs.figures.iter().filter(shown) {
        assert!(!figure.because.is_empty(), "`{}` changed for no reason", figure.address);
    }
}

#[test]
fn blocks_that_come_and_go_are_said_once() {
    let rack = "rack r { site = site.dc, height = 42 U }\n";
    let cluster = "pool a { site = site.dc, server = catalog.server.dgx-h100, nodes = 2 }
cluster c { scheduler = slurm, version = \"25.11\", pools = [pool.a], partition all { pools = [pool.a] } }\n";
    let said = changes(&diff(&with(rack), &with(cluster)));
    assert_eq!(said, ["needs drain: pool.a added", "needs drain: rack.r removed", "safe: cluster.c added"]);
    let without = cluster.replace(", partition all { pools = [pool.a] }", "");
    let said = changes(&diff(&with(cluster), &with(&without)));
    assert_eq!(said, ["needs drain: cluster.c.partition.all removed"]);
}

#[test]
fn a_block_with_its_old_name_is_the_same_block() {
    let old = with(
        "server box { gpus = 8 * catalog.gpu.h100-sxm, max_power = 9 kW, height = 8 U }
pool train { site = site.dc, server = server.box, nodes = 2 }
quote q { vendor = \"V\", price server.box { each = 10 EUR } }
cluster c { scheduler = slurm, version = \"25.11\", pools = [pool.train], partition all { pools = [pool.train] } }\n",
    );
    let new = with(
        "@was(\"box\")
server big { gpus = 8 * catalog.gpu.h100-sxm, max_power = 9 kW, height = 8 U }
@was(\"train\")
pool gpu { site = site.dc, server = server.big, nodes = 2 }
quote q { vendor = \"V\", price server.big { each = 10 EUR } }
cluster c { scheduler = slurm, version = \"25.11\", pools = [pool.gpu], partition all { pools = [pool.gpu] } }\n",
    );
    let differs = diff(&old, &new);
    let said = changes(&differs);
    assert_eq!(said, ["replace: pool.gpu pool.train → pool.gpu", "replace: server.big server.box → server.big"]);
    assert!(differs.figures.is_empty(), "{:#?}", differs.figures);
    let back = changes(&diff(&new, &old));
    assert_eq!(back, ["replace: pool.train pool.gpu → pool.train", "replace: server.box server.big → server.box"]);
    let without = Given::text(&new.texts[0].1.replace("@was(\"train\")\n", ""));
    let said = changes(&diff(&old, &without));
    assert!(said.contains(&String::from("replace: pool.train removed")), "{said:#?}");
}

#[test]
fn a_loop_with_an_old_name_renames_what_it_makes() {
    let pools = |name: &str| {
        with(&format!(
            "{name} for r in [\"a\", \"b\"] {{ site = site.dc, server = catalog.server.dgx-h100, nodes = 1 }}\n"
        ))
    };
    let said = changes(&diff(&pools("pool old"), &pools("@was(\"old\")\npool new")));
    assert_eq!(said, ["replace: pool.new-a pool.old-a → pool.new-a", "replace: pool.new-b pool.old-b → pool.new-b"]);
}

#[test]
fn what_is_kept_less_loses_data() {
    let old = with(KEEPS);
    let new = |from: &str, to: &str| {
        assert!(KEEPS.contains(from), "{from}");
        changes(&diff(&old, &with(&KEEPS.replace(from, to))))
    };
    let lost = [
        ("retention = 3 years", "retention = 2 years", "loses data: dataset.files.retention 3 years → 2 years"),
        ("keep = 14 days", "keep = 7 days", "loses data: backup.nightly.keep 14 days → 7 days"),
        (", retention = 30 days", ", retention = 7 days", "loses data: monitoring.all.retention 30 days → 7 days"),
        ("versioning = true", "versioning = false", "loses data: storage.lake.versioning true → false"),
        (", immutable = 1 year", "", "loses data: storage.lake.immutable 1 year → none"),
        ("key = key.one", "key = key.two", "loses data: storage.lake.key key.one → key.two"),
        ("kind = s3, capacity = 100", "kind = nfs, capacity = 100", "loses data: storage.lake.kind s3 → nfs"),
        ("capacity = 100 TB", "capacity = 30 TB", "loses data: storage.lake.capacity 100 TB → 30 TB"),
    ];
    for (from, to, said) in lost {
        assert_eq!(new(from, to), [said]);
    }
    assert_eq!(new("capacity = 100 TB", "capacity = 90 TB"), ["needs drain: storage.lake.capacity 100 TB → 90 TB"]);
    assert_eq!(new("capacity = 100 TB", "capacity = 120 TB"), ["safe: storage.lake.capacity 100 TB → 120 TB"]);
    assert_eq!(new("keep = 14 days", "keep = 2 weeks"), [""; 0], "the same time in another unit");
    let gone = diff(&old, &with(KEEPS.split_once("backup").map_or("", |(before, _)| before)));
    assert_eq!(gone.count(Class::LosesData), 2, "backup and monitoring: {:#?}", changes(&gone));
}

#[test]
fn what_is_unknown_is_never_nothing() {
    let quote = |each: &str| {
        with(&format!(
            "pool a {{ site = site.dc, server = catalog.server.dgx-h100, nodes = 2 }}
quote q {{ vendor = \"V\", price catalog.server.dgx-h100 {{ each = {each} }} }}\n"
        ))
    };
    let differs = diff(&quote("tbd(\"asked\")"), &quote("300_000 EUR"));
    let line = differs.lines.iter().find(|line| line.category == "server").expect("the servers");
    assert!(matches!(line.extended.0, Side::Unknown(_)), "{line:?}");
    assert_eq!(line.extended.1.show(), "600_000 EUR");
    assert_eq!(diff::delta_text(&line.extended.0, &line.extended.1), "unknown");
    assert_eq!(
        line.because.first().map(|one| one.text()).as_deref(),
        Some("`quote.q.price(catalog.server.dgx-h100).each` tbd(\"asked\") → 300_000 EUR")
    );
    let capex = differs.figures.iter().find(|one| one.address == "platform.p.capex").expect("the sum");
    assert!(matches!(capex.old, Side::Unknown(_)) && capex.delta.is_none(), "{capex:?}");
    assert_eq!(differs.unpriced.0, differs.unpriced.1 + 1);
}

#[test]
fn another_machine_is_the_reason_of_what_its_facts_change() {
    let pool =
        |server: &str| with(&format!("pool a {{ site = site.dc, server = catalog.server.{server}, nodes = 2 }}\n"));
    let differs = diff(&pool("dgx-h100"), &pool("dgx-b200"));
    let power = differs.figures.iter().find(|one| one.address == "platform.p.power").expect("the power");
    let said: Vec<String> = power.because.iter().map(diff::Cause::text).collect();
    assert_eq!(said, ["`pool.a.server` catalog.server.dgx-h100 → catalog.server.dgx-b200"]);
    let lines: Vec<_> = differs.lines.iter().filter(|line| line.category == "server").collect();
    assert_eq!(lines.len(), 2, "one goes, one comes");
    assert!(lines.iter().all(|line| line.because.len() == 1), "{lines:#?}");
}

#[test]
fn a_longer_number_renames_every_node() {
    let pool =
        |nodes: u64| with(&format!("pool a {{ site = site.dc, server = catalog.server.dgx-h100, nodes = {nodes} }}\n"));
    let said = changes(&diff(&pool(999), &pool(1000)));
    assert!(said.contains(&String::from("replace: pool.a node names a-001 → a-0001")), "{said:#?}");
}

#[test]
fn documents_and_waivers_are_said() {
    let old = with("## What the room is for.\nrack r { site = site.dc }\n");
    let new = with("## What the hall is for.\n@allow(AIP7001, reason = \"soon\")\nrack r { site = site.dc }\n");
    let said = changes(&diff(&old, &new));
    assert_eq!(
        said,
        ["safe: rack.r ## What the room is for. → What the hall is for.", "safe: rack.r @allow(AIP7001) none → soon",]
    );
}

#[test]
fn the_exit_code_says_so_when_asked() {
    let test = Test::new().file("a/main.aip", FRAME).file("b/main.aip", FRAME.replace("poc", "pilot"));
    test.run(&["diff", "a", "b"]).status(0);
    test.run(&["diff", "a", "b", "--exit-code"]).status(1);
    let same = test.run(&["diff", "a", "a", "--exit-code"]).status(0);
    assert_eq!(same.stdout, "p: a → a\nnothing differs\n");
    let document = test.run(&["diff", "a", "b", "--format", "json"]).status(0).json();
    assert_eq!(document["differs"], true);
    assert_eq!(document["changes"][0]["address"], "platform.p.stage");
    assert_eq!(document["classes"]["safe"], 1);
    assert_eq!(document["changes"][0]["new_at"], "b/main.aip:2");
}

#[test]
fn a_side_without_a_plan_is_refused_with_its_errors() {
    let test = Test::new().file("a/main.aip", FRAME).file("b/main.aip", FRAME.replace("poc", "pocc"));
    let ran = test.run(&["diff", "a", "b"]).status(1);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("`b` cannot be sized") && ran.stderr.contains("AIP1010"),
        "{ran:?}"
    );
    assert!(test.run(&["diff", "a", "c"]).status(2).stderr.contains("cannot read `c`"));
    assert!(test.run(&["diff", "a@nowhere", "a"]).status(1).stderr.contains("nowhere"));
}

/// Git without the settings of whoever runs the tests.
fn git(test: &Test, arguments: &[&str]) {
    let ran = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(test.path("."))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn revisions_are_read_from_the_repository() {
    let pilot = "environment pilot { set platform.p.stage = pilot }\n";
    let test = Test::new().file("p/main.aip", FRAME).file("p/env.aip", pilot).file("p/note.txt", "no package");
    git(&test, &["init", "--quiet"]);
    git(&test, &["add", "."]);
    git(&test, &["commit", "--quiet", "-m", "first"]);
    test.write("p/main.aip", FRAME.replace("poc", "production").replace("EUR", "USD"));
    let ran = test.run(&["diff", "git:HEAD:p", "p", "--format", "json"]).status(0).json();
    let addresses: Vec<&str> =
        ran["changes"].as_array().expect("a list").iter().filter_map(|one| one["address"].as_str()).collect();
    assert_eq!(addresses, ["platform.p.currency", "platform.p.stage"]);
    assert_eq!(ran["changes"][0]["old_at"], "p/main.aip:2");
    let ran = test.run(&["diff", "git:main:p@pilot", "git:HEAD:p/main.aip"]).status(0);
    assert!(ran.stdout.contains("platform.p.stage"), "{ran:?}");
    let same = test.run(&["diff", "git:HEAD:p", "git:main:./p/"]).status(0);
    assert!(same.stdout.ends_with("nothing differs\n"), "{same:?}");
    for (side, said) in [
        ("git:nowhere:p", "git knows no revision `nowhere`"),
        ("git:HEAD:q", "revision `HEAD` has no `q`"),
        ("git:HEAD", "has no `.aip` file"),
        ("git:--all", "a revision does not begin with `-`"),
    ] {
        let ran = test.run(&["diff", side, "p"]).status(2);
        assert!(ran.stderr.contains(said) && ran.stderr.contains("help: "), "{ran:?}");
    }
}

#[test]
fn without_a_repository_or_git_it_says_so() {
    let test = Test::new().file("p/main.aip", FRAME);
    let ran = test.run(&["diff", "git:HEAD:p", "p"]).status(2);
    assert!(ran.stderr.contains("the working folder is in none"), "{ran:?}");
    let arguments = ["diff", "git:HEAD:p", "p"];
    let ran = program(&arguments, &test.path(".")).env("PATH", "").output().expect("the program ends");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.code() == Some(2) && said.contains("there is no `git`") && said.contains("help: "), "{said}");
}
