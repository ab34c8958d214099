//! # Data are where they may not be
//!
//! `security.residency` lists the countries where data may be. Every copy counts: datasets, what they are prefetched to,
//! backups, and the nodes that read them.
//!
//! ```aip
//! security s { residency = [DE] }
//! storage lake { site = site.us-east }  # wrong: in US
//! ```
//!
//! A place outside the platform whose country nobody wrote is a warning.
//!
//! Source: GDPR chapter V for personal data; contracts and sector rules for others.

use std::collections::BTreeSet;

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::base::phrase;
use crate::model::decode::Country;
use crate::model::decode::Place;
use crate::model::ids::BlockId;
use crate::model::ids::Id;
use crate::model::kinds::Backup;
use crate::model::kinds::Dataset;
use crate::model::kinds::Pool;
use crate::model::kinds::Security;
use crate::model::kinds::Site;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(4008),
    levels: Levels::always(Severity::Error),
    text: include_str!("outside_residency.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let mut found = Vec::new();
    for storage in &model.tables.storages {
        let copies: BTreeSet<BlockId> = ["lives_on", "prefetch_to"]
            .into_iter()
            .flat_map(|attribute| context.users(storage.id.block(), attribute))
            .collect();
        for dataset in &copies {
            let lives = model.typed::<Dataset>(*dataset).and_then(|one| one.lives_on) == Some(storage.id);
            let attribute = if lives { "lives_on" } else { "prefetch_to" };
            found.extend(at_site(context, *dataset, attribute, storage.site));
        }
        if copies.is_empty() {
            found.extend(at_site(context, storage.id.block(), "site", storage.site));
        }
    }
    let pools: BTreeSet<Id<Pool>> = context.loads.iter().map(|load| load.pool).collect();
    for pool in pools {
        found.extend(at_site(context, pool.block(), "site", model[pool].site));
    }
    found.extend(model.tables.backups.iter().filter_map(|backup| unknown_place(context, backup)));
    found
}

/// A block whose data are at a site outside the list.
fn at_site(context: &Context<'_>, block: BlockId, attribute: &'static str, site: Id<Site>) -> Option<Finding> {
    let model = context.model();
    let country = model[site].country;
    let security = context.forbidden_by(country)?;
    let message = format!(
        "`{}` is in {} at `{}`, data may be in {}",
        model.address(block),
        country.code(),
        model.address(site.block()),
        countries(security)
    );
    let finding = Finding::on(model, block, attribute, message);
    let finding = finding.see(model.place_of(security.id, "residency"), "countries set here");
    Some(finding.help("move it to a site in one of these countries, or add the country if that is decided"))
}

fn countries(security: &Security) -> String {
    phrase::any_of(security.residency.iter().map(Country::code))
}

fn unknown_place(context: &Context<'_>, backup: &Backup) -> Option<Finding> {
    let model = context.model();
    let security = context.securities().iter().find(|security| !security.residency.is_empty())?;
    match &backup.to {
        Place::Inside(_) => None,
        Place::External(place) => {
            let message = format!(
                "the country of the backup in \"{}\" is not known, data may be in {}",
                phrase::excerpt(place, 60),
                countries(security)
            );
            let finding = Finding::on(model, backup.id.block(), "to", message).softened();
            let finding = finding.see(model.place_of(security.id, "residency"), "countries set here");
            Some(finding.help("describe it as a `storage` at a `site`, or waive this with the country as the reason"))
        }
    }
}
