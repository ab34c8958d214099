//! `patch slurm { … }`: keys of Slurm's own files, checked against the release and passed on with their reason.
//!
//! A patch is written into the finished text, so that nothing it says is lost when the files are made again, and what
//! it replaces stays visible in a comment. Keys that the source says in another way are refused: two places would
//! disagree.

mod apply;
mod check;
mod defaults;
mod form;
mod items;
mod node;
mod preempt;
mod remove;
mod tree;
mod trust;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Patch, PatchKey, Pool};
use crate::model::words::Scheduler;

use super::keys::{self, Line};
use super::machine::Machine;
use super::problems;
use super::version::Release;

pub use apply::lines;
pub use check::owner;
use remove::Removal;
pub use remove::may_be_left_out;
pub use tree::switches;

/// How long all patched values of a line may be; old releases read lines of 4,096 characters.
const LONGEST_LINE: usize = 2_000;

/// The word after `patch` that this target answers to.
const TARGET: &str = "slurm";

/// What the patches of a cluster write.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patches {
    settings: Vec<Setting>,
    removals: Vec<Removal>,
    resources: Vec<Resource>,
    /// The hosts of each pool.
    hosts: BTreeMap<String, String>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
struct Setting {
    /// The file.
    file: &'static str,
    /// The kind of its line.
    line: Line,
    /// The pool or partition whose line it is; the cluster for a line of its own.
    of: String,
    /// The key as Slurm spells it.
    key: &'static str,
    /// The value as it stands in the file, with the quotation marks that it needs.
    value: String,
    /// True when the value is added to ours.
    adds: bool,
    /// Why.
    reason: String,
    /// The address of the key.
    address: String,
    /// The key in the source; absent for one that follows from another.
    id: Option<Id<PatchKey>>,
}

/// A generic resource of the nodes of a pool.
#[derive(Debug, Clone, PartialEq)]
struct Resource {
    /// Its pool.
    of: String,
    /// Its name.
    name: String,
    /// `Type`, where it has one.
    kind: Option<String>,
    /// `Count`, as the node's line says it.
    count: String,
    /// Keys of its line in `gres.conf`, without `Count`, `Name` and `Type`.
    keys: Vec<(&'static str, String)>,
    /// Why.
    reason: String,
    /// The address of the block.
    address: String,
    /// The block.
    block: BlockId,
}

impl Patches {
    /// Reads and checks the patches of a cluster, of its partitions and of its pools.
    pub fn of(
        model: &Model<'_>,
        cluster: Id<Cluster>,
        machines: &[Machine],
        release: Release,
        found: &mut Vec<Diagnostic>,
    ) -> Patches {
        let mut problems = Vec::new();
        let mut reader = Reader { model, release, patches: Patches::default(), found: &mut problems };
        let facts = &model[cluster];
        for &patch in &facts.patch {
            reader.cluster(patch, &model.address(cluster.block()));
        }
        for &partition in &facts.partition {
            for &patch in &model[partition].patch {
                reader.line(patch, &model.address(partition.block()), Line::Partition);
            }
        }
        for machine in machines.iter().filter(|machine| !machine.names.is_empty()) {
            reader.patches.hosts.insert(model.address(machine.pool.block()), machine.hosts());
            for &patch in &model[machine.pool].patch {
                reader.line(patch, &model.address(machine.pool.block()), Line::Node);
                // The nodes of a large NVLink domain have a line for each block.
                if machine.domain.is_some() {
                    reader.refuse_lists(patch);
                }
            }
            reader.hold_against(machine);
        }
        reader.keep_needed(cluster, machines);
        reader.agree_on_preemption(cluster);
        reader.judge_removals(cluster, machines);
        reader.hold_defaults(cluster, machines);
        let mut patches = reader.patches;
        patches.follow(model, &mut problems);
        found.extend(few(problems));
        patches.settings.sort_by(|a, b| (a.file, a.line, &a.of, a.key).cmp(&(b.file, b.line, &b.of, b.key)));
        patches.resources.sort_by(|a, b| (&a.of, &a.name).cmp(&(&b.of, &b.name)));
        patches
    }

    /// What a key that stands alone is set to, where it is patched.
    fn global(&self, file: &str, key: &str) -> Option<&Setting> {
        let wanted = |one: &&Setting| one.file == file && one.line == Line::Global && apply::excludes(one.key, key);
        self.settings.iter().find(wanted)
    }

    /// True when the patched list of a key lacks an item.
    pub fn takes_out(&self, key: &str, item: &str) -> bool {
        self.global("slurm.conf", key).is_some_and(|one| !one.adds && !items::has(&one.value, item))
            || self.leaves_out("slurm.conf", key)
    }

    /// The qualities of service that patched lines of partitions name, in lower case, as the database has them.
    pub fn qualities(&self) -> BTreeSet<String> {
        let naming = |one: &&Setting| one.line == Line::Partition && ["QOS", "AllowQos", "DenyQos"].contains(&one.key);
        let lists = self.settings.iter().filter(naming);
        let names =
            lists.flat_map(|one| one.value.trim_matches('"').split(',')).map(|name| name.trim().to_ascii_lowercase());
        // One is always there, and one word means all.
        names.filter(|name| !["", "all", "normal", "n/a"].contains(&name.as_str())).collect()
    }

    /// The topology plugin that is patched in.
    pub fn topology(&self) -> Option<(Option<Id<PatchKey>>, &str)> {
        self.global("slurm.conf", "TopologyPlugin").map(|one| (one.id, one.value.as_str()))
    }

    /// True when a key runs our script: it is neither left out nor patched to another one.
    pub fn runs(&self, key: &str, script: &str) -> bool {
        !self.takes_out(key, script) || !self.takes_out(key, &format!("/etc/slurm/{script}"))
    }

    /// The text of a file with what is patched in it.
    pub fn apply(&self, file: &str, text: String) -> String {
        apply::all(self, file, text)
    }
}

/// The most problems of one code that are said one by one.
const MOST: usize = 20;

/// The first problems of each code, and how many more there are.
fn few(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
    let mut said: Vec<Diagnostic> = Vec::new();
    for problem in problems {
        let count = counts.entry(problem.code.0).or_default();
        *count += 1;
        if *count <= MOST {
            said.push(problem);
        }
    }
    for (code, count) in counts.into_iter().filter(|(_, count)| *count > MOST) {
        if let Some(last) = said.iter_mut().rev().find(|problem| problem.code.0 == code) {
            last.notes.push(format!("{} more of this kind in the patches", count - MOST));
        }
    }
    said
}

/// Patches that nothing reads: of another target, of another scheduler, of a pool in no Slurm cluster.
pub fn unread(model: &Model<'_>) -> Vec<Diagnostic> {
    let slurm = |cluster: &&Cluster| cluster.scheduler == Scheduler::Slurm;
    let pools: Vec<Id<Pool>> =
        model.tables.clusters.iter().filter(slurm).flat_map(|cluster| cluster.pools.clone()).collect();
    let mut found = Vec::new();
    for cluster in &model.tables.clusters {
        let partitions = cluster.partition.iter().flat_map(|&partition| &model[partition].patch);
        let read = cluster.scheduler == Scheduler::Slurm;
        found.extend(cluster.patch.iter().chain(partitions).filter_map(|&patch| misplaced(model, patch, read)));
    }
    for pool in &model.tables.pools {
        let read = pools.contains(&pool.id);
        found.extend(pool.patch.iter().filter_map(|&patch| misplaced(model, patch, read)));
    }
    few(found)
}

fn misplaced(model: &Model<'_>, patch: Id<Patch>, read: bool) -> Option<Diagnostic> {
    let name = model.name(patch);
    (name != TARGET || !read).then(|| problems::patch_of_nothing(model, patch, (name != TARGET).then_some(name)))
}

/// Why a value cannot be patched in place of ours, as far as the value alone says it.
pub fn refusal(file: &str, line: Line, key: &str, value: &str, ours: Option<&str>) -> Option<String> {
    let lost = WEIGHED.iter().find(|item| {
        key == "AccountingStorageTRES" && ours.is_some_and(|ours| items::has(ours, item)) && !items::has(value, item)
    });
    let lost = lost.map(|item| format!("it leaves {item} out, which the weights of partitions need"));
    value::value(value).err().or_else(|| form::wrong(keys::row(file, line, key)?, value)).or(lost)
}

/// What partitions weigh beside CPUs and memory.
const WEIGHED: &[&str] = &["gres/gpu", "gres/shard"];

struct Reader<'m, 'a> {
    model: &'m Model<'a>,
    release: Release,
    patches: Patches,
    found: &'m mut Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    /// A patch of the cluster: lines of their own in three files.
    fn cluster(&mut self, id: Id<Patch>, of: &str) {
        let Some(reason) = self.reason(id) else { return };
        let patch = &self.model[id];
        let files = [
            ("slurm.conf", patch.set.iter().flat_map(|&set| &self.model[set].key).copied().collect::<Vec<_>>()),
            ("cgroup.conf", patch.cgroup.iter().flat_map(|&set| &self.model[set].key).copied().collect()),
            ("slurmdbd.conf", patch.slurmdbd.iter().flat_map(|&set| &self.model[set].key).copied().collect()),
        ];
        for (file, keys) in files {
            keys.into_iter().for_each(|key| self.setting(key, file, Line::Global, of, &reason));
        }
        self.removals(id.block(), &patch.remove, ("slurm.conf", Line::Global, of), &reason);
        for &own in &patch.cgroup {
            self.removals(own.block(), &self.model[own].remove, ("cgroup.conf", Line::Global, of), &reason);
        }
        for &own in &patch.slurmdbd {
            self.removals(own.block(), &self.model[own].remove, ("slurmdbd.conf", Line::Global, of), &reason);
        }
        for &gres in &patch.gres {
            self.found.push(problems::patch_place(self.model, gres.block(), "in a pool, whose nodes have it"));
        }
    }

    /// A patch of a pool or partition: keys of its line in `slurm.conf`, resources of a pool.
    fn line(&mut self, id: Id<Patch>, of: &str, line: Line) {
        let Some(reason) = self.reason(id) else { return };
        let patch = &self.model[id];
        let keys: Vec<Id<PatchKey>> = patch.set.iter().flat_map(|&set| &self.model[set].key).copied().collect();
        keys.into_iter().for_each(|key| self.setting(key, "slurm.conf", line, of, &reason));
        self.removals(id.block(), &patch.remove, ("slurm.conf", line, of), &reason);
        let elsewhere = patch.cgroup.iter().map(|id| id.block()).chain(patch.slurmdbd.iter().map(|id| id.block()));
        for block in elsewhere.chain(patch.topology.iter().map(|id| id.block())) {
            self.found.push(problems::patch_place(self.model, block, "in the cluster, which has one such file"));
        }
        for &gres in &patch.gres {
            match line {
                Line::Node => self.resource(gres.block(), &self.model[gres].key.clone(), of, &reason),
                _ => self.found.push(problems::patch_place(self.model, gres.block(), "in a pool, whose nodes have it")),
            }
        }
    }

    /// Keys that have a part for each node of a line, in a pool with several lines.
    fn refuse_lists(&mut self, id: Id<Patch>) {
        let model = self.model;
        let keys = model[id].set.iter().flat_map(|&set| &model[set].key).copied();
        for key in keys.filter(|&key| ["NodeHostname", "NodeAddr"].contains(&model.name(key))) {
            let why = "the nodes of the pool stand on several lines, one for each NVLink domain";
            self.found.push(problems::patch_value(model, key, why));
        }
    }

    /// Why the patch is there; a patch of another target is none of this one's, one without a reason is refused.
    fn reason(&mut self, id: Id<Patch>) -> Option<String> {
        let reason = self.model[id].reason.trim();
        if self.model.name(id) != TARGET {
            return None;
        }
        if reason.is_empty() {
            self.found.push(problems::patch_reason(self.model, id));
            return None;
        }
        Some(reason.to_string())
    }

    /// What a patch adds to a line must leave room for the rest of it.
    fn room(&mut self, id: Id<PatchKey>, of: &str, more: usize) -> bool {
        let on_line = self.patches.settings.iter().filter(|one| one.line != Line::Global && one.of == of);
        let fits = on_line.map(|one| one.value.len()).sum::<usize>() + more <= LONGEST_LINE;
        if !fits {
            let why = format!("all patched values of a line together are longer than {LONGEST_LINE} characters");
            self.found.push(problems::patch_value(self.model, id, &why));
        }
        fits
    }

    /// Of keys that cannot stand beside each other only one may be patched: the other would be lost without a word.
    fn alone(&mut self, id: Id<PatchKey>, file: &str, line: Line, of: &str, key: &'static str) -> bool {
        let same = |one: &&Setting| one.file == file && one.line == line && one.of == of;
        let twin = self.patches.settings.iter().filter(same).find(|one| apply::excludes(key, one.key));
        let message =
            twin.map(|twin| format!("`{}` is patched as well, and only one of them may stand there", twin.key));
        if let Some(message) = &message {
            let help = String::from("take one of them out");
            self.found.push(problems::patch_key(self.model, id, message, Some(help)));
        }
        message.is_none()
    }

    /// What is patched on the line of a pool must be true of its nodes.
    fn hold_against(&mut self, machine: &Machine) {
        let of = self.model.address(machine.pool.block());
        let own = self.patches.settings.iter().filter(|one| one.line == Line::Node && one.of == of);
        let own: Vec<&Setting> = own.collect();
        for one in &own {
            let Some((id, why)) = one.id.zip(node::refusal(machine, one, &own)) else { continue };
            self.found.push(problems::patch_value(self.model, id, &why));
        }
        let turns = machine.gpus.as_ref().and_then(|gpus| gpus.turns());
        let twice = |one: &&Resource| one.of == of && one.name == "shard" && turns.is_some();
        if let Some(twice) = self.patches.resources.iter().find(twice) {
            self.found.push(problems::patch_owned(self.model, twice.block, "shard", "`gpu_shares` of the pool"));
        }
    }

    /// A list must keep what the rest of the files needs of it.
    fn keep_needed(&mut self, cluster: Id<Cluster>, machines: &[Machine]) {
        let gpus = || machines.iter().filter_map(|machine| machine.gpus.as_ref());
        let mut needed = Vec::new();
        needed.extend(gpus().next().map(|_| ("AccountingStorageTRES", "gres/gpu", "the weights of partitions need")));
        let turns = gpus().find_map(|gpus| gpus.turns());
        needed.extend(turns.map(|_| ("AccountingStorageTRES", "gres/shard", "the weights of partitions need")));
        let fetched = self.model[cluster].configless;
        needed.extend(fetched.then_some(("SlurmctldParameters", "enable_configless", "`configless` needs")));
        let cut = machines.iter().any(|machine| machine.numa) && !self.release.has("node_parameters");
        needed.extend(cut.then_some(("SlurmdParameters", "numa_node_as_socket", "the lines of nodes need")));
        for (key, item, why) in needed {
            let id = self.patches.global("slurm.conf", key).and_then(|one| one.id);
            if let Some(id) = id.filter(|_| self.patches.takes_out(key, item)) {
                self.found.push(problems::patch_list(self.model, id, item, why));
            }
        }
    }

    fn setting(&mut self, id: Id<PatchKey>, file: &'static str, line: Line, of: &str, reason: &str) {
        match check::setting(self.model, id, file, line, self.release) {
            Ok(written) if !self.alone(id, file, line, of, written.key) => {}
            Ok(written) if line != Line::Global && !self.room(id, of, written.value.len()) => {}
            Ok(written) => self.patches.settings.push(Setting {
                file,
                line,
                of: of.to_string(),
                key: written.key,
                value: written.value,
                adds: written.adds,
                reason: reason.to_string(),
                address: self.model.address(id.block()),
                id: Some(id),
            }),
            Err(problem) => self.found.push(*problem),
        }
    }

    fn resource(&mut self, block: BlockId, keys: &[Id<PatchKey>], of: &str, reason: &str) {
        let name = self.model.block(block).name.to_string();
        if matches!(name.as_str(), "gpu") {
            self.found.push(problems::patch_owned(self.model, block, "gpu", "`gpus` of the pool's server"));
            return;
        }
        let mut read: BTreeMap<&'static str, String> = BTreeMap::new();
        let counted = keys.iter().any(|&key| self.model.name(key) == "Count");
        for &key in keys {
            match check::device(self.model, key, self.release) {
                Ok((key, value)) => {
                    read.insert(key, value);
                }
                Err(problem) => self.found.push(*problem),
            }
        }
        let Some(count) = read.remove("Count") else {
            // One that is refused is there.
            if !counted {
                self.found.push(problems::patch_count(self.model, block));
            }
            return;
        };
        self.patches.resources.push(Resource {
            of: of.to_string(),
            name,
            kind: read.remove("Type"),
            count,
            keys: read.into_iter().collect(),
            reason: reason.to_string(),
            address: self.model.address(block),
            block,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::Catalogue;
    use crate::compile::{self, Options};
    use crate::target::Emitted;
    use crate::target::slurm;
    use crate::target::slurm::reader::entries;
    use crate::target::template::Templates;

    const BASE: &str = r#"
platform p { currency = EUR }
site s { provider = on-prem, country = DE }
pool gpu { site = site.s, server = catalog.server.dgx-h100, nodes = 4 POOL }
pool control { site = site.s, server = catalog.server.management-1s, nodes = 2 }
cluster hpc {
  scheduler = slurm
  version   = "24.05"
  pools     = [pool.gpu]
  control   = pool.control
  partition main {
    pools = [pool.gpu]
    PARTITION
  }
  CLUSTER
}
"#;

    fn emit(pool: &str, partition: &str, cluster: &str) -> Emitted {
        let pool = if pool.is_empty() { String::new() } else { format!(", patch slurm {{ {pool} }}") };
        let inner = |text: &str| if text.is_empty() { String::new() } else { format!("patch slurm {{ {text} }}") };
        let text =
            BASE.replace("POOL", &pool).replace("PARTITION", &inner(partition)).replace("CLUSTER", &inner(cluster));
        let package = compile::parse(vec![(String::from("main.aip"), text)], &[]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("{:#?}", compiled.problems));
        slurm::emit(plan, &Templates::shipped())
    }

    fn file(emitted: &Emitted, name: &str) -> String {
        let file = emitted.files.get(&format!("slurm/hpc/{name}")).unwrap_or_else(|| panic!("{:#?}", emitted.problems));
        String::from_utf8(file.bytes.clone()).expect("UTF-8")
    }

    fn value(text: &str, start: &str, key: &str) -> Vec<String> {
        let lines = entries(text).into_iter().filter(|line| {
            line.iter().any(|(name, value)| start.is_empty() || format!("{name}={value}").starts_with(start))
        });
        lines.flatten().filter(|(name, _)| name == key).map(|(_, value)| value).collect()
    }

    fn value_of(text: &str, key: &str) -> String {
        let mut values = value(text, "", key);
        assert_eq!(values.len(), 1, "{key}: {values:?}");
        values.remove(0)
    }

    #[test]
    fn keys_are_added_or_take_the_place_of_ours() {
        let emitted = emit(
            "",
            "",
            r#"reason = "measured at \"home\"", set { MaxJobCount = "50000", MessageTimeout = "30" }
          cgroup { ConstrainDevices = "no" }
          slurmdbd { ArchiveJobs = "yes" }"#,
        );
        assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
        let conf = file(&emitted, "slurm.conf");
        assert_eq!(value(&conf, "", "MaxJobCount"), ["50000"]);
        assert_eq!(value(&conf, "", "MessageTimeout"), ["30"]);
        assert!(conf.contains("# Patched: measured at \"home\". Instead of MessageTimeout=60\n"), "{conf}");
        assert_eq!(value(&file(&emitted, "cgroup.conf"), "", "ConstrainDevices"), ["no"]);
        assert_eq!(value(&file(&emitted, "slurmdbd.conf"), "", "ArchiveJobs"), ["yes"]);
        let marks = &emitted.files.get("slurm/hpc/slurm.conf").expect("the file").lines;
        let at = marks.iter().position(|(_, address)| address == "cluster.hpc.patch.slurm.set.MaxJobCount");
        let next = &marks[at.expect("a mark") + 1];
        assert_eq!(next.1, "cluster.hpc", "what follows is of the cluster again");
    }

    #[test]
    fn keys_are_left_out() {
        let emitted = emit(
            r#"reason = "all cores", remove = ["CoreSpecCount", "MemSpecLimit"]"#,
            r#"reason = "as before", remove = ["DefCpuPerGPU", "TRESBillingWeights"]"#,
            r#"reason = "as before", remove = ["JobSubmitPlugins", "Prolog", "HealthCheckProgram", "SelectType", "DebugFlags", "AccountingStorageTRES"]
          cgroup { remove = ["AllowedSwapSpace"], ConstrainCores = "no" }
          slurmdbd { remove = ["PurgeJobAfter"] }"#,
        );
        let codes: Vec<u16> = emitted.problems.iter().map(|problem| problem.code.0).collect();
        assert_eq!(codes, [6065], "DefMemPerGPU needs the plugin: {:#?}", emitted.problems);
        let emitted = emit(
            r#"reason = "all cores", remove = ["CoreSpecCount", "MemSpecLimit"]"#,
            r#"reason = "as before", remove = ["DefCpuPerGPU", "DefMemPerGPU", "TRESBillingWeights"]"#,
            r#"reason = "as before", remove = ["JobSubmitPlugins", "Prolog", "HealthCheckProgram", "SelectType", "DebugFlags", "AccountingStorageTRES"]
          cgroup { remove = ["AllowedSwapSpace"], ConstrainCores = "no" }
          slurmdbd { remove = ["PurgeJobAfter"] }"#,
        );
        let codes: Vec<u16> = emitted.problems.iter().map(|problem| problem.code.0).collect();
        assert_eq!(codes, [6066], "nothing writes DebugFlags: {:#?}", emitted.problems);
        let conf = file(&emitted, "slurm.conf");
        for said in [
            "# Patched: as before. Left out: JobSubmitPlugins=lua\n",
            "# Patched: as before. Left out: SelectType=select/cons_tres\n",
            "# Patched: as before. Left out: SelectTypeParameters=CR_Core_Memory\n",
            "# Patched: all cores. Left out: CoreSpecCount=2 MemSpecLimit=",
            "# Patched: as before. Left out: DefCpuPerGPU=",
        ] {
            assert!(conf.contains(said), "{said}: {conf}");
        }
        for key in ["JobSubmitPlugins", "Prolog", "CoreSpecCount", "MemSpecLimit", "TRESBillingWeights", "SelectType"] {
            assert_eq!(value(&conf, "", key), [""; 0], "{key}");
        }
        assert!(!conf.contains("job_submit.lua"), "{conf}");
        assert!(!file(&emitted, "README.md").contains("health.sh"));
        for gone in ["health.sh", "prolog.sh", "job_submit.lua"] {
            assert!(emitted.files.get(&format!("slurm/hpc/{gone}")).is_none(), "{gone}");
        }
        assert!(emitted.files.get("slurm/hpc/epilog.sh").is_some());
        assert_eq!(value(&file(&emitted, "cgroup.conf"), "", "AllowedSwapSpace"), [""; 0]);
        assert_eq!(value(&file(&emitted, "slurmdbd.conf"), "", "PurgeJobAfter"), [""; 0]);
    }

    #[test]
    fn scripts_of_the_site_take_the_place_of_ours() {
        let emitted = emit(
            "",
            "",
            r#"reason = "r", set { HealthCheckProgram = "/opt/site/health.sh", Epilog = "/etc/slurm/epilog.sh" }"#,
        );
        assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
        assert!(emitted.files.get("slurm/hpc/health.sh").is_none());
        assert!(emitted.files.get("slurm/hpc/epilog.sh").is_some());
        assert!(!file(&emitted, "README.md").contains("health.sh"));
    }

    #[test]
    fn what_the_files_need_is_not_left_out() {
        for (keys, code) in [
            (r#"remove = ["AuthType"]"#, 6065),
            (r#"remove = ["AccountingStorageType"]"#, 6065),
            (r#"remove = ["AccountingStorageTRES"]"#, 6065),
            (r#"slurmdbd { remove = ["StorageType"] }"#, 6065),
            (r#"remove = ["ClusterName"]"#, 6062),
            (r#"remove = ["NoSuchKey"]"#, 6061),
            (r#"remove = ["killwait"]"#, 6061),
            (r#"remove = ["ConstrainCores"]"#, 6061),
            (r#"remove = ["KillWait"], set { KillWait = "1" }"#, 6061),
        ] {
            let emitted = emit("", "", &format!("reason = \"r\", {keys}"));
            let codes: Vec<u16> = emitted.problems.iter().map(|problem| problem.code.0).collect();
            assert_eq!(codes, [code], "{keys}");
            assert!(emitted.problems[0].help.is_some(), "{keys}");
        }
        let later = emit("", "", r#"reason = "r", remove = ["NamespaceType"]"#);
        assert_eq!(later.problems.iter().map(|problem| problem.code.0).collect::<Vec<_>>(), [6066]);
        assert!(!later.files.is_empty());
        let memory = emit(r#"reason = "r", remove = ["RealMemory"]"#, "", "");
        assert_eq!(memory.problems[0].code.0, 6065);
    }

    #[test]
    fn switches_are_written_down() {
        let tree = r#"topology leaf-1 { Nodes = "gpu-[001-003]" }
          topology leaf-2 { Nodes = "gpu-004" }
          topology top { Switches = "leaf-[1-2]" }"#;
        let emitted = emit("", "", &format!("reason = \"r\"\n {tree}"));
        assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
        let topology = file(&emitted, "topology.conf");
        assert_eq!(value(&topology, "", "SwitchName"), ["leaf-1", "leaf-2", "top"]);
        assert_eq!(value(&topology, "", "Switches"), ["leaf-[1-2]"]);
        assert_eq!(value(&file(&emitted, "slurm.conf"), "", "TopologyPlugin"), ["topology/tree"]);
        for plugin in [r#"set { TopologyPlugin = "topology/default" }"#, r#"remove = ["TopologyPlugin"]"#] {
            let flat = emit("", "", &format!("reason = \"r\"\n {plugin}\n {tree}"));
            assert!(flat.problems.is_empty(), "{:#?}", flat.problems);
            assert!(flat.files.get("slurm/hpc/topology.conf").is_none());
        }
        for (blocks, code) in [
            (r#"topology a { Nodes = "gpu-[001-004]" }"#, None),
            (r#"topology a { Nodes = "gpu-[001-005]" }"#, Some(6067)),
            (r#"topology a { Nodes = "gpu-001" }, topology b { Nodes = "gpu-[001-002]" }"#, Some(6067)),
            (r#"topology a { Nodes = "gpu-001" }, topology b { Nodes = "gpu-002" }"#, Some(6067)),
            (r#"topology a { Switches = "b" }, topology b { Switches = "a" }"#, Some(6067)),
            (
                r#"topology a { Nodes = "gpu-001" }, topology b { Switches = "c" }, topology c { Switches = "b" }"#,
                Some(6067),
            ),
            (r#"topology a { Switches = "b" }"#, Some(6067)),
            (r#"topology a { Nodes = "gpu-001", Switches = "b" }"#, Some(6067)),
            (r#"topology a { LinkSpeed = "1" }"#, Some(6061)),
            (r#"topology a { SwitchName = "b" }"#, Some(6062)),
            (r#"topology a { Nodes = "gpu-[001" }"#, Some(6063)),
            (r#"set { TopologyPlugin = "topology/tree" }"#, Some(6069)),
            (r#"set { TopologyPlugin = "topology/block" }, topology a { Nodes = "gpu-[001-004]" }"#, Some(6069)),
        ] {
            let emitted = emit("", "", &format!("reason = \"r\", {blocks}"));
            assert_eq!(emitted.problems.first().map(|problem| problem.code.0), code, "{blocks}");
            assert!(emitted.problems.iter().all(|problem| problem.help.is_some() || code == Some(6063)), "{blocks}");
        }
        let elsewhere = emit(r#"reason = "r", topology a { Nodes = "gpu-001" }"#, "", "");
        assert_eq!(elsewhere.problems[0].code.0, 6064);
    }

    #[test]
    fn a_job_with_all_of_a_node_fits() {
        // The nodes have 112 cores with two threads, of which four cores are the system's, and eight GPUs.
        for (pool, keys, said) in [
            ("", r#"DefCpuPerGPU = "26""#, ""),
            ("", r#"DefCpuPerGPU = "29""#, "8 GPUs * 29 = 232 CPUs, of 220 for jobs"),
            ("", r#"DefMemPerGPU = "300000""#, "8 GPUs * 300000 = 2400000 MiB"),
            ("", r#"DefMemPerCPU = "10000""#, "220 CPUs * 10000 = 2200000 MiB"),
            (r#"reason = "r", set { RealMemory = "4000000" }"#, r#"DefMemPerGPU = "300000""#, ""),
            (r#"reason = "r", remove = ["CoreSpecCount"]"#, r#"DefCpuPerGPU = "28""#, ""),
        ] {
            let emitted = emit(pool, &format!("reason = \"r\", set {{ {keys} }}"), "");
            let words: Vec<&str> = emitted.problems.iter().map(|problem| problem.message.as_str()).collect();
            assert_eq!(words.len(), usize::from(!said.is_empty()), "{keys}: {words:?}");
            assert!(words.iter().all(|words| words.contains(said)), "{keys}: {words:?}");
        }
    }

    #[test]
    fn what_a_patch_makes_false_is_not_said() {
        let memory = |pool: &str| file(&emit(pool, "", ""), "slurm.conf").contains("MiB for jobs");
        assert!(memory("") && memory(r#"reason = "r", set { Weight = "2" }"#));
        assert!(!memory(r#"reason = "r", set { MemSpecLimit = "5000" }"#));
        assert!(!memory(r#"reason = "r", remove = ["MemSpecLimit"]"#));
        let database =
            |keys: &str| file(&emit("", "", &format!("reason = \"r\", slurmdbd {{ {keys} }}")), "slurmdbd.conf");
        assert!(database(r#"DebugLevel = "3""#).contains("on the same host"));
        assert!(!database(r#"StorageHost = "db1""#).contains("on the same host"));
        let conf = |keys: &str| file(&emit("", "", &format!("reason = \"r\", {keys}")), "slurm.conf");
        assert!(!conf(r#"remove = ["HealthCheckProgram"]"#).contains("light checks"));
        assert!(conf(r#"remove = ["HealthCheckProgram"]"#).contains("\n# Health\n"));
    }

    #[test]
    fn lines_of_pools_and_partitions_are_patched() {
        let emitted = emit(
            r#"reason = "old names", set { NodeHostname = "n[1-4]", Weight = "7", Features = "a,b" }, gres nvme { Count = "2", File = "/dev/nvme[0-1]" }"#,
            r#"reason = "whole nodes", set { DefMemPerNode = "1000", OverSubscribe = "EXCLUSIVE" }"#,
            "",
        );
        assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
        let conf = file(&emitted, "slurm.conf");
        assert_eq!(value(&conf, "NodeName=gpu", "NodeHostname"), ["n[1-4]"]);
        assert_eq!(value(&conf, "NodeName=gpu", "Weight"), ["7"]);
        assert_eq!(value(&conf, "NodeName=gpu", "Gres"), ["gpu:h100:8,nvme:2"]);
        assert_eq!(value(&conf, "", "GresTypes"), ["gpu,nvme"]);
        assert_eq!(value(&conf, "PartitionName=main", "DefMemPerNode"), ["1000"]);
        assert_eq!(value(&conf, "PartitionName=main", "DefMemPerGPU"), [""; 0], "only one of them may stand there");
        assert_eq!(value(&conf, "PartitionName=main", "OverSubscribe"), ["EXCLUSIVE"]);
        let gres = file(&emitted, "gres.conf");
        assert!(gres.contains("Name=nvme Count=2 File=/dev/nvme[0-1]"), "{gres}");
    }

    #[test]
    fn what_no_daemon_starts_with_is_refused() {
        for (pool, partition, cluster) in [
            ("", "", r#"SlurmctldDebug = "+info""#),
            ("", "", r#"SlurmctldDebug = "loud""#),
            ("", "", r#"PreemptMode = "REQUEUE""#),
            ("", "", r#"PreemptType = "preempt/qos""#),
            ("", "", r#"SelectTypeParameters = "CR_Foo""#),
            ("", "", r#"EnforcePartLimits = "ALL,ANY""#),
            ("", r#"PreemptMode = "PRIORITY""#, ""),
            ("", r#"State = "OPEN""#, ""),
            ("", r#"OverSubscribe = "SOME""#, ""),
            (r#"RealMemory = "UNLIMITED""#, "", ""),
            (r#"Port = "6818-6820""#, "", ""),
        ] {
            let set =
                |keys: &str| if keys.is_empty() { String::new() } else { format!("reason = \"r\", set {{ {keys} }}") };
            let emitted = emit(&set(pool), &set(partition), &set(cluster));
            let codes: Vec<u16> = emitted.problems.iter().map(|problem| problem.code.0).collect();
            assert_eq!(codes, [6063], "{pool}{partition}{cluster}: {:#?}", emitted.problems);
        }
        for fine in [r#"PreemptType = "preempt/qos", PreemptMode = "REQUEUE""#, r#"SlurmctldDebug = "debug2""#] {
            let emitted = emit("", "", &format!("reason = \"r\", set {{ {fine} }}"));
            assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
        }
        assert!(emit(r#"reason = "r", set { Port = "6818-6821" }"#, "", "").problems.is_empty());
    }

    #[test]
    fn lists_are_added_to() {
        let of = |key: &str, value: &str| {
            let emitted = emit("", "", &format!("reason = \"r\", set {{ {key} = \"{value}\" }}"));
            assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
            let conf = file(&emitted, "slurm.conf");
            (value_of(&conf, key), conf)
        };
        let window = "# The window, in minutes";
        let (added, conf) = of("SchedulerParameters", "+defer");
        assert_eq!(
            added,
            "bf_window=10080,bf_resolution=300,bf_continue,bf_max_job_test=1000,nohold_on_prolog_fail,defer"
        );
        assert!(conf.contains(window) && conf.contains("# Patched: r. Added to SchedulerParameters=bf_"), "{conf}");
        let (replaced, conf) = of("SchedulerParameters", "+bf_max_job_test=5000,defer");
        assert_eq!(
            replaced,
            "bf_window=10080,bf_resolution=300,bf_continue,bf_max_job_test=5000,nohold_on_prolog_fail,defer"
        );
        assert!(!conf.contains(window), "{conf}");
        let (alone, conf) = of("SchedulerParameters", "bf_max_job_test=5000");
        assert_eq!(alone, "bf_max_job_test=5000");
        assert!(!conf.contains(window) && conf.contains("\n# Scheduling\n"), "{conf}");
        assert_eq!(of("AccountingStorageTRES", "+gres/nvme").0, "gres/gpu,gres/gpu:h100,gres/nvme");
        assert_eq!(of("AccountingStorageTRES", "gres/gpu,gres/nvme").0, "gres/gpu,gres/nvme");
        assert_eq!(of("DebugFlags", "+Gres").0, "Gres");
        let on_line = emit(r#"reason = "r", set { Features = "+ib" }"#, "", "");
        assert!(value_of(&file(&on_line, "slurm.conf"), "Features").ends_with(",ib"));
    }

    #[test]
    fn a_filter_of_jobs_stays_beside_others() {
        for (value, there) in [("lua,partition", true), ("+partition", true), ("partition", false)] {
            let emitted = emit("", "", &format!("reason = \"r\", set {{ JobSubmitPlugins = \"{value}\" }}"));
            assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
            assert_eq!(emitted.files.get("slurm/hpc/job_submit.lua").is_some(), there, "{value}");
        }
    }

    #[test]
    fn what_must_agree_follows() {
        let emitted = emit(
            "",
            "",
            r#"reason = "r", set { AuthType = "auth/munge", StateSaveLocation = "/srv/state", SlurmUser = "sched" }
          slurmdbd { DbdPort = "7000", StorageLoc = "acct" }"#,
        );
        assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
        let (conf, dbd) = (file(&emitted, "slurm.conf"), file(&emitted, "slurmdbd.conf"));
        for (text, key, wanted) in [
            (&conf, "AuthType", "auth/munge"),
            (&conf, "CredType", "cred/munge"),
            (&dbd, "AuthType", "auth/munge"),
            (&conf, "AccountingStoragePort", "7000"),
            (&dbd, "SlurmUser", "sched"),
        ] {
            assert_eq!(value_of(text, key), wanted, "{key}");
        }
        assert!(!conf.contains("slurm.key"), "{conf}");
        let guide = file(&emitted, "README.md");
        for wanted in ["munge.key", "`/srv/state` are owned by `sched`", "see the same `/srv/state`", "DATABASE acct;"]
        {
            assert!(guide.contains(wanted), "{wanted}: {guide}");
        }
        assert!(!guide.contains("slurm.key") && !guide.contains("/var/spool/slurmctld"), "{guide}");
        let own = emit("", "", r#"reason = "r", set { AuthType = "auth/munge", CryptoType = "crypto/munge" }"#);
        let conf = file(&own, "slurm.conf");
        assert_eq!(value(&conf, "", "CredType"), [""; 0]);
        let other = emit("", "", r#"reason = "r", slurmdbd { AuthType = "auth/munge" }"#);
        assert_eq!(value_of(&file(&other, "slurm.conf"), "CredType"), "cred/munge");
    }

    #[test]
    fn nodes_hold_what_is_patched_on_their_line() {
        for (keys, fine) in [
            (r#"set { NodeHostname = "h[1-3]" }"#, false),
            (r#"set { NodeAddr = "h[1-4" }"#, false),
            (r#"set { CoreSpecCount = "112" }"#, false),
            (r#"set { CPUs = "1" }"#, false),
            (r#"set { CPUs = "112" }"#, true),
            (r#"set { RealMemory = "1" }"#, false),
            (r#"set { RealMemory = "1000", MemSpecLimit = "0" }"#, true),
            (r#"gres nvme { Count = "99999999999999999999" }"#, false),
        ] {
            let emitted = emit(&format!("reason = \"r\", {keys}"), "", "");
            let codes: Vec<u16> = emitted.problems.iter().map(|problem| problem.code.0).collect();
            assert_eq!(codes, if fine { vec![] } else { vec![6063] }, "{keys}");
        }
        let patched = emit(r#"reason = "r", set { RealMemory = "2000000" }"#, "", "");
        assert!(file(&patched, "README.md").contains("RealMemory=2000000"));
        let time = emit("", r#"reason = "r", set { MaxTime = "garbage" }"#, "");
        assert_eq!(time.problems[0].code.0, 6063);
    }

    #[test]
    fn many_problems_of_one_kind_are_counted() {
        let keys: Vec<String> = (0..100).map(|number| format!("Key{number} = \"1\"")).collect();
        let problems = emit("", "", &format!("reason = \"r\", set {{ {} }}", keys.join(", "))).problems;
        assert_eq!(problems.len(), 20);
        assert_eq!(problems[19].notes, ["80 more of this kind in the patches"]);
    }

    #[test]
    fn another_plugin_has_parameters_of_its_own() {
        let of = |keys: &str| {
            let emitted = emit("", "", &format!("reason = \"r\", set {{ {keys} }}"));
            assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
            value(&file(&emitted, "slurm.conf"), "", "SelectTypeParameters")
        };
        assert_eq!(of(r#"KillWait = "1""#), ["CR_Core_Memory"]);
        assert_eq!(of(r#"SelectType = "select/cons_tres""#), ["CR_Core_Memory"]);
        assert_eq!(of(r#"SelectType = "select/linear""#), [""; 0]);
        assert_eq!(of(r#"SelectType = "select/linear", SelectTypeParameters = "CR_Memory""#), ["CR_Memory"]);
    }

    #[test]
    fn an_environment_sets_single_keys() {
        let patched = BASE.replace("POOL", "").replace("PARTITION", "");
        let patch = "patch slurm { reason = \"r\", set { MaxJobCount = \"5\", KillWait = \"9\" } }";
        let text = patched.replace("CLUSTER", patch);
        let setting = String::from("cluster.hpc.patch.slurm.set.MaxJobCount = \"7\"");
        let package = compile::parse(vec![(String::from("main.aip"), text)], &[setting]);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("{:#?}", compiled.problems));
        let conf = file(&slurm::emit(plan, &Templates::shipped()), "slurm.conf");
        assert_eq!(value(&conf, "", "MaxJobCount"), ["7"]);
        assert_eq!(value(&conf, "", "KillWait"), ["9"]);
    }

    #[test]
    fn long_reasons_and_values_leave_lines_short() {
        let reason = "why ".repeat(2_000);
        let emitted = emit("", &format!("reason = \"{reason}end\", set {{ AllowGroups = \"a\" }}"), "");
        assert!(emitted.problems.is_empty(), "{:#?}", emitted.problems);
        assert!(file(&emitted, "slurm.conf").lines().all(|line| line.len() < 1_024));
        let (one, two) = ("a".repeat(999), "b".repeat(999));
        let keys = format!("AllowGroups = \"{one}\", AllowAccounts = \"{two}\", Alternate = \"cccccccccccc\"");
        let emitted = emit("", &format!("reason = \"r\", set {{ {keys} }}"), "");
        assert_eq!(emitted.problems.iter().map(|problem| problem.code.0).collect::<Vec<_>>(), [6063]);
        let silent = emit("", "", &format!("reason = \"r\", set {{ MailProg = \"{}\" }}", "x".repeat(1_001)));
        assert_eq!(silent.problems[0].code.0, 6063);
    }

    #[test]
    fn patches_that_nothing_reads_are_said() {
        for (block, count) in [
            ("patch kubernetes { reason = \"r\" }", 1),
            ("patch slurm { reason = \"r\", set { KillWait = \"1\" } }", 0),
        ] {
            let text = BASE.replace("POOL", "").replace("PARTITION", "").replace("CLUSTER", block);
            let package = compile::parse(vec![(String::from("main.aip"), text)], &[]);
            let (options, catalogue) = (Options::default(), Catalogue::new());
            let compiled = compile::check(&package, &options, &catalogue);
            let plan = compiled.plan.as_ref().unwrap_or_else(|| panic!("{:#?}", compiled.problems));
            let problems = slurm::emit(plan, &Templates::shipped()).problems;
            assert_eq!(problems.iter().filter(|problem| problem.code.0 == 6064).count(), count, "{problems:#?}");
        }
    }

    #[test]
    fn what_the_release_does_not_read_there_is_refused() {
        for (keys, code, said) in [
            (r#"set { MaxJobCont = "1" }"#, 6061, "did you mean `MaxJobCount`?"),
            (r#"set { maxjobcount = "1" }"#, 6061, "write `MaxJobCount`"),
            (r#"set { ConstrainCores = "yes" }"#, 6061, "`cgroup { … }`"),
            (r#"set { CoreSpecPlugin = "core_spec/none" }"#, 6061, "leave it out"),
            (r#"set { NamespaceType = "namespace/tmpfs" }"#, 6061, "25.11 or later"),
            (r#"set { RealMemory = "1" }"#, 6061, "patch of a pool"),
            (r#"set { FastSchedule = "1" }"#, 6061, ""),
            (r#"set { DefMemPerCPU = "1", DefMemPerNode = "2" }"#, 6061, "take one of them out"),
            (r#"set { ClusterName = "x" }"#, 6062, "the name of the cluster"),
            (r#"set { ControlMachine = "x" }"#, 6062, "`control`"),
            (r#"set { SlurmctldHost = "x" }"#, 6062, "`control`"),
            (r#"set { MailProg = "a # b" }"#, 6063, ""),
            (r#"gres nvme { Count = "1" }"#, 6064, ""),
            (r#"set { SelectType = "select/garbage" }"#, 6063, "`select/linear`"),
            (r#"set { TaskPlugin = "+task/garbage" }"#, 6063, "`task/cgroup`"),
            (r#"set { RoutePlugin = "route/default" }"#, 6061, ""),
            (r#"set { TopologyPlugin = "topology/ring" }"#, 6063, "`topology/tree`"),
            (r#"set { HashPlugin = "hash/sha3 " }"#, 6063, ""),
            (r#"set { MaxJobCount = "abc" }"#, 6063, ""),
            (r#"set { JobSubmitPlugins = "0" }"#, 6063, ""),
            (r#"set { JobSubmitPlugins = "lua," }"#, 6063, ""),
            (r#"set { PreemptMode = "nonsense" }"#, 6063, ""),
            (r#"cgroup { ConstrainCores = "maybe" }"#, 6063, ""),
            (r#"slurmdbd { DbdPort = "0" }"#, 6063, ""),
            (r#"set { SchedulerParameters = "+" }"#, 6063, ""),
            (r#"set { AccountingStorageTRES = "gres/nvme" }"#, 6063, "with `+`"),
            (r#"set { AuthType = "auth/munge" }, slurmdbd { AuthType = "auth/slurm" }"#, 6063, "the other follows"),
        ] {
            let emitted = emit("", "", &format!("reason = \"r\", {keys}"));
            let codes: Vec<u16> = emitted.problems.iter().map(|problem| problem.code.0).collect();
            assert_eq!(codes, [code], "{keys}");
            let help = emitted.problems[0].help.clone().unwrap_or_default();
            assert!(help.contains(said), "{keys}: {help}");
            assert!(emitted.files.is_empty());
        }
        let silent = emit("", "", r#"reason = " ", set { MaxJobCount = "1" }"#);
        assert_eq!(silent.problems[0].code.0, 6063);
    }
}
