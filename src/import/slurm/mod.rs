//! `slurm.conf`, `gres.conf` and the files beside them, as a draft of a package.
//!
//! The draft is built at once, in memory, and what was written is held against what was read: a key that the build
//! writes the same needs no word, one that it writes otherwise is patched, and what can be neither is listed. Then it
//! is built and compared again.

pub mod compare;
pub mod conf;
mod draft;
mod entry;
mod fate;
mod gpus;
mod gres;
pub mod hosts;
mod machine;
mod pools;
mod problems;
mod release;
mod text;
mod time;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::Diagnostics;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::catalog::Catalogue;
use crate::compile::{self, Options};
use crate::plan::node;
use crate::target::slurm::keys::{self, Line};
use crate::target::slurm::patch;
use crate::target::slurm::version::Release;
use crate::target::template::Templates;

use compare::{Difference, Names, Place};
use conf::{Conf, File, Keys, Load, NodeLine};
use draft::{Draft, Patches};
use entry::Pair;
use pools::Pool;

pub use fate::{Dropped, Fates};

/// Keys whose value is a secret.
const SECRET: &[&str] = &["accountingstoragepass", "jobcomppass", "storagepass"];

/// What came of an import.
pub struct Import {
    /// What was read.
    pub sources: Sources,
    /// What is wrong with it; with an error there is no draft.
    pub problems: Diagnostics,
    /// The draft.
    pub text: Option<String>,
    /// The name of the cluster in the draft.
    pub cluster: String,
    /// How things are called in the draft.
    pub names: Names,
    /// What became of what is not in the draft as it was.
    pub fates: Fates,
    /// What the draft's build says otherwise and nobody said so: none, or the import has a bug.
    pub unexplained: Vec<Difference>,
    /// What keeps the draft from being built, with its text.
    pub build: Option<(Sources, Diagnostics)>,
}

/// Reads files and writes a draft. `version` is the release of the cluster, where it is known; `load` gives the text of
/// an included file.
pub fn import(files: Vec<(String, String)>, version: Option<&str>, load: &mut Load<'_>) -> Import {
    let (mut sources, mut problems) = (Sources::new(), Diagnostics::new());
    let ids: Vec<_> = files.into_iter().map(|(path, text)| (File::of(&path), sources.add(path, text))).collect();
    let mut conf = conf::read(&mut sources, &ids, load, &mut problems);
    let mut import = Import {
        sources,
        problems,
        text: None,
        cluster: String::new(),
        names: Names::default(),
        fates: Fates::default(),
        unexplained: Vec::new(),
        build: None,
    };
    check(&conf, &mut import.problems);
    let release = match version {
        Some(version) => Release::of(version).map(|release| (version, release)),
        None => release::newest(&conf),
    };
    let Some((name, release)) = release else {
        import.problems.push(problems::nothing("such release of Slurm"));
        return import;
    };
    if import.problems.has_errors() {
        return import;
    }
    without_empty_partitions(&mut conf, &mut import);
    write(&conf, (name, release, version.is_some()), &mut import);
    import
}

/// What Slurm itself would not start with.
fn check(conf: &Conf, found: &mut Diagnostics) {
    if conf.nodes.is_empty() && !found.has_errors() {
        found.push(problems::nothing("line with `NodeName=`"));
    }
    let mut seen = BTreeSet::new();
    for line in &conf.nodes {
        if let Some(twin) = line.hosts.iter().find(|host| !seen.insert(host.as_str())) {
            found.push(problems::hosts(line.at, twin, "it is declared twice"));
        }
    }
    let mut seen = BTreeSet::new();
    for line in conf.partitions.iter().filter(|line| !seen.insert(line.name.as_str())) {
        found.push(problems::hosts(line.at, &line.name, "the partition is declared twice"));
    }
}

/// A partition of the language without pools has all of them.
fn without_empty_partitions(conf: &mut Conf, import: &mut Import) {
    let (kept, empty) = std::mem::take(&mut conf.partitions).into_iter().partition(|line| !line.hosts.is_empty());
    conf.partitions = kept;
    for line in Vec::<conf::PartitionLine>::into_iter(empty) {
        import.fates.drop(&import.sources, line.at, format!("PartitionName={}", line.name), "it has no nodes");
    }
}

fn write(conf: &Conf, (version, release, given): (&str, Release, bool), import: &mut Import) {
    let mut taken = BTreeSet::new();
    let pools = pools::of(conf, &mut taken);
    let control = pools::unique("control", "control", &mut taken);
    let mut taken = BTreeSet::new();
    let partitions: Vec<String> =
        conf.partitions.iter().map(|line| pools::unique(&line.name, "partition", &mut taken)).collect();
    let given_name = last(&conf.globals, "ClusterName").map_or("cluster", |pair| pair.value.as_str());
    let cluster = pools::slug(given_name, "cluster");
    let controllers = controllers(conf);
    let names = Names {
        clusters: renames([(given_name.to_string(), cluster.clone())]),
        nodes: renames(pools.iter().flat_map(|pool| pool.old.iter().cloned().zip(pool.new.iter().cloned()))),
        partitions: renames(conf.partitions.iter().map(|line| line.name.clone()).zip(partitions.iter().cloned())),
        controllers: renames(
            (1..)
                .zip(&controllers)
                .map(|(number, host)| (host.clone(), node::name(&control, number, controllers.len() as u64))),
        ),
    };
    let catalogue = Catalogue::new();
    let draft = Draft {
        conf,
        cluster: cluster.clone(),
        version: version.to_string(),
        version_given: given,
        pools: &pools,
        partitions: &partitions,
        controllers: &controllers,
        control,
        catalogue: &catalogue,
    };
    tell_names(&pools, &names, import);
    tell_lines(conf, &pools, import);
    let mut patches = Patches { pools: addresses(conf, &pools), ..Patches::default() };
    let skeleton = draft.text(&patches, &Fates::default());
    let written = build(&skeleton, &cluster).unwrap_or_else(|_| outline(conf, &names));
    let wanted = compare::differences(conf, &written, &names);
    let mut explained = BTreeSet::new();
    for difference in &wanted {
        let sorter = Sorter { conf, pools: &pools, release };
        if !sorter.sort(difference, &mut patches, import) {
            explained.insert((difference.place.clone(), difference.key.clone()));
        }
    }
    let built = build(&draft.text(&patches, &Fates::default()), &cluster);
    if let Ok(written) = &built {
        import.fates.added = added(conf, written);
        import.unexplained = compare::differences(conf, written, &names);
        import.unexplained.retain(|one| !explained.contains(&(one.place.clone(), one.key.clone())));
    }
    import.build = built.err();
    import.text = Some(draft.text(&patches, &import.fates));
    import.cluster = cluster;
    import.names = names;
}

fn renames(pairs: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, String> {
    pairs.into_iter().filter(|(old, new)| old != new).collect()
}

/// The last pair of a key: the one that counts.
fn last<'p>(pairs: &'p [Pair], key: &str) -> Option<&'p Pair> {
    pairs.iter().rev().find(|pair| pair.is(key))
}

/// The hosts that control the cluster; the database's as a third one beside two.
fn controllers(conf: &Conf) -> Vec<String> {
    let keys = ["SlurmctldHost", "ControlMachine", "BackupController"];
    let pairs = conf.globals.iter().filter(|pair| keys.iter().any(|key| pair.is(key)));
    let mut hosts: Vec<String> = Vec::new();
    for pair in pairs {
        let host = pair.value.split('(').next().unwrap_or_default().to_string();
        if !hosts.contains(&host) && !host.is_empty() && hosts.len() < 2 {
            hosts.push(host);
        }
    }
    if hosts.len() == 2 {
        let database = last(&conf.globals, "AccountingStorageHost").map(|pair| pair.value.clone());
        hosts.extend(database.filter(|host| !hosts.contains(host)));
    }
    hosts
}

/// How nodes keep their host names and addresses under new names.
fn addresses(conf: &Conf, pools: &[Pool]) -> BTreeMap<usize, draft::Patch> {
    let mut patches: BTreeMap<usize, draft::Patch> = BTreeMap::new();
    for (at, pool) in pools.iter().enumerate() {
        let mut patch = draft::Patch::new();
        let hostnames = pool.each(conf, "nodehostname").unwrap_or_else(|| pool.old.clone());
        if hostnames != pool.new {
            patch.insert(String::from("NodeHostname"), hosts::fold(&hostnames));
        }
        if let Some(addresses) = pool.each(conf, "nodeaddr").filter(|addresses| *addresses != hostnames) {
            patch.insert(String::from("NodeAddr"), hosts::fold(&addresses));
        }
        if let Some(ports) = pool.each(conf, "port") {
            let same = ports.iter().all(|port| *port == ports[0]);
            patch.insert(String::from("Port"), if same { ports[0].clone() } else { hosts::fold(&ports) });
        }
        if !patch.is_empty() {
            patches.insert(at, patch);
        }
    }
    patches
}

fn tell_names(pools: &[Pool], names: &Names, import: &mut Import) {
    let renamed = &mut import.fates.renamed;
    let single = [(&names.clusters, "cluster"), (&names.partitions, "partition"), (&names.controllers, "controller")];
    for (map, noun) in single {
        renamed.extend(map.iter().map(|(old, new)| (format!("{noun} {old}"), new.clone())));
    }
    let moved = pools.iter().filter(|pool| pool.old != pool.new);
    renamed.extend(moved.map(|pool| (format!("nodes {}", hosts::fold(&pool.old)), hosts::fold(&pool.new))));
    if names.clusters.is_empty() && names.controllers.is_empty() {
        return;
    }
    let note = "accounting knows the cluster by its name, and controllers must be hosts of that name: rename them, or keep \
                the old files there";
    import.fates.notes.push(String::from(note));
}

/// Lines that have no place in a package.
fn tell_lines(conf: &Conf, pools: &[Pool], import: &mut Import) {
    let shown = |pairs: &[Pair]| pairs.first().map_or(String::new(), |pair| format!("{}={}", pair.key, pair.value));
    for pairs in &conf.others {
        let Some(first) = pairs.first() else { continue };
        let why = match first.key.to_ascii_lowercase().as_str() {
            "downnodes" => "the state of nodes is not configuration; drain them by hand, or make them `spare`",
            "nodeset" => "nodes by feature; partitions have pools",
            _ => "such lines are not written",
        };
        import.fates.drop(&import.sources, first.at, shown(pairs), why);
    }
    for name in conf.sets.keys() {
        import.fates.notes.push(format!("NodeSet={name} is resolved into the pools of its partitions"));
    }
    twice(conf, import);
    devices(conf, pools, import);
    if !conf.topology.is_empty() {
        import.fates.notes.push(String::from("topology.conf stands in a comment: its switches come from a `fabric`"));
    }
    let qualities =
        conf.partitions.iter().flat_map(|line| ["qos", "allowqos", "denyqos"].map(|key| line.keys.get(key)));
    let named: BTreeSet<&str> = qualities.flatten().map(|pair| pair.value.as_str()).collect();
    if !named.is_empty() {
        let named: Vec<&str> = named.into_iter().collect();
        import
            .fates
            .notes
            .push(format!("qualities of service are in the database, not in these files: {}", named.join(", ")));
    }
}

/// Keys that stand twice: the last counts.
fn twice(conf: &Conf, import: &mut Import) {
    let several = ["SlurmctldHost", "ControlMachine", "BackupController"];
    for pairs in [&conf.globals, &conf.cgroup, &conf.slurmdbd] {
        for (at, pair) in pairs.iter().enumerate() {
            let later = pairs[at + 1..].iter().any(|other| other.is(&pair.key) && other.value != pair.value);
            if later && !several.iter().any(|key| pair.is(key)) {
                let what = match SECRET.contains(&pair.key.to_ascii_lowercase().as_str()) {
                    true => pair.key.clone(),
                    false => format!("{}={}", pair.key, pair.value),
                };
                import.fates.drop(&import.sources, pair.at, what, "the key stands again further down");
            }
        }
    }
}

/// What lines of `gres.conf` say that has no place.
fn devices(conf: &Conf, pools: &[Pool], import: &mut Import) {
    for device in &conf.devices {
        let gpu = device.get("name").is_some_and(|name| name.eq_ignore_ascii_case("gpu"));
        for (key, pair) in &device.keys {
            let why = match key.as_str() {
                "autodetect" => "the build names device files, or lets slurmd detect them, by release",
                "cores" | "cpus" if gpu => {
                    "the build finds cores near GPUs by `gpu_numa` of the server, or leaves them to detection"
                }
                "links" | "flags" if gpu => "not written for GPUs",
                _ => continue,
            };
            import.fates.drop(&import.sources, pair.at, format!("{}={}", pair.key, pair.value), why);
        }
    }
    for pool in pools {
        let items = draft::other_items(&machine::list(conf, pool));
        let at = pool.line(conf).map_or(Span::DETACHED, |line| line.at);
        let mut seen = BTreeSet::new();
        for item in &items {
            let legal = pools::slug(&item.name, "gres") == item.name;
            if !seen.insert(item.name.as_str()) || !legal {
                let why = "a patch has each resource once, under a name of lower-case letters, digits and hyphens";
                import.fates.drop(&import.sources, at, item.show(), why);
            }
            for device in machine::devices(conf, pool, &item.name).skip(1) {
                import.fates.drop(&import.sources, device.at, item.show(), "a patch has one line for a resource");
            }
        }
        for item in gres::items(&machine::list(conf, pool)).iter().filter(|item| !item.rest.is_empty()) {
            let why = "what stands beside the count is not written";
            import.fates.drop(&import.sources, at, format!("{}{}", item.show(), item.rest), why);
        }
    }
}

/// What the draft builds.
fn build(text: &str, cluster: &str) -> Result<Conf, (Sources, Diagnostics)> {
    let package = compile::parse(vec![(String::from("draft.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let mut problems = compiled.problems;
    let files = compiled.plan.filter(|_| !problems.has_errors()).map(|plan| {
        let (files, found) = compile::emit(&plan, &[String::from("slurm")], &Templates::shipped());
        problems.extend(found);
        files
    });
    let Some(files) = files.filter(|_| !problems.has_errors()) else { return Err((package.sources.clone(), problems)) };
    let mut sources = Sources::new();
    let mut read = Vec::new();
    for name in ["slurm.conf", "gres.conf", "cgroup.conf", "slurmdbd.conf"] {
        if let Some(file) = files.get(&format!("slurm/{cluster}/{name}")) {
            let text = String::from_utf8_lossy(&file.bytes).into_owned();
            read.push((File::of(name), sources.add(name, text)));
        }
    }
    let mut found = Diagnostics::new();
    let conf = conf::read(&mut sources, &read, &mut |_: &str| Err(String::from("nothing is included")), &mut found);
    if found.has_errors() { Err((sources, found)) } else { Ok(conf) }
}

/// What a draft says by its attributes, for one that cannot be built.
fn outline(conf: &Conf, names: &Names) -> Conf {
    let new = |name: &String| names.nodes.get(name).unwrap_or(name).clone();
    let only = |keys: &Keys, wanted: &[&str]| -> Keys {
        keys.iter()
            .filter(|(key, _)| wanted.contains(&key.as_str()))
            .map(|(key, pair)| (key.clone(), pair.clone()))
            .collect()
    };
    let node = |line: &NodeLine| {
        let said = [
            "sockets",
            "boards",
            "socketsperboard",
            "corespersocket",
            "threadspercore",
            "cpus",
            "procs",
            "gres",
            "realmemory",
        ];
        NodeLine { hosts: line.hosts.iter().map(new).collect(), keys: only(&line.keys, &said), at: line.at }
    };
    let partition = |line: &conf::PartitionLine| {
        let name = names.partitions.get(&line.name).unwrap_or(&line.name).clone();
        let keys = only(&line.keys, &["maxtime", "maxnodes", "prioritytier", "priority", "default"]);
        conf::PartitionLine { name, hosts: line.hosts.iter().map(new).collect(), keys, at: line.at }
    };
    Conf {
        nodes: conf.nodes.iter().map(node).collect(),
        partitions: conf.partitions.iter().map(partition).collect(),
        devices: Vec::new(),
        ..Conf::default()
    }
}

/// Sorts differences into patches and what cannot be kept.
struct Sorter<'s> {
    conf: &'s Conf,
    pools: &'s [Pool],
    release: Release,
}

impl Sorter<'_> {
    /// True when the difference is patched.
    fn sort(&self, difference: &Difference, patches: &mut Patches, import: &mut Import) -> bool {
        let (file, line) = match &difference.place {
            Place::Global => ("slurm.conf", Line::Global),
            Place::Cgroup => ("cgroup.conf", Line::Global),
            Place::Slurmdbd => ("slurmdbd.conf", Line::Global),
            Place::Node(_) => ("slurm.conf", Line::Node),
            Place::Partition(_) => ("slurm.conf", Line::Partition),
        };
        let (at, value) = self.raw(difference);
        let row = keys::row(file, line, &difference.key);
        let key = row.map_or(difference.key.as_str(), |row| row.key.as_str());
        match self.refusal(difference, file, line, key, &value) {
            Some(why) => {
                let what = match SECRET.contains(&difference.key.as_str()) {
                    true => key.to_string(),
                    false => format!("{key}={value}"),
                };
                import.fates.drop(&import.sources, at, what, why);
                false
            }
            None => self.put(difference, key, value, patches),
        }
    }

    /// Why a difference cannot be patched.
    fn refusal(&self, difference: &Difference, file: &str, line: Line, key: &str, value: &str) -> Option<String> {
        if SECRET.contains(&difference.key.as_str()) {
            return Some(String::from("a secret is in no package; put it on the host"));
        }
        let now = difference.new.as_deref().map_or(String::from("leaves it out"), |new| format!("writes {new}"));
        if let Some(by) = patch::owner(file, line, key) {
            return Some(format!("{by} says it, and the build {now}"));
        }
        if difference.key == "file" {
            return Some(format!("device files follow from the GPUs, and the build {now}"));
        }
        if let Some(why) = release::why_unread(self.release, file, line, key, value) {
            return Some(why);
        }
        patch::spelling(value).err().map(|why| format!("its value cannot be passed on: {why}"))
    }

    fn put(&self, difference: &Difference, key: &str, value: String, patches: &mut Patches) -> bool {
        let patch = match &difference.place {
            Place::Global => &mut patches.set,
            Place::Cgroup => &mut patches.cgroup,
            Place::Slurmdbd => &mut patches.slurmdbd,
            Place::Node(host) => {
                // What a line of the files says holds for every pool that has nodes of it.
                let line = self.conf.nodes.iter().position(|line| line.hosts.contains(host));
                let has = |pool: &Pool| pool.nodes.iter().any(|(number, _)| Some(*number) == line);
                for (at, _) in self.pools.iter().enumerate().filter(|(_, pool)| has(pool)) {
                    patches.pools.entry(at).or_default().insert(key.to_string(), value.clone());
                }
                return true;
            }
            Place::Partition(name) => {
                let Some(at) = self.conf.partitions.iter().position(|line| line.name == *name) else { return false };
                patches.partitions.entry(at).or_default()
            }
        };
        patch.insert(key.to_string(), value);
        true
    }

    /// Where the first configuration says it, and how it is written there.
    fn raw(&self, difference: &Difference) -> (Span, String) {
        let of = |keys: &Keys, at: Span| {
            let pair = keys.get(&difference.key);
            let times = matches!(difference.key.as_str(), "maxtime" | "defaulttime");
            let value = pair.filter(|_| times).map_or(difference.old.clone(), |pair| pair.value.clone());
            (pair.map_or(at, |pair| pair.at), value)
        };
        let alone = |pairs: &[Pair]| {
            let at = last(pairs, &difference.key).or(pairs.first()).map_or(Span::DETACHED, |pair| pair.at);
            (at, difference.old.clone())
        };
        match &difference.place {
            Place::Global => alone(&self.conf.globals),
            Place::Cgroup => alone(&self.conf.cgroup),
            Place::Slurmdbd => alone(&self.conf.slurmdbd),
            Place::Node(host) => {
                let line = self.conf.nodes.iter().find(|line| line.hosts.contains(host));
                line.map_or((Span::DETACHED, difference.old.clone()), |line| of(&line.keys, line.at))
            }
            Place::Partition(name) => {
                let line = self.conf.partitions.iter().find(|line| line.name == *name);
                line.map_or((Span::DETACHED, difference.old.clone()), |line| of(&line.keys, line.at))
            }
        }
    }
}

/// Keys that the build writes beyond what was given, with their lines.
fn added(old: &Conf, new: &Conf) -> Vec<String> {
    let mut added = BTreeSet::new();
    for (had, has, file) in [
        (&old.globals, &new.globals, ""),
        (&old.cgroup, &new.cgroup, "cgroup.conf "),
        (&old.slurmdbd, &new.slurmdbd, "slurmdbd.conf "),
    ] {
        let given = |key: &str| had.iter().any(|pair| pair.is(key));
        let more = has.iter().filter(|pair| !given(&pair.key) && !pair.is("SlurmctldHost"));
        added.extend(more.map(|pair| format!("{file}{}={}", pair.key, pair.value)));
    }
    let lines =
        |keys: Vec<BTreeMap<String, String>>| keys.into_iter().flat_map(BTreeMap::into_keys).collect::<BTreeSet<_>>();
    let node = |conf: &Conf| lines(conf.nodes.iter().map(|line| compare::node(&line.keys)).collect());
    let partition = |conf: &Conf| lines(conf.partitions.iter().map(|line| compare::partition(&line.keys)).collect());
    added.extend(node(new).difference(&node(old)).map(|key| format!("{key} of nodes")));
    added.extend(partition(new).difference(&partition(old)).map(|key| format!("{key} of partitions")));
    added.into_iter().collect()
}
