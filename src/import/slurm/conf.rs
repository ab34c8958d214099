//! Slurm's files as data: lines in their order, defaults applied, hosts unfolded.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::Diagnostics;
use crate::base::hosts;
use crate::base::source::Sources;
use crate::base::span::{SourceId, Span};

use super::entry::{self, Entry, Pair};
use super::gres::Device;
use super::sets::NodeSet;
use super::today::Obsolete;
use super::{problems, text, today};

/// How deep files may include each other, and how many files there may be.
const DEEPEST: usize = 16;
const MOST_FILES: usize = 64;
/// Keys of a line, with those of the defaults before it. Slurm's longest has about sixty.
const MOST_KEYS: usize = 200;
/// Device files of a line. Source: `gres.conf` on `File`.
const MOST_DEVICES: usize = 1_024;
/// How many device files all nodes have together.
const MOST_DEVICE_FILES: usize = 4_000_000;
/// How many hosts all lists together may name.
const MOST_NAMED: usize = 2_000_000;

/// How many keys may stand alone in a file; Slurm has a few hundred.
const MOST_ALONE: usize = 5_000;

/// How many lines of nodes there may be.
const MOST_LINES: usize = 100_000;

/// How many lines of `gres.conf` may be about every node.
const MOST_EVERYWHERE: usize = 200;

/// Keys by their lower-case name.
pub type Keys = BTreeMap<String, Pair>;

/// A line of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeLine {
    /// Its hosts, in its order.
    pub hosts: Vec<String>,
    /// What it says, with what the defaults say.
    pub keys: Keys,
    /// Where.
    pub at: Span,
}

/// A partition.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionLine {
    /// Its name.
    pub name: String,
    /// Its hosts.
    pub hosts: BTreeSet<String>,
    /// What its line says, with what the defaults say.
    pub keys: Keys,
    /// Where.
    pub at: Span,
}

/// Everything that the files of a cluster say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conf {
    /// Lines of their own in `slurm.conf`.
    pub globals: Vec<Pair>,
    /// Nodes.
    pub nodes: Vec<NodeLine>,
    /// Partitions.
    pub partitions: Vec<PartitionLine>,
    /// Names for nodes.
    pub sets: BTreeMap<String, NodeSet>,
    /// Lines of `slurm.conf` of any other kind.
    pub others: Vec<Vec<Pair>>,
    /// Lines of `gres.conf`.
    pub devices: Vec<Device>,
    /// `cgroup.conf`.
    pub cgroup: Vec<Pair>,
    /// `slurmdbd.conf`.
    pub slurmdbd: Vec<Pair>,
    /// Pairs that say nothing, and why: those of older releases, and those that another one overrules.
    pub obsolete: Vec<Obsolete>,
    /// Files that were included by a whole path and found in another place.
    pub elsewhere: BTreeMap<String, String>,
    /// `topology.conf`.
    pub topology: Vec<Vec<Pair>>,
}

/// Which file a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    /// `slurm.conf` and what it includes.
    Slurm,
    /// `gres.conf`.
    Gres,
    /// `cgroup.conf`.
    Cgroup,
    /// `topology.conf`.
    Topology,
    /// `slurmdbd.conf`.
    Slurmdbd,
}

impl File {
    /// By the name of a path; anything else is taken for `slurm.conf`.
    pub fn of(path: &str) -> File {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        let files = [
            ("gres", File::Gres),
            ("cgroup", File::Cgroup),
            ("topology", File::Topology),
            ("slurmdbd", File::Slurmdbd),
        ];
        files.iter().find(|(word, _)| name.starts_with(word)).map_or(File::Slurm, |(_, file)| *file)
    }
}

/// Gives the text of an included file with the path that messages show.
pub type Load<'l> = dyn FnMut(&str) -> Result<(String, String), String> + 'l;

/// Reads the files.
pub fn read(sources: &mut Sources, files: &[(File, SourceId)], load: &mut Load<'_>, found: &mut Diagnostics) -> Conf {
    let mut reader = Reader {
        sources,
        load,
        found,
        conf: Conf::default(),
        node_defaults: Keys::new(),
        partition_defaults: Keys::new(),
        pending: Vec::new(),
        open: Vec::new(),
        files: 0,
        named: 0,
        unread: false,
        swallowed: None,
    };
    for &(file, id) in files {
        reader.file(file, id);
    }
    reader.resolve_partitions();
    reader.count_device_files();
    today::translate(&mut reader.conf);
    reader.conf
}

struct Reader<'r, 'l> {
    sources: &'r mut Sources,
    load: &'r mut Load<'l>,
    found: &'r mut Diagnostics,
    conf: Conf,
    node_defaults: Keys,
    partition_defaults: Keys,
    /// Partitions whose hosts may be declared later.
    pending: Vec<(String, Keys, Span)>,
    /// The files that are being read, by path.
    open: Vec<String>,
    files: usize,
    named: usize,
    /// True once a line or a file could not be read: what it declares is not known.
    unread: bool,
    /// The first line with something to say that is part of a comment.
    swallowed: Option<Span>,
}

impl Reader<'_, '_> {
    fn file(&mut self, file: File, id: SourceId) {
        let path = self.sources.get(id).map_or(String::new(), |source| source.path.clone());
        self.open.push(path);
        match text::lines(self.sources, id) {
            Ok(text) => {
                text.swallowed.iter().for_each(|line| self.swallow(line));
                for line in text.lines {
                    match entry::read(&line) {
                        Ok(Entry::Include(name)) => self.include(file, &name, line.at),
                        Ok(Entry::Pairs(pairs)) => self.entry(file, pairs, line.at),
                        Err(last) => self.not_read(problems::line(line.at, last.as_deref(), line.cut)),
                    }
                }
            }
            Err(problem) => self.not_read(*problem),
        }
        self.open.pop();
    }

    /// Says of a line that it is part of a comment, where it would say something.
    fn swallow(&mut self, line: &text::Line) {
        let pair = match entry::read(line) {
            Ok(Entry::Include(value)) => Some(Pair { key: String::from("Include"), value, at: line.at }),
            Ok(Entry::Pairs(pairs)) => pairs.into_iter().next(),
            Err(_) => None,
        };
        let Some(pair) = pair else { return };
        self.swallowed.get_or_insert(line.at);
        if self.conf.obsolete.len() < MOST_ALONE {
            let why =
                "the line is part of the comment before it, which ends in a backslash; Slurm does not read it either";
            self.conf.obsolete.push((pair, String::from(why)));
        }
    }

    /// Something that is not read, with what it declares.
    fn not_read(&mut self, problem: crate::base::diagnostic::Diagnostic) {
        self.unread = true;
        self.problem(problem);
    }

    /// Reads an included file. Whoever wrote `Include` says which file that is: of one that is none of Slurm's nothing
    /// is taken over.
    fn included(&mut self, file: File, id: SourceId, name: &str, at: Span) {
        let wrong = match text::lines(self.sources, id) {
            Ok(text) => text.lines.iter().find(|line| entry::read(line).is_err()).map(|line| line.at),
            Err(problem) => Some(problem.primary()),
        };
        match wrong {
            None => self.file(file, id),
            Some(wrong) => {
                let line = self.sources.position(wrong).map_or(1, |place| place.line);
                self.not_read(problems::include(at, name, &format!("its line {line} is no `Key=value`")));
            }
        }
    }

    /// A hundred problems are enough to see what is wrong.
    fn problem(&mut self, problem: crate::base::diagnostic::Diagnostic) {
        if self.found.len() < 100 {
            self.found.push(problem);
        }
    }

    fn include(&mut self, file: File, name: &str, at: Span) {
        let name = &self.named_after_cluster(name);
        if self.open.len() >= DEEPEST || self.files >= MOST_FILES {
            let why = format!("files include each other more than {DEEPEST} deep, or {MOST_FILES} times");
            return self.not_read(problems::limit(at, &why));
        }
        self.files += 1;
        match (self.load)(name) {
            Ok((path, _)) if self.open.contains(&path) => {
                self.not_read(problems::include(at, name, "it includes itself"));
            }
            Ok((path, text)) => {
                if name.starts_with('/') && path != *name {
                    self.conf.elsewhere.insert(name.clone(), path.clone());
                }
                let id = self.sources.add(path, text);
                self.included(file, id, name, at);
            }
            Err(why) => self.not_read(problems::include(at, name, &why)),
        }
    }

    /// `%c` in the name of a file is the name of the cluster.
    fn named_after_cluster(&self, name: &str) -> String {
        let cluster = self.conf.globals.iter().rev().find(|pair| pair.is("ClusterName"));
        cluster.map_or_else(|| name.to_string(), |cluster| name.replace("%c", &cluster.value))
    }

    fn entry(&mut self, file: File, pairs: Vec<Pair>, at: Span) {
        let Some(first) = pairs.first() else { return };
        match file {
            File::Slurm if first.is("NodeName") => self.nodes(pairs, at),
            File::Slurm if first.is("PartitionName") => self.partition(pairs, at),
            File::Slurm if first.is("NodeSet") => self.set(pairs, at),
            File::Slurm if ["DownNodes", "FrontendName", "PowerAction"].iter().any(|key| first.is(key)) => {
                self.conf.others.push(pairs);
            }
            File::Slurm => self.alone(pairs, at, |conf| &mut conf.globals),
            File::Gres => self.device(&pairs, at),
            File::Cgroup => self.alone(pairs, at, |conf| &mut conf.cgroup),
            File::Slurmdbd => self.alone(pairs, at, |conf| &mut conf.slurmdbd),
            File::Topology => self.conf.topology.push(pairs),
        }
    }

    fn alone(&mut self, pairs: Vec<Pair>, at: Span, of: fn(&mut Conf) -> &mut Vec<Pair>) {
        let all = of(&mut self.conf);
        if all.len() + pairs.len() <= MOST_ALONE {
            return all.extend(pairs);
        }
        self.problem(problems::limit(at, &format!("a file has more than {MOST_ALONE} keys")));
    }

    /// A list of hosts, as long as all of them together are few enough.
    fn unfolded(&mut self, list: &str, at: Span) -> Vec<String> {
        match hosts::unfold(list) {
            Ok(hosts) if self.counts(hosts.len(), at) => hosts,
            Ok(_) => Vec::new(),
            Err(why) => {
                self.not_read(problems::hosts(at, list, &why));
                Vec::new()
            }
        }
    }

    /// Whether so many more hosts may be named.
    fn counts(&mut self, more: usize, at: Span) -> bool {
        self.named += more;
        if self.named > MOST_NAMED {
            self.problem(problems::limit(at, &format!("all lists together name more than {MOST_NAMED} hosts")));
        }
        self.named <= MOST_NAMED
    }

    fn nodes(&mut self, pairs: Vec<Pair>, at: Span) {
        let name = pairs[0].value.clone();
        let own = self.keys(pairs);
        if name.eq_ignore_ascii_case("DEFAULT") {
            return self.node_defaults.extend(own.into_iter().take(MOST_KEYS + 1));
        }
        if self.conf.nodes.len() >= MOST_LINES {
            return self.problem(problems::limit(at, &format!("there are more than {MOST_LINES} lines of nodes")));
        }
        let hosts = self.unfolded(&name, at);
        let defaults = self.node_defaults.clone();
        let Some(mut all) = self.with_defaults(defaults, own, at) else { return };
        self.overrule(&mut all, "cpus", "procs");
        self.conf.nodes.push(NodeLine { hosts, keys: all, at });
    }

    fn partition(&mut self, pairs: Vec<Pair>, at: Span) {
        let name = pairs[0].value.clone();
        let own = self.keys(pairs);
        if name.eq_ignore_ascii_case("DEFAULT") {
            return self.partition_defaults.extend(own.into_iter().take(MOST_KEYS + 1));
        }
        if self.pending.len() >= MOST_ALONE {
            return self.problem(problems::limit(at, &format!("there are more than {MOST_ALONE} partitions")));
        }
        let defaults = self.partition_defaults.clone();
        let Some(mut all) = self.with_defaults(defaults, own, at) else { return };
        self.overrule(&mut all, "oversubscribe", "shared");
        self.pending.push((name, all, at));
    }

    /// Pairs by key. Of a key that is given twice the last counts, and `Feature` before `Features`.
    fn keys(&mut self, pairs: Vec<Pair>) -> Keys {
        let mut all = Keys::new();
        for pair in pairs {
            let lower = pair.key.to_ascii_lowercase();
            let key = if lower == "features" { String::from("feature") } else { lower };
            let Some(before) = all.remove(&key) else {
                all.insert(key, pair);
                continue;
            };
            let stays = pair.is("Features") && before.is("Feature");
            let (counts, other) = if stays { (before, pair) } else { (pair, before) };
            if counts.value != other.value {
                let why = match counts.is(&other.key) {
                    true => format!("the key stands again on this line, and the last one counts: {}", counts.value),
                    false => format!("{} on the same line counts", counts.key),
                };
                self.conf.obsolete.push((other, why));
            }
            all.insert(key, counts);
        }
        all
    }

    /// Takes the older name of a key out where today's is there: Slurm reads the older one only without that.
    fn overrule(&mut self, keys: &mut Keys, today: &str, older: &str) {
        let Some(counts) = keys.get(today).map(|pair| pair.key.clone()) else { return };
        if let Some(pair) = keys.remove(older) {
            self.conf.obsolete.push((pair, format!("{counts} on the same line, or of the defaults before it, counts")));
        }
    }

    /// The keys of a line over those of the defaults before it.
    fn with_defaults(&mut self, mut all: Keys, own: Keys, at: Span) -> Option<Keys> {
        all.extend(own);
        if all.len() > MOST_KEYS {
            self.problem(problems::limit(at, &format!("a line has more than {MOST_KEYS} keys, with its defaults")));
            return None;
        }
        Some(all)
    }

    /// A line of `gres.conf` counts for each node that it is about.
    fn count_device_files(&mut self) {
        let nodes: usize = self.conf.nodes.iter().map(|line| line.hosts.len()).sum();
        let mut count = 0usize;
        for device in &self.conf.devices {
            let hosts = device.hosts.as_ref().map_or(nodes, BTreeSet::len);
            count = count.saturating_add(hosts.saturating_mul(device.files().len().max(1)));
            if count > MOST_DEVICE_FILES {
                let what = format!("all nodes together have more than {MOST_DEVICE_FILES} device files");
                let problem = problems::limit(device.at, &what);
                return self.problem(problem);
            }
        }
    }

    fn set(&mut self, pairs: Vec<Pair>, at: Span) {
        let own = self.keys(pairs.clone());
        let hosts = own.get("nodes").map(|nodes| self.unfolded(&nodes.value, at));
        let feature = own.get("feature").map(|pair| pair.value.clone());
        if hosts.is_none() && feature.is_none() {
            return self.conf.others.push(pairs);
        }
        let new = || NodeSet { hosts: BTreeSet::new(), features: BTreeSet::new(), at };
        let set = self.conf.sets.entry(pairs[0].value.clone()).or_insert_with(new);
        set.hosts.extend(hosts.into_iter().flatten());
        set.features.extend(feature);
    }

    fn device(&mut self, pairs: &[Pair], at: Span) {
        let own = self.keys(pairs.to_vec());
        let everywhere = self.conf.devices.iter().filter(|device| device.hosts.is_none()).count();
        if self.conf.devices.len() >= MOST_ALONE || everywhere >= MOST_EVERYWHERE {
            return self.problem(problems::limit(at, "gres.conf has more lines than any cluster"));
        }
        for key in ["file", "multiplefiles"] {
            let files = own.get(key).and_then(|pair| hosts::unfold(&pair.value).ok());
            if files.is_some_and(|files| files.len() > MOST_DEVICES) {
                return self.problem(problems::limit(at, &format!("a line has more than {MOST_DEVICES} device files")));
            }
        }
        let hosts = own.get("nodename").map(|pair| pair.value.clone()).map(|list| self.unfolded(&list, at));
        self.conf.devices.push(Device { hosts: hosts.map(|hosts| hosts.into_iter().collect()), keys: own, at });
    }

    /// Hosts of partitions once all nodes and names for them are known.
    fn resolve_partitions(&mut self) {
        let declared: BTreeSet<String> = self.conf.nodes.iter().flat_map(|line| line.hosts.iter().cloned()).collect();
        let sets = self.sets(&declared);
        for (name, keys, at) in std::mem::take(&mut self.pending) {
            let list = keys.get("nodes").map(|pair| pair.value.clone()).unwrap_or_default();
            let hosts = match list.eq_ignore_ascii_case("ALL") {
                true if self.counts(declared.len(), at) => declared.clone(),
                true => BTreeSet::new(),
                false => self.members(&list, &declared, &sets, at),
            };
            self.conf.partitions.push(PartitionLine { name, hosts, keys, at });
        }
        self.one_default();
    }

    /// Of several partitions that say that they are the default, the last one is.
    fn one_default(&mut self) {
        let says =
            |line: &PartitionLine| line.keys.get("default").is_some_and(|pair| pair.value.eq_ignore_ascii_case("YES"));
        let Some(last) = self.conf.partitions.iter().rposition(says) else { return };
        let name = self.conf.partitions[last].name.clone();
        for line in self.conf.partitions[..last].iter_mut().filter(|line| says(line) && line.name != name) {
            if let Some(pair) = line.keys.remove("default") {
                let why = format!("the partition {} is not the default: {name} says it last", line.name);
                self.conf.obsolete.push((pair, why));
            }
        }
    }

    /// The nodes of each set. A feature is looked for on all nodes.
    fn sets(&mut self, declared: &BTreeSet<String>) -> BTreeMap<String, BTreeSet<String>> {
        let mut sets = BTreeMap::new();
        for (name, set) in self.conf.sets.clone() {
            if set.features.is_empty() || self.counts(declared.len(), set.at) {
                sets.insert(name, set.members(declared, &self.conf.nodes));
            }
        }
        sets
    }

    fn members(
        &mut self,
        list: &str,
        declared: &BTreeSet<String>,
        sets: &BTreeMap<String, BTreeSet<String>>,
        at: Span,
    ) -> BTreeSet<String> {
        let mut members = BTreeSet::new();
        for name in self.unfolded(list, at) {
            match sets.get(&name) {
                Some(set) if self.counts(set.len(), at) => members.extend(set.iter().cloned()),
                Some(_) => {}
                None if declared.contains(&name) => {
                    members.insert(name);
                }
                // The line that is not read may have declared it.
                None if self.unread => {}
                None => {
                    let problem = problems::no_node(self.sources, at, &name, self.swallowed);
                    self.problem(problem);
                }
            }
        }
        members
    }
}
