//! Pools: how many nodes, how many GPUs of them workloads use at the same time, how much power.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::decode::{Setting, Span};
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Kind, Pool};

use super::Plan;
use super::assumption::{self, Key};
use super::bottleneck::Resource;
use super::cut::Cut;
use super::figure::{Basis, Figure, Reason};
use super::formula::constants::Name;
use super::formula::{round, spares};
use super::lack::Lack;
use super::node::Node;

/// More nodes than this in one pool are refused: no scheduler takes them, and no rack plan is read.
pub const MAX_NODES: u64 = 65_536;

/// Loads that take turns are enumerated up to this many in one circle; beyond it they count as simultaneous.
const MAX_TURNS: usize = 16;

/// A pool, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolPlan {
    /// Which.
    pub id: Id<Pool>,
    /// What a node is.
    pub node: Node,
    /// Nodes: the least and the most.
    pub nodes: Span<u64>,
    /// True when the compiler chose the number.
    pub auto: bool,
    /// Nodes kept out of capacity.
    pub spare: u64,
    /// GPUs of all nodes, at most.
    pub gpus: u64,
    /// GPUs that workloads may use.
    pub usable_gpus: u64,
    /// GPUs that workloads use at the same time, at most.
    pub used_gpus: u64,
    /// Cores that workloads use at the same time, at most.
    pub used_cores: u64,
    /// Workloads on it.
    pub loads: Vec<BlockId>,
    /// Electrical power at most; nothing where the catalogue has no figure or the cloud carries it.
    pub power: Option<f64>,
    /// Parts that each of its GPUs is divided into; 1 for whole GPUs.
    pub parts: u64,
    /// Bytes of main memory that workloads other than those on GPUs use at the same time, at most.
    pub used_memory: f64,
    /// Why the use is not known; what is used then counts as nothing.
    pub open: Option<Arc<str>>,
    /// What decided the number of nodes, when the compiler chose it.
    pub binding: Option<Resource>,
}

impl PoolPlan {
    /// What copies of served models are counted in: GPUs, or parts of them.
    pub fn all_parts(&self) -> u64 {
        self.gpus.saturating_mul(self.parts.max(1))
    }
}

/// What the loads of a pool use at the same time, at most.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    gpus: u64,
    cores: u64,
    memory: f64,
    /// Whole nodes that GPU loads take.
    nodes: u64,
    /// Parts of GPUs, where these are divided.
    parts: u64,
}

/// Sizes a pool.
pub fn size(plan: &mut Plan<'_>, id: Id<Pool>) {
    let model = Arc::clone(&plan.model);
    let pool = &model[id];
    let block = id.block();
    let node = Node::of(&model, pool);
    let loads: Vec<BlockId> = plan.uses.through(block, "runs_on").collect();
    let used = peak(plan, &model, block, &node, &loads);
    let (nodes, spare) = match used {
        Ok(used) => nodes_and_spare(plan, id, &node, &loads, used),
        Err(ref why) => given_or_unknown(plan, id, why),
    };
    let open: Option<Arc<str>> = used.as_ref().err().map(|why| Arc::from(why.as_str()));
    let used = used.unwrap_or_default();
    let binding = (open.is_none() && pool.nodes.is_auto()).then(|| needed(&node, used).ok()?.1).flatten();
    let gpus = nodes.high.saturating_mul(node.gpus);
    let usable = nodes.high.saturating_sub(spare).saturating_mul(node.gpus);
    let counted = !node.rented && plan.nodes_are_known(block);
    let power = node.power.filter(|_| counted).map(|watts| watts * nodes.high as f64);
    put_figures(plan, id, &node, nodes, (gpus, usable, used.gpus), power);
    if let Some(why) = &open {
        plan.figures.unknown(block, "used_gpus", Arc::clone(why));
    }
    let row = PoolPlan {
        id,
        nodes,
        auto: pool.nodes.is_auto(),
        spare,
        gpus,
        usable_gpus: usable,
        used_gpus: used.gpus,
        used_cores: used.cores,
        parts: Cut::of(&model, id).map_or(1, |cut| cut.parts),
        used_memory: used.memory,
        open,
        binding,
        loads,
        power,
        node,
    };
    plan.pools.insert(id, row);
}

/// Nodes as given, or the fewest that hold the loads; and the spare ones among them.
fn nodes_and_spare(plan: &mut Plan<'_>, id: Id<Pool>, node: &Node, loads: &[BlockId], used: Use) -> (Span<u64>, u64) {
    let model = Arc::clone(&plan.model);
    let pool = &model[id];
    let block = id.block();
    let given = match &pool.nodes {
        Setting::Given(span) => Some(*span),
        Setting::Auto | Setting::Absent => None,
        Setting::Tbd(why) => return given_or_unknown(plan, id, &format!("the number of nodes is open: {why}")),
    };
    let working = match given {
        Some(span) => span.high,
        None => match needed(node, used) {
            Ok((count, _)) => count,
            Err(why) => return given_or_unknown(plan, id, &why),
        },
    };
    let spare = match &pool.spare {
        Setting::Given(count) => *count,
        Setting::Auto => auto_spare(plan, id, working),
        Setting::Tbd(_) | Setting::Absent => 0,
    };
    let nodes = given.unwrap_or_else(|| {
        let total = working.saturating_add(spare);
        Span { low: total, high: total }
    });
    if nodes.high > MAX_NODES {
        return given_or_unknown(
            plan,
            id,
            &format!("{} nodes are more than the {MAX_NODES} that a pool may have", nodes.high),
        );
    }
    if given.is_none() {
        let binding = needed(node, used).ok().and_then(|(_, binding)| binding);
        let binding = binding.map_or("one node is the least", Resource::decides);
        let mut figure = Figure::exact(nodes.high as f64, "", "nodes for the loads + spare nodes").note(binding);
        for load in loads {
            figure = figure.because(Reason::Block(*load));
        }
        if loads.is_empty() {
            figure = figure.basis(Basis::Assumed).note("no workload runs on it: one node");
        }
        plan.figures.put(block, "nodes", figure.of(block, "spare"));
    }
    (nodes, spare)
}

fn auto_spare(plan: &mut Plan<'_>, id: Id<Pool>, working: u64) -> u64 {
    let assumed = assumption::find(&plan.model, Name::Spares, Key::ANY);
    let share = assumed.map_or(0.0, |assumed| assumed.bar.value);
    let spare = spares::by_share(working, share, 1);
    let figure =
        Figure::between(spare as f64, spare.min(1) as f64, spare as f64, "", "share of the nodes, at least one");
    let figure = figure.basis(Basis::Assumed);
    let figure = match assumed {
        Some(assumed) => assumed.explain(figure, "spare nodes over nodes"),
        None => figure,
    };
    plan.figures.put(id.block(), "spare", figure);
    spare
}

/// Without a size nothing is bought: the pool stays empty and says why.
fn given_or_unknown(plan: &mut Plan<'_>, id: Id<Pool>, why: &str) -> (Span<u64>, u64) {
    let model = Arc::clone(&plan.model);
    let pool = &model[id];
    let spare = pool.spare.given().copied().unwrap_or(0);
    match pool.nodes.given() {
        Some(span) if span.high <= MAX_NODES => (*span, spare),
        _ => {
            plan.figures.unknown(id.block(), "nodes", why);
            (Span { low: 0, high: 0 }, 0)
        }
    }
}

/// The fewest nodes that hold what is used, and what asks for the most; nothing where one node holds it anyway.
fn needed(node: &Node, used: Use) -> Result<(u64, Option<Resource>), String> {
    let per = |amount: f64, each: Option<f64>, what: &str| match (amount > 0.0, each) {
        (false, _) => Ok(0),
        (true, Some(each)) if each > 0.0 => Ok(round::ceil_units(amount / each)),
        (true, _) => Err(format!("a node has no known {what}")),
    };
    let gpus = per(used.gpus as f64, Some(node.gpus as f64), "GPUs")?.max(used.nodes);
    let cores = per(used.cores as f64, node.cores.map(|cores| cores as f64), "cores")?;
    let memory = per(used.memory, node.memory, "memory")?;
    let most = gpus.max(cores).max(memory).max(1);
    let binding = if most == gpus {
        Some(Resource::Gpus)
    } else if most == cores {
        Some(Resource::Cores)
    } else if most == memory {
        Some(Resource::Memory)
    } else {
        None
    };
    Ok((most, binding))
}

/// What the loads use at the same time; those that take turns count once.
fn peak(plan: &Plan<'_>, model: &Model<'_>, pool: BlockId, node: &Node, loads: &[BlockId]) -> Result<Use, String> {
    let mut uses = Vec::with_capacity(loads.len());
    for load in loads {
        uses.push(use_of(plan, model, node, *load)?);
    }
    let mut total = Use::default();
    for circle in circles(model, loads) {
        let worst = worst_of(&circle, &uses);
        total.gpus = total.gpus.saturating_add(worst.gpus);
        total.cores = total.cores.saturating_add(worst.cores);
        total.nodes = total.nodes.saturating_add(worst.nodes);
        total.parts = total.parts.saturating_add(worst.parts);
        total.memory += worst.memory;
    }
    // Parts of several loads share a GPU, so only their sum is rounded.
    let of_gpu = model.as_id(pool).and_then(|id| Cut::of(model, id).ok()).map_or(1, |cut| cut.parts);
    total.gpus = total.gpus.saturating_add(round::div_ceil(total.parts, of_gpu.max(1)));
    Ok(total)
}

fn use_of(plan: &Plan<'_>, model: &Model<'_>, node: &Node, load: BlockId) -> Result<Use, String> {
    let open = |what: &str| format!("the {what} of `{}` are not known", model.address(load));
    let whole = |gpus: u64| if gpus >= node.gpus { round::div_ceil(gpus, node.gpus.max(1)) } else { 0 };
    match model.block(load).kind {
        Kind::Training => {
            let row = model.as_id(load).and_then(|id| plan.trainings.get(&id)).ok_or_else(|| open("GPUs"))?;
            Ok(Use { gpus: row.gpus, nodes: whole(row.gpus), ..Use::default() })
        }
        Kind::Finetune => {
            let row = model.as_id(load).and_then(|id| plan.finetunes.get(&id)).ok_or_else(|| open("GPUs"))?;
            Ok(Use { gpus: row.gpus, nodes: whole(row.gpus), ..Use::default() })
        }
        Kind::Inference => {
            let row = model.as_id(load).and_then(|id| plan.inferences.get(&id)).ok_or_else(|| open("replicas"))?;
            let replicas = row.replicas.ok_or_else(|| open("replicas"))?;
            let count = row.gpus_per_replica.saturating_mul(replicas.high);
            let divided = Cut::of(model, model[row.id].runs_on).is_ok_and(|cut| cut.is_part());
            Ok(if divided { Use { parts: count, ..Use::default() } } else { Use { gpus: count, ..Use::default() } })
        }
        Kind::Dataprep => {
            let row = model.as_id(load).and_then(|id| plan.datapreps.get(&id)).ok_or_else(|| open("cores"))?;
            Ok(Use {
                cores: row.cores.ok_or_else(|| open("cores"))?,
                memory: row.memory.unwrap_or(0.0),
                ..Use::default()
            })
        }
        Kind::Retrieval => {
            let row = model.as_id(load).and_then(|id| plan.retrievals.get(&id)).ok_or_else(|| open("vectors"))?;
            let memory = row.memory.ok_or_else(|| open("vectors"))?;
            Ok(Use { memory, cores: row.cores.unwrap_or(0), ..Use::default() })
        }
        _ => Ok(Use::default()),
    }
}

/// A load with the loads it never meets, by position.
struct Circle {
    members: Vec<usize>,
    /// For each member, the others it takes turns with, as bits.
    apart: Vec<u32>,
}

/// Groups of loads that take turns, directly or through others; a load that takes none is a group of its own.
fn circles(model: &Model<'_>, loads: &[BlockId]) -> Vec<Circle> {
    let position: HashMap<BlockId, usize> = loads.iter().enumerate().map(|(index, load)| (*load, index)).collect();
    let mut turns: Vec<Vec<usize>> = vec![Vec::new(); loads.len()];
    for (index, load) in loads.iter().enumerate() {
        for other in model.value(*load, "takes_turns_with").blocks().iter().filter_map(|other| position.get(other)) {
            turns[index].push(*other);
            turns[*other].push(index);
        }
    }
    let mut seen = vec![false; loads.len()];
    let mut all = Vec::new();
    for start in 0..loads.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut members = vec![start];
        let mut next = 0;
        while let Some(&member) = members.get(next) {
            for &other in &turns[member] {
                if !std::mem::replace(&mut seen[other], true) {
                    members.push(other);
                }
            }
            next += 1;
        }
        let bits = |member: &usize| {
            let others = members.iter().take(MAX_TURNS).enumerate();
            others.filter(|(_, other)| turns[*member].contains(other)).fold(0u32, |bits, (bit, _)| bits | 1 << bit)
        };
        let apart = if members.len() <= MAX_TURNS { members.iter().map(bits).collect() } else { Vec::new() };
        all.push(Circle { members, apart });
    }
    all
}

/// The most that members of a circle use at once: over every set of them in which no two take turns.
fn worst_of(circle: &Circle, uses: &[Use]) -> Use {
    let sum = |chosen: &mut dyn Iterator<Item = usize>| {
        chosen.fold(Use::default(), |sum, member| Use {
            gpus: sum.gpus.saturating_add(uses[member].gpus),
            cores: sum.cores.saturating_add(uses[member].cores),
            memory: sum.memory + uses[member].memory,
            parts: sum.parts.saturating_add(uses[member].parts),
            nodes: sum.nodes.saturating_add(uses[member].nodes),
        })
    };
    if circle.apart.is_empty() || circle.members.len() == 1 {
        return sum(&mut circle.members.iter().copied());
    }
    let mut worst = Use::default();
    for set in 1u32..(1 << circle.members.len()) {
        let within = |bit: &usize| set & (1 << bit) != 0;
        if (0..circle.members.len()).filter(within).all(|bit| circle.apart[bit] & set == 0) {
            let together = sum(&mut (0..circle.members.len()).filter(within).map(|bit| circle.members[bit]));
            worst.gpus = worst.gpus.max(together.gpus);
            worst.cores = worst.cores.max(together.cores);
            worst.memory = worst.memory.max(together.memory);
            worst.parts = worst.parts.max(together.parts);
            worst.nodes = worst.nodes.max(together.nodes);
        }
    }
    worst
}

/// Of an amount of each load, in their order, what those that run at the same time come to at most.
pub fn at_once(model: &Model<'_>, loads: &[BlockId], amounts: &[f64]) -> f64 {
    let uses: Vec<Use> = amounts.iter().map(|&amount| Use { memory: amount, ..Use::default() }).collect();
    circles(model, loads).iter().map(|circle| worst_of(circle, &uses).memory).sum::<f64>() + 0.0
}

/// Bytes a second of a node to storage: its ports for that, else all its cards; of an instance, its network.
pub fn network(model: &Model<'_>, id: Id<Pool>) -> Option<f64> {
    let pool = &model[id];
    if let Some(instance) = pool.instance.filter(|_| pool.server.is_none()) {
        return model[instance].network.map(|rate| rate.bytes_per_second());
    }
    let server = &model[pool.server?];
    let of_ports = server.storage_ports.zip(server.storage_speed);
    let cards = || {
        let card = |part: &crate::model::decode::Part<crate::model::kinds::Nic>| {
            let card = &model[part.item];
            part.count as f64 * card.ports as f64 * card.speed.bytes_per_second()
        };
        (!server.nics.is_empty()).then(|| server.nics.iter().map(card).sum())
    };
    of_ports.map(|(ports, speed)| ports as f64 * speed.bytes_per_second()).or_else(cards)
}

fn put_figures(
    plan: &mut Plan<'_>,
    id: Id<Pool>,
    node: &Node,
    nodes: Span<u64>,
    (gpus, usable, used): (u64, u64, u64),
    power: Option<f64>,
) {
    let block = id.block();
    let product = node.product;
    let from_product = |figure: Figure, attribute: &'static str| match product {
        Some(product) => figure.of(product, attribute),
        None => figure,
    };
    let per_node = from_product(Figure::exact(node.gpus as f64, "", "GPUs of the server or instance"), "gpus");
    plan.figures.put(block, "gpus_per_node", per_node);
    let all = Figure::between(gpus as f64, (nodes.low * node.gpus) as f64, gpus as f64, "", "nodes × GPUs of a node");
    let lack = nodes_lack(plan, &[block]);
    lack.put(&mut plan.figures, block, "gpus", all.of(block, "nodes").of(block, "gpus_per_node"));
    let left = Figure::exact(usable as f64, "", "(nodes − spare) × GPUs of a node");
    let left = left.of(block, "nodes").of(block, "spare").of(block, "gpus_per_node");
    lack.put(&mut plan.figures, block, "usable_gpus", left);
    let mut busy = Figure::exact(used as f64, "", "GPUs of the loads that run at the same time");
    for load in plan.uses.through(block, "runs_on") {
        busy = busy.because(Reason::Block(load));
    }
    plan.figures.put(block, "used_gpus", busy);
    match power {
        Some(watts) => {
            let figure = Figure::exact(watts, "kW", "nodes × maximum power of a node").basis(Basis::Vendor);
            plan.figures.put(block, "power", from_product(figure.of(block, "nodes"), "max_power"));
        }
        None if node.rented => plan.figures.unknown(block, "power", "the cloud carries it"),
        None if !lack.is_whole() => plan.figures.unknown(block, "power", lack.words()),
        None => plan.figures.unknown(block, "power", "the maximum power of a node is not known"),
    }
}

/// Nodes and GPUs of a cluster.
pub fn sum_cluster(plan: &mut Plan<'_>, block: BlockId) {
    let model = Arc::clone(&plan.model);
    let Some(cluster) = model.typed::<Cluster>(block) else { return };
    let rows = || cluster.pools.iter().filter_map(|pool| plan.pools.get(pool));
    let nodes: u64 = rows().map(|row| row.nodes.high).fold(0, u64::saturating_add);
    let gpus: u64 = rows().map(|row| row.gpus).fold(0, u64::saturating_add);
    let figure = |value: u64, formula| {
        let figure = Figure::exact(value as f64, "", formula);
        cluster.pools.iter().fold(figure, |figure, pool| figure.of(pool.block(), "nodes"))
    };
    let pools: Vec<BlockId> = cluster.pools.iter().map(|pool| pool.block()).collect();
    let lack = nodes_lack(plan, &pools);
    let (nodes, gpus) = (figure(nodes, "nodes of its pools"), figure(gpus, "GPUs of its pools"));
    lack.put(&mut plan.figures, block, "nodes", nodes);
    lack.put(&mut plan.figures, block, "gpus", gpus);
}

/// What sums over the nodes of pools lack.
pub fn nodes_lack(plan: &Plan<'_>, pools: &[BlockId]) -> Lack {
    let unknown = pools.iter().copied().filter(|pool| !plan.nodes_are_known(*pool));
    Lack::of(&plan.model, "number of nodes", unknown)
}
