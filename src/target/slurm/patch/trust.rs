//! What follows from a patch: keys on which the daemons of both files agree, and how credentials are signed.

use crate::base::diagnostic::Diagnostic;
use crate::model::Model;

use super::super::keys::Line;
use super::super::problems;
use super::{Patches, Setting};

/// The file of the controller.
const CONTROLLER: &str = "slurm.conf";

/// The file of the accounting daemon.
const ACCOUNTING: &str = "slurmdbd.conf";

/// Keys of the controller and of the accounting daemon that say the same, and whether neither hears the other
/// otherwise. Source: the manual page of slurmdbd.conf.
const AGREE: &[(&str, &str, bool)] =
    &[("AuthType", "AuthType", true), ("SlurmUser", "SlurmUser", false), ("AccountingStoragePort", "DbdPort", true)];

/// The plugin that signs credentials beside each that trusts messages. Source: the manual page of slurm.conf.
const SIGNS: &[(&str, &str)] =
    &[("auth/munge", "cred/munge"), ("auth/slurm", "cred/slurm"), ("auth/none", "cred/none")];

impl Patches {
    /// Adds what a patched key needs beside it, unless that is patched as well.
    pub(super) fn follow(&mut self, model: &Model<'_>, found: &mut Vec<Diagnostic>) {
        for &(ours, theirs, must) in AGREE {
            match (self.global(CONTROLLER, ours).cloned(), self.global(ACCOUNTING, theirs).cloned()) {
                (Some(_), None) if self.leaves_out(ACCOUNTING, theirs) => {}
                (None, Some(_)) if self.leaves_out(CONTROLLER, ours) => {}
                (Some(one), None) => self.settings.push(beside(&one, ACCOUNTING, theirs, &one.value)),
                (None, Some(other)) => self.settings.push(beside(&other, CONTROLLER, ours, &other.value)),
                (Some(one), Some(other)) if must && one.value != other.value => {
                    found.extend(other.id.map(|id| problems::patch_apart(model, id, &one.value, &other.value)));
                }
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
        let Some(trusts) = self.global(CONTROLLER, "AuthType").cloned() else { return };
        let signs = SIGNS.iter().find(|(auth, _)| *auth == trusts.value).map(|(_, signs)| *signs);
        if let Some(signs) = signs.filter(|_| self.global(CONTROLLER, "CredType").is_none()) {
            self.settings.push(beside(&trusts, CONTROLLER, "CredType", signs));
        }
    }
}

/// What a patched key says in another place.
fn beside(one: &Setting, file: &'static str, key: &'static str, value: &str) -> Setting {
    Setting { file, line: Line::Global, key, value: value.to_string(), id: None, ..one.clone() }
}
