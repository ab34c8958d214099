//! The Terraform target: one layer for each site in a cloud, and one for the inventory of all rooms of our own.
//!
//! What the source decides is data: maps in `locals`, keyed by the names of blocks, so that an order of blocks moves
//! nothing and a new one is only an addition. The resources over these maps hardly change from platform to platform.
//! Absent on purpose: lines between sites, budgets, and whatever runs inside of a cluster.

mod aws;
mod hcl;
mod netbox;
mod tags;

use serde::Serialize;

use crate::base::diagnostic::Diagnostic;
use crate::model::kinds::{Site, Storage};
use crate::model::words::{Provider, StorageKind};
use crate::plan::Plan;

use super::Emitted;
use super::problems;
use super::template::{Renderer, Templates};

/// Writes every layer.
pub fn emit(plan: &Plan<'_>, templates: &Templates) -> Emitted {
    let mut writer =
        Writer { renderer: Renderer::new("terraform", hcl::quote, plan, templates), emitted: Emitted::default() };
    for site in &plan.model.tables.sites {
        match site.provider {
            Provider::Aws => aws::write(plan, site, &mut writer),
            Provider::Gcp | Provider::Azure => writer.problem(no_provider(plan, site)),
            Provider::OnPrem => {}
        }
    }
    netbox::write(plan, &mut writer);
    for link in &plan.model.tables.links {
        let address = plan.model.address(link.id.block());
        writer.problem(
            problems::not_in_terraform(
                &address,
                "a line between sites needs facts that no source has: ports, peers and contracts",
            )
            .at(plan.model.place(link.id), ""),
        );
    }
    for audit in &plan.model.tables.audits {
        let storage = &plan.model[audit.to];
        if plan.model[storage.site].provider == Provider::Aws && storage.kind == StorageKind::S3 {
            let why =
                "the trail of AWS's own API calls is often that of the organisation, so none is made; the bucket is";
            let address = plan.model.address(audit.id.block());
            writer.problem(problems::not_in_terraform(&address, why).at(plan.model.place(audit.id), ""));
        }
    }
    writer.emitted
}

fn no_provider(plan: &Plan<'_>, site: &Site) -> Diagnostic {
    let address = plan.model.address(site.id.block());
    let why = format!("sites of {} are not written yet, only those of aws and on-prem", site.provider);
    problems::not_in_terraform(&address, &why).at(plan.model.place_of(site.id, "provider"), "")
}

/// Storage of a cloud site that is no bucket there.
fn no_storage(plan: &Plan<'_>, storage: &Storage) -> Option<Diagnostic> {
    let why = match storage.kind {
        StorageKind::S3 | StorageKind::LocalNvme => return None,
        kind => format!("storage of kind {kind} at an AWS site is not written yet, only s3"),
    };
    let address = plan.model.address(storage.id.block());
    Some(problems::not_in_terraform(&address, &why).at(plan.model.place_of(storage.id, "kind"), ""))
}

/// Collects files and problems.
struct Writer {
    renderer: Renderer,
    emitted: Emitted,
}

impl Writer {
    /// Renders one template of a family into a file of a layer.
    fn file(&mut self, layer: &str, family: &str, name: &str, view: &impl Serialize) {
        match self.renderer.render(&format!("{family}/{name}.j2"), view) {
            Ok(text) => self.emitted.files.add_text(format!("terraform/{layer}/{name}"), &hcl::align(&text)),
            Err(problem) => self.problem(*problem),
        }
    }

    /// What two layers have in common is said once.
    fn problem(&mut self, problem: Diagnostic) {
        if !self.emitted.problems.contains(&problem) {
            self.emitted.problems.push(problem);
        }
    }
}
