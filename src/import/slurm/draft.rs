//! The text of a draft.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::base::hosts;
use crate::catalog::Catalogue;
use crate::plan::node;

use super::conf::{Conf, PartitionLine};
use super::fate::{Fates, comment};
use super::gpus::{self, Known};
use super::gres::Item;
use super::machine::Machine;
use super::patches::{List, Patch, Patches};
use super::pools::{Pool, slug, unique};
use super::time;

/// Names of nodes in one text of a list.
const HOSTS_IN_A_LIST: usize = 1_000;

/// What a draft is made of.
pub struct Draft<'d> {
    /// What was read.
    pub conf: &'d Conf,
    /// The cluster's name in the draft.
    pub cluster: String,
    /// The release.
    pub version: String,
    /// False when the release was not given.
    pub version_given: bool,
    /// Nodes that become pools.
    pub pools: &'d [Pool],
    /// The names of partitions in the draft.
    pub partitions: &'d [String],
    /// Hosts that control the cluster, by the names that they get.
    pub controllers: &'d [String],
    /// The pool of these.
    pub control: String,
    /// The catalogue.
    pub catalogue: &'d Catalogue,
}

/// What the blocks of the machines need: GPUs and servers that pools share.
#[derive(Default)]
struct Shelf {
    /// Blocks of GPUs with the parameters they need.
    gpus: Vec<String>,
    /// How a type is referred to.
    names: BTreeMap<Option<String>, String>,
    /// Blocks of servers.
    servers: Vec<String>,
    /// The name of a server by what it is.
    known: BTreeMap<String, String>,
    /// Names that are in use.
    taken: BTreeSet<String>,
}

impl Draft<'_> {
    /// The text, with what is patched.
    pub fn text(&self, patches: &Patches, fates: &Fates) -> String {
        let mut shelf = Shelf::default();
        let pools: Vec<String> =
            (0..).zip(self.pools).map(|(at, pool)| self.pool(at, pool, patches, &mut shelf)).collect();
        let mut text = self.head(fates);
        for block in shelf.gpus.iter().chain(&shelf.servers).chain(&pools) {
            let _ = writeln!(text, "{block}");
        }
        text.push_str(&self.control());
        text.push_str(&self.cluster(patches));
        if patches.topology.is_empty() {
            text.push_str(&self.topology());
        }
        text.push_str(&fates.comment());
        text
    }

    fn head(&self, fates: &Fates) -> String {
        let version = match self.version_given {
            true => String::new(),
            false => format!(
                "\n## Placeholder: Slurm's files do not name their release. {} is the newest that reads all that is kept.\nparam slurm-version {{\n  type = text\n  default = {}\n  placeholder = \"Slurm's files do not name their release\"\n}}\n",
                self.version,
                quoted(&self.version)
            ),
        };
        let names = match fates.renamed.is_empty() {
            true => String::new(),
            false => {
                let lines: Vec<String> =
                    fates.renamed.iter().map(|(old, new)| format!("#   {} -> {new}\n", comment(old))).collect();
                format!("\n# Names that change:\n{}", lines.concat())
            }
        };
        format!(
            "## Draft read from the configuration of the Slurm cluster {cluster}. Loads, money, racks and networks are not in\n## Slurm's files: add them. What is `tbd` or a placeholder has to be decided.\n{names}\nplatform {cluster} {{\n  owner = tbd(\"not in Slurm's files\")\n  currency = param.currency\n}}\n\n## Placeholder: the money that everything is counted in is not in Slurm's files.\nparam currency {{\n  type = word\n  default = EUR\n  placeholder = \"the money is not in Slurm's files\"\n}}\n\n## Placeholder: the country of the site is not in Slurm's files.\nparam country {{\n  type = word\n  default = DE\n  placeholder = \"the country is not in Slurm's files\"\n}}\n\n## Placeholder: how high servers are is not in Slurm's files.\nparam height {{\n  type = quantity\n  default = 1 U\n  placeholder = \"how high servers are is not in Slurm's files\"\n}}\n{version}\nsite here {{\n  provider = on-prem\n  country = param.country\n  power_limit = tbd(\"not in Slurm's files\")\n}}\n\n",
            cluster = self.cluster,
        )
    }

    fn pool(&self, at: usize, pool: &Pool, patches: &Patches, shelf: &mut Shelf) -> String {
        let machine = Machine::of(self.conf, pool);
        let server = self.server(pool, &machine, shelf);
        let mut text = format!(
            "pool {} {{\n  site = site.here\n  server = server.{server}\n  nodes = {}\n{}",
            pool.name,
            pool.new.len(),
            node_names(&pool.name, &pool.new)
        );
        let keys = patches.pools.get(&at).cloned().unwrap_or_default();
        let mut inside = remove(patches, List::Pool(at)) + &set("set", &keys);
        for (item, keys) in machine.others(self.conf, pool) {
            inside.push_str(&resource(&item, &keys));
        }
        if !inside.is_empty() {
            let _ =
                writeln!(text, "\npatch slurm {{\n  reason = \"as it was on {}\"\n{inside}}}", hosts_shown(&pool.old));
        }
        text.push_str("}\n");
        text
    }

    /// The block of a server that is like the pool's, made once.
    fn server(&self, pool: &Pool, machine: &Machine, shelf: &mut Shelf) -> String {
        let mut facts = format!(
            "  sockets = {}\n  cores_per_socket = {}\n  threads_per_core = {}\n",
            machine.sockets, machine.cores, machine.threads
        );
        match machine.memory {
            Some(mib) => {
                let _ = writeln!(
                    facts,
                    "  memory = tbd(\"installed memory; Slurm's files have what the system sees\")\n  real_memory = {mib} MiB"
                );
            }
            None => facts.push_str("  memory = param.node-memory\n"),
        }
        let kinds: Vec<String> = machine
            .gpus
            .iter()
            .map(|item| format!("{} * {}", item.number().unwrap_or(1), self.gpu(item, machine, shelf)))
            .collect();
        match &kinds[..] {
            [] => {}
            [one] => {
                let _ = writeln!(facts, "  gpus = {one}");
            }
            several => {
                let _ = writeln!(facts, "  gpus = [{}]", several.join(", "));
            }
        }
        if !machine.near.is_empty() {
            let near: Vec<String> = machine.near.iter().map(u64::to_string).collect();
            let _ = writeln!(facts, "  gpu_numa = [{}]", near.join(", "));
        }
        if let Some(name) = shelf.known.get(&facts) {
            return name.clone();
        }
        let name = unique(&format!("{}-node", pool.name), "node", &mut shelf.taken);
        if machine.memory.is_none() && !shelf.servers.iter().any(|block| block.contains("param.node-memory")) {
            shelf.servers.push(String::from("## Placeholder: Slurm's files do not say the memory of these nodes.\nparam node-memory {\n  type = quantity\n  default = 2 GiB\n  placeholder = \"Slurm's files do not say the memory\"\n}\n"));
        }
        shelf.servers.push(format!("server {name} {{\n  product = tbd(\"not in Slurm's files\")\n{facts}  height = param.height\n  max_power = tbd(\"not in Slurm's files\")\n}}\n"));
        shelf.known.insert(facts, name.clone());
        name
    }

    /// How the GPU of a type is referred to; a block of its own where the catalogue has no such entry.
    fn gpu(&self, item: &Item, machine: &Machine, shelf: &mut Shelf) -> String {
        if let Some(name) = shelf.names.get(&item.kind) {
            return name.clone();
        }
        let kind = item.kind.as_deref().unwrap_or_default();
        let reference = match gpus::find(self.catalogue, kind) {
            Known::Same(id) => format!("catalog.gpu.{id}"),
            Known::Like(id) => {
                let name = unique(kind, "gpu", &mut shelf.taken);
                let fact = |key: &str| format!("  {key} = catalog.gpu.{id}.{key}\n");
                shelf.gpus.push(format!(
                    "gpu {name} {{\n{}{}{}  slurm_type = {}\n}}\n",
                    fact("vendor"),
                    fact("product"),
                    fact("memory"),
                    quoted(kind)
                ));
                format!("gpu.{name}")
            }
            Known::Open(ids) => {
                let name = unique(if kind.is_empty() { "gpu" } else { kind }, "gpu", &mut shelf.taken);
                let vendor = machine.vendor.or_else(|| gpus::maker(kind));
                shelf.gpus.push(open_gpu(&name, item.kind.as_deref(), vendor, &ids));
                format!("gpu.{name}")
            }
        };
        shelf.names.insert(item.kind.clone(), reference.clone());
        reference
    }

    fn control(&self) -> String {
        format!(
            "server {0}-node {{\n  product = tbd(\"not in Slurm's files\")\n  height = param.height\n  max_power = tbd(\"not in Slurm's files\")\n}}\n\npool {0} {{\n  site = site.here\n  server = server.{0}-node\n  nodes = {1}\n{2}}}\n\n",
            self.control,
            self.controllers.len().max(1),
            node_names(&self.control, self.controllers)
        )
    }

    fn cluster(&self, patches: &Patches) -> String {
        let version = if self.version_given { quoted(&self.version) } else { String::from("param.slurm-version") };
        let pools: Vec<String> = self.pools.iter().map(|pool| format!("pool.{}", pool.name)).collect();
        let mut text = format!(
            "cluster {} {{\n  scheduler = slurm\n  version = {version}\n  pools = [{}]\n  control = pool.{}\n",
            self.cluster,
            pools.join(", "),
            self.control
        );
        for (at, line) in self.conf.partitions.iter().enumerate() {
            text.push_str(&self.partition(at, line, patches));
        }
        let inside = remove(patches, List::Cluster)
            + &set("set", &patches.set)
            + &file("cgroup", patches, List::Cgroup, &patches.cgroup)
            + &file("slurmdbd", patches, List::Slurmdbd, &patches.slurmdbd)
            + &patches.topology.iter().map(|(name, keys)| set(&format!("topology {name}"), keys)).collect::<String>();
        if !inside.is_empty() {
            let _ = writeln!(
                text,
                "{}\npatch slurm {{\n  reason = \"as it was before the platform was described\"\n{inside}}}",
                if patches.removed.is_empty() { "" } else { ABOUT_REMOVED },
            );
        }
        text.push_str("}\n");
        text
    }

    fn partition(&self, at: usize, line: &PartitionLine, patches: &Patches) -> String {
        let members = self.pools.iter().filter(|pool| pool.partitions.contains(&at));
        let pools: Vec<String> = members.map(|pool| format!("pool.{}", pool.name)).collect();
        let mut text = format!("\npartition {} {{\n  pools = [{}]\n", self.partitions[at], pools.join(", "));
        let value = |key: &str| line.keys.get(key).map(|pair| pair.value.as_str());
        if let Some(Some(seconds)) =
            value("maxtime").and_then(time::seconds).filter(|limit| limit.is_some_and(|limit| limit > 0))
        {
            let _ = writeln!(text, "  max_time = {}", time::literal(seconds));
        }
        let number = |key: &str| value(key).and_then(|value| value.parse::<u64>().ok());
        if let Some(nodes) = number("maxnodes") {
            let _ = writeln!(text, "  max_nodes = {nodes}");
        }
        if let Some(tier) = number("prioritytier").or_else(|| number("priority")) {
            let _ = writeln!(text, "  priority = {tier}");
        }
        if value("default").is_some_and(|value| value.eq_ignore_ascii_case("YES")) {
            text.push_str("  default = true\n");
        }
        if let Some(word) = self.preempt(line) {
            let _ = writeln!(text, "  preempt = {word}");
        }
        let keys = patches.partitions.get(&at).cloned().unwrap_or_default();
        let inside = remove(patches, List::Partition(at)) + &set("set", &keys);
        if !inside.is_empty() {
            let _ = writeln!(
                text,
                "\npatch slurm {{\n  reason = \"as it was in the partition {}\"\n{inside}}}",
                slug(&line.name, "partition")
            );
        }
        text.push_str("}\n");
        text
    }

    /// What happens to the jobs of a partition, where partitions are what decides.
    fn preempt(&self, line: &PartitionLine) -> Option<&'static str> {
        let global = |key: &str| {
            let pair = self.conf.globals.iter().rev().find(|pair| pair.is(key))?;
            Some(pair.value.to_ascii_uppercase())
        };
        if global("PreemptType").as_deref() != Some("PREEMPT/PARTITION_PRIO") {
            return None;
        }
        let own = line.keys.get("preemptmode").map(|pair| pair.value.to_ascii_uppercase());
        match own.or_else(|| global("PreemptMode"))?.as_str() {
            "OFF" => Some("off"),
            "REQUEUE" => Some("requeue"),
            "CANCEL" => Some("cancel"),
            _ => None,
        }
    }

    /// Switches and blocks as comments: which fabric they belong to is not in Slurm's files.
    fn topology(&self) -> String {
        if self.conf.topology.is_empty() {
            return String::new();
        }
        let mut text = String::from(
            "\n# What topology.conf says. Write a `fabric` that connects the pools; its units become the switches:\n",
        );
        for line in &self.conf.topology {
            let words: Vec<String> = line.iter().map(|pair| format!("{}={}", pair.key, pair.value)).collect();
            let _ = writeln!(text, "#   {}", comment(&words.join(" ")));
        }
        text
    }
}

/// A GPU that the catalogue does not say for sure.
fn open_gpu(name: &str, kind: Option<&str>, vendor: Option<&str>, ids: &[String]) -> String {
    let perhaps = match ids.is_empty() {
        true => String::from("the catalogue has no such GPU"),
        false => {
            let ids: Vec<String> = ids.iter().map(|id| format!("catalog.gpu.{id}")).collect();
            format!("one of {}", ids.join(", "))
        }
    };
    let mut text = format!(
        "## Placeholder: the memory is not in Slurm's files; {perhaps}.\nparam memory-of-{name} {{\n  type = quantity\n  default = 1 GiB\n  placeholder = \"the memory is not in Slurm's files\"\n}}\n\n"
    );
    if vendor.is_none() {
        let _ = writeln!(
            text,
            "## Placeholder: who makes it is not in the files that were read; its device files follow from it.\nparam vendor-of-{name} {{\n  type = text\n  default = \"NVIDIA\"\n  placeholder = \"who makes it is not in the files that were read\"\n}}\n"
        );
    }
    let vendor = vendor.map_or_else(|| format!("param.vendor-of-{name}"), |vendor| format!("\"{vendor}\""));
    let _ = writeln!(text, "gpu {name} {{\n  vendor = {vendor}");
    let _ = writeln!(text, "  memory = param.memory-of-{name}");
    if let Some(kind) = kind {
        let _ = writeln!(text, "  slurm_type = {}", quoted(kind));
    }
    text.push_str("}\n");
    text
}

/// What is said of the lists of keys that are left out.
const ABOUT_REMOVED: &str = "\n# `remove` leaves out what a build writes of itself and the files that were read do not have. Delete these lines, here\n# and in pools and partitions, to take what a build would do.";

/// The list of keys that are left out.
fn remove(patches: &Patches, list: List) -> String {
    let keys: Vec<String> = patches.removed.get(&list).into_iter().flatten().map(|key| quoted(key)).collect();
    if keys.is_empty() { String::new() } else { format!("  remove = [{}]\n", keys.join(", ")) }
}

/// `cgroup { … }`: keys of another file, and those that it is without.
fn file(word: &str, patches: &Patches, list: List, keys: &Patch) -> String {
    let removed = remove(patches, list);
    match (removed.is_empty(), set(word, keys)) {
        (true, set) => set,
        (false, set) if set.is_empty() => format!("\n{word} {{\n{removed}}}\n"),
        (false, set) => set.replacen("{\n", &format!("{{\n{removed}"), 1),
    }
}

/// `set { Key = "value" }`, or nothing without keys.
fn set(word: &str, keys: &Patch) -> String {
    if keys.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = keys.iter().map(|(key, value)| format!("  {key} = {}\n", quoted(value))).collect();
    format!("\n{word} {{\n{}}}\n", lines.concat())
}

/// A generic resource of a pool.
fn resource(item: &Item, keys: &Patch) -> String {
    let mut all = keys.clone();
    all.insert(String::from("Count"), item.count.clone());
    if let Some(kind) = &item.kind {
        all.insert(String::from("Type"), kind.clone());
    }
    set(&format!("gres {}", item.name), &all)
}

/// A string of the language.
pub fn quoted(text: &str) -> String {
    let mut shown = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => shown.push_str("\\\""),
            '\\' => shown.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown.push('"');
    shown.replace("${", "$${")
}

/// The line that keeps the names of a pool's nodes, where they are not those that nodes of that pool have by themselves.
fn node_names(pool: &str, names: &[String]) -> String {
    let count = names.len() as u64;
    if (1..=count).map(|number| node::name(pool, number, count)).eq(names.iter().cloned()) {
        return String::new();
    }
    let lists: Vec<String> = names.chunks(HOSTS_IN_A_LIST).map(|some| quoted(&hosts::fold(some))).collect();
    format!("  node_names = [{}]\n", lists.join(", "))
}

fn hosts_shown(hosts: &[String]) -> String {
    comment(&hosts::fold(hosts)).replace(['"', '\\', '$', '{'], "?")
}
