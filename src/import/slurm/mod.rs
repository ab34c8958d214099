//! `slurm.conf`, `gres.conf` and the files beside them, as a draft of a package.
//!
//! The draft is built at once, in memory, and what was written is held against what was read: a key that the build
//! writes the same needs no word, one that it writes otherwise is patched, and what can be neither is listed. Then it
//! is built and compared again.

mod beyond;
mod build;
pub mod compare;
pub mod conf;
mod draft;
mod entry;
mod fate;
mod gpus;
mod gres;
mod machine;
mod patches;
mod pools;
mod problems;
mod release;
mod sets;
mod sort;
mod switches;
mod tell;
mod text;
mod time;
mod today;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::Diagnostics;
use crate::base::hosts;
use crate::base::source::Sources;
use crate::base::span::Span;
use crate::catalog::Catalogue;
use crate::plan::node;
use crate::target::slurm::version::Release;

use beyond::Places;
use compare::{Difference, Names};
use conf::{Conf, File, Load};
use draft::Draft;
use entry::Pair;
use patches::{Patch, Patches};
use pools::Pool;
use sort::{Explained, Sorter};

pub use fate::{Dropped, Fates};

/// Nodes that differ in more ways than this are no cluster that a person describes.
const MOST_POOLS: usize = 1_000;

/// Pools of all partitions together: a draft of more lines is read by nobody.
const MOST_MEMBERS: usize = 50_000;

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
    import_beside(files, &[], version, load)
}

/// The same, with the names of other files in their folder: scripts among them are not read, and spoken of.
pub fn import_beside(
    files: Vec<(String, String)>,
    beside: &[String],
    version: Option<&str>,
    load: &mut Load<'_>,
) -> Import {
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
    check(&conf, &import.sources, &mut import.problems);
    let release = match version {
        Some(version) if version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
            Release::of(version).map(|release| (version, release))
        }
        Some(_) => None,
        None => release::newest(&conf),
    };
    let Some((name, release)) = release else {
        import.problems.push(problems::release());
        return import;
    };
    if import.problems.has_errors() {
        return import;
    }
    without_empty_partitions(&mut conf, &mut import);
    write(&conf, (name, release, version.is_some()), beside, &mut import);
    import
}

/// What Slurm itself would not start with.
fn check(conf: &Conf, sources: &Sources, found: &mut Diagnostics) {
    if conf.nodes.is_empty() && !found.has_errors() {
        found.push(problems::nothing("line with `NodeName=`"));
    }
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for line in &conf.nodes {
        let twins = line.hosts.iter().filter_map(|host| Some((host, seen.insert(host, line.at)?)));
        // One problem a line; all of its hosts are noted for the lines after it.
        if let Some((host, first)) = twins.collect::<Vec<_>>().into_iter().next() {
            found.push(problems::twice(sources, line.at, first, "node", host));
        }
    }
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for line in &conf.partitions {
        if let Some(first) = seen.insert(&line.name, line.at) {
            found.push(problems::twice(sources, line.at, first, "partition", &line.name));
        }
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

fn write(conf: &Conf, (version, release, given): (&str, Release, bool), beside: &[String], import: &mut Import) {
    let mut taken = BTreeSet::new();
    let pools = pools::of(conf, &mut taken);
    if pools.len() > MOST_POOLS {
        let at = conf.nodes.last().map_or(Span::DETACHED, |line| line.at);
        return import.problems.push(problems::limit(at, &format!("more than {MOST_POOLS} kinds of nodes")));
    }
    if pools.iter().map(|pool| pool.partitions.len()).sum::<usize>() > MOST_MEMBERS {
        let at = conf.partitions.last().map_or(Span::DETACHED, |line| line.at);
        let what = format!("partitions with more than {MOST_MEMBERS} kinds of nodes, all together");
        return import.problems.push(problems::limit(at, &what));
    }
    let control = pools::unique("control", "control", &mut taken);
    let mut taken = BTreeSet::new();
    let partitions: Vec<String> =
        conf.partitions.iter().map(|line| pools::unique(&line.name, "partition", &mut taken)).collect();
    let given_name = last(&conf.globals, "ClusterName").map_or("cluster", |pair| pair.value.as_str());
    let cluster = pools::slug(given_name, "cluster");
    let controllers = controllers(conf);
    let steered = steered(&control, &controllers, &pools);
    let names = Names {
        clusters: renames([(given_name.to_string(), cluster.clone())]),
        nodes: renames(pools.iter().flat_map(|pool| pool.old.iter().cloned().zip(pool.new.iter().cloned()))),
        partitions: renames(conf.partitions.iter().map(|line| line.name.clone()).zip(partitions.iter().cloned())),
        controllers: renames(controllers.iter().cloned().zip(steered.iter().cloned())),
    };
    let catalogue = Catalogue::new();
    let draft = Draft {
        conf,
        cluster: cluster.clone(),
        version: version.to_string(),
        version_given: given,
        pools: &pools,
        partitions: &partitions,
        controllers: &steered,
        control,
        catalogue: &catalogue,
    };
    let built_with = |patches: &Patches| build::build(&draft.text(patches, &Fates::default()), &cluster);
    tell::names(&pools, &names, import);
    tell::lines(conf, &pools, import);
    let mut patches = Patches { pools: addresses(conf, &pools), ..Patches::default() };
    patches.topology = switches::of(conf, &names);
    let mut skeleton = built_with(&patches);
    if skeleton.is_err() && !patches.topology.is_empty() {
        // It may be the tree that cannot be built.
        patches.topology.clear();
        skeleton = built_with(&patches);
    }
    let topology = switches::tell(conf, &patches.topology, import);
    tell::placeholders(&draft.text(&patches, &Fates::default()), import);
    let written = skeleton.unwrap_or_else(|_| build::outline(conf, &names));
    let wanted = compare::differences(conf, &written, &names);
    let mut explained = BTreeSet::new();
    let sorter = Sorter::new(conf, &pools, release, topology);
    sorter.sort_all(wanted, &mut patches, &mut explained, import);
    let mut built = built_with(&patches);
    // A patch takes out more than it replaces: parameters of the plugin that goes.
    if let Ok(written) = &built {
        let left = left(conf, written, &names, &explained);
        if !left.is_empty() {
            sorter.sort_all(left, &mut patches, &mut explained, import);
            built = built_with(&patches);
        }
    }
    let places = Places { conf, pools: &pools, partitions: &partitions };
    if let Ok(written) = &built {
        places.leave_out(written, &mut patches);
        built = built_with(&patches);
    }
    while let Err((_, found)) = &built
        && beyond::keep_needed(found, &mut patches)
    {
        built = built_with(&patches);
    }
    let scripts = built.as_ref().map_or(build::SCRIPTS.to_vec(), build::scripts);
    tell::beside(beside, &scripts, import);
    tell::scripts(conf, &scripts, import);
    if let Ok(written) = &built {
        import.fates.added = places.words(written);
        import.unexplained = left(conf, written, &names, &explained);
    }
    import.build = built.err();
    import.text = Some(draft.text(&patches, &import.fates));
    import.cluster = cluster;
    import.names = names;
}

/// What a build says otherwise and nothing explains.
fn left(conf: &Conf, written: &Conf, names: &Names, explained: &Explained) -> Vec<Difference> {
    let mut left = compare::differences(conf, written, names);
    left.retain(|one| !explained.contains(&(one.place.clone(), one.key.clone())));
    left
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

/// The names that controllers get: their own, where no node has one of them.
fn steered(control: &str, controllers: &[String], pools: &[Pool]) -> Vec<String> {
    let nodes: BTreeSet<&String> = pools.iter().flat_map(|pool| &pool.new).collect();
    if controllers.iter().all(|host| hosts::is_name(host) && !nodes.contains(host)) {
        return controllers.to_vec();
    }
    let count = controllers.len() as u64;
    (1..=count).map(|number| node::name(control, number, count)).collect()
}

/// How nodes keep their host names and addresses under new names.
fn addresses(conf: &Conf, pools: &[Pool]) -> BTreeMap<usize, Patch> {
    let mut patches: BTreeMap<usize, Patch> = BTreeMap::new();
    for (at, pool) in pools.iter().enumerate() {
        let mut patch = Patch::new();
        let hostnames = pools::hostnames(conf, pool);
        if let Some(hostnames) = &hostnames {
            patch.insert(String::from("NodeHostname"), hosts::fold(hostnames));
        }
        let reached = hostnames.as_ref().unwrap_or(&pool.new);
        if let Some(addresses) = pool.each(conf, "nodeaddr").filter(|addresses| addresses != reached) {
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
