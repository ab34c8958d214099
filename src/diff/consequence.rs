//! What follows from what was written and touches what already stands: nobody wrote it, so it is easily overlooked.

use std::collections::BTreeMap;

use crate::base::phrase;
use crate::model::block::Block;
use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::value::Value;
use crate::plan::{Plan, node, reader};

use super::Both;
use super::class::{self, Class, Facts, follows};
use super::delta;
use super::figures;
use super::model::{Change, What, below_need};
use super::pairs::Subject;
use super::reason::{Cause, Reasons};
use super::value;

/// Attributes left to the compiler whose value is something that stands: they are judged as if they were written.
const DECIDED: &[(Kind, &[&str])] = &[
    (Kind::Pool, &["nodes", "spare"]),
    (Kind::Storage, &["capacity", "read", "write", "iops"]),
    (Kind::Inference, &["replicas", "gpus_per_replica"]),
    (Kind::Training, &["gpus", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel"]),
    (Kind::Finetune, &["gpus"]),
    (Kind::Rack, &["count"]),
];

/// Figures of a fabric that are cabling.
const CABLING: &[&str] = &["switches", "leaf_spine_links"];

/// Every consequence.
pub fn changes(both: &Both<'_>, reasons: &Reasons<'_, '_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for subject in both.pairs.subjects(&both.old.model, &both.new.model) {
        let Subject { old: Some(one), new: Some(other) } = subject else { continue };
        let kind = both.new.model.block(other).kind;
        let names = DECIDED.iter().filter(|(known, _)| *known == kind).flat_map(|(_, names)| names.iter());
        changes.extend(names.filter_map(|name| decided(both, reasons, (one, other), name)));
        if kind == Kind::Fabric {
            changes.extend(CABLING.iter().filter_map(|name| cabling(both, reasons, (one, other), name)));
        }
        changes.extend(node_names(both, reasons, (one, other)));
    }
    changes.extend(moved(both, reasons));
    changes
}

type Block2 = (BlockId, BlockId);

fn follows(address: String, (class, why): (Class, &'static str), subject: Block2, because: Vec<Cause>) -> Change {
    Change {
        class,
        why,
        what: What::Follows,
        address,
        old: None,
        new: None,
        delta: None,
        delta_text: String::new(),
        old_at: None,
        new_at: None,
        through: Vec::new(),
        because,
        subject: Subject { old: Some(subject.0), new: Some(subject.1) },
        attribute: None,
    }
}

/// An attribute that both sides leave to the compiler.
fn decided(both: &Both<'_>, reasons: &Reasons<'_, '_>, pair: Block2, name: &'static str) -> Option<Change> {
    let (one, other) = pair;
    let model = &both.new.model;
    if both.old.model.value(one, name) != Value::Auto || model.value(other, name) != Value::Auto {
        return None;
    }
    let before = reader::quantity(both.old.figures.known(one, name)?);
    let after = reader::quantity(both.new.figures.known(other, name)?);
    let trend = value::trend(&both.pairs, &before, &after);
    let facts = Facts { trend, rented: rented(both, pair), below_need: below_need(both, one, other) };
    measured(both, reasons, pair, name, class::class(model.block(other).kind, name, facts))
}

fn rented(both: &Both<'_>, (one, other): Block2) -> bool {
    let side = |plan: &Plan<'_>, id| {
        plan.model.as_id(id).and_then(|id| plan.pools.get(&id)).is_some_and(|row| row.node.rented)
    };
    side(both.old, one) && side(both.new, other)
}

fn cabling(both: &Both<'_>, reasons: &Reasons<'_, '_>, pair: Block2, name: &'static str) -> Option<Change> {
    measured(both, reasons, pair, name, follows::CABLING)
}

/// A figure that is known on both sides and not the same.
fn measured(
    both: &Both<'_>,
    reasons: &Reasons<'_, '_>,
    pair: Block2,
    name: &'static str,
    class: (Class, &'static str),
) -> Option<Change> {
    let old = figures::side(both.old, Some(pair.0), name);
    let new = figures::side(both.new, Some(pair.1), name);
    if old.same(&new, 0.0) {
        return None;
    }
    let delta = Some(delta::between(&old, &new)?);
    let subject = Subject { old: Some(pair.0), new: Some(pair.1) };
    let address = format!("{}.{name}", both.new.model.address(pair.1));
    let change = follows(address, class, pair, reasons.of(subject, name));
    Some(Change { old: Some(old.show()), new: Some(new.show()), delta, delta_text: delta::text(&old, &new), ..change })
}

/// Names of nodes are padded to the largest number of their pool, where it does not say them.
fn node_names(both: &Both<'_>, reasons: &Reasons<'_, '_>, (one, other): Block2) -> Option<Change> {
    let name = |plan: &Plan<'_>, block: &Block<'_>, id| {
        let row = plan.model.as_id(id).and_then(|id| plan.pools.get(&id))?;
        // The pool's own name is a change of its own, and so are names that it says.
        (row.nodes.high > 0 && plan.model[row.id].node_names.is_empty())
            .then(|| (node::name("", 1, row.nodes.high), node::name(&block.name, 1, row.nodes.high)))
    };
    let (before, old) = name(both.old, both.old.model.block(one), one)?;
    let (after, new) = name(both.new, both.new.model.block(other), other)?;
    let subject = Subject { old: Some(one), new: Some(other) };
    (before != after).then(|| {
        let address = format!("{} node names", both.new.model.address(other));
        let because = reasons.of(subject, "nodes");
        Change { old: Some(old), new: Some(new), ..follows(address, follows::NODE_NAMES, (one, other), because) }
    })
}

/// Where a machine stands, and whose it is.
type Standing = BTreeMap<String, (String, u64, BlockId)>;

/// A machine that stands elsewhere: from which rack and unit, to which.
struct Moved<'s> {
    name: &'s str,
    from: (&'s str, u64),
    to: (&'s str, u64),
}

fn standing(plan: &Plan<'_>) -> Standing {
    let racks = plan.racks.iter().flat_map(|row| &row.racks);
    let devices = racks.flat_map(|rack| rack.devices.iter().map(move |device| (rack, device)));
    devices.map(|(rack, device)| (device.name.to_string(), (rack.name.clone(), device.position, device.of))).collect()
}

/// Machines that stand on both sides, in other places: one change for each block that they belong to.
fn moved(both: &Both<'_>, reasons: &Reasons<'_, '_>) -> Vec<Change> {
    let (old, new) = (standing(both.old), standing(both.new));
    let mut by_block: BTreeMap<BlockId, Vec<Moved<'_>>> = BTreeMap::new();
    for (name, (rack, position, of)) in &new {
        if let Some((before, from, was)) = old.get(name)
            && both.pairs.new_of(*was) == Some(*of)
            && (before, from) != (rack, position)
        {
            by_block.entry(*of).or_default().push(Moved { name, from: (before, *from), to: (rack, *position) });
        }
    }
    let one = |(of, devices): (BlockId, Vec<Moved<'_>>)| {
        let Moved { name, from, to } = devices.first()?;
        let was = both.pairs.old_of(of)?;
        let count = phrase::count(devices.len() as u64, "machine");
        let address = format!("{} in its racks: {count} moved", both.new.model.address(of));
        let subject = Subject { old: Some(was), new: Some(of) };
        let because = reasons.of_any(subject, ["nodes", "switches", "appliances", "server", "rack", "product"]);
        Some(Change {
            old: Some(format!("{name} in {} at U{}", from.0, from.1)),
            new: Some(format!("{name} in {} at U{}", to.0, to.1)),
            ..follows(address, follows::MOVED, (was, of), because)
        })
    };
    by_block.into_iter().filter_map(one).collect()
}
