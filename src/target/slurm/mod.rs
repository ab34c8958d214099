//! Slurm: the whole configuration of each cluster with `scheduler = slurm`, for its release, and a batch script for
//! each of its workloads.

mod accounts;
mod guide;
mod hosts;
mod jobs;
pub mod keys;
mod machine;
mod nodes;
mod partitions;
pub mod patch;
mod problems;
mod quote;
#[cfg(test)]
mod reader;
mod time;
mod topology;
mod traced;
pub mod version;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::quantity::Time;
use crate::model::Model;
use crate::model::decode::Control;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Pool};
use crate::model::words::{PreemptBy, Scheduler};
use crate::plan::Plan;
use crate::plan::formula::round::floor_units;

use super::Emitted;
use super::files::Files;
use super::template::{Renderer, Templates};

use accounts::{Account, Quality};
use guide::Said;
use jobs::Job;
use machine::Machine;
use nodes::Nodes;
use partitions::{Partition, Setting};
use patch::Patches;
use topology::{Block, Blocks, Switch};
use version::Release;

pub use traced::of as traced;

/// Writes every Slurm cluster.
pub fn emit(plan: &Plan<'_>, templates: &Templates) -> Emitted {
    let mut emitted = Emitted::default();
    let renderers = Renderers {
        tokens: Renderer::new("slurm", quote::token, plan, templates),
        shell: Renderer::new("slurm", quote::shell, plan, templates),
    };
    emitted.problems.extend(patch::unread(&plan.model));
    let clusters = plan.model.tables.clusters.iter().filter(|cluster| cluster.scheduler == Scheduler::Slurm);
    for cluster in clusters {
        let mut found = Vec::new();
        let view = View::of(plan, cluster.id, &mut found);
        let broken = found.iter().any(|problem| problem.severity == Severity::Error);
        emitted.problems.extend(found);
        let Some(view) = view.filter(|_| !broken) else { continue };
        match write(&renderers, view, &mut emitted.problems) {
            Ok(files) => emitted.files.extend(files),
            Err(problem) => emitted.problems.push(*problem),
        }
    }
    emitted
}

/// One renderer for Slurm's files, one for scripts.
struct Renderers {
    tokens: Renderer,
    shell: Renderer,
}

/// What the files of a cluster are written from.
#[derive(Debug, Serialize)]
struct View {
    name: String,
    address: String,
    version: String,
    /// Which forms the release writes.
    form: BTreeMap<&'static str, bool>,
    configless: bool,
    /// True with more than one tenant.
    private: bool,
    /// True when an account may not have all GPUs.
    quotas: bool,
    /// True with slices of GPUs.
    sliced: bool,
    /// True where nodes have GPUs or InfiniBand to be looked at.
    watched: bool,
    /// The spare nodes.
    spares: Option<String>,
    /// True where nodes have GPUs to be counted before a job.
    prolog: bool,
    /// True where GPUs can be cleaned after a job.
    epilog: bool,
    /// True where nodes run our check of their health.
    health: bool,
    /// True where our script brings rented nodes.
    resumes: bool,
    /// True where our script gives them back.
    suspends: bool,
    control: Controllers,
    nodes: Vec<Nodes>,
    /// `gpu,shard`; nothing without GPUs.
    gres_types: Option<&'static str>,
    /// `gres/gpu,gres/gpu:h200`; nothing without GPUs.
    tracked: Option<String>,
    partitions: Vec<Partition>,
    /// Minutes that the scheduler looks ahead.
    window: u64,
    preempt: Option<Preemption>,
    /// Words of `SlurmctldParameters`.
    controller: Vec<&'static str>,
    near: Near,
    power: Option<Power>,
    accounts: Vec<Account>,
    qualities: Vec<Quality>,
    /// Names of others that patched lines ask for: they have to be there before slurmctld starts.
    named_qualities: Vec<String>,
    /// True where a script makes qualities of service.
    quality_script: bool,
    jobs: Vec<Job>,
    /// What is passed on into the files.
    #[serde(skip)]
    patches: Patches,
}

/// How room is made for jobs that go first.
#[derive(Debug, Serialize)]
struct Preemption {
    /// `preempt/partition_prio`.
    plugin: &'static str,
    /// `REQUEUE`.
    mode: &'static str,
}

/// Plugins that read no topology.
const FLAT: &[&str] = &["topology/none", "topology/flat", "topology/default"];

/// Which nodes are near each other. Without switches and blocks all are equally near, and no plugin is named.
#[derive(Debug, Default, Serialize)]
struct Near {
    switches: Vec<Switch>,
    blocks: Option<Blocks>,
    /// True where the switches are written down in a patch.
    given: bool,
}

/// When rented nodes come and go.
#[derive(Debug, Serialize)]
struct Power {
    /// The rented nodes.
    hosts: String,
    /// The nodes that stay.
    stay: Option<String>,
    /// Seconds that a node is idle before it goes.
    idle: u64,
}

/// Who controls the cluster.
#[derive(Debug, Serialize)]
struct Controllers {
    /// The pool.
    address: String,
    /// The controller and the one that takes over.
    hosts: Vec<String>,
    /// Where accounting is kept.
    database: String,
    /// What is left for people to log in.
    logins: Option<String>,
}

impl View {
    /// Reads a cluster; without a known release and controllers there is nothing to write.
    fn of(plan: &Plan<'_>, id: Id<Cluster>, found: &mut Vec<Diagnostic>) -> Option<View> {
        let model = &*plan.model;
        let cluster = &model[id];
        let version = &*cluster.version.0;
        let release = Release::of(version);
        if release.is_none() {
            found.push(problems::version(model, id, version));
        }
        let control = controllers(plan, id).map_err(|problem| found.push(*problem)).ok();
        let machines = machines(plan, id, found);
        let (release, control) = release.zip(control)?;
        let patches = Patches::of(model, id, &machines, release, found);
        let given = patch::switches(model, id, &machines, release, found);
        let near = match given.is_empty() {
            true => Near::of(plan, &model.address(id.block()), &machines, release),
            false => Near { switches: given, blocks: None, given: true },
        };
        near.judge(model, &patches, release, found);
        let preempt = preemption(model, id);
        if cluster.preempt_by == PreemptBy::Tenant {
            found.extend(partitions::mixed(model, id).map(|(one, two)| problems::mixed_preemption(model, one, two)));
        }
        let setting = Setting {
            release,
            preempts: preempt.is_some() && cluster.preempt_by == PreemptBy::Partition,
            blocks: near.blocks.is_some() && !near.switches.is_empty(),
        };
        let named: &[Block] = match &near.blocks {
            Some(blocks) if release.has("node_names_block") => &blocks.blocks,
            Some(_) | None => &[],
        };
        let nodes: Vec<Nodes> = machines
            .iter()
            .filter(|machine| !machine.names.is_empty())
            .map(|machine| Nodes::of(plan, machine, named))
            .collect();
        if nodes.is_empty() {
            // What is wrong with a pool that cannot be read is said already.
            let said = found.iter().any(|problem| problem.severity == Severity::Error);
            found.extend((!said).then(|| problems::no_nodes(model, id)));
            return None;
        }
        let partitions = partitions::of(model, id, &machines, setting, found);
        if partitions.is_empty() {
            found.push(problems::empty_partitions(model, id));
        }
        let accounts = accounts::of(model, found);
        let qualities = accounts::qualities(model, id);
        let mut named = patches.qualities();
        named.retain(|name| !qualities.iter().any(|quality| quality.name == *name));
        let named: Vec<String> = named.into_iter().collect();
        // Before it has sizes, a release has blocks but no word for them in a job.
        let in_blocks = near.blocks.is_some() && release.has("block_sizes");
        let power = power(cluster.suspend_after, &machines);
        let mut controller = Vec::new();
        controller.extend(cluster.configless.then_some("enable_configless"));
        controller.extend(power.iter().flat_map(|_| ["cloud_dns", "idle_on_node_suspend"]));
        // Later a word of the parameters of preemption.
        let tells = preempt.is_some() && release.has("preempt_in_scheduler");
        controller.extend(tells.then_some("preempt_send_user_signal"));
        Some(View {
            name: model.name(id).to_string(),
            address: model.address(id.block()),
            version: version.to_string(),
            form: release.forms(),
            configless: cluster.configless,
            private: model.tables.tenants.len() > 1,
            control,
            quotas: accounts.iter().any(|account| account.gpus.is_some()),
            sliced: nodes.iter().any(|nodes| nodes.sliced),
            watched: nodes.iter().any(|nodes| nodes.units > 0 || nodes.ports > 0),
            spares: spares(&machines),
            prolog: nodes.iter().any(|nodes| nodes.units > 0),
            epilog: nodes.iter().any(|nodes| nodes.cleaned),
            health: true,
            resumes: power.is_some(),
            suspends: power.is_some(),
            nodes,
            gres_types: gres_types(&machines),
            tracked: tracked(&machines),
            partitions,
            window: partitions::window(model, id),
            preempt,
            controller,
            near,
            power,
            accounts,
            quality_script: !named.is_empty() || !(qualities.is_empty() || release.has("qos_in_load_file")),
            qualities,
            named_qualities: named,
            jobs: jobs::of(plan, id, &machines, in_blocks, found),
            patches,
        })
    }

    /// Scripts that nothing runs are neither written nor spoken of.
    fn without_foreign_scripts(&mut self) {
        self.prolog &= self.patches.runs("Prolog", "prolog.sh");
        self.epilog &= self.patches.runs("Epilog", "epilog.sh");
        self.health &= self.patches.runs("HealthCheckProgram", "health.sh");
        self.resumes &= self.patches.runs("ResumeProgram", "resume.sh");
        self.suspends &= self.patches.runs("SuspendProgram", "suspend.sh");
    }

    /// True where a file of switches or blocks is read.
    fn has_topology(&self) -> bool {
        let flat = self.patches.topology().is_some_and(|(_, plugin)| FLAT.contains(&plugin))
            || self.patches.leaves_out("slurm.conf", "TopologyPlugin");
        // Later releases read the file whatever the plugin.
        let read = !flat || self.form["topology_yaml"];
        read && (!self.near.switches.is_empty() || self.near.blocks.is_some())
    }

    /// True where jobs are looked at before they are taken: where a job without a GPU only keeps others out.
    fn looks_at_jobs(&self) -> bool {
        self.partitions.iter().any(|partition| partition.gpus_only)
    }
}

impl Near {
    /// Blocks where every node is in one, else the tree; both where the release has several topologies.
    fn of(plan: &Plan<'_>, cluster: &str, machines: &[Machine], release: Release) -> Near {
        let known = release.has("block_levels") || release.has("block_sizes");
        let blocks = topology::blocks(plan, machines).filter(|_| known);
        let everywhere = machines.iter().all(|machine| machine.domain.is_some() || machine.names.is_empty());
        match blocks {
            Some(blocks) if everywhere => Near { blocks: Some(blocks), ..Near::default() },
            Some(blocks) if release.has("topology_yaml") => {
                Near { switches: topology::tree(plan, cluster, machines), blocks: Some(blocks), given: false }
            }
            Some(_) | None => Near { switches: topology::tree(plan, cluster, machines), ..Near::default() },
        }
    }
}

impl Near {
    /// A plugin that is patched in must find what it reads.
    fn judge(&self, model: &Model<'_>, patches: &Patches, release: Release, found: &mut Vec<Diagnostic>) {
        let named = release.has("topology_conf");
        let Some((key, plugin)) = patches.topology() else { return };
        let there = match plugin {
            plugin if FLAT.contains(&plugin) => true,
            "topology/tree" => !self.switches.is_empty() && (!named || self.blocks.is_none()),
            "topology/block" => self.blocks.is_some(),
            _ => false,
        };
        found.extend(key.filter(|_| !there).map(|key| problems::no_topology(model, key, plugin)));
    }
}

/// What decides which jobs give way, and what becomes of them.
fn preemption(model: &Model<'_>, id: Id<Cluster>) -> Option<Preemption> {
    let mode = partitions::mode(model, id);
    match model[id].preempt_by {
        PreemptBy::Partition => mode.map(|mode| Preemption { plugin: "preempt/partition_prio", mode }),
        PreemptBy::Tenant => Some(Preemption { plugin: "preempt/qos", mode: mode.unwrap_or("REQUEUE") }),
    }
}

/// The rented nodes, when there are any.
fn power(idle: Time, machines: &[Machine]) -> Option<Power> {
    let (mut rented, mut stay) = (Vec::new(), Vec::new());
    for machine in machines {
        match machine.rented.map(|always| usize::try_from(always).unwrap_or(usize::MAX)) {
            Some(always) => {
                rented.extend(machine.names.iter().map(String::as_str));
                stay.extend(machine.names.iter().take(always).map(String::as_str));
            }
            None => stay.extend(machine.names.iter().map(String::as_str)),
        }
    }
    (!rented.is_empty()).then(|| Power {
        hosts: hosts::fold(rented),
        stay: (!stay.is_empty()).then(|| hosts::fold(stay)),
        idle: floor_units(idle.seconds()).clamp(60, 31_536_000),
    })
}

/// The spare nodes of all pools.
fn spares(machines: &[Machine]) -> Option<String> {
    let spares: Vec<&str> = machines.iter().flat_map(Machine::spares).map(String::as_str).collect();
    (!spares.is_empty()).then(|| hosts::fold(spares))
}

/// The machines of a cluster's pools, in the order they are listed, each pool once. The controllers run no jobs.
fn machines(plan: &Plan<'_>, id: Id<Cluster>, found: &mut Vec<Diagnostic>) -> Vec<Machine> {
    let mut seen = BTreeSet::new();
    let pools = plan.model[id].pools.iter().filter(|pool| seen.insert(**pool));
    pools.filter_map(|&pool| Machine::of(plan, pool).map_err(|problem| found.push(*problem)).ok()).collect()
}

/// Roles on the nodes of the control pool: two controllers, then the database, then logins; fewer nodes share.
fn controllers(plan: &Plan<'_>, id: Id<Cluster>) -> Result<Controllers, Box<Diagnostic>> {
    let model = &*plan.model;
    let pool: Id<Pool> = match model[id].control {
        Some(Control::Pool(pool)) => pool,
        Some(Control::Managed) => return Err(Box::new(problems::control(model, id, true))),
        None => return Err(Box::new(problems::control(model, id, false))),
    };
    let before = model.tables.clusters.iter().take_while(|other| other.id != id);
    let same = |other: &&Cluster| matches!(other.control, Some(Control::Pool(its)) if its == pool);
    if let Some(other) = before.filter(|other| other.scheduler == Scheduler::Slurm).find(same) {
        return Err(Box::new(problems::shared_control(model, id, pool, other.id)));
    }
    // More than these never have a role here.
    let names: Vec<String> = plan.node_names(pool).take(1_000).collect();
    let database = names.get(2).or(names.last()).ok_or_else(|| Box::new(problems::control(model, id, false)))?;
    let logins = names.iter().skip(3).map(String::as_str);
    Ok(Controllers {
        address: model.address(pool.block()),
        hosts: names.iter().take(2).cloned().collect(),
        database: database.clone(),
        logins: (names.len() > 3).then(|| hosts::fold(logins)),
    })
}

/// The kinds of generic resources.
fn gres_types(machines: &[Machine]) -> Option<&'static str> {
    let mut gpus = machines.iter().filter_map(|machine| machine.gpus.as_ref()).peekable();
    gpus.peek()?;
    Some(if gpus.any(|gpus| gpus.turns().is_some()) { "gpu,shard" } else { "gpu" })
}

/// What accounting counts of GPUs: all of them, those of each type, and turns on them.
fn tracked(machines: &[Machine]) -> Option<String> {
    let gpus: Vec<_> = machines.iter().filter_map(|machine| machine.gpus.as_ref()).collect();
    let kinds: BTreeSet<&str> = gpus.iter().filter_map(|gpus| gpus.unit_type()).collect();
    let mut words = vec![String::from("gres/gpu")];
    words.extend(kinds.into_iter().map(|kind| format!("gres/gpu:{kind}")));
    words.extend(gpus.iter().any(|gpus| gpus.turns().is_some()).then(|| String::from("gres/shard")));
    (!gpus.is_empty()).then(|| words.join(","))
}

/// The files of one cluster.
fn write(renderers: &Renderers, mut view: View, found: &mut Vec<Diagnostic>) -> Result<Files, Box<Diagnostic>> {
    let mut files = Files::default();
    let folder = format!("slurm/{}", view.name);
    let mut names = vec!["slurm.conf", "gres.conf", "cgroup.conf", "slurmdbd.conf", "sacctmgr.cfg"];
    names.extend(view.has_topology().then_some(if view.form["topology_yaml"] {
        "topology.yaml"
    } else {
        "topology.conf"
    }));
    let looks_at_jobs = view.looks_at_jobs() && !view.patches.takes_out("JobSubmitPlugins", "lua");
    names.extend(looks_at_jobs.then_some("job_submit.lua"));
    let mut said = Said::default();
    for name in names {
        let text = renderers.tokens.render(&format!("{name}.j2"), &view)?;
        found.extend(view.patches.idle(name, &text));
        let text = view.patches.apply(name, text);
        said.take(name, &text);
        files.add_text(format!("{folder}/{name}"), &text);
    }
    view.without_foreign_scripts();
    let guide = said.guide(&view);
    files.add_text(format!("{folder}/README.md"), &renderers.tokens.render("README.md.j2", &guide)?);
    let mut scripts = Vec::new();
    scripts.extend(view.health.then_some("health.sh"));
    scripts.extend(view.prolog.then_some("prolog.sh"));
    scripts.extend(view.epilog.then_some("epilog.sh"));
    scripts.extend(view.quality_script.then_some("sacctmgr-qos.sh"));
    scripts.extend(view.quotas.then_some("quotas.sh"));
    scripts.extend(view.resumes.then_some("resume.sh"));
    scripts.extend(view.suspends.then_some("suspend.sh"));
    for name in scripts {
        let text = renderers.shell.render(&format!("{name}.j2"), &guide)?;
        files.add_script(format!("{folder}/{name}"), &text);
    }
    for job in &view.jobs {
        let template = if job.engine.is_some() { "dataprep.sbatch.j2" } else { "torchrun.sbatch.j2" };
        let text = renderers.shell.render(template, job)?;
        files.add_script(format!("{folder}/jobs/{}.sbatch", job.file), &text);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::reader::{entries, hosts};
    use crate::catalog::Catalogue;
    use crate::compile::{self, Options};
    use crate::target::Emitted;
    use crate::target::files::Files;
    use crate::target::template::Templates;

    const BASE: &str = r#"
platform p { currency = EUR }
site s { provider = on-prem, country = DE }
pool gpu { site = site.s, server = catalog.server.dgx-h100, nodes = 40, spare = 1 }
pool cpu { site = site.s, server = catalog.server.cpu-2s-128c, nodes = 2 }
pool control { site = site.s, server = catalog.server.management-1s, nodes = 2 }
fabric compute {
  technology = infiniband
  topology   = rail-optimized
  speed      = 400 Gbps
  switch     = catalog.switch.qm9700
  connects   = [pool.gpu]
}
cluster hpc {
  scheduler = slurm
  version   = "25.11"
  pools     = [pool.gpu, pool.cpu]
  control   = pool.control
  partition main { pools = [pool.gpu], max_time = 2 days, default = true }
  partition prep { pools = [pool.cpu] }
}
"#;

    fn emit(text: &str, set: &[&str]) -> Emitted {
        let settings: Vec<String> = set.iter().map(|setting| (*setting).to_string()).collect();
        let package = compile::parse(vec![(String::from("main.aip"), text.to_string())], &settings);
        let (options, catalogue) = (Options::default(), Catalogue::new());
        let compiled = compile::check(&package, &options, &catalogue);
        let plan = compiled.plan.as_ref().expect("a package that can be planned");
        super::emit(plan, &Templates::shipped())
    }

    fn text(files: &Files, name: &str) -> String {
        let file = files.get(&format!("slurm/hpc/{name}")).expect("a file of the cluster");
        String::from_utf8(file.bytes.clone()).expect("UTF-8")
    }

    fn values(text: &str, key: &str) -> Vec<String> {
        let lines = entries(text);
        lines.into_iter().flatten().filter(|(found, _)| found == key).map(|(_, value)| value).collect()
    }

    fn codes(emitted: &Emitted) -> Vec<u16> {
        emitted.problems.iter().map(|problem| problem.code.0).collect()
    }

    #[test]
    fn every_node_is_declared_once_and_the_spare_is_drained() {
        let emitted = emit(BASE, &[]);
        assert_eq!(codes(&emitted), [0u16; 0]);
        let conf = text(&emitted.files, "slurm.conf");
        assert_eq!(values(&conf, "NodeName"), ["gpu-[001-040]", "cpu-[001-002]"]);
        let guide = text(&emitted.files, "README.md");
        assert!(guide.contains("scontrol update NodeName=gpu-040 State=DRAIN Reason=spare"), "{guide}");
        assert_eq!(values(&conf, "RealMemory"), ["2063000", "498000"]);
        assert_eq!(values(&conf, "SlurmctldHost"), ["control-001", "control-002"]);
    }

    #[test]
    fn every_node_is_in_the_topology_once() {
        let emitted = emit(BASE, &["cluster.hpc.version = \"24.05\""]);
        let conf = text(&emitted.files, "topology.conf");
        let mut below: Vec<String> = values(&conf, "Nodes").iter().flat_map(|list| hosts(list)).collect();
        below.sort();
        let mut declared: Vec<String> = (1..=2).map(|number| format!("cpu-{number:03}")).collect();
        declared.extend((1..=40).map(|number| format!("gpu-{number:03}")));
        assert_eq!(below, declared);
        // The spine over two units of the fabric, and a root over it and the nodes on no fabric.
        assert_eq!(values(&conf, "Switches").len(), 2);
    }

    #[test]
    fn gpus_are_the_same_number_everywhere() {
        let emitted = emit(BASE, &["cluster.hpc.version = \"22.05\""]);
        assert_eq!(values(&text(&emitted.files, "slurm.conf"), "Gres"), ["gpu:h100:8"]);
        let files = values(&text(&emitted.files, "gres.conf"), "File");
        assert_eq!(files.iter().flat_map(|list| hosts(list)).count(), 8);
    }

    #[test]
    fn a_release_decides_which_files_there_are() {
        for (version, there, missing) in
            [("22.05", "topology.conf", "topology.yaml"), ("26.05", "topology.yaml", "topology.conf")]
        {
            let emitted = emit(BASE, &[&format!("cluster.hpc.version = \"{version}\"")]);
            assert!(emitted.files.get(&format!("slurm/hpc/{there}")).is_some(), "{version} has no {there}");
            assert!(emitted.files.get(&format!("slurm/hpc/{missing}")).is_none(), "{version} has a {missing}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let unknown = emit(BASE, &["cluster.hpc.version = \"27.05\""]);
        assert_eq!(codes(&unknown), [6041]);
        assert!(unknown.files.is_empty());
        let managed = emit(BASE, &["cluster.hpc.control = managed"]);
        assert_eq!(codes(&managed), [6042]);
        let unheld = emit(BASE, &["cluster.hpc.partition.prep.pools = [pool.gpu]"]);
        assert_eq!(codes(&unheld), [6046]);
    }

    #[test]
    fn free_text_changes_no_structure() {
        let hostile = r#"tenant a { owner = "x' : # \\", title = "t':Fairshare=9:Parent='b", share = 10% }"#;
        let emitted = emit(&format!("{BASE}\n{hostile}\n"), &[]);
        let accounts = text(&emitted.files, "sacctmgr.cfg");
        let lines: Vec<&str> = accounts.lines().filter(|line| line.starts_with("Account")).collect();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("Description='a':") && lines[0].contains(":Fairshare=10:"), "{}", lines[0]);
    }

    #[test]
    fn lines_lead_to_addresses() {
        let emitted = emit(BASE, &[]);
        let file = emitted.files.get("slurm/hpc/slurm.conf").expect("the file");
        let conf = text(&emitted.files, "slurm.conf");
        for (start, address) in [("NodeName=gpu", "pool.gpu"), ("PartitionName=prep", "cluster.hpc.partition.prep")] {
            let line = conf.lines().position(|line| line.starts_with(start)).expect("the line") + 1;
            assert!(file.lines.contains(&(line, address.to_string())), "{start}");
        }
    }
}
