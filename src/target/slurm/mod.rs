//! Slurm: the whole configuration of each cluster with `scheduler = slurm`, for its release, and a batch script for
//! each of its workloads.

mod accounts;
mod hosts;
mod jobs;
mod machine;
mod nodes;
mod partitions;
mod problems;
mod quote;
#[cfg(test)]
mod reader;
mod time;
mod topology;
mod version;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::diagnostic::{Diagnostic, Severity};
use crate::model::decode::Control;
use crate::model::ids::Id;
use crate::model::kinds::{Cluster, Pool};
use crate::model::words::Scheduler;
use crate::plan::Plan;

use super::Emitted;
use super::files::Files;
use super::template::{Renderer, Templates};

use accounts::{Account, Quality};
use jobs::Job;
use machine::Machine;
use nodes::Nodes;
use partitions::Partition;
use topology::Switch;
use version::Release;

/// Writes every Slurm cluster.
pub fn emit(plan: &Plan<'_>, templates: &Templates) -> Emitted {
    let mut emitted = Emitted::default();
    let renderers = Renderers {
        tokens: Renderer::new("slurm", quote::token, plan, templates),
        shell: Renderer::new("slurm", quote::shell, plan, templates),
    };
    let clusters = plan.model.tables.clusters.iter().filter(|cluster| cluster.scheduler == Scheduler::Slurm);
    for cluster in clusters {
        let mut found = Vec::new();
        let view = View::of(plan, cluster.id, &mut found);
        let broken = found.iter().any(|problem| problem.severity == Severity::Error);
        emitted.problems.extend(found);
        let Some(view) = view.filter(|_| !broken) else { continue };
        match write(&renderers, &view) {
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
    control: Controllers,
    nodes: Vec<Nodes>,
    /// `gres/gpu,gres/gpu:h200`; nothing without GPUs.
    tracked: Option<String>,
    partitions: Vec<Partition>,
    /// Minutes that the scheduler looks ahead.
    window: u64,
    /// How room is made for higher partitions.
    preempt: Option<&'static str>,
    switches: Vec<Switch>,
    accounts: Vec<Account>,
    qualities: &'static [Quality],
    #[serde(skip)]
    jobs: Vec<Job>,
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
        Some(View {
            name: model.name(id).to_string(),
            address: model.address(id.block()),
            version: version.to_string(),
            form: release.forms(),
            control,
            nodes: machines
                .iter()
                .filter(|machine| !machine.names.is_empty())
                .map(|machine| Nodes::of(plan, machine, release.has("listed_gpu_cores")))
                .collect(),
            tracked: tracked(&machines),
            partitions: partitions::of(model, id, &machines, found),
            window: partitions::window(model, id),
            preempt: partitions::mode(model, id),
            switches: topology::tree(plan, &model.address(id.block()), &machines),
            accounts: accounts::of(model, found),
            qualities: &accounts::QUALITIES,
            jobs: jobs::of(plan, id, &machines, found),
        })
    }
}

/// The machines of a cluster's pools, in the order they are listed, each pool once. The controllers run no jobs.
fn machines(plan: &Plan<'_>, id: Id<Cluster>, found: &mut Vec<Diagnostic>) -> Vec<Machine> {
    let mut seen = BTreeSet::new();
    let pools = plan.model[id].pools.iter().filter(|pool| seen.insert(**pool));
    pools.filter_map(|&pool| Machine::of(plan, id, pool).map_err(|problem| found.push(*problem)).ok()).collect()
}

/// Roles on the nodes of the control pool: two controllers, then the database, then logins; fewer nodes share.
fn controllers(plan: &Plan<'_>, id: Id<Cluster>) -> Result<Controllers, Box<Diagnostic>> {
    let model = &*plan.model;
    let pool: Id<Pool> = match model[id].control {
        Some(Control::Pool(pool)) => pool,
        Some(Control::Managed) => return Err(Box::new(problems::control(model, id, true))),
        None => return Err(Box::new(problems::control(model, id, false))),
    };
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

/// What accounting counts of GPUs: all of them, and those of each type.
fn tracked(machines: &[Machine]) -> Option<String> {
    let gpus: Vec<_> = machines.iter().filter_map(|machine| machine.gpus.as_ref()).collect();
    let kinds: BTreeSet<&str> = gpus.iter().filter_map(|gpus| gpus.kind.as_deref()).collect();
    let mut words = vec![String::from("gres/gpu")];
    words.extend(kinds.into_iter().map(|kind| format!("gres/gpu:{kind}")));
    (!gpus.is_empty()).then(|| words.join(","))
}

/// The files of one cluster.
fn write(renderers: &Renderers, view: &View) -> Result<Files, Box<Diagnostic>> {
    let mut files = Files::default();
    let topology = if view.form["topology_yaml"] { "topology.yaml" } else { "topology.conf" };
    for name in ["slurm.conf", "gres.conf", "cgroup.conf", topology, "slurmdbd.conf", "sacctmgr.cfg"] {
        let text = renderers.tokens.render(&format!("{name}.j2"), view)?;
        files.add_text(format!("slurm/{}/{name}", view.name), &text);
    }
    for job in &view.jobs {
        let template = if job.engine.is_some() { "dataprep.sbatch.j2" } else { "torchrun.sbatch.j2" };
        let text = renderers.shell.render(template, job)?;
        files.add_script(format!("slurm/{}/jobs/{}.sbatch", view.name, job.file), &text);
    }
    Ok(files)
}
