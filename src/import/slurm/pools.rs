//! Nodes that are alike, as pools: of one hardware, in the same partitions, with the same devices, and named alike.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::base::hosts;
use crate::plan::node;
use crate::plan::pool::MAX_NODES;

use super::compare;
use super::conf::{Conf, NodeLine};
use super::gres::Index;

/// The longest name that is made here; the language takes 40 characters.
const LONGEST: usize = 32;

/// The longest list of host names or addresses of a pool; a patch takes 1,000 characters.
const LONGEST_LIST: usize = 900;

/// Words of the language that are no names.
const RESERVED: &[&str] = &["and", "or", "not", "in", "for", "if", "true", "false", "null", "auto", "tbd"];

/// Nodes that become one pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// Its nodes in order: the line each is on, and its place there.
    pub nodes: Vec<(usize, usize)>,
    /// The names that the nodes have now.
    pub old: Vec<String>,
    /// The names that they get.
    pub new: Vec<String>,
    /// Its partitions, by position.
    pub partitions: BTreeSet<usize>,
    /// Its lines of `gres.conf`, by position.
    pub devices: Vec<usize>,
}

impl Pool {
    /// The first of its lines; the others say the same.
    pub fn line<'c>(&self, conf: &'c Conf) -> Option<&'c NodeLine> {
        conf.nodes.get(self.nodes.first()?.0)
    }

    /// What each node says of a key, when any says something.
    pub fn each(&self, conf: &Conf, key: &str) -> Option<Vec<String>> {
        let mut lines: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut values = Vec::with_capacity(self.nodes.len());
        for &(line, place) in &self.nodes {
            let said = match lines.entry(line) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(compare::each(conf.nodes.get(line)?, key)?),
            };
            values.push(said.get(place)?.clone());
        }
        (!values.is_empty()).then_some(values)
    }
}

/// The pools of a configuration, in the order of their first nodes.
pub fn of(conf: &Conf, taken: &mut BTreeSet<String>) -> Vec<Pool> {
    let mut member: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (number, partition) in conf.partitions.iter().enumerate() {
        for host in &partition.hosts {
            member.entry(host).or_default().insert(number);
        }
    }
    let (padded, index) = (padded(conf), Index::new(&conf.devices));
    let mut groups: BTreeMap<String, usize> = BTreeMap::new();
    let mut pools: Vec<Pool> = Vec::new();
    for (number, line) in conf.nodes.iter().enumerate() {
        let said = fingerprint(line);
        for (place, host) in line.hosts.iter().enumerate() {
            let partitions = member.get(host.as_str()).cloned().unwrap_or_default();
            let devices = index.of(host);
            let (stem, digits) = hosts::split(host);
            // Numbers without zeros before them are one row: `n9`, `n10`.
            let width = if padded.contains(stem) { digits.len() } else { 0 };
            let key = format!("{said}\n{stem}\n{width}\n{}\n{partitions:?}\n{devices:?}", digits.is_empty());
            let at = *groups.entry(key).or_insert_with(|| {
                let name = unique(stem, "node", taken);
                let (nodes, old, new) = (Vec::new(), Vec::new(), Vec::new());
                pools.push(Pool { name, nodes, old, new, partitions, devices });
                pools.len() - 1
            });
            pools[at].nodes.push((number, place));
        }
    }
    pools.iter_mut().for_each(|pool| number(conf, pool));
    pools.into_iter().flat_map(|pool| parted(conf, pool, taken)).collect()
}

/// A pool in as many parts as its lists of names and addresses need to be short.
fn parted(conf: &Conf, pool: Pool, taken: &mut BTreeSet<String>) -> Vec<Pool> {
    let long = |list: Option<Vec<String>>| list.is_some_and(|list| hosts::fold(&list).len() > LONGEST_LIST);
    let fits =
        pool.nodes.len() as u64 <= MAX_NODES && !long(pool.each(conf, "nodeaddr")) && !long(hostnames(conf, &pool));
    if fits || pool.nodes.len() < 2 {
        return vec![pool];
    }
    let (mut first, mut second) = (pool.clone(), pool);
    second.name = unique(&second.name, "node", taken);
    second.nodes = first.nodes.split_off(first.nodes.len() / 2);
    number(conf, &mut first);
    number(conf, &mut second);
    let mut parts = parted(conf, first, taken);
    parts.extend(parted(conf, second, taken));
    parts
}

/// The names that the nodes have as hosts, where these are not those that they get.
pub fn hostnames(conf: &Conf, pool: &Pool) -> Option<Vec<String>> {
    let names = pool.each(conf, "nodehostname").unwrap_or_else(|| pool.old.clone());
    (names != pool.new).then_some(names)
}

/// Names before numbers that have zeros before them.
fn padded(conf: &Conf) -> BTreeSet<&str> {
    let hosts = conf.nodes.iter().flat_map(|line| &line.hosts).map(|host| hosts::split(host));
    hosts.filter(|(_, digits)| digits.len() > 1 && digits.starts_with('0')).map(|(stem, _)| stem).collect()
}

/// Orders the nodes by their numbers and names them as they will be: as they are, where a host may have such a name.
fn number(conf: &Conf, pool: &mut Pool) {
    let name = |&(line, place): &(usize, usize)| conf.nodes[line].hosts[place].clone();
    pool.nodes.sort_by_cached_key(|node| {
        let name = name(node);
        (hosts::split(&name).1.parse::<u64>().unwrap_or(0), name)
    });
    pool.old = pool.nodes.iter().map(name).collect();
    let kept = pool.old.iter().all(|host| hosts::is_name(host));
    let count = pool.old.len() as u64;
    let numbered = || (1..=count).map(|number| node::name(&pool.name, number, count)).collect();
    pool.new = if kept { pool.old.clone() } else { numbered() };
}

/// What a line says of its nodes, without what it says of each.
fn fingerprint(line: &NodeLine) -> String {
    let own = ["nodename", "nodeaddr", "nodehostname", "port"];
    let said = line.keys.iter().filter(|(key, _)| !own.contains(&key.as_str()));
    said.map(|(key, pair)| format!("{key}={}\n", pair.value)).collect()
}

/// A legal name made of a text, which nothing else has.
pub fn unique(text: &str, otherwise: &str, taken: &mut BTreeSet<String>) -> String {
    let base = slug(text, otherwise);
    let mut name = base.clone();
    for number in 2.. {
        if taken.insert(name.clone()) {
            break;
        }
        name = format!("{base}-{number}");
    }
    name
}

/// Lower-case letters, digits and single hyphens, a letter first.
pub fn slug(text: &str, otherwise: &str) -> String {
    let mut name = String::new();
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        match c {
            'a'..='z' | '0'..='9' => name.push(c),
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || RESERVED.contains(&name.trim_end_matches('-')) {
        name = format!("{otherwise}-{name}");
    }
    name.truncate(LONGEST);
    name.trim_end_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{slug, unique};

    #[test]
    fn names_become_legal_and_stay_apart() {
        for (text, name) in [
            ("gpu-", "gpu"),
            ("GPU_Long", "gpu-long"),
            ("4way", "node-4way"),
            ("null", "node-null"),
            ("TBD_", "node-tbd"),
            ("", "node"),
            ("a..b", "a-b"),
        ] {
            assert_eq!(slug(text, "node"), name);
        }
        let mut taken = BTreeSet::new();
        assert_eq!((unique("n", "x", &mut taken), unique("N", "x", &mut taken)), ("n".into(), "n-2".into()));
    }
}
