//! Existing configurations of Slurm: each imports, what the draft builds is the same configuration, and importing that
//! once more changes nothing.
//!
//! `tests/cases/import/NAME/` has Slurm's files, the draft that comes of them (`draft.aip`) and what is said beside it
//! (`said.txt`). With `BLESS=1` both are written anew; read every change as prose.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use aipc::base::diagnostic::Diagnostics;
use aipc::base::hosts;
use aipc::base::judged::Judged;
use aipc::base::source::Sources;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::import::slurm::compare::{self, Names};
use aipc::import::slurm::conf::{self, Conf, File};
use aipc::import::slurm::{Import, import, import_beside};
use aipc::target::files::Files;
use aipc::target::template::Templates;

const CASES: &[&str] = &["bursting", "campus", "devices", "labs", "learning", "manual", "shared"];
const FILES: &[&str] = &["slurm.conf", "gres.conf", "cgroup.conf", "topology.conf", "slurmdbd.conf"];

/// The files of a case, by name.
fn files(case: &str) -> Vec<(String, String)> {
    let read = |name: &&str| {
        let text = fs::read_to_string(Path::new("tests/cases/import").join(case).join(name)).ok()?;
        Some(((*name).to_string(), text))
    };
    FILES.iter().filter_map(read).collect()
}

fn of_case(case: &str) -> Import {
    import(files(case), None, &mut |name| {
        let path = Path::new("tests/cases/import").join(case).join(name);
        fs::read_to_string(&path).map(|text| (name.to_string(), text)).map_err(|error| error.to_string())
    })
}

fn of_text(text: &str) -> Import {
    import(vec![(String::from("slurm.conf"), text.to_string())], None, &mut |name| Err(format!("no {name} here")))
}

fn formatted(text: &str) -> String {
    let mut sources = Sources::new();
    let id = sources.add("draft.aip", text);
    aipc::fmt::format(id, text).expect("a draft parses")
}

fn build(text: &str) -> Files {
    let package = compile::parse(vec![(String::from("draft.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    assert!(!compiled.problems.has_errors(), "{:#?}", compiled.problems);
    let plan = compiled.plan.expect("a draft without errors");
    let judged = Judged { problems: &compiled.problems, waived: &compiled.waived };
    let (files, problems) = compile::emit(&plan, judged, &[], &Templates::shipped());
    assert!(!problems.has_errors(), "{problems:#?}");
    files
}

fn written(files: &Files, cluster: &str) -> Vec<(String, String)> {
    let text = |name: &&str| {
        let file = files.get(&format!("slurm/{cluster}/{name}"))?;
        Some(((*name).to_string(), String::from_utf8(file.bytes.clone()).expect("UTF-8")))
    };
    FILES.iter().filter_map(text).collect()
}

fn read(files: Vec<(String, String)>, case: Option<&str>) -> Conf {
    let mut sources = Sources::new();
    let ids: Vec<_> = files.into_iter().map(|(path, text)| (File::of(&path), sources.add(path, text))).collect();
    let mut found = Diagnostics::new();
    let conf = conf::read(
        &mut sources,
        &ids,
        &mut |name| {
            let path = Path::new("tests/cases/import").join(case.unwrap_or_default()).join(name);
            fs::read_to_string(&path).map(|text| (name.to_string(), text)).map_err(|error| error.to_string())
        },
        &mut found,
    );
    assert!(found.is_empty(), "{found:#?}");
    conf
}

/// Keys of differences that were said; a secret is never taken over.
fn differing(old: &Conf, new: &Conf, names: &Names) -> Vec<String> {
    let found = compare::differences(old, new, names);
    found.into_iter().map(|one| one.key).filter(|key| !key.ends_with("pass")).collect()
}

#[test]
fn each_case_becomes_its_draft() {
    for case in CASES {
        let import = of_case(case);
        assert!(import.problems.is_empty(), "{case}: {:#?}", import.problems);
        let draft = formatted(import.text.as_deref().expect("a draft"));
        let folder = Path::new("tests/cases/import").join(case);
        for (name, text) in [("draft.aip", draft), ("said.txt", import.fates.words())] {
            let path = folder.join(name);
            if std::env::var_os("BLESS").is_some() {
                fs::write(&path, &text).expect("the case folder can be written");
            }
            assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "{case}/{name}");
        }
    }
}

#[test]
fn a_draft_builds_what_it_was_read_from() {
    for case in CASES {
        let import = of_case(case);
        assert!(import.build.is_none(), "{case}: {:#?}", import.build.map(|build| build.1));
        assert_eq!(import.unexplained, [], "{case}");
        let text = formatted(import.text.as_deref().expect("a draft"));
        let files = build(&text);
        let new = read(written(&files, &import.cluster), None);
        let old = read(self::files(case), Some(case));
        assert_eq!(differing(&old, &new, &import.names), [""; 0], "{case}");
        // The comparison would see a difference.
        let mut other = new.clone();
        other.nodes.pop();
        other.globals.retain(|pair| !pair.is("KillWait"));
        let differing = differing(&old, &other, &import.names);
        assert!(differing.contains(&String::from("killwait")) && differing.contains(&String::from("nodename")));
    }
}

#[test]
fn what_was_built_imports_and_builds_again() {
    for case in CASES {
        let first = of_case(case);
        let files = build(first.text.as_deref().expect("a draft"));
        let built = written(&files, &first.cluster);
        let second = import(built.clone(), None, &mut |name| Err(name.to_string()));
        assert!(second.problems.is_empty() && second.build.is_none(), "{case}: {:#?}", second.build.map(|b| b.1));
        assert_eq!(second.unexplained, [], "{case}");
        let again = build(second.text.as_deref().expect("a draft"));
        let (old, new) = (read(built, None), read(written(&again, &second.cluster), None));
        assert_eq!(differing(&old, &new, &second.names), [""; 0], "{case}");
    }
}

#[test]
fn no_secret_is_shown() {
    for case in CASES {
        let import = of_case(case);
        let shown = import.text.unwrap_or_default() + &import.fates.words();
        assert!(!shown.contains("not-a-real-one"), "{case}");
    }
}

#[test]
fn no_key_with_a_password_is_shown() {
    let head = "ClusterName=c\nSlurmctldHost=h\nNodeName=n[1-4] CPUs=4 RealMemory=8000\nPartitionName=p Nodes=ALL\n";
    for (name, line) in [
        ("slurmdbd.conf", "StoragePass=\"S3CRET#x\""),
        ("slurmdbd.conf", "StoragePass=x S3CRET"),
        ("slurmdbd.conf", "StoragePass:S3CRET"),
        ("slurmdbd.conf", "StoragePass=\"S3CRET"),
        ("slurmdbd.conf", "StoragePass=S3CRET\u{1}"),
        ("slurmdbd.conf", "Storage Pass=S3CRET"),
        ("slurmdbd.conf", "MysqlPass=S3CRET\nStorageParameters=pass=S3CRET\nPassword=S3CRET"),
        ("slurmdbd.conf", "StoragePass=S3CRET1\nSTORAGEPASS=S3CRET2"),
        ("gres.conf", "NodeName=n1 Name=gpu StoragePass=S3CRET"),
        ("topology.conf", "SwitchName=s Nodes=n[1-4] StoragePass=S3CRET"),
        ("topology.conf", "StoragePass=S3CRET"),
        ("slurm.conf", "DefaultStoragePass=S3CRET\nJobCompPass=S3CRET"),
        ("slurm.conf", "DownNodes=n1 StoragePass=S3CRET\nNodeName=m1 CPUs=1 StoragePass=S3CRET"),
    ] {
        let also = if name == "slurm.conf" { line } else { "" };
        let mut files = vec![(String::from("slurm.conf"), format!("{head}{also}\n"))];
        if name != "slurm.conf" {
            files.push((name.to_string(), format!("{line}\n")));
        }
        let import = import(files, None, &mut |name| Err(name.to_string()));
        let shown = format!("{:?}{:?}{}", import.text, import.problems, import.fates.words());
        assert!(!shown.contains("S3CRET"), "{line}: {shown}");
    }
}

#[test]
fn an_included_file_that_is_none_of_slurms_is_not_shown() {
    let text = "ClusterName=c\nInclude /etc/shadow\nNodeName=n1\n";
    let import = import(vec![(String::from("slurm.conf"), text.to_string())], None, &mut |name| {
        Ok((name.to_string(), String::from("A=1\nroot:$6$hash:1\nuser:$6$hash:2\n")))
    });
    let said: Vec<&str> = import.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(said, ["`/etc/shadow` cannot be included: its line 2 is no `Key=value`"]);
}

#[test]
fn small_files_that_say_a_lot_are_refused() {
    let head = "ClusterName=c\nSlurmctldHost=h\n";
    let keys: String = (0..2_000).map(|n| format!(" Key{n}=xxxxxxxxxxxxxxxxxxxxxxxx")).collect();
    let nodes = |count: u32, more: &str| -> String {
        (0..count).map(|n| format!("NodeName=n{n} CPUs=4 RealMemory={}{more}\n", 8_000 + n)).collect()
    };
    let partitions: String = (0..400).map(|n| format!("PartitionName=p{n} Nodes=ALL\n")).collect();
    let devices = "Name=gpu Type=h100 File=/dev/nvidia[0-199998]\n".repeat(190);
    for (name, slurm, gres) in [
        ("defaults", format!("{head}NodeName=DEFAULT{keys}\n{}", nodes(1_000, "")), String::new()),
        ("partitions", format!("{head}{}{partitions}", nodes(400, "")), String::new()),
        ("device files", format!("{head}{}", nodes(900, " Gres=gpu:h100:8")), devices),
    ] {
        let files = [("slurm.conf", slurm), ("gres.conf", gres)].map(|(name, text)| (name.to_string(), text));
        let import = import(files.to_vec(), None, &mut |name| Err(name.to_string()));
        assert!(import.problems.has_errors() && import.text.is_none(), "{name}");
        assert!(import.problems.iter().all(|problem| problem.code.to_string() == "AIP6072"), "{name}");
    }
}

#[test]
fn words_of_the_language_are_no_names() {
    let text = "ClusterName=null\nSlurmctldHost=h\nNodeName=tbd[1-4] CPUs=4 RealMemory=8000\n\
                PartitionName=true Nodes=ALL\n";
    let import = of_text(text);
    assert!(import.build.is_none(), "{:#?}", import.build.map(|build| build.1));
    assert!(import.fates.words().contains("renamed: partition true is partition-true"));
}

/// A small cluster that says no more than it must.
const SMALL: &str = "ClusterName=c\nSlurmctldHost=h\nGresTypes=gpu\nNodeName=cn[1-20] CPUs=64 RealMemory=250000\n\
                     NodeName=g[1-2] CPUs=64 RealMemory=250000 CoreSpecCount=2 Gres=gpu:a40:4\n\
                     PartitionName=cpu Nodes=cn[1-20]\nPartitionName=gpu Nodes=g[1-2]\n";

#[test]
fn what_a_build_adds_is_left_out_again() {
    let import = import_beside(
        vec![(String::from("slurm.conf"), SMALL.to_string())],
        &["health_check", "job_submit.lua", "prolog.sh"].map(String::from),
        None,
        &mut |name| Err(name.to_string()),
    );
    let draft = import.text.as_deref().unwrap_or_default();
    let files = build(draft);
    let conf = written(&files, "c").remove(0).1;
    let said: BTreeSet<&str> = conf
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split_whitespace().filter_map(|word| Some(word.split_once('=')?.0)))
        .collect();
    for key in [
        "CoreSpecPlugin",
        "DefMemPerCPU",
        "EnforcePartLimits",
        "HealthCheckProgram",
        "JobSubmitPlugins",
        "MemSpecLimit",
        "MpiDefault",
        "Prolog",
        "RebootProgram",
        "SelectType",
        "TRESBillingWeights",
    ] {
        assert!(!said.contains(key), "{key}");
    }
    assert_eq!(conf.matches(" CoreSpecCount=2").count(), 1, "{conf}");
    assert!(conf.contains("\nAccountingStorageType=accounting_storage/none\n"), "{conf}");
    for script in ["health.sh", "prolog.sh", "epilog.sh", "job_submit.lua"] {
        assert!(files.get(&format!("slurm/c/{script}")).is_none(), "{script}");
    }
    // What cannot be left out stands at the end.
    assert!(draft.contains("#   ThreadsPerCore=1 of the nodes cn[1-9],cn[10-20],g[1-2]\n"), "{draft}");
    assert!(!import.fates.words().contains("beside the files"), "{}", import.fates.words());
}

#[test]
fn a_script_that_a_build_writes_anew_is_spoken_of() {
    let text = format!("Prolog=/etc/slurm/prolog.sh\nJobSubmitPlugins=lua\n{SMALL}");
    let files = vec![(String::from("slurm.conf"), text)];
    let beside = ["job_submit.lua", "prolog.sh"].map(String::from);
    let import = import_beside(files, &beside, Some("22.05"), &mut |name| Err(name.to_string()));
    let said = import.fates.words();
    for note in
        ["the build writes a prolog.sh of its own", "prolog.sh beside the files", "job_submit.lua beside the files"]
    {
        assert!(said.contains(&format!("note: {note}")), "{note}: {said}");
    }
}

#[test]
fn a_topology_is_taken_over_or_left_out() {
    let import = of_case("campus");
    let files = build(import.text.as_deref().expect("a draft"));
    let topology = files.get("slurm/campus/topology.conf").expect("a topology");
    let topology = String::from_utf8_lossy(&topology.bytes).into_owned();
    for line in ["SwitchName=leaf-1 Nodes=cpu[01-04]\n", "SwitchName=core Switches=leaf-[1-2],leaf3\n"] {
        assert!(topology.contains(line), "{topology}");
    }
    let conf = written(&files, "campus").remove(0).1;
    assert!(
        conf.contains("\nTopologyPlugin=topology/tree\n") && conf.contains("TopologyParam=TopoOptional\n"),
        "{conf}"
    );
    // Without its file, or with one that is no tree, nothing asks for it.
    let two = "SwitchName=a Nodes=cn[1-20]\nSwitchName=b Nodes=g[1-2]\n";
    for topology in [None, Some(two)] {
        let text = format!("TopologyPlugin=topology/tree\nTopologyParam=TopoOptional\n{SMALL}");
        let mut files = vec![(String::from("slurm.conf"), text)];
        files.extend(topology.map(|text| (String::from("topology.conf"), text.to_string())));
        let import = self::import(files, None, &mut |name| Err(name.to_string()));
        assert!(import.build.is_none(), "{:#?}", import.build.map(|build| build.1));
        let files = build(import.text.as_deref().expect("a draft"));
        assert!(!written(&files, "c").remove(0).1.contains("Topology"));
        let said = import.fates.words();
        assert!(said.contains("note: topology.conf ") && said.contains("TopologyPlugin=topology/tree: "), "{said}");
    }
}

#[test]
fn everything_that_is_read_is_kept_or_said() {
    let text = "ClusterName=c\nSlurmctldHost=a(10.0.0.1)\nKillWait=31\nKillWait=32\nNoSuchKey=7\nMailProg=/bin/a\\#b\n\
                Licenses=x:1\nDownNodes=n1 State=DOWN\nNodeSet=fs Feature=f\nFrontendName=f1\n\
                NodeName=n[1-2] CPUs=4 Boards=2 RealMemory=9000 Gres=gpu:a40:1(S:0),tmp_disk:5,nvme:2 \
                Reason=x86\nPartitionName=p Nodes=ALL MaxTime=2-0\nPartitionName=empty\n";
    let gres = "AutoDetect=nvml\nName=gpu Type=a40 File=/dev/nvidia0 Cores=0-1 Links=-1\nName=nvme Count=2 File=/dev/n[0-1]\n\
                Name=fpga Count=1\nName=gpu Type=v100 File=/dev/nvidia9\n";
    let files = [("slurm.conf", text), ("gres.conf", gres)].map(|(name, text)| (name.to_string(), text.to_string()));
    let import = import(files.to_vec(), Some("24.05"), &mut |name| Err(name.to_string()));
    let said = import.text.clone().expect("a draft") + &import.fates.words();
    for word in [
        "10.0.0.1",
        "KillWait=31",
        "KillWait = \"32\"",
        "NoSuchKey=7",
        "MailProg=/bin/a#b",
        "x:1",
        "DownNodes=n1",
        "NodeSet",
        "FrontendName=f1",
        "Boards=2",
        "(S:0)",
        "tmp_disk:5",
        "nvme",
        "Reason = \"x86\"",
        "max_time = 2 days",
        "empty",
        "AutoDetect=nvml",
        "Cores=0-1",
        "Links=-1",
        "fpga",
        "v100",
        "/dev/n[0-1]",
    ] {
        assert!(said.contains(word) || said.contains(&word.replace(" = ", "  = ")), "{word} is lost:\n{said}");
    }
}

#[test]
fn hostile_files_get_diagnostics() {
    let long = "A=".to_string() + &"x".repeat(3 << 20);
    let many_keys: String = (0..20_000).map(|number| format!("K{number}=1\n")).collect();
    let many_lists: String = (0..30).map(|n| format!("PartitionName=p{n} Nodes=n[1-150000]\n")).collect::<String>();
    let kinds: String = (0..1_500).map(|n| format!("NodeName=n{n} CPUs={}\n", n + 1)).collect();
    let mut classes: String = (0..500).map(|n| format!("NodeName=n{n} CPUs={}\n", n + 1)).collect();
    classes.extend((0..200).map(|n| format!("PartitionName=p{n} Nodes=ALL\n")));
    let defaults: String = (0..300).map(|number| format!(" K{number}=1")).collect();
    for (name, text) in [
        ("nothing", String::new()),
        ("binary", String::from("\u{7f}ELF\u{1}\u{2}\0\0")),
        ("words", String::from("this is no configuration")),
        ("a long line", long),
        ("many keys", many_keys),
        ("a billion hosts", String::from("NodeName=n[1-1000000000] CPUs=1")),
        ("a product", String::from("NodeName=n[0-9999]x[0-9999] CPUs=1")),
        ("a range that goes backwards", String::from("NodeName=n[9-1]")),
        ("an open bracket", String::from("NodeName=n[1-3")),
        ("an open quotation mark", String::from("NodeName=n1 Reason=\"x")),
        ("lists over lists", format!("NodeName=n[1-150000] CPUs=1\n{many_lists}")),
        ("kinds over kinds", kinds),
        ("kinds in many partitions", classes),
        ("a line of defaults", format!("NodeName=DEFAULT {defaults}\nNodeName=n1")),
        ("a node twice", String::from("NodeName=n[1-3]\nNodeName=n2")),
        ("a node that nobody declared", String::from("NodeName=n1\nPartitionName=p Nodes=n2")),
        ("an include that is not there", String::from("Include gone.conf\nNodeName=n1")),
        ("an operator", String::from("NodeName=n1 CPUs+=2")),
    ] {
        let import = of_text(&text);
        assert!(import.problems.has_errors() && import.text.is_none(), "{name}: {:#?}", import.problems);
    }
    let circle = import(vec![(String::from("slurm.conf"), String::from("Include a.conf\n"))], None, &mut |name| {
        Ok((name.to_string(), String::from("Include a.conf\nNodeName=n1\n")))
    });
    assert!(circle.problems.has_errors());
    let mut number = 0;
    let deep = import(vec![(String::from("slurm.conf"), String::from("Include x\n"))], None, &mut |_| {
        number += 1;
        Ok((format!("{number}.conf"), String::from("Include x\nInclude x\n")))
    });
    assert!(deep.problems.has_errors());
}

#[test]
fn many_lines_and_lists_without_order_are_read() {
    let head = "ClusterName=c\nSlurmctldHost=h\nPartitionName=p Nodes=ALL\n";
    let lines: String = (0..4_000).map(|n| format!("NodeName=n{n} CPUs=2 RealMemory=9000 Foo=2\n")).collect();
    let scattered: String = (0..300)
        .map(|n| format!("NodeName=n{} NodeAddr=10.{}.{}.9 CPUs=2 RealMemory=9000\n", n * 7, n % 13, n % 251))
        .collect();
    for text in [lines, scattered] {
        let import = of_text(&format!("{head}{text}"));
        assert!(import.build.is_none(), "{:#?}", import.build.map(|build| build.1));
        assert_eq!(import.unexplained, []);
    }
}

#[test]
fn hostile_names_and_values_stay_text() {
    let text = "ClusterName=${x}\nSlurmctldHost=a\"b\nMailProg=\"${y} z\"\nEpilog=/bin/\u{e9}\n\
                NodeName=N_1.x CPUs=2 RealMemory=5000 Features=\"a,${b}\" Reason=\"}\"\n\
                PartitionName=Größe Nodes=N_1.x AllowGroups=\u{202e}x\n";
    let import = of_text(text);
    let draft = import.text.expect("a draft");
    let again = formatted(&draft);
    let package = compile::parse(vec![(String::from("draft.aip"), again)], &[]);
    assert!(!package.problems.has_errors(), "{draft}\n{:#?}", package.problems);
    assert!(import.build.is_none(), "{draft}\n{:#?}", import.build.map(|build| build.1));
}

#[test]
fn gpus_of_an_unknown_maker_are_a_placeholder() {
    let text = "ClusterName=c\nSlurmctldHost=a\nGresTypes=gpu\nNodeName=n1 CPUs=4 RealMemory=9000 Gres=gpu:orin:2\n\
                NodeName=n2 CPUs=4 RealMemory=9000 Gres=gpu:rtx2080:1\nPartitionName=p Nodes=ALL\n";
    let import = of_text(text);
    assert!(import.build.is_none(), "{:#?}", import.build.map(|build| build.1));
    let said = import.fates.words();
    assert!(said.contains("param.vendor-of-orin") && !said.contains("vendor-of-rtx2080"), "{said}");
    assert!(said.contains("no device files: device files follow from the GPUs"), "{said}");
}

#[test]
fn a_draft_that_cannot_be_built_keeps_every_key() {
    let text = "ClusterName=c\nSlurmctldHost=a\nKillWait=31\n\
                NodeName=n1 CPUs=4 RealMemory=9000 Weight=7 Gres=gpu:a40:1,gpu:l40s:1\nPartitionName=p Nodes=n1 GraceTime=9\n";
    let import = of_text(text);
    let (draft, build) = (import.text.expect("a draft"), import.build.expect("two kinds of GPUs in a node"));
    assert!(build.1.has_errors());
    // What its blocks say is not lost because nothing is built of them.
    assert!(!import.fates.words().contains("not taken over"), "{}", import.fates.words());
    for word in
        ["KillWait = \"31\"", "Weight = \"7\"", "GraceTime = \"9\"", "[1 * catalog.gpu.a40, 1 * catalog.gpu.l40s]"]
    {
        assert!(draft.contains(word), "{word}:\n{draft}");
    }
}

/// The lines of a cluster with a partition of all nodes.
fn of_nodes(lines: &str) -> Import {
    of_text(&format!("ClusterName=c\nSlurmctldHost=a\nGresTypes=gpu\n{lines}\nPartitionName=p Nodes=ALL\n"))
}

#[test]
fn a_draft_that_cannot_be_built_keeps_the_lists_of_its_nodes() {
    // GPUs with a type beside others without one are no server of the language.
    let both = "CPUs=4 RealMemory=1000 Gres=gpu:2,gpu:v100:2";
    for (line, wanted) in [
        ("NodeName=x[1-3] NodeHostname=y[1-3] NodeAddr=10.0.0.[1-3]", ["\"y[1-3]\"", "\"10.0.0.[1-3]\""]),
        ("NodeName=x[1-3] NodeAddr=10.0.0.[1-3] Port=[7001-7003]", ["\"10.0.0.[1-3]\"", "\"[7001-7003]\""]),
        ("NodeName=x[1-3] NodeAddr=10.0.0.[1-3] Port=7000", ["\"10.0.0.[1-3]\"", "\"7000\""]),
        ("NodeName=X_[1-3] NodeAddr=10.0.0.[1-3]", ["\"X_[1-3]\"", "\"10.0.0.[1-3]\""]),
    ] {
        let import = of_nodes(&format!("{line} {both}"));
        assert!(import.build.is_some(), "{line}");
        let draft = import.text.expect("a draft");
        assert!(wanted.iter().all(|word| draft.contains(word)), "{line}:\n{draft}");
        assert!(!import.fates.words().contains("not taken over"), "{}", import.fates.words());
    }
}

#[test]
fn ports_of_a_line_that_becomes_two_pools_are_parted() {
    let import = of_text(
        "ClusterName=c\nSlurmctldHost=a\nNodeName=x[1-4] CPUs=4 RealMemory=9000 Port=[7001-7004]\n\
         PartitionName=p Nodes=x[1-2]\nPartitionName=q Nodes=x[3-4]\n",
    );
    assert!(import.build.is_none(), "{:#?}", import.build.map(|build| build.1));
    assert_eq!(import.unexplained, []);
    let draft = import.text.expect("a draft");
    assert!(draft.contains("Port = \"[7001-7002]\"") && draft.contains("Port = \"[7003-7004]\""), "{draft}");
}

#[test]
fn a_comment_that_ends_in_a_backslash_has_the_next_line() {
    let import = of_nodes(
        "NodeName=n1 CPUs=2 RealMemory=9000 # the old ones \\\nNodeName=n2 CPUs=2 RealMemory=9000\n# words \\\nand words",
    );
    let said = import.fates.words();
    let why = "slurm.conf:5 NodeName=n2: the line is part of the comment before it, which ends in a backslash";
    assert!(said.contains(why) && !said.contains("words"), "{said}");
    assert!(!import.text.expect("a draft").contains("n[1-2]"));
    let import = of_text("# old \\\nNodeName=n2\nNodeName=n1\nPartitionName=p Nodes=n[1-2]\n");
    let problem = import.problems.get(0).expect("a node that nobody declares");
    assert_eq!(problem.message, "no line declares the node `n2`");
    assert_eq!(problem.labels.len(), 2);
}

#[test]
fn twin_keys_of_a_line_are_those_that_slurm_keeps() {
    for (keys, kept, said) in [
        ("Feature=a Features=b", "Feature = \"a\"", "Features=b: Feature on the same line counts"),
        ("Features=b Feature=a", "Feature = \"a\"", "Features=b: Feature on the same line counts"),
        (
            "Weight=3 Weight=4",
            "Weight = \"4\"",
            "Weight=3: the key stands again on this line, and the last one counts: 4",
        ),
        ("Procs=8", "sockets = 4", "Procs=8: CPUs on the same line, or of the defaults before it, counts"),
    ] {
        let import = of_nodes(&format!("NodeName=DEFAULT Feature=z\nNodeName=n1 CPUs=4 RealMemory=9000 {keys}"));
        let draft = import.text.expect("a draft");
        assert!(draft.contains(kept), "{keys}:\n{draft}");
        let words = import.fates.words();
        assert!(words.contains(said) && words.matches("not taken over").count() == 2, "{keys}: {words}");
    }
    let import = of_nodes("NodeName=n1 CPUs=4 RealMemory=9000\nPartitionName=q Shared=FORCE OverSubscribe=NO Nodes=n1");
    let words = import.fates.words();
    assert!(
        words.contains("Shared=FORCE: OverSubscribe on the same line, or of the defaults before it, counts"),
        "{words}"
    );
    assert_eq!(import.unexplained, []);
}

#[test]
fn sockets_and_cores_are_those_that_slurmctld_counts() {
    for (line, sockets, cores, said) in [
        ("CPUs=8", 8, 1, "does not say its sockets: slurmctld counts 8 of one core"),
        ("CPUs=16 ThreadsPerCore=2", 8, 1, "does not say its sockets: slurmctld counts 8 of one core"),
        ("CPUs=16 CoresPerSocket=8", 2, 8, ""),
        ("CPUs=16 Sockets=2", 2, 8, "slurmctld resets it to 2, and the draft has 16"),
        ("CPUs=20 Sockets=2 CoresPerSocket=8", 2, 8, "slurmctld resets it to 16, and the draft counts as it does"),
        ("CPUs=2 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2", 2, 8, ""),
        ("CPUs=20 CoresPerSocket=8", 1, 8, "slurmctld resets it to 8, and the draft counts as it does"),
        ("Sockets=2", 2, 1, ""),
        ("Boards=2 CoresPerSocket=4", 2, 4, ""),
    ] {
        let import = of_nodes(&format!("NodeName=Z1 RealMemory=9000 {line}"));
        let draft = import.text.expect("a draft");
        let wanted = format!("  sockets = {sockets}\n  cores_per_socket = {cores}\n");
        assert!(draft.contains(&wanted), "{line}:\n{draft}");
        let words = import.fates.words();
        assert!(words.contains(said), "{line}: {words}");
        assert_eq!(words.contains("slurmctld"), !said.is_empty(), "{line}: {words}");
    }
}

#[test]
fn what_is_declared_twice_is_shown_with_its_first_line() {
    for (text, message, labels) in [
        ("NodeName=n[1-3]\nNodeName=n2\n", "the node `n2` is declared twice", 2),
        ("NodeName=n1,n1\n", "the node `n1` is declared twice", 1),
        ("NodeName=n1\nPartitionName=Q Nodes=n1\nPartitionName=Q Nodes=n1\n", "the partition `Q` is declared twice", 2),
    ] {
        let import = of_text(text);
        let problem = import.problems.get(0).expect("a problem");
        assert_eq!((problem.message.as_str(), problem.labels.len()), (message, labels));
        let help = format!("{:?}", problem.help);
        assert_eq!(help.contains("it stands at slurm.conf:"), labels == 2, "{help}");
        assert_eq!(import.problems.len(), 1, "{:#?}", import.problems);
    }
}

#[test]
fn a_hash_between_quotation_marks_is_the_only_problem() {
    let import = of_text("NodeName=n1 RealMemory=9 Reason=\"a # b\"\nPartitionName=p Nodes=n1\n");
    assert_eq!(import.problems.len(), 1, "{:#?}", import.problems);
    let problem = import.problems.get(0).expect("a problem");
    assert_eq!(problem.message, "`#` begins a comment between quotation marks as well");
}

#[test]
fn of_several_defaults_the_last_one_is() {
    let import = of_text(
        "ClusterName=c\nSlurmctldHost=a\nNodeName=n[1-2] CPUs=2 RealMemory=9000\nPartitionName=DEFAULT Default=YES\n\
         PartitionName=p Nodes=n1\nPartitionName=q Nodes=n2\nPartitionName=r Nodes=n2 Default=NO\n",
    );
    assert!(import.build.is_none(), "{:#?}", import.build.map(|build| build.1));
    assert_eq!(import.unexplained, []);
    let (draft, words) = (import.text.expect("a draft"), import.fates.words());
    let chosen = draft.split("\npartition ").find(|block| block.contains("default = true"));
    assert!(chosen.is_some_and(|block| block.starts_with("q ")), "{draft}");
    assert_eq!(draft.matches("default = true").count(), 1, "{draft}");
    assert!(words.contains("slurm.conf:4 Default=YES: the partition p is not the default: q says it last"), "{words}");
}

#[test]
fn lists_of_hosts_are_those_of_the_reader() {
    assert_eq!(hosts::unfold("n[08-11],m").map(|hosts| hosts.join(" ")), Ok(String::from("n08 n09 n10 n11 m")));
}

#[test]
fn a_copy_of_a_folder_has_its_included_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("copied");
    fs::create_dir_all(folder.join("site")).expect("the folder can be made");
    let main = "ClusterName=one\nSlurmctldHost=a\nInclude /no/such/etc/slurm/site/%c_nodes.conf\n\
                PartitionName=p Nodes=ALL\n";
    fs::write(folder.join("slurm.conf"), main).expect("the file can be written");
    let nodes = folder.join("site/one_nodes.conf");
    fs::write(&nodes, "NodeName=n[1-2] CPUs=4 RealMemory=9000\n").expect("the file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_aipc"));
    let result = command.args(["import", "slurm"]).arg(&folder).output().expect("the program runs");
    let said = String::from_utf8_lossy(&result.stderr).into_owned();
    assert!(result.status.success(), "{said}");
    assert!(said.contains("note: /no/such/etc/slurm/site/one_nodes.conf is not there; "), "{said}");
}

#[test]
fn the_command_writes_a_draft_and_says_the_rest() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("imported.aip");
    // What an earlier run left; there may be nothing.
    let _ = fs::remove_file(&path);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aipc"));
        command.args(["import", "slurm"]).args(arguments).output().expect("the program runs")
    };
    let path = path.to_str().expect("a path");
    let first = run(&["tests/cases/import/shared", "--out", path, "--version", "22.05"]);
    let said = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(first.status.success(), "{said}");
    assert!(said.contains("tests/cases/import/shared/gres.conf:1 AutoDetect=off"), "{said}");
    let draft = fs::read_to_string(path).expect("the draft");
    assert!(draft.contains("version   = \"22.05\"") && !draft.contains("param slurm-version"), "{draft}");
    assert_eq!(run(&["tests/cases/import/shared", "--out", path]).status.code(), Some(2), "what is there stays");
    assert_eq!(run(&["tests/cases/rules"]).status.code(), Some(2), "a folder without Slurm's files");
    assert_eq!(run(&["tests/cases/import/manual/topology.conf"]).status.code(), Some(1), "no nodes");
    assert_eq!(run(&["tests/cases/import/manual", "--version", "1.0"]).status.code(), Some(1), "no such release");
    assert_eq!(run(&["tests/cases/import/manual", "--version", "22.05.a b"]).status.code(), Some(1), "no release");
    let piped = run(&["tests/cases/import/manual", "--out", "-"]);
    assert!(piped.stdout.starts_with(b"## Draft") && !Path::new("-").exists());
}

#[cfg(unix)]
#[test]
fn the_command_waits_for_no_pipe_and_follows_no_link() {
    let link = Path::new(env!("CARGO_TARGET_TMPDIR")).join("leads-nowhere.aip");
    // What an earlier run left; there may be nothing.
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink("no-such-file.aip", &link).expect("the link can be made");
    let link = link.to_str().expect("a path");
    for arguments in [&["/dev/null"][..], &["tests/cases/import/manual", "--out", link]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aipc"));
        let result = command.args(["import", "slurm"]).args(arguments).output().expect("the program runs");
        assert_eq!(result.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_check_says_what_is_a_placeholder() {
    let text = of_case("campus").text.expect("a draft");
    let package = compile::parse(vec![(String::from("draft.aip"), text)], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    for param in ["country", "currency", "height", "slurm-version"] {
        let wanted = format!("`default` of `param.{param}` is still open: ");
        let said =
            compiled.problems.iter().any(|problem| problem.code.0 == 7005 && problem.message.starts_with(&wanted));
        assert!(said, "{param}");
    }
}
