//! `patch slurm { … }`: keys of Slurm's own files, checked against the release and passed on with their reason.
//!
//! A patch is written into the finished text, so that nothing it says is lost when the files are made again, and what
//! it replaces stays visible in a comment. Keys that the source says in another way are refused: two places would
//! disagree.

mod apply;
mod check;
mod value;

use std::collections::BTreeMap;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Patch, PatchKey, Pool};
use crate::model::words::Scheduler;

use super::keys::Line;
use super::machine::Machine;
use super::problems;
use super::version::Release;

pub use check::owner;
pub use value::value as spelling;

/// How long all patched values of a line may be; old releases read lines of 4,096 characters.
const LONGEST_LINE: usize = 2_000;

/// The word after `patch` that this target answers to.
const TARGET: &str = "slurm";

/// What the patches of a cluster write.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patches {
    settings: Vec<Setting>,
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
    /// Why.
    reason: String,
    /// The address of the key.
    address: String,
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
        let mut reader = Reader { model, release, patches: Patches::default(), found };
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
        }
        let mut patches = reader.patches;
        patches.settings.sort_by(|a, b| (a.file, a.line, &a.of, a.key).cmp(&(b.file, b.line, &b.of, b.key)));
        patches.resources.sort_by(|a, b| (&a.of, &a.name).cmp(&(&b.of, &b.name)));
        patches
    }

    /// The text of a file with what is patched in it.
    pub fn apply(&self, file: &str, text: String) -> String {
        apply::all(self, file, text)
    }
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
    found
}

fn misplaced(model: &Model<'_>, patch: Id<Patch>, read: bool) -> Option<Diagnostic> {
    let name = model.name(patch);
    (name != TARGET || !read).then(|| problems::patch_of_nothing(model, patch, (name != TARGET).then_some(name)))
}

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
        let elsewhere = patch.cgroup.iter().map(|id| id.block()).chain(patch.slurmdbd.iter().map(|id| id.block()));
        for block in elsewhere {
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

    fn setting(&mut self, id: Id<PatchKey>, file: &'static str, line: Line, of: &str, reason: &str) {
        match check::setting(self.model, id, file, line, self.release) {
            Ok((key, _)) if !self.alone(id, file, line, of, key) => {}
            Ok((_, value)) if line != Line::Global && !self.room(id, of, value.len()) => {}
            Ok((key, value)) => self.patches.settings.push(Setting {
                file,
                line,
                of: of.to_string(),
                key,
                value,
                reason: reason.to_string(),
                address: self.model.address(id.block()),
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
        assert!(marks.iter().any(|(_, address)| address == "cluster.hpc.patch.slurm.set.MaxJobCount"));
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
