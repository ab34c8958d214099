//! Which release reads a configuration.

use std::collections::BTreeSet;

use crate::target::slurm::keys::{self, Line, Standing};
use crate::target::slurm::version::{KNOWN, Release};

use super::conf::{Conf, Keys};
use super::entry::Pair;

/// A key on a line of a file, and its value where that is what decides.
type Said<'c> = (&'static str, Line, String, &'c str);

/// The newest release that leaves the fewest keys and plugins unread.
pub fn newest(conf: &Conf) -> Option<(&'static str, Release)> {
    let said = said(conf);
    let unread = |release: Release| {
        said.iter().filter(|(file, line, key, value)| why_unread(release, file, *line, key, value).is_some()).count()
    };
    let releases = KNOWN.iter().rev().filter_map(|name| Some((*name, Release::of(name)?)));
    releases.min_by_key(|(_, release)| unread(*release))
}

/// Everything that is said, each once.
fn said(conf: &Conf) -> BTreeSet<Said<'_>> {
    fn one<'c>(file: &'static str, line: Line, pair: &'c Pair) -> Said<'c> {
        let value = if keys::names_plugins(&pair.key) { pair.value.as_str() } else { "" };
        (file, line, pair.key.to_ascii_lowercase(), value)
    }
    let mut said = BTreeSet::new();
    for (file, pairs) in
        [("slurm.conf", &conf.globals), ("cgroup.conf", &conf.cgroup), ("slurmdbd.conf", &conf.slurmdbd)]
    {
        said.extend(pairs.iter().map(|pair| one(file, Line::Global, pair)));
    }
    // Keys of lines name no plugins.
    let keys =
        |line: Line, keys: &Keys| keys.keys().map(|key| ("slurm.conf", line, key.clone(), "")).collect::<Vec<_>>();
    said.extend(conf.nodes.iter().flat_map(|node| keys(Line::Node, &node.keys)));
    said.extend(conf.partitions.iter().flat_map(|partition| keys(Line::Partition, &partition.keys)));
    said
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
    // None at all is taken for the plugin that did nothing.
    let standing = |plugin: &str| match keys::plugin(release, key, plugin) {
        Standing::Gone { .. } if plugin.ends_with("/none") => Standing::Read,
        other => other,
    };
    plugins.map(standing).find_map(|standing| words(release, standing, "plugin"))
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
