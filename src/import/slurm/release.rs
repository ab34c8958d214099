//! Which release reads a configuration.

use crate::target::slurm::keys::{self, Line, Standing};
use crate::target::slurm::version::{KNOWN, Release};

use super::conf::{Conf, Keys};
use super::entry::Pair;

/// The newest release that leaves the fewest keys and plugins unread.
pub fn newest(conf: &Conf) -> Option<(&'static str, Release)> {
    let releases = KNOWN.iter().rev().filter_map(|name| Some((*name, Release::of(name)?)));
    releases.min_by_key(|(_, release)| unread(conf, *release))
}

fn unread(conf: &Conf, release: Release) -> usize {
    let lines = [("slurm.conf", &conf.globals), ("cgroup.conf", &conf.cgroup), ("slurmdbd.conf", &conf.slurmdbd)];
    let alone = lines.iter().flat_map(|(file, pairs)| pairs.iter().map(move |pair| (*file, Line::Global, pair)));
    fn of(line: Line, keys: &Keys) -> impl Iterator<Item = (&'static str, Line, &Pair)> {
        keys.values().map(move |pair| ("slurm.conf", line, pair))
    }
    let nodes = conf.nodes.iter().flat_map(|node| of(Line::Node, &node.keys));
    let partitions = conf.partitions.iter().flat_map(|partition| of(Line::Partition, &partition.keys));
    let all = alone.chain(nodes).chain(partitions);
    all.filter(|(file, line, pair)| why_unread(release, file, *line, &pair.key, &pair.value).is_some()).count()
}

/// Why a release does not read a key with its value; nothing when it does.
pub fn why_unread(release: Release, file: &str, line: Line, key: &str, value: &str) -> Option<String> {
    let standing = keys::standing(release, file, line, key);
    if let Some(why) = words(release, standing, "key") {
        return Some(why);
    }
    if !keys::names_plugins(key) {
        return None;
    }
    let plugins = value.split(',').map(str::trim).filter(|plugin| !plugin.is_empty());
    plugins.map(|plugin| keys::plugin(release, key, plugin)).find_map(|standing| words(release, standing, "plugin"))
}

fn words(release: Release, standing: Standing, noun: &str) -> Option<String> {
    match standing {
        Standing::Read => None,
        Standing::Later { from } => Some(format!("a {noun} of Slurm {from} and later, not of {release}")),
        Standing::Gone { until, now: Some(now) } => {
            Some(format!("a {noun} that Slurm had until {until}; `{now}` took its place"))
        }
        Standing::Gone { until, now: None } => Some(format!("a {noun} that Slurm had until {until}")),
        Standing::Unknown => Some(format!("no {noun} of Slurm {release}")),
    }
}
