//! Patched preemption: the plugin and the mode hold together, or slurmctld does not start.

use crate::model::ids::Id;
use crate::model::kinds::{Cluster, PatchKey};

use super::super::{preemption, problems};
use super::{Reader, items};

impl Reader<'_, '_> {
    /// Holds what is patched of `PreemptType` and `PreemptMode` against each other and against ours.
    pub(super) fn agree_on_preemption(&mut self, cluster: Id<Cluster>) {
        let ours = preemption(self.model, cluster);
        let (plugin, plugin_at) =
            self.effective("PreemptType", ours.as_ref().map_or("preempt/none", |ours| ours.plugin));
        let (mode, mode_at) = self.effective("PreemptMode", ours.as_ref().map_or("OFF", |ours| ours.mode));
        let at = mode_at.or(plugin_at);
        if let Some((id, why)) = at.zip(disagreement(&plugin, &mode)) {
            self.found.push(problems::patch_value(self.model, id, &why));
        }
    }

    /// The value of a key with what is patched of it, and where that is.
    fn effective(&self, key: &str, ours: &str) -> (String, Option<Id<PatchKey>>) {
        match self.patches.global("slurm.conf", key) {
            Some(one) if one.adds => (items::merged(ours, &one.value).0, one.id),
            Some(one) => (one.value.clone(), one.id),
            None => (ours.to_string(), None),
        }
    }
}

/// Why slurmctld does not start with both. Source: `slurm.conf` on `PreemptMode`, and slurmctld.
fn disagreement(plugin: &str, mode: &str) -> Option<String> {
    let none = plugin.eq_ignore_ascii_case("preempt/none");
    let has = |word: &str| items::has(mode, word);
    let ends = ["CANCEL", "REQUEUE", "SUSPEND"].iter().any(|word| has(word));
    if has("OFF") && ends {
        Some(format!("{mode}: jobs give way or they do not"))
    } else if has("SUSPEND") && !has("GANG") {
        Some(String::from("`SUSPEND` needs `GANG` beside it"))
    } else if none && (ends || has("WITHIN") || has("PRIORITY")) {
        Some(format!("the mode {mode} needs a `PreemptType`, like `preempt/partition_prio`"))
    } else if !none && !ends {
        Some(format!("the plugin {plugin} needs a `PreemptMode`, like `REQUEUE`"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::disagreement;

    #[test]
    fn plugin_and_mode_hold_together() {
        for (plugin, mode) in [
            ("preempt/none", "OFF"),
            ("preempt/none", "GANG"),
            ("preempt/none", "OFF,GANG"),
            ("preempt/qos", "REQUEUE"),
            ("preempt/partition_prio", "SUSPEND,GANG"),
            ("preempt/qos", "WITHIN,CANCEL"),
        ] {
            assert_eq!(disagreement(plugin, mode), None, "{plugin} {mode}");
        }
        for (plugin, mode) in [
            ("preempt/none", "REQUEUE"),
            ("preempt/none", "WITHIN"),
            ("preempt/qos", "OFF"),
            ("preempt/qos", "GANG"),
            ("preempt/partition_prio", "SUSPEND"),
            ("preempt/qos", "OFF,REQUEUE"),
        ] {
            assert!(disagreement(plugin, mode).is_some(), "{plugin} {mode}");
        }
    }
}
