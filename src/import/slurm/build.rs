//! What a draft builds, read back.

use crate::base::diagnostic::Diagnostics;
use crate::base::hosts;
use crate::base::judged::Judged;
use crate::base::source::Sources;
use crate::catalog::Catalogue;
use crate::compile::{self, Options};
use crate::target::template::Templates;

use super::compare::Names;
use super::conf::{self, Conf, File, Keys, NodeLine, PartitionLine};
use super::entry::Pair;
use super::gres::Device;

/// Scripts that a build may write.
pub const SCRIPTS: &[&str] = &["epilog.sh", "health.sh", "job_submit.lua", "prolog.sh", "resume.sh", "suspend.sh"];

/// The scripts that the build of a configuration writes: those that it runs.
pub fn scripts(conf: &Conf) -> Vec<&'static str> {
    let runs = |key: &str, item: &str| {
        let pair = conf.globals.iter().rev().find(|pair| pair.is(key));
        pair.is_some_and(|pair| {
            pair.value.split(',').any(|one| one == item || one.strip_prefix("/etc/slurm/") == Some(item))
        })
    };
    let of = |script: &&str| match *script {
        "epilog.sh" => runs("Epilog", script),
        "health.sh" => runs("HealthCheckProgram", script),
        "job_submit.lua" => runs("JobSubmitPlugins", "lua"),
        "prolog.sh" => runs("Prolog", script),
        "resume.sh" => runs("ResumeProgram", script),
        _ => runs("SuspendProgram", script),
    };
    SCRIPTS.iter().copied().filter(of).collect()
}

/// What the draft builds.
pub fn build(text: &str, cluster: &str) -> Result<Conf, (Sources, Diagnostics)> {
    let package = compile::parse(vec![(String::from("draft.aip"), text.to_string())], &[]);
    let (options, catalogue) = (Options::default(), Catalogue::new());
    let compiled = compile::check(&package, &options, &catalogue);
    let mut problems = compiled.problems;
    let files = compiled.plan.filter(|_| !problems.has_errors()).map(|plan| {
        let (files, found) = {
            let judged = Judged { problems: &problems, waived: &compiled.waived };
            compile::emit(&plan, judged, &[String::from("slurm")], &Templates::shipped())
        };
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

/// Keys alone on their lines that a draft says by its blocks.
const SAID: &[&str] = &["ClusterName", "SlurmctldHost", "ControlMachine", "BackupController", "GresTypes"];

/// A pair under the names of the draft.
fn own(pair: &Pair, names: &Names) -> Pair {
    let map = if pair.is("ClusterName") { &names.clusters } else { &names.controllers };
    let bare = pair.value.split('(').next().unwrap_or_default();
    let value = map.get(bare).cloned().unwrap_or_else(|| bare.to_string());
    Pair { value, ..pair.clone() }
}

/// What a draft says by its attributes, for one that cannot be built.
pub fn outline(conf: &Conf, names: &Names) -> Conf {
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
            "nodehostname",
            "nodeaddr",
            "port",
        ];
        let mut keys = only(&line.keys, &said);
        // Nodes under new names keep the host names that they had.
        keys.entry(String::from("nodehostname")).or_insert_with(|| Pair {
            key: String::from("NodeHostname"),
            value: hosts::fold(&line.hosts),
            at: line.at,
        });
        NodeLine { hosts: line.hosts.iter().map(new).collect(), keys, at: line.at }
    };
    let partition = |line: &PartitionLine| {
        let name = names.partitions.get(&line.name).unwrap_or(&line.name).clone();
        let keys = only(&line.keys, &["maxtime", "maxnodes", "prioritytier", "priority", "default"]);
        PartitionLine { name, hosts: line.hosts.iter().map(new).collect(), keys, at: line.at }
    };
    Conf {
        globals: conf
            .globals
            .iter()
            .filter(|pair| SAID.iter().any(|key| pair.is(key)))
            .map(|pair| own(pair, names))
            .collect(),
        nodes: conf.nodes.iter().map(node).collect(),
        partitions: conf.partitions.iter().map(partition).collect(),
        devices: conf
            .devices
            .iter()
            .map(|device| Device {
                hosts: device.hosts.as_ref().map(|hosts| hosts.iter().map(new).collect()),
                ..device.clone()
            })
            .collect(),
        ..Conf::default()
    }
}
