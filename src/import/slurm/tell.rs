//! What is said beside a draft.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hosts;
use crate::base::phrase;
use crate::base::secret;
use crate::base::span::Span;

use super::compare::Names;
use super::conf::Conf;
use super::entry::Pair;
use super::machine::{Counted, Machine};
use super::pools::{self, Pool};
use super::{Import, gpus, gres, machine};

/// Names that change.
pub fn names(pools: &[Pool], names: &Names, import: &mut Import) {
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

/// Lines and keys that have no place in a package.
pub fn lines(conf: &Conf, pools: &[Pool], import: &mut Import) {
    let shown = |pairs: &[Pair]| pairs.first().map_or(String::new(), |pair| format!("{}={}", pair.key, pair.value));
    for pairs in &conf.others {
        let Some(first) = pairs.first() else { continue };
        let why = match first.key.to_ascii_lowercase().as_str() {
            "downnodes" => "the state of nodes is not configuration; drain them by hand, or make them `spare`",
            "nodeset" => "it names no nodes",
            _ => "such lines are not written",
        };
        import.fates.drop(&import.sources, first.at, shown(pairs), why);
    }
    for name in conf.sets.keys() {
        import.fates.notes.push(format!("NodeSet={name} is resolved into the pools of its partitions"));
    }
    for pair in [&conf.globals, &conf.cgroup, &conf.slurmdbd].into_iter().flatten() {
        if pair.value.is_empty() {
            let why = "its value cannot be passed on: it is empty";
            import.fates.drop(&import.sources, pair.at, format!("{}=", pair.key), why);
        }
    }
    for (pair, why) in &conf.obsolete {
        import.fates.drop(&import.sources, pair.at, format!("{}={}", pair.key, pair.value), why);
    }
    for (name, path) in &conf.elsewhere {
        import.fates.notes.push(format!("{name} is not there; {path} was read for it"));
    }
    twice(conf, import);
    not_given(conf, import);
    addresses(conf, import);
    processors(conf, pools, import);
    devices(conf, pools, import);
    qualities(conf, import);
}

/// CPUs that slurmctld counts otherwise than a reader may.
fn processors(conf: &Conf, pools: &[Pool], import: &mut Import) {
    let mut alone: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut otherwise: BTreeMap<(u64, u64, u64), Vec<String>> = BTreeMap::new();
    for pool in pools {
        match machine::counted(conf, pool) {
            Counted::Same => {}
            Counted::Sockets(sockets) => alone.entry(sockets).or_default().extend(pool.old.iter().cloned()),
            Counted::Otherwise(cpus, made) => {
                let machine = Machine::of(conf, pool);
                let drawn = machine.sockets.saturating_mul(machine.cores).saturating_mul(machine.threads);
                otherwise.entry((cpus, made, drawn)).or_default().extend(pool.old.iter().cloned());
            }
        }
    }
    let shown = |hosts: &[String]| phrase::excerpt(&hosts::fold(hosts), 200);
    for (sockets, hosts) in alone {
        import.fates.notes.push(format!(
            "the line of {} does not say its sockets: slurmctld counts {sockets} of one core, and so does the draft; write \
             what the hosts have",
            shown(&hosts)
        ));
    }
    for ((cpus, made, drawn), hosts) in otherwise {
        let draft = match drawn {
            drawn if drawn == made => String::from("the draft counts as it does"),
            drawn => format!("the draft has {drawn}"),
        };
        import.fates.notes.push(format!(
            "CPUs={cpus} of {} is neither its sockets, its cores nor its threads: slurmctld resets it to {made}, and {draft}; \
             write what the hosts have",
            shown(&hosts)
        ));
    }
}

/// Qualities of service that partitions name: what they are is in the database.
fn qualities(conf: &Conf, import: &mut Import) {
    let mut named: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for line in &conf.partitions {
        for pair in ["qos", "allowqos", "denyqos"].iter().filter_map(|key| line.keys.get(*key)) {
            for name in pair.value.split(',').map(|name| name.trim().to_ascii_lowercase()) {
                if !["", "all"].contains(&name.as_str()) {
                    named.entry(name).or_default().insert(&line.name);
                }
            }
        }
    }
    for (name, partitions) in named {
        let noun = if partitions.len() == 1 { "partition" } else { "partitions" };
        let of = partitions.into_iter().collect::<Vec<_>>().join(", ");
        let then = match name.as_str() {
            "normal" => "it is in every database, and the build leaves it as it is",
            _ => {
                "the build adds it without limits to a database that does not have it, and leaves one that is there as it \
                 is; in a new database set its limits with `sacctmgr modify qos`"
            }
        };
        import.fates.notes.push(format!("the quality of service {name} of the {noun} {of}: {then}"));
    }
}

/// Files that a build writes and nobody gave.
fn not_given(conf: &Conf, import: &mut Import) {
    let accounts =
        super::last(&conf.globals, "AccountingStorageType").is_some_and(|pair| !pair.value.ends_with("/none"));
    let notes = [
        (conf.cgroup.is_empty(), "cgroup.conf was not read: the build's keeps jobs to their cores, memory and devices"),
        (
            accounts && conf.slurmdbd.is_empty(),
            "slurmdbd.conf was not read: the build's deletes old records (PurgeJobAfter and others)",
        ),
    ];
    for (_, note) in notes.iter().filter(|(holds, _)| *holds) {
        import.fates.notes.push(format!("{note}; read the one that is there as well, or keep it there"));
    }
}

/// Keys that stand twice: the last counts.
fn twice(conf: &Conf, import: &mut Import) {
    let several = ["slurmctldhost", "controlmachine", "backupcontroller"];
    for pairs in [&conf.globals, &conf.cgroup, &conf.slurmdbd] {
        let counts: BTreeMap<String, &str> =
            pairs.iter().map(|pair| (pair.key.to_ascii_lowercase(), pair.value.as_str())).collect();
        for pair in pairs {
            let key = pair.key.to_ascii_lowercase();
            if several.contains(&key.as_str()) || counts.get(&key).is_some_and(|value| *value == pair.value) {
                continue;
            }
            let what = match secret::is_secret(&key) {
                true => pair.key.clone(),
                false => format!("{}={}", pair.key, pair.value),
            };
            import.fates.drop(&import.sources, pair.at, what, "the key stands again further down");
        }
    }
}

/// Addresses of controllers.
fn addresses(conf: &Conf, import: &mut Import) {
    for pair in &conf.globals {
        let beside = pair.is("SlurmctldHost") && pair.value.contains('(');
        if beside || ["ControlAddr", "BackupAddr", "SlurmctldAddr"].iter().any(|key| pair.is(key)) {
            let why = "addresses of controllers are not written: their names must resolve";
            import.fates.drop(&import.sources, pair.at, format!("{}={}", pair.key, pair.value), why);
        }
    }
    for line in &conf.nodes {
        if let Some(boards) = line.keys.get("boards").filter(|pair| pair.value != "1") {
            let why = "sockets are counted over all boards";
            import.fates.drop(&import.sources, boards.at, format!("Boards={}", boards.value), why);
        }
    }
}

/// What lines of `gres.conf` say that has no place.
fn devices(conf: &Conf, pools: &[Pool], import: &mut Import) {
    for (at, device) in conf.devices.iter().enumerate() {
        let name = device.get("name").unwrap_or_default();
        let has = |pool: &&Pool| gres::items(&machine::list(conf, pool)).iter().any(|item| item.name == name);
        let of: Vec<&Pool> = pools.iter().filter(|pool| pool.devices.contains(&at)).filter(has).collect();
        if of.is_empty() && !name.is_empty() {
            let what = format!("Name={name}");
            import.fates.drop(&import.sources, device.at, what, "no node's `Gres` has it");
            continue;
        }
        let near = |pool: &&Pool| !Machine::of(conf, pool).near.is_empty();
        let near = name == "gpu" && of.iter().all(near);
        for (key, pair) in device.keys.iter().filter(|(key, _)| !near || !["cores", "cpus"].contains(&key.as_str())) {
            if let Some(why) = device_key(key, name) {
                import.fates.drop(&import.sources, pair.at, format!("{}={}", pair.key, pair.value), why);
            }
        }
        let types = |pool: &&Pool| {
            gres::items(&machine::list(conf, pool)).iter().any(|item| item.kind.as_deref() == device.get("type"))
        };
        if let Some(kind) = device.keys.get("type").filter(|_| !of.iter().all(types)) {
            let why = "the line of the nodes has another type, or none";
            import.fates.drop(&import.sources, kind.at, format!("Type={}", kind.value), why);
        }
    }
    for pool in pools {
        items(conf, pool, import);
    }
}

/// Why a key of a line of `gres.conf` is not kept.
fn device_key(key: &str, name: &str) -> Option<&'static str> {
    match key {
        "name" | "nodename" | "type" | "count" | "file" => None,
        "autodetect" => Some("the build names device files, or lets slurmd detect them, by release"),
        "flags" | "links" | "cores" if name != "gpu" => None,
        "cores" | "cpus" => Some("cores near GPUs follow from `gpu_numa` of the server, or from detection"),
        _ => Some("not written for such devices"),
    }
}

/// What the line of a pool's nodes says of resources and the draft does not.
fn items(conf: &Conf, pool: &Pool, import: &mut Import) {
    let at = pool.line(conf).map_or(Span::DETACHED, |line| line.keys.get("gres").map_or(line.at, |pair| pair.at));
    let mut seen = BTreeSet::new();
    for item in gres::items(&machine::list(conf, pool)) {
        if !item.rest.is_empty() {
            let why = "what stands beside the count is not written";
            import.fates.drop(&import.sources, at, format!("{} {}", item.show(), item.rest), why);
        }
        if item.name == "gpu" {
            slices(&item, import);
            continue;
        }
        if !seen.insert(item.name.clone()) || pools::slug(&item.name, "gres") != item.name {
            let why = "a patch has each resource once, under a name of lower-case letters, digits and hyphens";
            import.fates.drop(&import.sources, at, item.show(), why);
        }
        let devices: Vec<_> = machine::devices(conf, pool, &item.name).collect();
        let one = machine::differ_in_files(&devices);
        for device in devices.into_iter().skip(1).filter(|_| !one) {
            import.fates.drop(&import.sources, device.at, item.show(), "a patch has one line for a resource");
        }
    }
}

/// Slices that the draft has as whole GPUs.
fn slices(item: &gres::Item, import: &mut Import) {
    if !item.kind.as_deref().is_some_and(gpus::is_slice) {
        return;
    }
    let note = format!(
        "{} are slices, and the draft has whole GPUs: write the GPUs of the server, and `mig` of the pool",
        item.show()
    );
    if !import.fates.notes.contains(&note) {
        import.fates.notes.push(note);
    }
}

/// The placeholders of a draft.
pub fn placeholders(text: &str, import: &mut Import) {
    let names: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("param "))
        .filter_map(|rest| Some(format!("param.{}", rest.split_whitespace().next()?)))
        .collect();
    import.fates.notes.push(format!("placeholders to be replaced: {}", names.join(", ")));
}

/// Scripts of the old configuration that the build writes anew, under the same path.
pub fn scripts(old: &Conf, written: &[&str], import: &mut Import) {
    let value = |key: &str| super::last(&old.globals, key).map(|pair| pair.value.clone());
    for (key, script) in [("Prolog", "prolog.sh"), ("Epilog", "epilog.sh"), ("HealthCheckProgram", "health.sh")] {
        if let Some(path) = value(key).filter(|_| written.contains(&script)) {
            import.fates.notes.push(format!("the build writes a {script} of its own: keep what {path} does"));
        }
    }
    if value("JobSubmitPlugins").is_some() && written.contains(&"job_submit.lua") {
        let note = "job_submit.lua is not in the files that were read: keep what it did";
        import.fates.notes.push(String::from(note));
    }
}

/// Scripts beside the files that a build may have under the same name, or instead.
pub fn beside(beside: &[String], written: &[&str], import: &mut Import) {
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_string();
    for name in beside {
        for ours in written.iter().filter(|ours| name.starts_with(&stem(ours))) {
            let note = format!(
                "{name} beside the files is not read, and a build may write a {ours} of its own: carry over what it does \
                 before that is copied to a host"
            );
            import.fates.notes.push(note);
        }
    }
}
