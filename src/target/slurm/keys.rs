//! The keys of Slurm's files, and which releases read them.
//!
//! One row a key and kind of line, in `keys.json`. What a release does not read is an error there at best and stops
//! the daemon at worst, so nothing is written, taken over or passed through that has no row for the release.

use std::sync::LazyLock;

use serde::Deserialize;

use super::version::Release;

/// What kind of line a key stands on; some keys stand on several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// A line of its own, for the whole cluster.
    Global,
    /// `NodeName=…`.
    Node,
    /// `PartitionName=…`.
    Partition,
    /// `NodeSet=…`.
    NodeSet,
    /// `DownNodes=…`.
    DownNodes,
    /// `FrontendName=…`.
    FrontEnd,
    /// `PowerAction=…`.
    PowerAction,
    /// A line of `gres.conf`.
    Device,
    /// `SwitchName=…`.
    Switch,
    /// `BlockName=…`.
    Block,
}

/// What the values of a key look like, where that is certain in every release; others are not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A number below 65,536, or none.
    Short,
    /// A number below 2^32, or none.
    Number,
    /// A number below 2^64, or none.
    Long,
    /// A number with or without decimals.
    Decimal,
    /// A port.
    Port,
    /// A port, or a range of ports.
    Ports,
    /// Minutes, or days, hours, minutes and seconds, or none.
    Time,
    /// Yes or no.
    YesNo,
    /// A list of hosts.
    Hosts,
    /// Items between commas.
    List,
}

/// A key of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The file, `slurm.conf`.
    pub file: String,
    /// The line it stands on.
    pub line: Line,
    /// How it is written; Slurm does not care for case.
    pub key: String,
    /// What its values look like.
    #[serde(rename = "value")]
    pub form: Option<Form>,
    /// The words that a value may be, or begin with before a `:` or `=`; in a list those of each item.
    pub words: Option<Vec<String>>,
    /// The first release that reads it; the oldest known one when absent.
    from: Option<String>,
    /// The last release that reads it; the newest known one when absent.
    until: Option<String>,
    /// What is written instead of it today, even where it is still read.
    pub now: Option<String>,
}

/// A value that is a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plugin {
    /// The key whose value it is.
    pub key: String,
    /// `select/cons_tres`.
    pub value: String,
    /// The first release with it; the oldest known one when absent.
    from: Option<String>,
    /// The last release with it; the newest known one when absent.
    until: Option<String>,
    /// What took its place.
    pub now: Option<String>,
}

/// How a release stands to a key or plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It reads it.
    Read,
    /// It comes with a later release.
    Later {
        /// That release.
        from: &'static str,
    },
    /// It went with an earlier release.
    Gone {
        /// The last release that read it.
        until: &'static str,
        /// What is written instead.
        now: Option<&'static str>,
    },
    /// No known release reads it there.
    Unknown,
}

/// The file of keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Where the rows were read.
    #[serde(rename = "source")]
    _source: String,
    /// The releases that were read.
    releases: Vec<String>,
    /// The keys.
    keys: Vec<Key>,
    /// The plugins.
    plugins: Vec<Plugin>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| serde_json::from_str(include_str!("keys.json")).expect("the table of keys is well formed"));

/// Every key, by file, line and name.
pub fn all() -> &'static [Key] {
    &TABLE.keys
}

/// Every plugin, by kind and name.
pub fn plugins() -> &'static [Plugin] {
    &TABLE.plugins
}

/// The releases of the table, oldest first.
pub fn releases() -> impl Iterator<Item = &'static str> {
    TABLE.releases.iter().map(String::as_str)
}

/// The row of a key on a line of a file, however its letters are written.
pub fn row(file: &str, line: Line, key: &str) -> Option<&'static Key> {
    TABLE.keys.iter().find(|row| row.file == file && row.line == line && row.key.eq_ignore_ascii_case(key))
}

/// How a release stands to a key on a line of a file.
pub fn standing(release: Release, file: &str, line: Line, key: &str) -> Standing {
    row(file, line, key)
        .map_or(Standing::Unknown, |row| within(release, row.from.as_deref(), row.until.as_deref(), row.now.as_deref()))
}

/// How a release stands to a plugin such as `select/cons_tres` as the value of a key.
pub fn plugin(release: Release, key: &str, value: &str) -> Standing {
    let row = TABLE.plugins.iter().find(|row| row.key.eq_ignore_ascii_case(key) && row.value == value);
    row.map_or(Standing::Unknown, |row| within(release, row.from.as_deref(), row.until.as_deref(), row.now.as_deref()))
}

/// The plugins that a release has for a key.
pub fn plugins_of(release: Release, key: &str) -> impl Iterator<Item = &'static str> {
    let of = TABLE.plugins.iter().filter(move |row| row.key.eq_ignore_ascii_case(key));
    let read = of.filter(move |row| plugin(release, &row.key, &row.value) == Standing::Read);
    read.map(|row| row.value.as_str())
}

/// True for a key whose value is one of [`plugins`].
pub fn names_plugins(key: &str) -> bool {
    TABLE.plugins.iter().any(|row| row.key.eq_ignore_ascii_case(key))
}

/// The kind of line that begins with this key in a file; a key that begins none stands alone.
pub fn line_of(file: &str, first: &str) -> Line {
    let starts: &[(&str, Line)] = match file {
        "slurm.conf" => &[
            ("NodeName", Line::Node),
            ("PartitionName", Line::Partition),
            ("NodeSet", Line::NodeSet),
            ("DownNodes", Line::DownNodes),
            ("FrontendName", Line::FrontEnd),
            ("PowerAction", Line::PowerAction),
        ],
        "topology.conf" => &[("SwitchName", Line::Switch), ("BlockName", Line::Block)],
        "gres.conf" => return Line::Device,
        _ => &[],
    };
    starts.iter().find(|(key, _)| key.eq_ignore_ascii_case(first)).map_or(Line::Global, |(_, line)| *line)
}

fn within(
    release: Release,
    from: Option<&'static str>,
    until: Option<&'static str>,
    now: Option<&'static str>,
) -> Standing {
    match (from, until) {
        (Some(from), _) if Release::of(from).is_none_or(|first| release < first) => Standing::Later { from },
        (_, Some(until)) if Release::of(until).is_none_or(|last| release > last) => Standing::Gone { until, now },
        _ => Standing::Read,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Line, Release, Standing, all, line_of, plugin, plugins, releases, standing};
    use crate::target::slurm::version::KNOWN;

    fn release(name: &str) -> Release {
        Release::of(name).expect("a known release")
    }

    #[test]
    fn the_table_is_of_the_known_releases() {
        assert_eq!(releases().collect::<Vec<_>>(), KNOWN);
        let mut seen = BTreeSet::new();
        for row in all() {
            assert!(seen.insert((&row.file, row.line, row.key.to_ascii_lowercase())), "{} twice", row.key);
            for bound in [&row.from, &row.until].into_iter().flatten() {
                assert!(KNOWN.contains(&bound.as_str()), "{} has the bound {bound}", row.key);
            }
        }
        for row in plugins() {
            for bound in [&row.from, &row.until].into_iter().flatten() {
                assert!(KNOWN.contains(&bound.as_str()), "{} has the bound {bound}", row.value);
            }
        }
    }

    #[test]
    fn keys_come_and_go_with_releases() {
        let of = |version, line, key| standing(release(version), "slurm.conf", line, key);
        assert_eq!(of("22.05", Line::Global, "PreemptParameters"), Standing::Later { from: "23.02" });
        assert_eq!(of("23.02", Line::Global, "preemptparameters"), Standing::Read);
        assert_eq!(of("23.02", Line::Global, "SlurmctldPlugstack"), Standing::Gone { until: "22.05", now: None });
        assert_eq!(of("24.11", Line::Global, "GetEnvTimeout"), Standing::Gone { until: "24.05", now: None });
        let renamed = Standing::Gone { until: "25.11", now: Some("Exclusive") };
        assert_eq!(of("26.05", Line::Partition, "ExclusiveUser"), renamed);
        assert_eq!(of("26.05", Line::Node, "SuspendTime"), Standing::Read);
        assert_eq!(of("25.11", Line::Node, "SuspendTime"), Standing::Later { from: "26.05" });
        assert_eq!(of("25.11", Line::Global, "RealMemory"), Standing::Unknown, "it stands on a line of nodes");
        let cgroup = standing(release("23.11"), "cgroup.conf", Line::Global, "CgroupAutomount");
        assert_eq!(cgroup, Standing::Gone { until: "23.02", now: None });
        let blocks = standing(release("24.05"), "topology.conf", Line::Global, "BlockLevels");
        assert_eq!(blocks, Standing::Gone { until: "23.11", now: Some("BlockSizes") });
    }

    #[test]
    fn plugins_come_and_go_with_releases() {
        let renamed = Standing::Gone { until: "23.02", now: Some("select/cons_tres") };
        assert_eq!(plugin(release("23.11"), "SelectType", "select/cons_res"), renamed);
        assert_eq!(plugin(release("23.02"), "AuthType", "auth/slurm"), Standing::Later { from: "23.11" });
        assert_eq!(plugin(release("26.05"), "TopologyPlugin", "topology/block"), Standing::Read);
        assert_eq!(plugin(release("26.05"), "TopologyPlugin", "topology/best"), Standing::Unknown);
    }

    #[test]
    fn a_line_is_known_by_its_first_key() {
        assert_eq!(line_of("slurm.conf", "nodename"), Line::Node);
        assert_eq!(line_of("slurm.conf", "ClusterName"), Line::Global);
        assert_eq!(line_of("gres.conf", "AutoDetect"), Line::Device);
        assert_eq!(line_of("topology.conf", "BlockName"), Line::Block);
    }
}
