//! Whether a key may be patched: the release reads it on that line of that file, and nothing else says it.

use crate::base::diagnostic::Diagnostic;
use crate::base::phrase;
use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::PatchKey;

use super::super::keys::{self, Form, Key, Line, Standing};
use super::super::problems;
use super::super::version::Release;
use super::{form, value};

/// Keys that the source says in another way: file, line, key and what says it. All others may be replaced.
const OWNED: &[(&str, Line, &str, &str)] = &[
    ("slurm.conf", Line::Global, "ClusterName", "the name of the cluster"),
    ("slurm.conf", Line::Global, "SlurmctldHost", "`control` of the cluster"),
    ("slurm.conf", Line::Global, "ControlMachine", "`control` of the cluster"),
    ("slurm.conf", Line::Global, "ControlAddr", "`control` of the cluster"),
    ("slurm.conf", Line::Global, "BackupController", "`control` of the cluster"),
    ("slurm.conf", Line::Global, "BackupAddr", "`control` of the cluster"),
    ("slurm.conf", Line::Global, "AccountingStorageHost", "`control` of the cluster"),
    ("slurm.conf", Line::Global, "GresTypes", "`gpus` of the pools' servers, or a `gres` block in the patch of a pool"),
    ("slurm.conf", Line::Node, "NodeName", "the name of the pool"),
    ("slurm.conf", Line::Node, "Boards", "`sockets` of the pool's server"),
    ("slurm.conf", Line::Node, "SocketsPerBoard", "`sockets` of the pool's server"),
    ("slurm.conf", Line::Node, "Sockets", "`sockets` of the pool's server"),
    ("slurm.conf", Line::Node, "CoresPerSocket", "`cores_per_socket` of the pool's server"),
    ("slurm.conf", Line::Node, "ThreadsPerCore", "`threads_per_core` of the pool's server"),
    ("slurm.conf", Line::Node, "Gres", "`gpus` of the pool's server, or a `gres` block in the patch"),
    ("slurm.conf", Line::Partition, "PartitionName", "the name of the partition"),
    ("slurm.conf", Line::Partition, "Nodes", "`pools` of the partition"),
    ("slurm.conf", Line::Partition, "Default", "`default` of the partition"),
    ("slurmdbd.conf", Line::Global, "DbdHost", "`control` of the cluster"),
];

/// Keys whose plugins may be named without the folder before them.
const PREFIXED: &[(&str, &str)] = &[("TaskPlugin", "task"), ("AcctGatherEnergyType", "acct_gather_energy")];

/// A key as Slurm spells it, with what is written for it.
pub struct Written {
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// True when the value is added to ours.
    pub adds: bool,
}

/// What says a key in the source, where something does.
pub fn owner(file: &str, line: Line, key: &str) -> Option<&'static str> {
    let row = OWNED.iter().find(|row| row.0 == file && row.1 == line && row.2.eq_ignore_ascii_case(key));
    row.map(|row| row.3)
}

/// The key and its value as they are written.
pub fn setting(
    model: &Model<'_>,
    id: Id<PatchKey>,
    file: &'static str,
    line: Line,
    release: Release,
) -> Result<Written, Box<Diagnostic>> {
    let key = known(model.name(id), file, line, release, &|why, help| problems::patch_key(model, id, why, help))?;
    if let Some(by) = owner(file, line, key) {
        return Err(Box::new(problems::patch_owned(model, id.block(), key, by)));
    }
    let row = keys::row(file, line, key);
    let refuse = |why: String| Box::new(problems::patch_value(model, id, &why));
    let value = &*model[id].value;
    let (adds, bare) = match value.strip_prefix('+') {
        Some(items) if row.is_some_and(|row| row.form == Some(Form::List)) => (true, items),
        Some(_) => return Err(refuse(String::from("it is no list: write the value without `+`"))),
        None => (false, value),
    };
    let written = value::value(bare).map_err(refuse)?;
    if let Some(why) = row.and_then(|row| form::wrong(row, bare)) {
        return Err(refuse(why));
    }
    if line == Line::Node && form::is_endless(bare) {
        return Err(refuse(String::from("what a node has is a number")));
    }
    plugins(model, id, key, bare, release)?;
    Ok(Written { key, value: written, adds })
}

/// A plugin of a key must be one of the release: no daemon starts without it.
fn plugins(
    model: &Model<'_>,
    id: Id<PatchKey>,
    key: &str,
    value: &str,
    release: Release,
) -> Result<(), Box<Diagnostic>> {
    if key == "JobSubmitPlugins" {
        // A site may have one of its own, which no table knows.
        let wrong =
            value.split(',').map(str::trim).find(|name| !is_plugin(name.strip_prefix("job_submit/").unwrap_or(name)));
        return match wrong {
            None => Ok(()),
            Some(_) => {
                let why = "it is no list of plugins, like `lua` or `lua,require_timelimit`; to have none, name the key in `remove`";
                Err(Box::new(problems::patch_value(model, id, why)))
            }
        };
    }
    if !keys::names_plugins(key) {
        return Ok(());
    }
    for name in value.split(',').map(str::trim) {
        let whole = match PREFIXED.iter().find(|(own, _)| *own == key) {
            Some((_, folder)) if !name.contains('/') => format!("{folder}/{name}"),
            Some(_) | None => name.to_string(),
        };
        match keys::plugin(release, key, &whole) {
            Standing::Read => {}
            // None at all is taken for the plugin that did nothing.
            Standing::Gone { .. } if whole.ends_with("/none") => {}
            standing @ (Standing::Later { .. } | Standing::Gone { .. } | Standing::Unknown) => {
                return Err(Box::new(problems::patch_plugin(model, id, &whole, standing, release)));
            }
        }
    }
    Ok(())
}

/// True for what a plugin may be called.
fn is_plugin(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// The same for a line of `gres.conf`.
pub fn device(
    model: &Model<'_>,
    id: Id<PatchKey>,
    release: Release,
) -> Result<(&'static str, String), Box<Diagnostic>> {
    let refuse = |why: &str, help| problems::patch_key(model, id, why, help);
    let key = known(model.name(id), "gres.conf", Line::Device, release, &refuse)?;
    match key {
        "Name" | "NodeName" => {
            let by = if key == "Name" { "the name of the block" } else { "the pool" };
            Err(Box::new(problems::patch_owned(model, id.block(), key, by)))
        }
        // These two stand in the list of the node's line as well.
        "Count" => Ok((key, text(model, id, value::count)?)),
        "Type" => Ok((key, text(model, id, value::item)?)),
        _ => Ok((key, text(model, id, value::value)?)),
    }
}

fn text(
    model: &Model<'_>,
    id: Id<PatchKey>,
    write: fn(&str) -> Result<String, String>,
) -> Result<String, Box<Diagnostic>> {
    write(&model[id].value).map_err(|why| Box::new(problems::patch_value(model, id, &why)))
}

/// How the word for a problem with a key is found.
type Refuse<'r> = dyn Fn(&str, Option<String>) -> Diagnostic + 'r;

/// The row of a key that the release reads on the line, spelt as there.
pub fn known(
    written: &str,
    file: &'static str,
    line: Line,
    release: Release,
    word: &Refuse<'_>,
) -> Result<&'static str, Box<Diagnostic>> {
    let row = keys::row(file, line, written);
    let refuse = |message: &str, help: Option<String>| Box::new(word(message, help));
    match keys::standing(release, file, line, written) {
        Standing::Read => match row {
            Some(row) if row.key == written => Ok(&row.key),
            _ => {
                let spelt = row.map_or(written, |row| &row.key);
                Err(refuse(&format!("Slurm spells it `{spelt}`"), Some(format!("write `{spelt}`"))))
            }
        },
        Standing::Later { from } => {
            let message = format!("Slurm reads it from {from} on, and the cluster has {release}");
            Err(refuse(&message, Some(format!("leave it out, or set `version` to {from} or later"))))
        }
        Standing::Gone { until, now } => {
            let message = format!("Slurm read it until {until}, and the cluster has {release}");
            let help = now.map_or_else(|| String::from("leave it out"), |now| format!("`{now}` took its place"));
            Err(refuse(&message, Some(help)))
        }
        Standing::Unknown => Err(unknown(file, line, release, written, &refuse)),
    }
}

/// A key that no release reads there: one of another place, or a slip of the pen.
fn unknown(
    file: &'static str,
    line: Line,
    release: Release,
    written: &str,
    refuse: &dyn Fn(&str, Option<String>) -> Box<Diagnostic>,
) -> Box<Diagnostic> {
    let elsewhere = keys::all().iter().find(|row| row.key.eq_ignore_ascii_case(written));
    if let Some(row) = elsewhere {
        let message = format!("Slurm reads it {}, not {}", place(&row.file, row.line), place(file, line));
        return refuse(&message, home(row));
    }
    let here = keys::all().iter().filter(|row| row.file == file && row.line == line);
    let read = here.filter(|row| keys::standing(release, file, line, &row.key) == Standing::Read);
    let near = phrase::nearest(written, read.map(|row| row.key.as_str()));
    let help = near.map(|near| format!("did you mean `{near}`?"));
    refuse(&format!("Slurm {release} reads no such key {}", place(file, line)), help)
}

/// Where a key of another place would be patched.
fn home(row: &Key) -> Option<String> {
    match (row.file.as_str(), row.line) {
        ("slurm.conf", Line::Global) => Some(String::from("write it in `set` of the cluster's patch")),
        ("slurm.conf", Line::Node) => Some(String::from("write it in the patch of a pool")),
        ("slurm.conf", Line::Partition) => Some(String::from("write it in the patch of a partition")),
        ("cgroup.conf", _) => Some(String::from("write it in `cgroup { … }` of the cluster's patch")),
        ("slurmdbd.conf", _) => Some(String::from("write it in `slurmdbd { … }` of the cluster's patch")),
        ("gres.conf", _) => Some(String::from("write it in `gres NAME { … }` of a pool's patch")),
        _ => None,
    }
}

fn place(file: &str, line: Line) -> String {
    match line {
        Line::Global => format!("on a line of its own in {file}"),
        Line::Node => format!("on the line of nodes in {file}"),
        Line::Partition => format!("on the line of a partition in {file}"),
        Line::NodeSet | Line::DownNodes | Line::FrontEnd | Line::PowerAction | Line::Switch | Line::Block => {
            format!("on another line in {file}")
        }
        Line::Device => format!("in {file}"),
    }
}
