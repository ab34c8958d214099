//! Reference classes: the usual configurations of the field, and where a pool lies outside the one that its loads and
//! its size put it in.
//!
//! A class says what is usual, not what is right. Whether a pool that lies outside is justified is read from its own
//! loads.

use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use crate::base::phrase;
use crate::base::unit;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Kind, Pool};

use super::figure::show;
use super::formula::round::{exceeds, ratio};
use super::load::Known;
use super::sums::{Sum, Sums};
use super::{Fit, Memory, Plan, PoolPlan, readable};

/// GPUs from which several nodes are a training cluster.
const CLUSTER_GPUS: u64 = 16;

/// The classes as they are kept.
#[derive(Deserialize)]
struct Shelf {
    /// Where they are from; a person reads it in the file.
    #[serde(rename = "source")]
    _source: String,
    classes: Vec<Class>,
}

/// A usual configuration.
#[derive(Debug, Deserialize)]
pub struct Class {
    /// What it is called.
    pub title: String,
    /// What is usual in it.
    pub ranges: Vec<Range>,
}

/// What is usual of an attribute.
#[derive(Debug, Deserialize)]
pub struct Range {
    /// Of which.
    pub of: Attribute,
    unit: String,
    from: f64,
    to: Option<f64>,
}

impl Range {
    fn base(&self, number: f64) -> f64 {
        number * unit::parse(&self.unit).map_or(1.0, |unit| unit.factor.to_f64())
    }

    /// The range as people read it: `256 to 512 GiB`, `2`, `16 or more`.
    pub fn show(&self) -> String {
        let one = |number: f64| show(self.base(number), &self.unit);
        match self.to {
            Some(to) if to == self.from => one(to),
            Some(to) => format!("{} to {}", self.from, one(to)),
            None => format!("{} or more", one(self.from)),
        }
    }
}

/// What a class says something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribute {
    /// CPU sockets of a node.
    Sockets,
    /// Cores of a node.
    Cores,
    /// Main memory of a node.
    Memory,
    /// GPUs of a node.
    Gpus,
    /// Memory of a GPU as sold.
    GpuMemory,
    /// Disks of a node.
    LocalDisk,
    /// Speed of the fastest port of a node; of an instance, all of its network.
    Network,
    /// Nodes of the pool.
    PoolNodes,
    /// GPUs of the pool.
    PoolGpus,
    /// Main memory of the pool.
    PoolMemory,
}

impl Attribute {
    /// The words people read, of a node that is rented or bought.
    fn word(self, rented: bool) -> &'static str {
        match self {
            Attribute::Sockets => "CPU sockets",
            Attribute::Cores => "cores",
            Attribute::Memory => "memory",
            Attribute::Gpus => "GPUs",
            Attribute::GpuMemory => "GPU memory",
            Attribute::LocalDisk => "local disk",
            // One port, where the figure `network` of a pool is all ports for storage together.
            Attribute::Network if !rented => "port speed",
            Attribute::Network => "network",
            Attribute::PoolNodes => "nodes of the pool",
            Attribute::PoolGpus => "GPUs of the pool",
            Attribute::PoolMemory => "memory of the pool",
        }
    }
}

/// Where a pool lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In the range.
    Within,
    /// Less than is usual.
    Below,
    /// More than is usual.
    Above,
    /// Nobody says what it has.
    Unknown,
}

impl Side {
    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            Side::Within => "within",
            Side::Below => "below",
            Side::Above => "above",
            Side::Unknown => "unknown",
        }
    }
}

/// One attribute of a pool against its class.
#[derive(Debug, Clone)]
pub struct Point {
    /// Which.
    pub attribute: Attribute,
    /// The words people read for it.
    pub word: &'static str,
    /// What the pool has, as people read it; empty when it is not known.
    pub has: String,
    /// What is usual.
    pub range: String,
    /// Where it lies.
    pub side: Side,
    /// What its own loads say to that, or why it is not known.
    pub because: String,
    /// True when it has less than is usual, and its loads need more than it surely has.
    pub short: bool,
}

/// A pool with its class.
#[derive(Debug, Clone)]
pub struct Match {
    /// The class.
    pub class: &'static Class,
    /// Its attributes against it.
    pub points: Vec<Point>,
}

impl Match {
    /// The names of what lies outside.
    pub fn outside(&self) -> Vec<&'static str> {
        let outside = self.points.iter().filter(|point| matches!(point.side, Side::Below | Side::Above));
        outside.map(|point| point.word).collect()
    }
}

/// The classes.
pub fn all() -> &'static [Class] {
    static SHELF: OnceLock<Option<Shelf>> = OnceLock::new();
    // A file that does not parse is our own bug; a test reads it.
    let shelf = SHELF.get_or_init(|| serde_json::from_str(include_str!("class.json")).ok());
    shelf.as_ref().map_or(&[], |shelf| &shelf.classes)
}

/// The class of a pool; nothing for pools without GPUs, and for those that no training, fine-tuning or inference runs
/// on.
pub fn of(plan: &Plan<'_>, id: Id<Pool>) -> Option<Match> {
    let row = plan.pool(id);
    let class = all().iter().find(|class| class.title == title(&plan.model, row).unwrap_or_default())?;
    let sums = Sums::of(plan, id);
    let judge = Judge { plan, model: &plan.model, row, sums };
    Some(Match { class, points: class.ranges.iter().map(|range| judge.point(range)).collect() })
}

/// By what runs on it, and how large it is.
fn title(model: &Model<'_>, row: &PoolPlan) -> Option<&'static str> {
    let has = |kind| row.loads.iter().any(|load| model.block(*load).kind == kind);
    if row.node.gpus == 0 || row.nodes.high == 0 {
        return None;
    }
    if has(Kind::Training) || has(Kind::Finetune) {
        let cluster = row.nodes.high > 1 && row.gpus >= CLUSTER_GPUS;
        return Some(if cluster { "training cluster" } else { "enterprise training" });
    }
    let small = row.node.gpus == 1 && row.nodes.high == 1;
    has(Kind::Inference).then_some(if small { "small inference" } else { "production inference" })
}

/// Holds a pool against a range.
struct Judge<'p, 'a> {
    plan: &'p Plan<'a>,
    model: &'p Model<'a>,
    row: &'p PoolPlan,
    sums: Sums,
}

/// What the loads need: words, the least and the most.
struct Need {
    text: String,
    value: f64,
    high: f64,
}

impl Judge<'_, '_> {
    fn point(&self, range: &Range) -> Point {
        let attribute = range.of;
        let blank = Point {
            attribute,
            word: attribute.word(self.row.node.rented),
            has: String::new(),
            range: range.show(),
            side: Side::Unknown,
            because: String::new(),
            short: false,
        };
        let has = match self.has(attribute) {
            Ok(has) => has,
            Err(why) => return Point { because: why.to_string(), ..blank },
        };
        let (from, to) = (range.base(range.from), range.to.map(|to| range.base(to)));
        let side = if exceeds(from, has) {
            Side::Below
        } else if to.is_some_and(|to| exceeds(has, to)) {
            Side::Above
        } else {
            Side::Within
        };
        let need = self.need(attribute);
        let (because, short) = match (side, &need) {
            (Side::Within | Side::Unknown, _) => (String::new(), false),
            (_, None) => (String::from("its loads say nothing of it"), false),
            (_, Some(Err(why))) => (format!("what its loads need is not known: {why}"), false),
            (Side::Below, Some(Ok(need))) if exceeds(need.high, has) => (format!("not enough: {}", need.text), true),
            (Side::Below, Some(Ok(need))) => (format!("enough: {}", need.text), false),
            (Side::Above, Some(Ok(need))) if to.is_some_and(|to| exceeds(need.value, to)) => {
                (format!("justified: {}", need.text), false)
            }
            (Side::Above, Some(Ok(need))) => (format!("not needed: {}", need.text), false),
        };
        Point { has: show(has, &range.unit), side, because, short, ..blank }
    }

    fn has(&self, attribute: Attribute) -> Known<f64> {
        let node = &self.row.node;
        let said = |fact: Option<f64>, attribute: &str| {
            fact.ok_or_else(|| {
                let product = node.product.map(|product| self.model.address(product)).unwrap_or_default();
                Arc::from(format!("`{product}` does not say its `{attribute}`"))
            })
        };
        match attribute {
            Attribute::Sockets if node.rented => Err(Arc::from("the cloud does not say it")),
            Attribute::Sockets => said(node.sockets.map(|count| count as f64), "sockets"),
            Attribute::Cores => said(node.cores.map(|count| count as f64), "cpus"),
            Attribute::Memory => said(node.memory, "memory"),
            Attribute::Gpus => Ok(node.gpus as f64),
            Attribute::GpuMemory => said(node.gpu.map(|gpu| self.model[gpu].memory.bytes()), "gpus"),
            Attribute::LocalDisk => said(node.local_disk, if node.rented { "local_disk" } else { "disks" }),
            Attribute::Network => said(self.port(), if node.rented { "network" } else { "nics" }),
            Attribute::PoolNodes => Ok(self.row.nodes.high as f64),
            Attribute::PoolGpus => Ok(self.row.gpus as f64),
            Attribute::PoolMemory => said(node.memory, "memory").map(|memory| memory * self.row.nodes.high as f64),
        }
    }

    /// Bytes a second of the fastest port of a node, or of all ports of an instance.
    fn port(&self) -> Option<f64> {
        let pool = &self.model[self.row.id];
        match (pool.server, pool.instance) {
            (Some(server), _) => {
                let server = &self.model[server];
                let cards = server.nics.iter().map(|part| self.model[part.item].speed);
                let ports = [server.compute_speed, server.storage_speed].into_iter().flatten();
                cards.chain(ports).map(|speed| speed.bytes_per_second()).max_by(f64::total_cmp)
            }
            (None, Some(instance)) => self.model[instance].network.map(|rate| rate.bytes_per_second()),
            (None, None) => None,
        }
    }

    /// What the loads need of it, for each node where it is of a node; nothing where no load says.
    fn need(&self, attribute: Attribute) -> Option<Known<Need>> {
        match attribute {
            Attribute::Sockets => None,
            Attribute::Cores => self.of_node(&self.sums.cores, |cores| show(cores.ceil(), "")),
            Attribute::Memory => self.of_node(&self.sums.memory, readable::memory_text),
            Attribute::LocalDisk => self.of_node(&self.sums.local_disk, |bytes| show(bytes, readable::data(bytes))),
            Attribute::Network => Some(self.sums.network.needed.clone().map(|bar| Need {
                text: match bar.value {
                    0.0 => String::from("its loads read and write no storage over it"),
                    rate => format!("its loads read and write {} a node", show(rate, "Gbps")),
                },
                value: bar.value,
                high: bar.high,
            })),
            Attribute::Gpus => self.gpus(),
            Attribute::GpuMemory => self.gpu_memory(),
            Attribute::PoolNodes | Attribute::PoolGpus => None,
            Attribute::PoolMemory => Some(self.sums.memory.needed.clone().map(|bar| Need {
                text: format!("its loads need {}", spread(bar.value, bar.high, readable::memory_text)),
                value: bar.value,
                high: bar.high,
            })),
        }
    }

    fn of_node(&self, sum: &Sum, say: fn(f64) -> String) -> Option<Known<Need>> {
        let nodes = self.row.nodes.high.saturating_sub(self.row.spare).max(1) as f64;
        Some(sum.needed.clone().map(|bar| {
            let (value, high) = (ratio(bar.value, nodes), ratio(bar.high, nodes));
            let text = match value {
                0.0 => String::from("its loads ask for none"),
                _ => format!("its loads need {} a node", spread(value, high, say)),
            };
            Need { text, value, high }
        }))
    }

    /// What loads use of a node; where all are copies of served models, which may stand apart, the largest copy.
    fn gpus(&self) -> Option<Known<Need>> {
        if let Some(why) = &self.row.open {
            return Some(Err(Arc::clone(why)));
        }
        let copy = |load: &BlockId| Some(self.plan.inferences.get(&self.model.as_id(*load)?)?.gpus_per_replica);
        let runs = |load: &&BlockId| matches!(self.model.block(**load).kind, Kind::Training | Kind::Finetune);
        let (text, value) = match self.row.loads.iter().find(runs) {
            None => {
                let largest = self.row.loads.iter().filter_map(|load| Some((copy(load)?, load)));
                let (gpus, load) = largest.max_by_key(|(gpus, _)| *gpus)?;
                let address = self.model.address(*load);
                (format!("a copy of `{address}` needs {}", phrase::count(gpus, "GPU")), gpus as f64)
            }
            Some(_) => {
                let nodes = self.row.nodes.high.saturating_sub(self.row.spare).max(1);
                let used = ratio(self.row.used_gpus as f64, nodes as f64);
                (format!("its loads use {} of a node", show(used, "")), used)
            }
        };
        Some(Ok(Need { text, value, high: value }))
    }

    /// The load that needs the most memory of a GPU.
    fn gpu_memory(&self) -> Option<Known<Need>> {
        let most = self.row.loads.iter().filter_map(|&load| Some((self.memory_of(load)?, load)));
        let (memory, load) = most.max_by(|a, b| a.0.high.total_cmp(&b.0.high))?;
        let text = format!(
            "`{}` needs {} of a GPU",
            self.model.address(load),
            spread(memory.need, memory.high, readable::memory_text)
        );
        // What a runtime sees and takes decides; the memory as sold is only what the class is in.
        let short = memory.fit != Fit::Yes;
        Some(Ok(Need { text, value: memory.need, high: if short { f64::INFINITY } else { memory.need } }))
    }

    fn memory_of(&self, load: BlockId) -> Option<&Memory> {
        match self.model.block(load).kind {
            Kind::Training => self.plan.trainings.get(&self.model.as_id(load)?)?.memory.as_ref(),
            Kind::Finetune => self.plan.finetunes.get(&self.model.as_id(load)?)?.memory.as_ref(),
            Kind::Inference => self.plan.inferences.get(&self.model.as_id(load)?)?.memory.as_ref(),
            _ => None,
        }
    }
}

/// `12 GiB`, or `12 GiB to 24 GiB`.
fn spread(value: f64, high: f64, say: fn(f64) -> String) -> String {
    let (one, other) = (say(value), say(high));
    if one == other { one } else { format!("{one} to {other}") }
}

#[cfg(test)]
mod tests {
    use super::{all, unit};

    #[test]
    fn the_classes_are_read() {
        let titles: Vec<&str> = all().iter().map(|class| class.title.as_str()).collect();
        assert_eq!(titles, ["small inference", "production inference", "enterprise training", "training cluster"]);
        for range in all().iter().flat_map(|class| &class.ranges) {
            assert!(range.unit.is_empty() || unit::parse(&range.unit).is_ok(), "{range:?}");
            assert!(range.to.is_none_or(|to| range.from <= to), "{range:?}");
        }
    }

    #[test]
    fn ranges_are_shown_with_one_unit() {
        let shown: Vec<String> = all()[1].ranges.iter().map(super::Range::show).collect();
        assert_eq!(
            shown,
            ["2", "64 to 128", "512 to 1024 GiB", "2 to 4", "48 to 96 GB", "8 to 20 TB", "25 to 100 Gbps"]
        );
        assert_eq!(all()[3].ranges[2].show(), "10 TiB or more");
    }
}
