//! # A node's port is slower than its fabric
//!
//! The link runs at the speed of its slower end, and the switch port has to be split or set down to it.
//!
//! ```aip
//! fabric data { speed = 200 Gbps, connects = [pool.control] }  # `control` has ports of 25 Gbps
//! ```
//!
//! Give slow nodes a fabric or switch of their own, or nodes with faster ports.
//!
//! Source: Ethernet and InfiniBand links run at one speed on both ends.

use crate::base::code::Code;
use crate::base::diagnostic::Severity;
use crate::model::kinds::Fabric;
use crate::plan::FabricPool;
use crate::plan::fabric::port_speed;
use crate::plan::formula::round;
use crate::rules::Rule;
use crate::rules::amount;
use crate::rules::context::Context;
use crate::rules::finding::Finding;
use crate::rules::levels::Levels;

pub(in crate::rules) const RULE: Rule = Rule {
    code: Code(3104),
    levels: Levels::always(Severity::Warning),
    text: include_str!("slow_port.rs"),
    dated: false,
    check,
};

fn check(context: &Context<'_>) -> Vec<Finding> {
    let model = context.model();
    context
        .plan
        .fabrics
        .values()
        .flat_map(|row| row.pools.iter().filter_map(|pool| judge(context, &model[row.id], pool)))
        .collect()
}

fn judge(context: &Context<'_>, fabric: &Fabric, pool: &FabricPool) -> Option<Finding> {
    let model = context.model();
    let (port, wanted) = (port_speed(model, pool.pool, fabric)?, fabric.speed.bytes_per_second());
    if !round::exceeds(wanted, port) {
        return None;
    }
    let message = format!(
        "the ports of `{}` run at {}, `{}` is planned for {}",
        model.address(pool.pool.block()),
        amount::bits(port),
        model.address(fabric.id.block()),
        amount::bits(wanted)
    );
    let finding = Finding::on(model, fabric.id.block(), "speed", message);
    let finding = finding.see(model.place_of(pool.pool, "server"), "the slower end");
    Some(finding.help("take nodes with faster ports, or connect them to a slower fabric"))
}
