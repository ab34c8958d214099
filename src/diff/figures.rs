//! Figures that changed, with what lies between and why.

use std::collections::BTreeSet;

use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::value::Value;
use crate::plan::Plan;
use crate::plan::figure::Estimate;

use super::Both;
use super::bill::LineChange;
use super::delta::{self, Amount, Side};
use super::pairs::Subject;
use super::reason::{Cause, Reasons};

/// What a figure is about, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// What it costs.
    Money,
    /// How many of what.
    Counts,
    /// Electricity and heat.
    Power,
    /// What the loads do.
    Loads,
    /// What storage must hold and give.
    Storage,
    /// Everything else: steps on the way to the others.
    Further,
}

impl Group {
    /// Those that people are shown.
    pub const SHOWN: [Group; 5] = [Group::Money, Group::Counts, Group::Power, Group::Loads, Group::Storage];

    /// Its field and its title.
    pub fn title(self) -> (&'static str, &'static str) {
        match self {
            Group::Money => ("money", "Money"),
            Group::Counts => ("counts", "Counts"),
            Group::Power => ("power", "Power and heat"),
            Group::Loads => ("loads", "Loads"),
            Group::Storage => ("storage", "Storage"),
            Group::Further => ("further", "Further figures"),
        }
    }
}

/// The figures that people are shown, in their order.
const SHOWN: &[(Group, Kind, &[&str])] = &[
    (Group::Money, Kind::Platform, &["capex", "opex", "unpriced"]),
    (Group::Money, Kind::Pool, &["cost"]),
    (Group::Money, Kind::Training, &["cost"]),
    (Group::Money, Kind::Finetune, &["cost"]),
    (Group::Money, Kind::Inference, &["cost", "cost_per_million_tokens"]),
    (Group::Money, Kind::Dataprep, &["cost"]),
    (Group::Money, Kind::Retrieval, &["cost"]),
    (Group::Money, Kind::Tenant, &["cost"]),
    (Group::Counts, Kind::Platform, &["gpus"]),
    (Group::Counts, Kind::Pool, &["gpus", "nodes", "spare"]),
    (Group::Counts, Kind::Cluster, &["nodes"]),
    (Group::Counts, Kind::Training, &["gpus", "spare_nodes"]),
    (Group::Counts, Kind::Finetune, &["gpus"]),
    (Group::Counts, Kind::Inference, &["replicas", "replicas_needed"]),
    (Group::Counts, Kind::Dataprep, &["cores"]),
    (Group::Counts, Kind::Retrieval, &["cores"]),
    (Group::Counts, Kind::Fabric, &["switches", "node_links", "leaf_spine_links"]),
    (Group::Counts, Kind::Storage, &["appliances"]),
    (Group::Counts, Kind::Site, &["racks"]),
    (Group::Counts, Kind::Rack, &["count"]),
    (Group::Power, Kind::Platform, &["power"]),
    (Group::Power, Kind::Site, &["power", "heat", "energy", "co2"]),
    (Group::Power, Kind::Rack, &["power"]),
    (Group::Loads, Kind::Training, &["time", "goodput", "memory_per_gpu", "network_rate"]),
    (Group::Loads, Kind::Finetune, &["time", "busy", "memory_per_gpu"]),
    (Group::Loads, Kind::Inference, &["throughput", "first_token", "per_token", "concurrency", "kv_per_gpu"]),
    (Group::Loads, Kind::Dataprep, &["memory"]),
    (Group::Loads, Kind::Retrieval, &["memory", "latency"]),
    (Group::Loads, Kind::Pool, &["busy"]),
    (
        Group::Storage,
        Kind::Storage,
        &["capacity", "needed", "read", "write", "read_needed", "write_needed", "iops_needed"],
    ),
    (Group::Storage, Kind::Training, &["checkpoint_size", "checkpoint_stall"]),
];

/// Below this share of its size a difference of a computed figure is not shown to people. Counts and money are.
const TOLERANCE: f64 = 0.005;

/// A figure that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureChange {
    /// What it is about.
    pub group: Group,
    /// `training.pretrain.time`.
    pub address: String,
    /// As it was.
    pub old: Side,
    /// As it is.
    pub new: Side,
    /// What lies between, in base units; nothing when a side is not known.
    pub delta: Option<f64>,
    /// What it came from that was written differently, the nearest first.
    pub because: Vec<Cause>,
    /// Its place in the table.
    rank: usize,
}

/// Every figure that differs, the most important first.
pub fn changes(both: &Both<'_>, reasons: &Reasons<'_, '_>, lines: &[LineChange]) -> Vec<FigureChange> {
    let mut changes = Vec::new();
    for subject in subjects(both) {
        for name in names(both, subject) {
            let found = change(both, reasons, subject, name);
            changes.extend(found.map(|found| match of_lines(both, subject, name, lines) {
                Some(because) => FigureChange { because, ..found },
                None => found,
            }));
        }
    }
    without_parts(&mut changes);
    changes.sort_by(|a, b| (a.group, a.rank, &a.address).cmp(&(b.group, b.rank, &b.address)));
    changes
}

/// Sums of the bill change with its lines, and with no others: nothing for other figures.
fn of_lines(both: &Both<'_>, subject: Subject, name: &str, lines: &[LineChange]) -> Option<Vec<Cause>> {
    if both.new.model.block(subject.new?).kind != Kind::Platform {
        return None;
    }
    let known = |side: &Side| side.known().is_some();
    let priced = |line: &&LineChange| known(&line.each.0) || known(&line.each.1);
    let counted: Vec<&LineChange> = match name {
        "capex" => lines.iter().filter(priced).filter(|line| !line.yearly).collect(),
        "opex" => lines.iter().filter(priced).filter(|line| line.yearly).collect(),
        "unpriced" => {
            let open = |side: &Side| matches!(side, Side::Unknown(_));
            lines.iter().filter(|line| open(&line.each.0) != open(&line.each.1)).collect()
        }
        _ => return None,
    };
    let mut causes: Vec<Cause> = Vec::new();
    for cause in counted.into_iter().flat_map(|line| &line.because) {
        if !causes.contains(cause) {
            causes.push(cause.clone());
        }
    }
    Some(causes)
}

/// Blocks with figures: those of the packages, and nothing of the catalogue.
fn subjects(both: &Both<'_>) -> Vec<Subject> {
    both.pairs.subjects(&both.old.model, &both.new.model)
}

/// What is known of a block on either side: its figures, and counts that its plan has.
fn names(both: &Both<'_>, subject: Subject) -> BTreeSet<&'static str> {
    let side = |plan: &Plan<'_>, id: Option<BlockId>| -> Vec<&'static str> {
        let Some(id) = id else { return Vec::new() };
        let counted = ["nodes", "spare", "replicas"].into_iter().filter(|name| count(plan, id, name).is_some());
        plan.figures.of(id).map(|(name, _)| name).chain(counted).collect()
    };
    side(both.old, subject.old).into_iter().chain(side(both.new, subject.new)).collect()
}

fn change(both: &Both<'_>, reasons: &Reasons<'_, '_>, subject: Subject, name: &'static str) -> Option<FigureChange> {
    let sides = (side(both.old, subject.old, name), side(both.new, subject.new, name));
    let (old, new) = sides;
    let unknown = |side: &Side| matches!(side, Side::Unknown(_));
    let absent = |side: &Side| matches!(side, Side::Absent);
    // What is not known of a block that came or went is said by nobody.
    if old.same(&new, 0.0) || (absent(&old) && unknown(&new)) || (unknown(&old) && absent(&new)) {
        return None;
    }
    let (model, id) = match (subject.new, subject.old) {
        (Some(id), _) => (&both.new.model, id),
        (None, Some(id)) => (&both.old.model, id),
        (None, None) => return None,
    };
    let shown = SHOWN.iter().position(|(_, kind, names)| *kind == model.block(id).kind && names.contains(&name));
    let (mut group, rank) = shown.map_or((Group::Further, SHOWN.len()), |row| {
        let within = SHOWN[row].2.iter().position(|known| *known == name).unwrap_or(0);
        (SHOWN[row].0, row * 10 + within)
    });
    if !matches!(group, Group::Money | Group::Counts) && old.same(&new, TOLERANCE) {
        group = Group::Further;
    }
    if group == Group::Money
        && matches!((&old, &new), (Side::Unknown(_), Side::Unknown(_)))
        && old.same(&new, TOLERANCE)
    {
        group = Group::Further;
    }
    // Nothing of nothing: a pool without GPUs has none on either side.
    if (absent(&old) || absent(&new))
        && [&old, &new].into_iter().filter_map(|side| side.known()).all(|one| one.high == 0.0)
    {
        group = Group::Further;
    }
    let delta = delta::between(&old, &new);
    let mut because = reasons.of(subject, name);
    if subject.old.is_none() || subject.new.is_none() {
        // What came or went with its block has no other reason.
        let own = model.address(id);
        because.retain(|cause| own == cause.address || own.starts_with(&format!("{}.", cause.address)));
    }
    Some(FigureChange { group, address: format!("{}.{name}", model.address(id)), old, new, delta, because, rank })
}

/// A figure on one side.
pub(super) fn side(plan: &Plan<'_>, id: Option<BlockId>, name: &str) -> Side {
    let Some(id) = id else { return Side::Absent };
    match plan.figures.get(id, name) {
        Some(Estimate::Known(figure)) => Side::Known(Amount::of(figure)),
        Some(Estimate::Unknown(why)) => Side::Unknown(why.to_string()),
        None => count(plan, id, name)
            .or_else(|| given(plan, id, name))
            .map_or_else(|| Side::Unknown(String::from("nothing computes it")), Side::Known),
    }
}

/// Counts that the plan has also where they are written.
fn count(plan: &Plan<'_>, id: BlockId, name: &str) -> Option<Amount> {
    let model = &plan.model;
    let pool = || model.as_id(id).and_then(|id| plan.pools.get(&id));
    let inference = || model.as_id(id).and_then(|id| plan.inferences.get(&id));
    match name {
        "nodes" => pool().map(|row| Amount::count(row.nodes.low, row.nodes.high)),
        "spare" => pool().map(|row| Amount::count(row.spare, row.spare)),
        "replicas" => {
            inference().and_then(|row| row.replicas).map(|replicas| Amount::count(replicas.low, replicas.high))
        }
        _ => None,
    }
}

/// A number that is written and not computed.
fn given(plan: &Plan<'_>, id: BlockId, name: &str) -> Option<Amount> {
    match plan.model.value(id, name) {
        Value::Quantity(quantity) => {
            let value = quantity.value.to_f64();
            Some(Amount { value, low: value, high: value, unit: quantity.unit, basis: Some("given"), exact: None })
        }
        _ => None,
    }
}

/// A sum over one part says the same as the part.
fn without_parts(changes: &mut [FigureChange]) {
    let last = |address: &str| address.rsplit('.').next().unwrap_or_default().to_string();
    let sums: Vec<(String, Side, Side)> = changes
        .iter()
        .filter(|one| one.address.starts_with("platform.") && one.group != Group::Further)
        .map(|one| (last(&one.address), one.old.clone(), one.new.clone()))
        .collect();
    for part in changes.iter_mut().filter(|one| !one.address.starts_with("platform.")) {
        let of = |(name, old, new): &(String, Side, Side)| {
            last(&part.address) == *name && part.old.same(old, 0.0) && part.new.same(new, 0.0)
        };
        if sums.iter().any(of) {
            part.group = Group::Further;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SHOWN;

    #[test]
    fn what_is_shown_exists() {
        for (_, kind, names) in SHOWN {
            let schema = kind.schema();
            for name in *names {
                let there = schema.derived(name).is_some() || schema.attribute(name).is_some();
                assert!(there, "{}.{name}", schema.word);
            }
            assert!(names.len() <= 10, "ranks of {} overlap", schema.word);
        }
    }
}
