//! What the guide of a cluster names from the other files, patches and all.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::View;
use super::keys::{self, Line};
use super::patch;

/// Keys and values.
type Keys = BTreeMap<String, String>;

/// The finished files, as far as the guide names what is in them.
#[derive(Debug, Default)]
pub struct Said {
    /// Keys that stand alone, by file.
    alone: BTreeMap<String, Keys>,
    /// Keys of the lines of nodes, by address.
    nodes: BTreeMap<String, Keys>,
}

/// What the guide is written from.
#[derive(Debug, Serialize)]
pub struct Guide<'v> {
    #[serde(flatten)]
    view: &'v View,
    /// What the daemons trust: `auth/slurm`.
    trust: String,
    /// Who the controllers run as.
    user: String,
    /// Who the accounting daemon runs as.
    database_user: String,
    /// What the second controller takes over.
    state: String,
    /// Where a node keeps its scripts and credentials, where that is the same folder on all.
    spool: Option<String>,
    /// Where daemons write down what they do.
    logs: Vec<String>,
    /// Where daemons write down which process they are.
    runs: Vec<String>,
    storage: Storage,
    /// Our scripts that every node needs in its own folder.
    on_nodes: Vec<&'static str>,
    /// True where slurmctld keeps accounts in slurmdbd.
    accounts_kept: bool,
    /// Keys of the lines of nodes, by address.
    nodes_said: BTreeMap<String, Keys>,
}

/// The database.
#[derive(Debug, Serialize)]
struct Storage {
    host: String,
    user: String,
    name: String,
    /// What prints the password, where something does.
    script: Option<String>,
}

impl Said {
    /// Reads a finished file.
    pub fn take(&mut self, file: &str, text: &str) {
        for line in patch::lines(text) {
            let Some((first, _)) = line.words.first() else { continue };
            match (keys::line_of(file, first), line.address) {
                (Line::Global, _) => self.alone.entry(file.to_string()).or_default().extend(line.words),
                (Line::Node, Some(address)) => {
                    self.nodes.entry(address.to_string()).or_default().extend(line.words);
                }
                _ => {}
            }
        }
    }

    /// The value of a key, or what a file without it comes to here.
    fn alone(&self, file: &str, key: &str, otherwise: &str) -> String {
        self.alone.get(file).and_then(|keys| keys.get(key)).map_or(otherwise, |value| value).to_string()
    }

    /// The folders of some files, each once.
    fn folders(&self, files: &[(&str, &str, &str)]) -> Vec<String> {
        let paths = files.iter().map(|(file, key, otherwise)| self.alone(file, key, otherwise));
        let folders: BTreeSet<String> = paths
            .filter_map(|path| Some(path.rsplit_once('/')?.0.to_string()))
            .filter(|path| !path.is_empty())
            .collect();
        folders.into_iter().collect()
    }

    /// The guide of a cluster with these files. A key that is left out comes to what the release does without it.
    pub fn guide(self, view: &View) -> Guide<'_> {
        let controller = |key: &str, otherwise: &str| self.alone("slurm.conf", key, otherwise);
        let database = |key: &str, otherwise: &str| self.alone("slurmdbd.conf", key, otherwise);
        let script = database("StoragePassScript", "");
        let spool = controller("SlurmdSpoolDir", "/var/spool/slurmd");
        Guide {
            view,
            trust: controller("AuthType", "auth/munge"),
            user: controller("SlurmUser", "root"),
            database_user: database("SlurmUser", "root"),
            state: controller("StateSaveLocation", "/var/spool"),
            spool: (!spool.contains('%')).then_some(spool),
            logs: self.folders(&[
                ("slurm.conf", "SlurmctldLogFile", ""),
                ("slurm.conf", "SlurmdLogFile", ""),
                ("slurmdbd.conf", "LogFile", ""),
            ]),
            runs: self.folders(&[
                ("slurm.conf", "SlurmctldPidFile", "/var/run/slurmctld.pid"),
                ("slurmdbd.conf", "PidFile", "/var/run/slurmdbd.pid"),
            ]),
            storage: Storage {
                host: database("StorageHost", "localhost"),
                user: database("StorageUser", "slurm"),
                name: database("StorageLoc", "slurm_acct_db"),
                script: (!script.is_empty()).then_some(script),
            },
            on_nodes: scripts(view),
            accounts_kept: controller("AccountingStorageType", "accounting_storage/none")
                == "accounting_storage/slurmdbd",
            nodes_said: self.nodes,
        }
    }
}

/// What nodes without files of their own still need.
fn scripts(view: &View) -> Vec<&'static str> {
    let own = !view.form["shipped_scripts"];
    let wanted = [(view.health, "health.sh"), (view.prolog && own, "prolog.sh"), (view.epilog && own, "epilog.sh")];
    wanted.into_iter().filter(|(there, _)| *there).map(|(_, script)| script).collect()
}
