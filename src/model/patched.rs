//! What is passed on past the language, for those who list it.

use super::Model;

/// A patch: where it is, what it changes, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Patched {
    /// Its address.
    pub address: String,
    /// The keys and resources that it sets or leaves out, by name.
    pub keys: Vec<String>,
    /// Why.
    pub reason: String,
}

/// Every patch of a package, by address.
pub fn all(model: &Model<'_>) -> Vec<Patched> {
    let mut patches: Vec<Patched> = model
        .tables
        .patches
        .iter()
        .map(|patch| {
            let set = patch.set.iter().flat_map(|&set| &model[set].key);
            let cgroup = patch.cgroup.iter().flat_map(|&set| &model[set].key);
            let slurmdbd = patch.slurmdbd.iter().flat_map(|&set| &model[set].key);
            let keys = set.chain(cgroup).chain(slurmdbd).map(|&key| model.name(key).to_string());
            let removed = patch
                .remove
                .iter()
                .chain(patch.cgroup.iter().flat_map(|&of| &model[of].remove))
                .chain(patch.slurmdbd.iter().flat_map(|&of| &model[of].remove));
            let resources = patch.gres.iter().map(|&gres| model.name(gres).to_string());
            let resources = resources.chain((!patch.topology.is_empty()).then(|| String::from("topology")));
            let mut keys: Vec<String> =
                keys.chain(resources).chain(removed.map(|key| format!("{key} (left out)"))).collect();
            keys.sort();
            Patched { address: model.address(patch.id.block()), keys, reason: patch.reason.to_string() }
        })
        .collect();
    patches.sort();
    patches
}
