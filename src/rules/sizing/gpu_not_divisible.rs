//! # The GPUs of a pool cannot be divided as it says
//!
//! `mig` names one of the profiles that the pool's GPU has, `gpu_shares` how many copies take turns on one; a pool has at
//! most one of both. The catalogue lists the profiles: `aipc catalog gpu h100-sxm`.
//!
//! ```aip
//! pool p { server = catalog.server.dgx-h100, mig = "1g.18gb" }  # wrong: a profile of the H200
//! pool p { server = catalog.server.dgx-h100, mig = "1g.10gb" }  # right: seven parts of each GPU
//! ```
//!
//! Source: profiles of NVIDIA's mig-parted.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::plan::cut::Cut;
use crate::rules::Rule;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3061),
    levels: Levels::always(Severity::Error),
    text: include_str!("gpu_not_divisible.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    let judged = model.tables.pools.iter().filter_map(|pool| {
        let why = Cut::of(model, pool.id).err()?;
        let attribute = if pool.mig.is_some() { "mig" } else { "gpu_shares" };
        let finding = Finding::on(model, pool.id.block(), attribute, why.to_string());
        Some(finding.help("take one of the GPU's profiles, let copies take turns with `gpu_shares`, or use whole GPUs"))
    });
    judged.collect()
}
