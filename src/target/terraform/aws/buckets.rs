//! Storages of kind `s3` at a site as buckets, and the keys that encrypt them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;
use crate::model::decode::KeySource;
use crate::model::ids::Id;
use crate::model::kinds::{Key, Site, Storage};
use crate::model::words::StorageKind;
use crate::plan::Plan;
use crate::target::problems;
use crate::target::terraform::{Writer, hcl, no_storage};

use super::days;

/// Days between two rotations that KMS allows.
const ROTATION: std::ops::RangeInclusive<u64> = 90..=2560;

/// A bucket.
#[derive(Serialize)]
pub(super) struct Bucket {
    key: String,
    address: String,
    name: String,
    /// The name of its key in this layer; empty for the layer's own.
    kms: String,
    /// In the words of S3; a bucket that had versions before can only suspend it.
    versioning: &'static str,
    /// Days that an object cannot be changed; 0 without a lock.
    pub(super) lock_days: u64,
}

/// A key that this layer makes.
#[derive(Serialize)]
pub(super) struct NamedKey {
    key: String,
    address: String,
    alias: String,
    rotation_days: u64,
}

/// A key that exists already.
#[derive(Serialize)]
pub(super) struct FoundKey {
    key: String,
    address: String,
    arn: String,
}

/// What a site stores.
pub(super) struct Store {
    /// By name.
    pub(super) buckets: Vec<Bucket>,
    /// By name.
    pub(super) keys: Vec<NamedKey>,
    /// By name.
    pub(super) found: Vec<FoundKey>,
}

/// Buckets and keys of a site; what cannot be written becomes a problem.
pub(super) fn of(plan: &Plan<'_>, site: &Site, platform: &str, writer: &mut Writer) -> Store {
    let model = &*plan.model;
    let mut keys = Keys::default();
    let mut buckets = Vec::new();
    let mut here: Vec<&Storage> = model.tables.storages.iter().filter(|storage| storage.site == site.id).collect();
    here.sort_by_key(|storage| model.name(storage.id));
    for storage in here {
        no_storage(plan, storage).into_iter().for_each(|problem| writer.problem(problem));
        if storage.kind == StorageKind::S3 {
            let (kms, problem) = storage.key.map_or((String::new(), None), |key| keys.take(model, key));
            problem.into_iter().for_each(|problem| writer.problem(problem.at(model.place_of(storage.id, "key"), "")));
            buckets.push(bucket(model, storage, platform, kms));
        }
    }
    Store { buckets, keys: keys.named.into_values().collect(), found: keys.found.into_values().collect() }
}

fn bucket(model: &Model<'_>, storage: &Storage, platform: &str, kms: String) -> Bucket {
    let key = model.name(storage.id).to_string();
    let lock_days = storage.immutable.map_or(0, |time| days(time.seconds()));
    Bucket {
        address: model.address(storage.id.block()),
        // The number of the account follows it.
        name: hcl::label(&format!("{platform}-{key}"), 50),
        kms,
        versioning: if lock_days > 0 || storage.versioning.unwrap_or(true) { "Enabled" } else { "Suspended" },
        lock_days,
        key,
    }
}

/// Keys of a layer: made ones by alias, so that two blocks with one alias are one key; found ones by where they are.
#[derive(Default)]
struct Keys {
    named: BTreeMap<String, NamedKey>,
    found: BTreeMap<String, FoundKey>,
}

impl Keys {
    /// The name of a key in this layer, and what is wrong with it.
    fn take(&mut self, model: &Model<'_>, id: Id<Key>) -> (String, Option<Diagnostic>) {
        let (key, address) = (model.name(id).to_string(), model.address(id.block()));
        let other = |why: &str| {
            let problem = problems::not_in_terraform(&address, &format!("{why}; the bucket has the layer's own key"));
            (String::new(), Some(problem))
        };
        match &model[id].from {
            KeySource::Vault(_) | KeySource::External(_) => other("S3 encrypts only with keys of AWS KMS"),
            KeySource::Kms(text) if text.starts_with("arn:") => {
                let arn = text.to_string();
                let row = self.found.entry(arn.clone()).or_insert(FoundKey { key, address, arn });
                (row.key.clone(), None)
            }
            KeySource::Kms(text) if is_alias(text) => {
                let (rotation_days, problem) = rotation(model, id, &address);
                let alias = text.to_string();
                let row = self.named.entry(alias.clone()).or_insert(NamedKey { key, address, alias, rotation_days });
                (row.key.clone(), problem)
            }
            KeySource::Kms(_) => other("AWS KMS knows keys by `alias/…` or by their ARN"),
        }
    }
}

/// An alias that an account may give.
fn is_alias(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || "/_-".contains(c);
    let name = text.strip_prefix("alias/").filter(|name| !name.starts_with("aws/"));
    name.is_some_and(|name| !name.is_empty() && text.len() <= 256 && name.chars().all(legal))
}

/// Days between rotations, as near as KMS can.
fn rotation(model: &Model<'_>, id: Id<Key>, address: &str) -> (u64, Option<Diagnostic>) {
    let asked = model[id].rotate.map_or(365, |time| days(time.seconds()));
    if ROTATION.contains(&asked) {
        return (asked, None);
    }
    let near = asked.clamp(*ROTATION.start(), *ROTATION.end());
    let what = format!("KMS changes a key every 90 to 2560 days, not every {asked}; it is {near}");
    let help = format!("set `rotate` to {near} days, or change the key by hand");
    (near, Some(problems::terraform_default(address, &what, &help)))
}

#[cfg(test)]
mod tests {
    use super::is_alias;

    #[test]
    fn aliases_of_aws_itself_are_not_taken() {
        assert!(is_alias("alias/aurora"));
        for wrong in ["alias/", "alias/aws/s3", "aurora", "alias/a b", "alias/${x}"] {
            assert!(!is_alias(wrong), "{wrong}");
        }
    }
}
