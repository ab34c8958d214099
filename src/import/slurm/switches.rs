//! `topology.conf`: switches become blocks of the draft's patch where the configuration reads them.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hosts;

use super::compare::{self, Names};
use super::conf::Conf;
use super::entry::Pair;
use super::patches::Patch;
use super::pools::unique;
use super::{Import, last};

/// The plugin that reads switches.
const TREE: &str = "topology/tree";

/// What plugins without a file are called.
const FLAT: &[&str] = &["topology/none", "topology/flat", "topology/default"];

/// Switches by their names in the draft, in their order.
pub type Switches = Vec<(String, Patch)>;

/// The switches, where the configuration reads them and the draft can say them.
pub fn of(conf: &Conf, names: &Names) -> Switches {
    let reads = last(&conf.globals, "TopologyPlugin").is_some_and(|pair| pair.value.eq_ignore_ascii_case(TREE));
    let switches = || conf.topology.iter().map(|line| line.first().filter(|first| first.is("SwitchName")));
    if !reads || switches().any(|first| first.is_none()) {
        return Switches::new();
    }
    let mut taken = BTreeSet::new();
    let new: BTreeMap<&str, String> =
        switches().flatten().map(|first| (first.value.as_str(), unique(&first.value, "switch", &mut taken))).collect();
    let one = |line: &Vec<Pair>| {
        let name = new.get(line.first()?.value.as_str())?.clone();
        let mut keys = Patch::new();
        for pair in line {
            if pair.is("Nodes") {
                keys.insert(String::from("Nodes"), compare::nodes_renamed(&pair.value, names));
            } else if pair.is("Switches") {
                let below = hosts::unfold(&pair.value).ok()?;
                let below: Option<Vec<String>> = below.iter().map(|name| new.get(name.as_str()).cloned()).collect();
                keys.insert(String::from("Switches"), hosts::fold(&below?));
            }
        }
        Some((name, keys))
    };
    conf.topology.iter().map(one).collect::<Option<Switches>>().unwrap_or_default()
}

/// What is said of the topology. False when the plugin has to go, because it would find none.
pub fn tell(conf: &Conf, switches: &Switches, import: &mut Import) -> bool {
    let plugin = last(&conf.globals, "TopologyPlugin").filter(|pair| !FLAT.contains(&pair.value.as_str()));
    if !switches.is_empty() {
        for pair in conf.topology.iter().flatten().filter(|pair| pair.is("LinkSpeed")) {
            let what = format!("LinkSpeed={}", pair.value);
            import.fates.drop(&import.sources, pair.at, what, "Slurm does nothing with it");
        }
        return true;
    }
    let note = match (conf.topology.is_empty(), plugin) {
        (true, None) => return true,
        (true, Some(_)) => "topology.conf was not read, and the build has none: read it as well, or write a `fabric`",
        (false, None) => "topology.conf stands in a comment: nothing reads it without `TopologyPlugin`",
        (false, Some(_)) => {
            "topology.conf is not taken over and stands in a comment: write a `fabric`, or `topology` blocks in the patch \
             of the cluster, and only then `TopologyPlugin`"
        }
    };
    import.fates.notes.push(String::from(note));
    plugin.is_none()
}
