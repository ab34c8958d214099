//! What the loads need, what the pools have, and what limits them.

use serde::Serialize;

use crate::model::ids::BlockId;
use crate::model::kinds::Kind;
use crate::model::value::Value;
use crate::plan::bottleneck::percent;
use crate::plan::class;
use crate::plan::tenure::Tenure;
use crate::plan::{Plan, PoolPlan, StoragePlan};

use super::capped::Capped;
use super::shown::{Shown, share, value, words};
use super::words::{count, counted, range, readable, replicas};

/// Loads of a platform that are shown.
const LOADS: usize = 40;
/// Pools and storages that are shown.
const SHOWN: usize = 40;
/// Sentences on owning or renting a pool that are shown, what decides first.
const SENTENCES: usize = 5;
/// Uses of a pool that are shown, the tightest first.
const USES: usize = 10;
/// The length that a share of 100 % is drawn at.
const WHOLE: f64 = 100.0;

/// The figures of each kind of load that decide, in the order they are read.
const FIGURES: &[(Kind, &[&str])] = &[
    (Kind::Training, &["time", "mfu", "memory_per_gpu", "step_time", "network_rate", "checkpoint_size", "cost"]),
    (Kind::Finetune, &["time", "mfu", "memory_per_gpu", "busy", "cost"]),
    (
        Kind::Inference,
        &[
            "replicas_needed",
            "throughput",
            "first_token",
            "per_token",
            "concurrency",
            "weights_per_gpu",
            "kv_per_gpu",
            "cost",
            "cost_per_million_tokens",
        ],
    ),
    (Kind::Dataprep, &["cores", "memory", "read_rate", "cost"]),
    (Kind::Retrieval, &["memory", "disk", "iops", "latency", "cores", "cost"]),
];

/// Everything about sizes.
#[derive(Serialize)]
pub struct Sizing {
    loads: Capped<Load>,
    pools: Capped<Pool>,
    storages: Capped<Storage>,
    limits: Capped<Limits>,
    classes: Capped<Class>,
    tenures: Capped<Own>,
}

/// A load with its figures.
#[derive(Serialize)]
struct Load {
    address: String,
    title: String,
    takes: String,
    figures: Vec<Shown>,
}

/// A pool.
#[derive(Serialize)]
struct Pool {
    address: String,
    title: String,
    machine: String,
    site: String,
    nodes: String,
    spare: u64,
    gpus: String,
    used: String,
    power: String,
    cost: Option<Shown>,
}

/// A storage.
#[derive(Serialize)]
struct Storage {
    address: String,
    kind: String,
    product: String,
    capacity: String,
    needed: String,
    read: String,
    read_needed: String,
    write: String,
    write_needed: String,
}

/// What limits a pool.
#[derive(Serialize)]
struct Limits {
    address: String,
    sentence: String,
    uses: Capped<Use>,
}

/// How much of something is used.
#[derive(Serialize)]
struct Use {
    resource: &'static str,
    about: String,
    needed: String,
    present: String,
    share: String,
    drawn: u64,
    why: String,
}

/// A pool against its reference class.
#[derive(Serialize)]
struct Class {
    address: String,
    class: &'static str,
    outside: String,
    points: Vec<Point>,
}

/// One attribute of it.
#[derive(Serialize)]
struct Point {
    attribute: &'static str,
    has: String,
    usual: String,
    lies: &'static str,
    because: String,
}

/// Own or rent.
#[derive(Serialize)]
struct Own {
    address: String,
    advice: &'static str,
    because: String,
    against: String,
    owned: String,
    rented: String,
    break_even: String,
    busy: String,
}

/// The sizes of a plan.
pub fn view(plan: &Plan<'_>) -> Sizing {
    let address = |block| plan.model.address(block);
    let loads = FIGURES
        .iter()
        .flat_map(|(kind, figures)| plan.model.blocks_of(*kind).iter().map(move |block| (*block, *figures)));
    let limited = plan.bottlenecks.iter().filter(|(_, found)| !found.uses.is_empty() || !found.open.is_empty());
    let classes = plan.pools.keys().take(SHOWN).filter_map(|id| Some((*id, class::of(plan, *id)?)));
    Sizing {
        loads: Capped::of(loads, LOADS, |(block, figures)| load(plan, block, figures)),
        pools: Capped::of(plan.pools.values(), SHOWN, |row| pool(plan, row)),
        storages: Capped::of(plan.storages.values(), SHOWN, |row| storage(plan, row)),
        limits: Capped::of(limited, SHOWN, |(id, found)| Limits {
            address: address(id.block()),
            sentence: readable(&plan.bottleneck_sentence(*id)),
            uses: Capped::of(uses(plan, found), USES, |used| used),
        }),
        classes: Capped::of(classes, SHOWN, |(id, found)| of_class(address(id.block()), found)),
        tenures: Capped::of(&plan.tenures, SHOWN, |tenure| own(plan, tenure)),
    }
}

fn title(plan: &Plan<'_>, block: BlockId) -> String {
    match plan.model.value(block, "title") {
        Value::Text(title) => title.to_string(),
        _ => String::new(),
    }
}

fn load(plan: &Plan<'_>, block: BlockId, figures: &[&str]) -> Load {
    Load {
        address: plan.model.address(block),
        title: title(plan, block),
        takes: takes(plan, block),
        figures: figures.iter().filter_map(|figure| Shown::of(plan, block, figure)).collect(),
    }
}

/// Where it runs and what it takes there: `pool.train: 64 GPUs on 8 nodes`.
fn takes(plan: &Plan<'_>, block: BlockId) -> String {
    let model = &plan.model;
    let pool = match model.value(block, "runs_on") {
        Value::Block(pool) => model.address(pool),
        _ => return String::new(),
    };
    let on = |gpus: u64, nodes: u64| format!("{pool}: {} on {}", counted(gpus, "GPU"), counted(nodes, "node"));
    match model.block(block).kind {
        Kind::Training => model.as_id(block).and_then(|id| plan.trainings.get(&id)).map(|row| on(row.gpus, row.nodes)),
        Kind::Finetune => model.as_id(block).and_then(|id| plan.finetunes.get(&id)).map(|row| on(row.gpus, row.nodes)),
        Kind::Inference => model.as_id(block).and_then(|id| plan.inferences.get(&id)).map(|row| {
            let copies = replicas(row.replicas);
            format!("{pool}: {copies} × {}", counted(row.gpus_per_replica, "GPU"))
        }),
        _ => None,
    }
    .unwrap_or(pool)
}

fn pool(plan: &Plan<'_>, row: &PoolPlan) -> Pool {
    let block = row.id.block();
    let machine = row.node.product.map(|product| match plan.model.value(product, "product") {
        Value::Text(name) => name.to_string(),
        _ => plan.model.address(product),
    });
    let known = plan.nodes_are_known(block);
    let used = match (&row.open, row.node.gpus) {
        (_, 0) => String::new(),
        (Some(_), _) => String::from("unknown"),
        (None, _) => format!("{} of {}", count(row.used_gpus), count(row.usable_gpus)),
    };
    Pool {
        address: plan.model.address(block),
        title: title(plan, block),
        machine: machine.unwrap_or_else(|| String::from("not chosen")),
        site: plan.model.name(plan.model[row.id].site).to_string(),
        nodes: if known { range(row.nodes.low, row.nodes.high) } else { String::from("unknown") },
        spare: row.spare,
        gpus: if known { count(row.gpus) } else { String::from("unknown") },
        used,
        power: if known { value(plan, block, "power") } else { String::from("unknown") },
        cost: Shown::of(plan, block, "cost"),
    }
}

fn storage(plan: &Plan<'_>, row: &StoragePlan) -> Storage {
    let storage = &plan.model[row.id];
    let block = row.id.block();
    let has = |attribute: &str| match plan.model.value(block, attribute) {
        Value::Quantity(quantity) => readable(&quantity.to_string()),
        _ => value(plan, block, attribute),
    };
    Storage {
        address: plan.model.address(block),
        kind: storage.kind.to_string(),
        product: storage.product.map(|product| plan.model.address(product.block())).unwrap_or_default(),
        capacity: has("capacity"),
        needed: value(plan, block, "needed"),
        read: has("read"),
        read_needed: value(plan, block, "read_needed"),
        write: has("write"),
        write_needed: value(plan, block, "write_needed"),
    }
}

fn uses(plan: &Plan<'_>, found: &crate::plan::bottleneck::Bottleneck) -> Vec<Use> {
    let about = |block: Option<BlockId>| block.map(|block| plan.model.address(block)).unwrap_or_default();
    let known = found.uses.iter().map(|used| Use {
        resource: used.resource.word(),
        about: about(used.about),
        needed: readable(&used.needed),
        present: readable(&used.present),
        share: percent(used.share),
        drawn: share(used.share, 1.0, WHOLE),
        why: String::new(),
    });
    let open = found.open.iter().map(|open| Use {
        resource: open.resource.word(),
        about: about(open.about),
        needed: String::new(),
        present: String::new(),
        share: String::from("unknown"),
        drawn: 0,
        why: open.why.to_string(),
    });
    known.chain(open).collect()
}

fn of_class(address: String, found: class::Match) -> Class {
    Class {
        address,
        class: &found.class.title,
        outside: found.outside().join(", "),
        points: found
            .points
            .into_iter()
            .map(|point| Point {
                attribute: point.word,
                has: readable(&point.has),
                usual: readable(&point.range),
                lies: point.side.word(),
                because: readable(&point.because),
            })
            .collect(),
    }
}

/// The first of some sentences, and how many more there are.
fn first(sentences: &[String]) -> String {
    let mut shown: Vec<String> = sentences.iter().take(SENTENCES).cloned().collect();
    if sentences.len() > SENTENCES {
        shown.push(format!("{} more, see plan.json", count((sentences.len() - SENTENCES) as u64)));
    }
    shown.join("; ")
}

fn own(plan: &Plan<'_>, tenure: &Tenure) -> Own {
    let block = tenure.pool.block();
    Own {
        address: plan.model.address(block),
        advice: tenure.advice.word(),
        because: first(&tenure.because),
        against: first(&tenure.against),
        owned: words(plan, block, "owned_gpu_hour"),
        rented: words(plan, block, "rented_gpu_hour"),
        break_even: words(plan, block, "break_even_utilisation"),
        busy: words(plan, block, "busy"),
    }
}
