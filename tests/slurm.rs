//! What is written for Slurm, read again by a reader that shares no code with the writer.
//!
//! Each package in `tests/cases/slurm` is built for every known release. `## has FILE: TEXT` and `## not FILE: TEXT` in a
//! package say what the release that it names itself must come to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use aipc::base::diagnostic::Severity;
use aipc::catalog::Catalogue;
use aipc::compile::{self, Options};
use aipc::target::files::Files;
use aipc::target::slurm::keys::{self, Line, Standing};
use aipc::target::slurm::version::{KNOWN, Release};
use aipc::target::template::Templates;

/// The longest line that every reader of Slurm's files takes.
const LONGEST: usize = 1_024;

/// A package and its name.
struct Case {
    name: String,
    text: String,
}

fn cases() -> Vec<Case> {
    let entries = fs::read_dir("tests/cases/slurm").expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "aip"));
    paths.sort();
    let case = |path: &PathBuf| Case {
        name: path.file_stem().expect("a name").to_string_lossy().to_string(),
        text: fs::read_to_string(path).expect("a case"),
    };
    paths.iter().map(case).collect()
}

/// The files of a package, or the codes of what stands against them.
fn build(text: &str, release: Option<&str>) -> Result<Files, Vec<u16>> {
    let settings: Vec<String> = release.map(|name| format!("cluster.hpc.version = \"{name}\"")).into_iter().collect();
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &settings);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref().expect("a package that can be planned");
    let targets = [String::from("slurm"), String::from("bom")];
    let (files, problems) = compile::emit(plan, compiled.judged(), &targets, &Templates::shipped());
    let errors = compiled.problems.iter().chain(problems.iter());
    let codes: Vec<u16> =
        errors.filter(|problem| problem.severity == Severity::Error).map(|problem| problem.code.0).collect();
    if codes.is_empty() { Ok(files) } else { Err(codes) }
}

/// What a case came to for a release.
type Output = (String, &'static str, Files);

/// Every case for every release that can have it; built once.
fn outputs() -> &'static [Output] {
    static ALL: LazyLock<Vec<Output>> = LazyLock::new(|| {
        let mut all = Vec::new();
        for case in cases() {
            for name in KNOWN.iter().copied() {
                match build(&case.text, Some(name)) {
                    Ok(files) => all.push((format!("{} for {name}", case.name), name, files)),
                    // A switch or block for one job is not known before 24.05.
                    Err(codes) => assert!(codes == [6051] && name < "24.05", "{} for {name}: {codes:?}", case.name),
                }
            }
        }
        all
    });
    &ALL
}

fn text<'f>(files: &'f Files, name: &str) -> Option<&'f str> {
    let file = files.get(&format!("slurm/hpc/{name}"))?;
    Some(std::str::from_utf8(&file.bytes).expect("text"))
}

/// One line of a file: keys and values, in order.
type Entry = Vec<(String, String)>;

/// The lines of a file without comments.
fn entries(text: &str) -> Vec<Entry> {
    let bare = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    bare.filter(|line| !line.is_empty()).map(entry).collect()
}

fn entry(line: &str) -> Entry {
    let mut found = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').expect("a key with a value");
        let (value, tail) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').expect("a closed quotation"),
            None => after.split_at(after.find(' ').unwrap_or(after.len())),
        };
        assert!(!value.is_empty(), "{key} has no value in: {line}");
        found.push((key.to_string(), value.to_string()));
        rest = tail.trim_start();
    }
    found
}

fn value<'e>(entry: &'e Entry, key: &str) -> Option<&'e str> {
    entry.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
}

fn number(entry: &Entry, key: &str) -> Option<u64> {
    value(entry, key).map(|text| text.parse().expect("a number"))
}

/// Lines that begin with a key.
fn lines<'e>(all: &'e [Entry], key: &'e str) -> impl Iterator<Item = &'e Entry> {
    all.iter().filter(move |entry| entry[0].0 == key)
}

/// The hosts of `a-[001-003,007],b`.
fn hosts(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let end = match (rest.find('['), rest.find(',')) {
            (Some(open), comma) if comma.is_none_or(|comma| open < comma) => {
                rest.find(']').expect("a bracket that closes") + 1
            }
            (_, comma) => comma.unwrap_or(rest.len()),
        };
        match rest[..end].split_once('[') {
            None => found.push(rest[..end].to_string()),
            Some((stem, ranges)) => {
                for range in ranges.trim_end_matches(']').split(',') {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    assert_eq!(first.len(), last.len(), "{range} has one width");
                    let width = first.len();
                    let number = |text: &str| text.parse::<u64>().expect("a number");
                    assert!(number(first) <= number(last), "{range} goes up");
                    found.extend((number(first)..=number(last)).map(|n| format!("{stem}{n:0width$}")));
                }
            }
        }
        rest = rest[end..].trim_start_matches(',');
    }
    found
}

#[test]
fn every_case_has_what_it_says() {
    let mut wrong = Vec::new();
    for case in cases() {
        let files = match build(&case.text, None) {
            Ok(files) => files,
            Err(codes) => panic!("{}: {codes:?}", case.name),
        };
        for line in case.text.lines() {
            let Some((has, rest)) = [("## has ", true), ("## not ", false)]
                .into_iter()
                .find_map(|(start, has)| Some((has, line.strip_prefix(start)?)))
            else {
                continue;
            };
            let (file, wanted) = rest.split_once(": ").expect("a file and a text");
            let found = text(&files, file).is_some_and(|text| {
                let code = text.lines().filter(|line| !line.starts_with("# "));
                code.into_iter().any(|line| line.contains(wanted))
            });
            if found != has {
                wrong.push(format!("{}: {line}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_release_reads_every_key_and_has_every_plugin() {
    for (name, release, files) in outputs() {
        let release = Release::of(release).expect("a known release");
        for file in ["slurm.conf", "gres.conf", "cgroup.conf", "slurmdbd.conf", "topology.conf"] {
            let Some(text) = text(files, file) else { continue };
            for entry in entries(text) {
                let line = keys::line_of(file, &entry[0].0);
                let mut seen = BTreeSet::new();
                for (key, value) in &entry {
                    assert_eq!(keys::standing(release, file, line, key), Standing::Read, "{name}: {file}: {key}");
                    assert!(seen.insert(key), "{name}: {file}: {key} twice on a line");
                    for plugin in value.split(',').filter(|_| keys::names_plugins(key)) {
                        assert_eq!(keys::plugin(release, key, plugin), Standing::Read, "{name}: {key}={plugin}");
                    }
                    assert_ne!(value, "DEFAULT", "{name}: defaults leak into the lines below");
                }
            }
        }
    }
}

#[test]
fn each_release_is_written_in_its_own_words() {
    // What a release must have, and what it must not have any more or yet.
    let rows: &[(&str, &str, &[&str], &[&str])] = &[
        (
            "22.05",
            "slurm.conf",
            &["AuthType=auth/munge", "Prolog=/etc/slurm/", "preempt_youngest_first", "preempt_send_user_signal"],
            &["PreemptParameters=", "auth/slurm"],
        ),
        (
            "23.02",
            "slurm.conf",
            &["PreemptParameters=youngest_first,send_user_signal", "AuthType=auth/munge"],
            &["preempt_youngest", "preempt_send", "SlurmctldPlugstack"],
        ),
        (
            "23.11",
            "slurm.conf",
            &["AuthType=auth/slurm", "SelectType=select/cons_tres", "Prolog=prolog.sh"],
            &["RoutePlugin", "cons_res", "/none", "JobCredential"],
        ),
        ("24.05", "slurm.conf", &["UnkillableStepTimeout=300"], &["CoreSpecPlugin", "PowerPlugin", "switch/none"]),
        (
            "24.11",
            "slurm.conf",
            &["TopologyPlugin=topology/tree"],
            &["GetEnvTimeout", "ExtSensors", "PowerParameters", "AccountingStorageUser"],
        ),
        ("25.05", "slurm.conf", &["OverSubscribe=NO"], &["TopologyPlugin", "FrontendName"]),
        ("25.11", "slurm.conf", &["OverSubscribe=NO"], &["JobContainerType", "TopologyPlugin"]),
        ("26.05", "slurm.conf", &["OverSubscribe=NO"], &["ExclusiveUser", "ExclusiveTopo", "enable_job_state_cache"]),
        (
            "23.11",
            "cgroup.conf",
            &["ConstrainDevices=yes", "ConstrainCores=yes", "ConstrainRAMSpace=yes"],
            &["CgroupAutomount", "Kmem"],
        ),
        ("25.05", "slurmdbd.conf", &["StorageLoc="], &["StoragePassScript", "StoragePass="]),
        ("25.11", "slurmdbd.conf", &["StoragePassScript="], &["StoragePass="]),
    ];
    let case = cases().into_iter().find(|case| case.name == "tree").expect("the case of a tree");
    let preempts = case.text.replace("partition prep { ", "partition prep { preempt = requeue, ");
    for (release, file, present, absent) in rows {
        let files = build(&preempts, Some(release)).expect("an output");
        let text = text(&files, file).expect("the file");
        let code: String = text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]).collect();
        for wanted in *present {
            assert!(code.contains(wanted), "{release}: {file} lacks {wanted}");
        }
        for gone in *absent {
            assert!(!code.contains(gone), "{release}: {file} has {gone}");
        }
        let yaml = files.get("slurm/hpc/topology.yaml").is_some();
        assert_eq!(yaml, *release >= "25.05", "{release}");
        assert_ne!(yaml, files.get("slurm/hpc/topology.conf").is_some(), "{release}");
        let qualities = self::text(&files, "sacctmgr.cfg").is_some_and(|text| text.contains("bash sacctmgr-qos.sh"));
        assert_eq!(files.get("slurm/hpc/sacctmgr-qos.sh").is_some(), qualities, "{release}");
        assert!(!qualities || *release < "25.05", "{release}");
    }
}

/// A place in a topology: what is below it.
#[derive(Debug, Default, Clone)]
struct Place {
    nodes: Vec<String>,
    children: Vec<String>,
}

/// A topology as either file has it.
#[derive(Debug, Default)]
struct Topology {
    switches: BTreeMap<String, Place>,
    blocks: BTreeMap<String, Place>,
    sizes: Vec<u64>,
}

fn old_topology(text: &str) -> Topology {
    let mut found = Topology::default();
    for entry in entries(text) {
        let list = |key| value(&entry, key).map_or(Vec::new(), hosts);
        let place = Place { nodes: list("Nodes"), children: list("Switches") };
        let (kind, name) = &entry[0];
        let twice = match kind.as_str() {
            "SwitchName" => found.switches.insert(name.clone(), place),
            "BlockName" => found.blocks.insert(name.clone(), place),
            "BlockSizes" => {
                found.sizes = name.split(',').map(|size| size.parse().expect("a size")).collect();
                None
            }
            "BlockLevels" => None,
            other => panic!("{other} begins a line of topology.conf"),
        };
        assert!(twice.is_none(), "{name} is written twice");
    }
    found
}

/// Reads the few forms that the file has.
fn new_topology(text: &str) -> Topology {
    let mut found = Topology::default();
    let (mut at, mut defaults) = (None::<(bool, String)>, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#') && *line != "---")
    {
        let line = line.strip_prefix("- ").unwrap_or(line);
        let Some((key, value)) = line.split_once(':') else {
            found.sizes.push(line.parse().expect("a size"));
            continue;
        };
        let value = value.trim().trim_matches('"');
        match key {
            "switch" | "block" if !value.is_empty() => {
                assert!(value.len() <= 64, "{value} is too long");
                let places = if key == "switch" { &mut found.switches } else { &mut found.blocks };
                assert!(places.insert(value.to_string(), Place::default()).is_none(), "{value} is written twice");
                at = Some((key == "switch", value.to_string()));
            }
            "nodes" | "children" => {
                let (switch, name) = at.as_ref().expect("a place");
                let places = if *switch { &mut found.switches } else { &mut found.blocks };
                let place = places.get_mut(name).expect("the place");
                if key == "nodes" { place.nodes = hosts(value) } else { place.children = hosts(value) }
            }
            "cluster_default" => defaults += usize::from(value == "true"),
            "topology" | "tree" | "block" | "switches" | "blocks" | "block_sizes" => {}
            other => panic!("{other} is no key of topology.yaml"),
        }
    }
    assert_eq!(defaults, 1, "one topology is that of the cluster");
    found
}

fn prove(name: &str, topology: &Topology, declared: &BTreeSet<String>) {
    let below = |places: &BTreeMap<String, Place>| {
        let all: Vec<String> = places.values().flat_map(|place| place.nodes.clone()).collect();
        let once: BTreeSet<String> = all.iter().cloned().collect();
        assert_eq!(all.len(), once.len(), "{name}: a node in two places");
        once
    };
    if !topology.switches.is_empty() {
        assert_eq!(below(&topology.switches), *declared, "{name}: every node is below a switch");
        let children: Vec<&String> = topology.switches.values().flat_map(|place| &place.children).collect();
        let once: BTreeSet<&String> = children.iter().copied().collect();
        assert_eq!(children.len(), once.len(), "{name}: a switch below two others");
        assert!(once.iter().all(|child| topology.switches.contains_key(*child)), "{name}: a child that is no switch");
        let roots: Vec<&String> = topology.switches.keys().filter(|switch| !once.contains(switch)).collect();
        assert_eq!(roots.len(), 1, "{name}: {roots:?}");
        // One root and no switch with two parents: without a circle when everything is reached from it.
        let (mut seen, mut open) = (BTreeSet::new(), roots);
        while let Some(switch) = open.pop() {
            seen.insert(switch.clone());
            open.extend(&topology.switches[switch].children);
        }
        assert_eq!(seen.len(), topology.switches.len(), "{name}: a switch that no job reaches");
    }
    if !topology.blocks.is_empty() {
        let in_blocks = below(&topology.blocks);
        assert!(in_blocks.is_subset(declared), "{name}: a node in a block that is nowhere declared");
        assert!(!topology.switches.is_empty() || in_blocks == *declared, "{name}: a node in no place");
        let least = topology.blocks.values().map(|block| block.nodes.len() as u64).min();
        if let (Some(&base), Some(least)) = (topology.sizes.first(), least) {
            assert!((1..=least).contains(&base), "{name}: the first size is {base}, the smallest block {least}");
        }
        for pair in topology.sizes.windows(2) {
            assert_eq!(pair[1], pair[0] * 2, "{name}: sizes double");
        }
        let most = topology.sizes.last().copied().unwrap_or(0);
        assert!(most <= in_blocks.len() as u64, "{name}: a size of more nodes than there are");
    }
}

#[test]
fn every_node_has_one_place_under_one_root() {
    let mut seen = 0;
    for (name, release, files) in outputs() {
        let conf = entries(text(files, "slurm.conf").expect("the file"));
        let all: Vec<String> = lines(&conf, "NodeName").flat_map(|entry| hosts(&entry[0].1)).collect();
        let declared: BTreeSet<String> = all.iter().cloned().collect();
        assert_eq!(all.len(), declared.len(), "{name}: a node is declared twice");
        for entry in lines(&conf, "PartitionName") {
            let held = hosts(value(entry, "Nodes").expect("nodes"));
            assert!(held.iter().all(|host| declared.contains(host)), "{name}: a partition of nodes that are not there");
        }
        let default = lines(&conf, "PartitionName").filter(|entry| value(entry, "Default") == Some("YES")).count();
        assert!(default <= 1, "{name}: {default} partitions are the default");
        let topology = match (text(files, "topology.conf"), text(files, "topology.yaml")) {
            (Some(text), None) => old_topology(text),
            (None, Some(text)) => new_topology(text),
            (None, None) => {
                assert!(lines(&conf, "TopologyPlugin").next().is_none(), "{name}: a plugin without its file");
                continue;
            }
            (Some(_), Some(_)) => panic!("{name}: both files"),
        };
        if topology.blocks.is_empty() {
            assert!(topology.switches.len() > 1, "{name}: one switch is no tree");
        } else {
            assert!(*release >= "23.11", "{name}: blocks came with 23.11");
        }
        prove(name, &topology, &declared);
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn gpus_cpus_and_memory_add_up_on_every_node() {
    for (name, _, files) in outputs() {
        let conf = entries(text(files, "slurm.conf").expect("the file"));
        let devices = entries(text(files, "gres.conf").expect("the file"));
        let devices: Vec<(BTreeSet<String>, Entry)> =
            devices.into_iter().map(|line| (hosts(&line[0].1).into_iter().collect(), line)).collect();
        let mut nodes: BTreeMap<String, &Entry> = BTreeMap::new();
        for entry in lines(&conf, "NodeName") {
            let get = |key| number(entry, key).expect("a number");
            let cores = get("Boards") * get("SocketsPerBoard") * get("CoresPerSocket");
            assert_eq!(get("CPUs"), cores * get("ThreadsPerCore"), "{name}");
            assert!(number(entry, "CoreSpecCount").unwrap_or(0) * 10 <= cores, "{name}: too many cores kept back");
            let gres = value(entry, "Gres").unwrap_or_default();
            let counted = |kind: &str| {
                let one =
                    gres.split(',').find_map(|gres| gres.strip_prefix(kind)?.rsplit(':').next()?.parse::<u64>().ok());
                one.unwrap_or(0)
            };
            for host in hosts(&entry[0].1) {
                let own: Vec<&Entry> =
                    devices.iter().filter(|(on, _)| on.contains(&host)).map(|(_, line)| line).collect();
                let files: Vec<String> = own.iter().filter_map(|line| value(line, "File")).flat_map(hosts).collect();
                let once: BTreeSet<&String> = files.iter().collect();
                let detected = own.iter().any(|line| value(line, "AutoDetect").is_some());
                assert!(!detected || own.len() == 1, "{name}: {host} is listed and detected");
                assert_eq!(files.len(), once.len(), "{name}: {host} has a device twice");
                assert_eq!(
                    if detected { counted("gpu:") } else { files.len() as u64 },
                    counted("gpu:"),
                    "{name}: {host}"
                );
                let shards: u64 = own.iter().filter_map(|line| number(line, "Count")).sum();
                assert_eq!(shards, counted("shard:"), "{name}: {host}");
                nodes.insert(host, entry);
                if nodes.len() % 100 == 99 {
                    // The rest of a long range is the same line.
                    break;
                }
            }
        }
        for partition in lines(&conf, "PartitionName") {
            let memory: Vec<&str> = ["DefMemPerGPU", "DefMemPerCPU", "DefMemPerNode"]
                .into_iter()
                .filter(|key| value(partition, key).is_some())
                .collect();
            assert_eq!(memory.len(), 1, "{name}: one default of memory, not {memory:?}");
            for node in hosts(value(partition, "Nodes").expect("nodes")).iter().filter_map(|host| nodes.get(host)) {
                let gres = value(node, "Gres").unwrap_or_default().split(',').next().unwrap_or_default();
                let gpus: u64 = gres.rsplit(':').next().and_then(|count| count.parse().ok()).unwrap_or(0);
                let reserve = number(node, "MemSpecLimit").unwrap_or(0);
                let wanted = match memory[0] {
                    "DefMemPerGPU" => gpus * number(partition, "DefMemPerGPU").expect("a number"),
                    _ => {
                        let cores = number(node, "CPUs").expect("CPUs")
                            - number(node, "CoreSpecCount").unwrap_or(0)
                                * number(node, "ThreadsPerCore").expect("threads");
                        cores * number(partition, "DefMemPerCPU").expect("a number")
                    }
                };
                let there = number(node, "RealMemory").expect("memory");
                assert!(wanted + reserve <= there, "{name}: {wanted} + {reserve} of {there} MiB");
            }
        }
    }
}

#[test]
fn lines_are_short_plain_and_without_surprises() {
    for (name, _, files) in outputs() {
        for file in ["slurm.conf", "gres.conf", "cgroup.conf", "slurmdbd.conf", "topology.conf"] {
            let Some(text) = text(files, file) else { continue };
            for line in text.lines() {
                assert!(line.len() <= LONGEST, "{name}: {file}: {} characters", line.len());
                assert!(!line.ends_with('\\'), "{name}: {file}: a line that goes on");
                let code = line.split('#').next().unwrap_or_default();
                assert!(code.is_ascii(), "{name}: {file}: {code}");
                assert!(code.is_empty() || !line.contains(" #"), "{name}: {file}: a comment behind a value: {line}");
            }
        }
    }
}

#[test]
fn one_number_of_gpus_feeds_every_file() {
    let package = |count: u64| {
        format!(
            "platform p {{ currency = EUR }}\nsite s {{ provider = on-prem, country = DE }}\n\
             server box {{ gpus = [{count} * catalog.gpu.h100-sxm], memory = 1_024 GiB, sockets = 2, \
             cores_per_socket = 32, threads_per_core = 2, max_power = 10 kW, height = 8 U }}\n\
             pool control {{ site = site.s, server = catalog.server.management-1s, nodes = 1 }}\n\
             pool gpu {{ site = site.s, server = server.box, nodes = 2 }}\n\
             cluster hpc {{ scheduler = slurm, version = \"24.11\", pools = [pool.gpu], control = pool.control }}\n"
        )
    };
    let figures = |count: u64| {
        let files = build(&package(count), None).expect("an output");
        let conf = entries(text(&files, "slurm.conf").expect("the file"));
        let devices = entries(text(&files, "gres.conf").expect("the file"));
        let node = lines(&conf, "NodeName").next().expect("nodes").clone();
        let partition = lines(&conf, "PartitionName").next().expect("a partition").clone();
        let files_of: usize = devices.iter().filter_map(|line| value(line, "File")).map(|list| hosts(list).len()).sum();
        let bill = files.get("bom/bom.json").expect("the bill");
        let bill: serde_json::Value = serde_json::from_slice(&bill.bytes).expect("the bill is JSON");
        let get = |key| value(&partition, key).expect("the key").to_string();
        (
            value(&node, "Gres").expect("Gres").to_string(),
            files_of,
            get("DefCpuPerGPU"),
            get("DefMemPerGPU"),
            get("TRESBillingWeights"),
            bill.to_string().len(),
        )
    };
    let (eight, four) = (figures(8), figures(4));
    assert_eq!((eight.0.as_str(), eight.1, eight.2.as_str()), ("gpu:h100:8", 8, "14"));
    assert_eq!((four.0.as_str(), four.1, four.2.as_str()), ("gpu:h100:4", 4, "30"));
    assert!(eight.3 != four.3 && eight.4.contains("GRES/gpu=15.5000") && four.4.contains("GRES/gpu=31.0000"));
}

#[test]
fn what_slurm_cannot_have_is_said() {
    let base = "platform p { currency = EUR }\nsite s { provider = on-prem, country = DE }\n\
        model m { layers = 32, hidden = 4_096, heads = 32, kv_heads = 8, ffn = 14_336, vocab = 128_256, precision = bf16 }\n\
        pool control { site = site.s, server = catalog.server.management-1s, nodes = 1 }\n";
    let sliced = format!(
        "{base}pool gpu {{ site = site.s, server = catalog.server.dgx-h100, nodes = 2, mig = \"1g.10gb\" }}\n\
         training t {{ model = model.m, runs_on = pool.gpu, gpus = 8, tokens = 1 billion tok, sequence = 4_096 tok, \
         batch = 1_048_576 tok }}\n\
         cluster hpc {{ scheduler = slurm, version = \"24.11\", pools = [pool.gpu], control = pool.control }}\n"
    );
    let codes = build(&sliced, None).err().unwrap_or_default();
    assert!(codes.contains(&3062), "{codes:?}");
}

/// The codes of what is said about the Slurm files of a package, whatever its severity.
fn said(text: &str) -> Vec<u16> {
    let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let plan = compiled.plan.as_ref().expect("a package that can be planned");
    let (_, problems) = compile::emit(plan, compiled.judged(), &[String::from("slurm")], &Templates::shipped());
    problems.iter().map(|problem| problem.code.0).collect()
}

#[test]
fn numbers_beyond_what_slurm_counts_are_said() {
    let of = |partitions: &str, cluster: &str, server: &str| {
        said(&format!(
            "platform p {{ currency = EUR }}\nsite s {{ provider = on-prem, country = DE }}\n\
             server box {{ memory = 256 GiB, sockets = 2, cores_per_socket = 64, threads_per_core = 2, max_power = 1 kW, \
             height = 1 U }}\n\
             pool control {{ site = site.s, server = catalog.server.management-1s, nodes = 1 }}\n\
             pool cpu {{ site = site.s, server = server.{server}, nodes = 2 }}\n\
             server wide {{ memory = 256 GiB, sockets = 64, cores_per_socket = 1_024, threads_per_core = 2, \
             max_power = 1 kW, height = 1 U }}\n\
             cluster hpc {{\n scheduler = slurm\n version = \"24.11\"\n pools = [pool.cpu]\n control = pool.control\n \
             {cluster}\n {partitions}\n}}\n"
        ))
    };
    assert_eq!(of("partition a { max_time = 2 days }", "", "box"), [0_u16; 0]);
    for wrong in [
        "max_time = 0.5 s",
        "max_time = 10_000 years",
        "default_time = 1 s",
        "max_nodes = 4_294_967_295",
        "grace = 200 years",
        "priority = 65_534",
    ] {
        assert!(of(&format!("partition a {{ {wrong} }}"), "", "box").contains(&6055), "{wrong}");
    }
    assert!(of("partition a { max_time = 2 days }", "", "wide").contains(&6055));
    let two = "partition a { preempt = requeue, priority = 1 }\n partition b { preempt = suspend, priority = 2 }";
    assert!(of(two, "preempt_by = tenant", "box").contains(&6056));
    assert!(!of(two, "", "box").contains(&6056));
}

#[test]
fn a_cluster_without_nodes_is_said() {
    let text = "platform p { currency = EUR }\nsite s { provider = on-prem, country = DE }\n\
        pool control { site = site.s, server = catalog.server.management-1s, nodes = 1 }\n\
        pool gpu { site = site.s, server = catalog.server.dgx-h100, nodes = 0 }\n\
        cluster hpc { scheduler = slurm, version = \"24.11\", pools = [pool.gpu], control = pool.control }\n";
    assert_eq!(said(text), [6057]);
    let beside =
        text.replace("pool gpu", "pool big { site = site.s, server = catalog.server.dgx-h100, nodes = 1 }\npool gpu");
    let beside = beside.replace("[pool.gpu]", "[pool.gpu, pool.big]");
    assert_eq!(said(&beside), [0_u16; 0]);
    let empty = beside.replace(", version", "\n version").replace(", pools = [pool.gpu, ", "\n pools = [pool.gpu, ");
    let empty = empty
        .replace(", control = pool.control }", "\n control = pool.control\n partition a { pools = [pool.gpu] }\n}");
    assert!(said(&empty).contains(&6057), "{empty}");
}

#[test]
fn two_clusters_do_not_share_controllers() {
    let base = "platform p { currency = EUR }\nsite s { provider = on-prem, country = DE }\n\
        pool control { site = site.s, server = catalog.server.management-1s, nodes = 2 }\n\
        pool more { site = site.s, server = catalog.server.management-1s, nodes = 2 }\n\
        pool one { site = site.s, server = catalog.server.cpu-2s-64c, nodes = 2 }\n\
        pool two { site = site.s, server = catalog.server.cpu-2s-64c, nodes = 2 }\n\
        cluster hpc { scheduler = slurm, version = \"24.11\", pools = [pool.one], control = pool.control }\n";
    let dev = |control: &str| {
        format!(
            "{base}cluster dev {{ scheduler = slurm, version = \"24.11\", pools = [pool.two], control = {control} }}\n"
        )
    };
    assert_eq!(said(&dev("pool.control")), [6052]);
    assert_eq!(said(&dev("pool.more")), [0u16; 0]);
}

#[test]
fn nodes_of_a_tenant_stay_its_own_or_it_is_said() {
    let base = "platform p { currency = EUR }\nsite s { provider = on-prem, country = DE }\n\
        model m { layers = 32, hidden = 4_096, heads = 32, kv_heads = 8, ffn = 14_336, vocab = 128_256, precision = bf16 }\n\
        tenant a { share = 50% }\ntenant b { share = 50% }\n\
        pool control { site = site.s, server = catalog.server.management-1s, nodes = 2 }\n\
        pool own { site = site.s, server = catalog.server.dgx-h100, nodes = 2, tenant = tenant.a }\n\
        pool all { site = site.s, server = catalog.server.dgx-h100, nodes = 2 }\n";
    let cluster = |pools: &str, partitions: &str| {
        format!(
            "{base}cluster hpc {{\n scheduler = slurm\n version = \"24.11\"\n pools = {pools}\n control = pool.control\n \
             {partitions}\n}}\n"
        )
    };
    let alone = cluster("[pool.own]", "");
    assert_eq!(said(&alone), [0u16; 0]);
    let files = build(&alone, None).expect("an output");
    let conf = text(&files, "slurm.conf").expect("the file");
    assert!(conf.contains("PartitionName=all Nodes=own-[001-002]") && conf.contains(" AllowAccounts=a "), "{conf}");
    assert!(conf.contains(" MaxTime=UNLIMITED DefaultTime=0-01:00:00 "), "{conf}");
    assert_eq!(said(&cluster("[pool.own, pool.all]", "")), [6054]);
    assert_eq!(said(&cluster("[pool.own, pool.all]", "partition main { default = true }")), [6054]);
    let job = |more: &str| {
        format!(
            "{}finetune f {{ model = model.m, runs_on = pool.own, method = lora, rank = 16, gpus = 16, \
             tokens = 20 million tok, sequence = 2_048 tok, {more} }}\n",
            cluster("[pool.own]", "partition main { max_nodes = 2, default = true }")
        )
    };
    assert_eq!(said(&job("tenant = tenant.a")), [0u16; 0]);
    assert_eq!(said(&job("tenant = tenant.b")), [6053]);
    assert_eq!(said(&job("tenant = tenant.a").replace("max_nodes = 2", "max_nodes = 1")), [6053]);
}

#[test]
fn the_table_of_keys_says_where_a_key_stands() {
    let newest = Release::of("26.05").expect("a known release");
    assert_eq!(keys::standing(newest, "slurm.conf", Line::Partition, "DefMemPerGPU"), Standing::Read);
    assert_eq!(keys::standing(newest, "slurm.conf", Line::Global, "DefMemPerGPU"), Standing::Read);
    assert_eq!(keys::standing(newest, "slurm.conf", Line::Global, "MaxNodes"), Standing::Unknown);
    assert_eq!(keys::standing(newest, "slurm.conf", Line::Global, "JobDefaults"), Standing::Unknown);
    assert!(keys::all().len() > 400 && keys::plugins().len() > 80);
}
