//! Releases of Slurm, and which of them write a key in which form.

use std::collections::BTreeMap;
use std::fmt;

/// Releases whose keys are known, oldest first.
pub const KNOWN: &[&str] = &["22.05", "23.02", "23.11", "24.05", "24.11", "25.05", "25.11", "26.05"];

/// A known release: its position in [`KNOWN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(usize);

/// Something that only some releases write.
struct Form {
    /// The name that templates ask for: `form.topology_yaml`.
    name: &'static str,
    /// The first release with it; the oldest when absent.
    from: Option<&'static str>,
    /// The last release with it; the newest when absent.
    until: Option<&'static str>,
}

/// Every form that differs between releases. Source: the release notes and manual pages of the releases.
const FORMS: &[Form] = &[
    // The internal authentication replaces the MUNGE daemon.
    Form { name: "auth_slurm", from: Some("23.11"), until: None },
    Form { name: "auth_munge", from: None, until: Some("23.02") },
    // Parameters of preemption moved out of those of the scheduler.
    Form { name: "preempt_parameters", from: Some("23.02"), until: None },
    Form { name: "preempt_in_scheduler", from: None, until: Some("22.05") },
    // Prolog and epilog that the controller hands to the nodes, named without a folder.
    Form { name: "shipped_scripts", from: Some("23.11"), until: None },
    // Blocks of nodes, and how their sizes are written.
    Form { name: "block_levels", from: Some("23.11"), until: Some("23.11") },
    Form { name: "block_sizes", from: Some("24.05"), until: None },
    // This release loses nodes from blocks unless their lines name the block.
    Form { name: "node_names_block", from: Some("25.11"), until: Some("25.11") },
    // NUMA domains for sockets: on the line of a node, or for all of them.
    Form { name: "node_parameters", from: Some("25.11"), until: None },
    // A switch or block for one job, and one word for all ways not to share.
    Form { name: "exclusive_topology", from: Some("24.05"), until: None },
    Form { name: "exclusive", from: Some("26.05"), until: None },
    // One file for several topologies; it wins over `topology.conf`.
    Form { name: "topology_yaml", from: Some("25.05"), until: None },
    Form { name: "topology_conf", from: None, until: Some("24.11") },
    // Qualities of service in the file that `sacctmgr load` reads.
    Form { name: "qos_in_load_file", from: Some("25.05"), until: None },
    // The password of the accounting database from a program, so that no file holds it.
    Form { name: "storage_pass_script", from: Some("25.11"), until: None },
];

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KNOWN[self.0])
    }
}

impl Release {
    /// The release that a version such as `25.11` or `25.11.2` belongs to, when it is known.
    pub fn of(version: &str) -> Option<Release> {
        let mut parts = version.split('.');
        let (year, month) = (parts.next()?, parts.next()?);
        KNOWN.iter().position(|known| known.split_once('.') == Some((year, month))).map(Release)
    }

    /// True when this release writes the form.
    pub fn has(self, name: &str) -> bool {
        FORMS.iter().any(|form| form.name == name && self.within(form))
    }

    /// Every form with whether this release writes it, for templates.
    pub fn forms(self) -> BTreeMap<&'static str, bool> {
        FORMS.iter().map(|form| (form.name, self.within(form))).collect()
    }

    fn within(self, form: &Form) -> bool {
        let not_before = form.from.and_then(Release::of).is_none_or(|first| self >= first);
        let not_after = form.until.and_then(Release::of).is_none_or(|last| self <= last);
        not_before && not_after
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMS, KNOWN, Release};

    #[test]
    fn patch_levels_belong_to_their_release() {
        assert_eq!(Release::of("25.11"), Release::of("25.11.2"));
        assert!(Release::of("22.05") < Release::of("26.05"));
        for unknown in ["21.08", "27.05", "25", "", "25.1", "1.35"] {
            assert_eq!(Release::of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn forms_begin_and_end_with_known_releases() {
        for form in FORMS {
            for bound in [form.from, form.until].into_iter().flatten() {
                assert!(KNOWN.contains(&bound), "{} has the bound {bound}", form.name);
            }
        }
    }

    #[test]
    fn old_and_new_releases_write_different_forms() {
        let (old, new) = (Release::of("22.05").expect("known"), Release::of("25.11").expect("known"));
        for (name, in_old, in_new) in [
            ("auth_slurm", false, true),
            ("auth_munge", true, false),
            ("topology_yaml", false, true),
            ("topology_conf", true, false),
            ("preempt_in_scheduler", true, false),
            ("storage_pass_script", false, true),
        ] {
            assert_eq!((old.has(name), new.has(name)), (in_old, in_new), "{name}");
        }
    }

    #[test]
    fn every_release_has_one_authentication_and_one_topology_file() {
        for release in KNOWN.iter().filter_map(|name| Release::of(name)) {
            assert_ne!(release.has("auth_slurm"), release.has("auth_munge"));
            assert_ne!(release.has("topology_yaml"), release.has("topology_conf"));
            assert_ne!(release.has("preempt_parameters"), release.has("preempt_in_scheduler"));
        }
    }
}
