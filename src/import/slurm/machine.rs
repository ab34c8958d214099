//! The hardware of a pool's nodes, as far as Slurm's files say it.

use std::collections::BTreeSet;

use crate::base::hosts;

use super::conf::Conf;
use super::gres::{self, Device, Item};
use super::patches::Patch;
use super::pools::{Pool, slug};

/// One node.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Sockets.
    pub sockets: u64,
    /// Cores of a socket.
    pub cores: u64,
    /// Threads of a core.
    pub threads: u64,
    /// MiB that the system sees.
    pub memory: Option<u64>,
    /// GPUs by type.
    pub gpus: Vec<Item>,
    /// The socket that each GPU is near, in the order of the device files; nothing where that is not said of all.
    pub near: Vec<u64>,
    /// Who made them, where the device files or the detection say so.
    pub vendor: Option<&'static str>,
}

impl Machine {
    /// Reads the line of a pool and its lines of `gres.conf`.
    pub fn of(conf: &Conf, pool: &Pool) -> Machine {
        let number = |key: &str| number(conf, pool, key);
        let sockets = sockets(conf, pool);
        let threads = number("threadspercore").unwrap_or(1);
        let cpus = number("cpus").or_else(|| number("procs"));
        let left = |by: u64| cpus.and_then(|cpus| cpus.checked_div(by)).filter(|left| *left > 0);
        // Slurm takes one core a socket where it is not said; where the sockets are, that is hardly what the hosts have.
        let of_sockets = || left(sockets?.saturating_mul(threads));
        let cores = number("corespersocket").or_else(of_sockets).unwrap_or(1);
        let per_socket = cores.saturating_mul(threads);
        let whole = || left(per_socket).filter(|_| cpus.is_some_and(|cpus| cpus % per_socket == 0));
        let sockets = sockets.or_else(whole).or_else(|| number("boards")).unwrap_or(1);
        let gpus = gpus(conf, pool);
        let near = near(conf, pool, cores).filter(|near| {
            let count: u64 = gpus.iter().filter_map(Item::number).sum();
            near.len() as u64 == count && near.is_sorted() && near.iter().all(|socket| *socket < sockets)
        });
        Machine {
            sockets,
            cores,
            threads,
            memory: number("realmemory"),
            gpus,
            near: near.unwrap_or_default(),
            vendor: vendor(conf, pool),
        }
    }

    /// Resources that are no GPUs, with what `gres.conf` says of each.
    pub fn others(&self, conf: &Conf, pool: &Pool) -> Vec<(Item, Patch)> {
        let mut seen = BTreeSet::new();
        let items = other_items(&list(conf, pool)).into_iter();
        // A block has a name, and a name that the language does not take is said elsewhere.
        items
            .filter(|item| slug(&item.name, "gres") == item.name && seen.insert(item.name.clone()))
            .map(|item| {
                let keys = one_line(&devices(conf, pool, &item.name).collect::<Vec<_>>());
                (item, keys)
            })
            .collect()
    }
}

fn number(conf: &Conf, pool: &Pool, key: &str) -> Option<u64> {
    let value = &pool.line(conf)?.keys.get(key)?.value;
    value.parse::<u64>().ok().filter(|number| *number > 0)
}

/// The sockets that a line says.
fn sockets(conf: &Conf, pool: &Pool) -> Option<u64> {
    let boards = || number(conf, pool, "boards").unwrap_or(1);
    let per_board = || Some(number(conf, pool, "socketsperboard")?.saturating_mul(boards()));
    number(conf, pool, "sockets").or_else(per_board)
}

/// How slurmctld counts the CPUs of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// As the line says.
    Same,
    /// Each as a socket: nothing else is said.
    Sockets(u64),
    /// Otherwise: what the line says, and what the rest of it makes.
    Otherwise(u64, u64),
}

/// How slurmctld counts the CPUs of a pool's line. Source: `_parse_nodename` of its `read_config.c`.
pub fn counted(conf: &Conf, pool: &Pool) -> Counted {
    let own = |key: &str| number(conf, pool, key);
    let Some(cpus) = own("cpus").or_else(|| own("procs")) else { return Counted::Same };
    let (cores, threads) = (own("corespersocket"), own("threadspercore").unwrap_or(1));
    let per_socket = cores.unwrap_or(1).saturating_mul(threads);
    let Some(sockets) = sockets(conf, pool) else {
        let whole = cpus % per_socket == 0;
        let boards = own("boards").unwrap_or(1);
        return match whole {
            true if cores.is_none() && cpus > per_socket => Counted::Sockets(cpus / per_socket),
            true => Counted::Same,
            false => otherwise(cpus, boards, cores.unwrap_or(1), threads),
        };
    };
    otherwise(cpus, sockets, cores.unwrap_or(1), threads)
}

/// CPUs may be as many as the sockets, the cores or the threads; any other number is not taken.
fn otherwise(cpus: u64, sockets: u64, cores: u64, threads: u64) -> Counted {
    let all = sockets.saturating_mul(cores);
    let made = all.saturating_mul(threads);
    if [sockets, all, made].contains(&cpus) { Counted::Same } else { Counted::Otherwise(cpus, made) }
}

/// What a node's line says of its resources.
pub fn list(conf: &Conf, pool: &Pool) -> String {
    pool.line(conf).and_then(|line| line.keys.get("gres")).map_or(String::new(), |pair| pair.value.clone())
}

/// The lines of `gres.conf` about a resource of a pool.
pub fn devices<'c>(conf: &'c Conf, pool: &'c Pool, name: &'c str) -> impl Iterator<Item = &'c Device> {
    let lines = pool.devices.iter().filter_map(|&at| conf.devices.get(at));
    lines.filter(move |device| device.get("name").is_some_and(|own| own.eq_ignore_ascii_case(name)))
}

/// The keys of all lines about a resource as those of one: their files together, where nothing else differs.
fn one_line(devices: &[&Device]) -> Patch {
    let Some(first) = devices.first() else { return Patch::new() };
    let mut keys = kept(first);
    if devices.len() > 1 && differ_in_files(devices) {
        let files: Vec<String> = devices.iter().flat_map(|device| device.files()).collect();
        keys.insert(String::from("File"), hosts::fold(&files));
    }
    keys
}

/// True for lines that are one line but for their files: Slurm shares the count of a line among its files alike.
pub fn differ_in_files(devices: &[&Device]) -> bool {
    let rest = |device: &Device| -> Vec<(String, String)> {
        let others = device.keys.iter().filter(|(key, _)| !["file", "nodename"].contains(&key.as_str()));
        others.map(|(key, pair)| (key.clone(), pair.value.clone())).collect()
    };
    let files = devices.first().map_or(0, |first| first.files().len());
    files > 0 && devices.iter().all(|device| device.files().len() == files && rest(device) == rest(devices[0]))
}

/// Keys of a line that a patch takes over.
fn kept(device: &Device) -> Patch {
    let keys = [("file", "File"), ("flags", "Flags"), ("cores", "Cores"), ("links", "Links")];
    let kept = keys.iter().filter_map(|(key, name)| Some(((*name).to_string(), device.get(key)?.to_string())));
    kept.collect()
}

fn gpus(conf: &Conf, pool: &Pool) -> Vec<Item> {
    gres::items(&list(conf, pool)).into_iter().filter(|item| item.name == "gpu").collect()
}

/// The sockets whose cores, and no others, are near the GPUs, in the order of their files.
fn near(conf: &Conf, pool: &Pool, cores: u64) -> Option<Vec<u64>> {
    let mut near: Vec<(u64, u64)> = Vec::new();
    for device in devices(conf, pool, "gpu") {
        let (first, last) = device.get("cores").or_else(|| device.get("cpus"))?.split_once('-')?;
        let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        let socket = first.checked_div(cores)?;
        if socket.checked_mul(cores) != Some(first) || first.checked_add(cores - 1) != Some(last) {
            return None;
        }
        for file in device.files() {
            near.push((hosts::split(&file).1.parse().ok()?, socket));
        }
    }
    near.sort_unstable();
    Some(near.into_iter().map(|(_, socket)| socket).collect())
}

fn vendor(conf: &Conf, pool: &Pool) -> Option<&'static str> {
    let lines = || pool.devices.iter().filter_map(|&at| conf.devices.get(at));
    let detects = |words: &[&str]| {
        lines().any(|device| {
            device.get("autodetect").is_some_and(|word| words.iter().any(|one| word.eq_ignore_ascii_case(one)))
        })
    };
    let files: Vec<String> = devices(conf, pool, "gpu").flat_map(Device::files).collect();
    let begin = |stem: &str| !files.is_empty() && files.iter().all(|file| file.starts_with(stem));
    if begin("/dev/nvidia") || detects(&["nvml", "nvidia"]) {
        return Some("NVIDIA");
    }
    (begin("/dev/dri/renderD") || detects(&["rsmi"])).then_some("AMD")
}

/// The items of a list that are no GPUs, each name once.
pub fn other_items(list: &str) -> Vec<Item> {
    gres::items(list).into_iter().filter(|item| item.name != "gpu").collect()
}
