//! # A fabric connects things at different sites
//!
//! Switches and cables of a fabric stand in one room. What is far away is reached over a `link`.
//!
//! ```aip
//! fabric f { connects = [pool.here, pool.there] }  # wrong: two sites
//! link l { from = site.here, to = site.there }     # right
//! ```

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::ids::BlockId;
use crate::model::kinds::Pool;
use crate::model::kinds::Storage;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3106),
    levels: Levels::always(Severity::Error),
    text: include_str!("over_sites.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let site = |block: BlockId| {
        let pool = model.typed::<Pool>(block).map(|pool| pool.site);
        pool.or_else(|| model.typed::<Storage>(block).map(|storage| storage.site))
    };
    let judged = model.tables.fabrics.iter().filter_map(|fabric| {
        let mut ends = fabric.connects.iter().filter_map(|end| Some((end.block, site(end.block)?)));
        let (first, here) = ends.next()?;
        let (other, there) = ends.find(|(_, site)| *site != here)?;
        let message = format!(
            "`{}` connects `{}` at `{}` with `{}` at `{}`",
            model.address(fabric.id.block()),
            model.address(first),
            model.address(here.block()),
            model.address(other),
            model.address(there.block())
        );
        let help = "keep a fabric inside one site and join sites with a `link`";
        Some(Finding::on(model, fabric.id.block(), "connects", message).help(help))
    });
    judged.collect()
}
