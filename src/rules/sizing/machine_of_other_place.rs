//! # A pool's machines cannot stand at its site
//!
//! Instances are rented from the provider that offers them; servers stand in rooms of our own.
//!
//! ```aip
//! pool serve { site = site.dc1, instance = catalog.instance.p5-48xlarge }  # wrong: `dc1` is our own room
//! pool serve { site = site.aws, instance = catalog.instance.p5-48xlarge }  # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::words::Provider;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3020),
    levels: Levels::always(Severity::Error),
    text: include_str!("machine_of_other_place.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.pools.iter().filter_map(|pool| {
        let provider = model[pool.site].provider;
        let (attribute, product, of) = match (pool.server, pool.instance) {
            (Some(server), None) => ("server", server.block(), Provider::OnPrem),
            (None, Some(instance)) => ("instance", instance.block(), model[instance].provider),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        if of == provider {
            return None;
        }
        let message = format!(
            "`{}` is `{of}`, the site of `{}` is `{provider}`",
            model.address(product),
            model.address(pool.id.block())
        );
        let finding = Finding::on(model, pool.id.block(), attribute, message);
        let finding = finding.see(model.place_of(pool.site, "provider"), "provider set here");
        Some(finding.help(match provider {
            Provider::OnPrem => "name a `server`, or a site of that provider".to_string(),
            Provider::Aws | Provider::Gcp | Provider::Azure => format!("name an `instance` of `{provider}`, or another site"),
        }))
    });
    judged.collect()
}
