//! The plan: the platform with everything sized and every default filled.
//!
//! [`plan()`](plan) walks the blocks in the order the graph gives and lets each kind's own file size it. What a step
//! finds goes to two places: figures (number, bar, basis, reasons) into [`Figures`], for people and checks; and plain
//! counts into the structs below, for rules and targets.

pub mod assumption;
pub mod baseline;
pub mod bill;
pub mod bottleneck;
pub mod cabling;
pub mod class;
pub mod cut;
pub mod dataprep;
pub mod energy;
pub mod fabric;
pub mod figure;
pub mod finetune;
pub mod formula;
pub mod gpu;
pub mod inference;
pub mod json;
pub mod ledger;
pub mod load;
pub mod node;
pub mod occupancy;
pub mod pace;
pub mod pool;
pub mod power;
pub mod rack;
pub mod readable;
pub mod reader;
pub mod retrieval;
pub mod shape;
pub mod site;
pub mod storage;
pub mod sums;
pub mod tally;
pub mod tenure;
pub mod training;
pub mod wiring;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::date::Date;
use crate::graph::Graph;
use crate::model::Model;
use crate::model::decode::Span;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{
    Dataprep, Fabric, Finetune, Inference, Kind, Pool, Rack, Retrieval, Site, Storage, Training,
};

use crate::model::value::Value;
use crate::model::words::Cooling;
use bill::Bill;
use bottleneck::{Bottleneck, Resource};
use cabling::Cabling;
use figure::{Estimate, Figures};
use formula::fabric::FabricCount;
use ledger::Ledger;
use load::Bar;
use node::Node;
use pace::Disagreement;
use tenure::Tenure;
use wiring::Wiring;

/// A platform, sized.
pub struct Plan<'a> {
    /// What was said.
    pub model: Arc<Model<'a>>,
    /// Every figure with its reasons.
    pub figures: Figures,
    /// Training runs.
    pub trainings: BTreeMap<Id<Training>, TrainingPlan>,
    /// Fine-tuning.
    pub finetunes: BTreeMap<Id<Finetune>, FinetunePlan>,
    /// Serving.
    pub inferences: BTreeMap<Id<Inference>, InferencePlan>,
    /// Data preparation.
    pub datapreps: BTreeMap<Id<Dataprep>, DataprepPlan>,
    /// Retrieval.
    pub retrievals: BTreeMap<Id<Retrieval>, RetrievalPlan>,
    /// Pools.
    pub pools: BTreeMap<Id<Pool>, PoolPlan>,
    /// What limits each pool.
    pub bottlenecks: BTreeMap<Id<Pool>, Bottleneck>,
    /// Storage.
    pub storages: BTreeMap<Id<Storage>, StoragePlan>,
    /// Fabrics.
    pub fabrics: BTreeMap<Id<Fabric>, FabricPlan>,
    /// Racks.
    pub racks: Vec<RackPlan>,
    /// Cables and transceivers.
    pub cabling: Cabling,
    /// Sites.
    pub sites: BTreeMap<Id<Site>, SitePlan>,
    /// What it costs.
    pub bill: Bill,
    /// Who costs what.
    pub ledger: Ledger,
    /// Own or rent, for each pool with GPUs.
    pub tenures: Vec<Tenure>,
    /// Who refers to a block, and through which attribute.
    pub uses: Uses,
    /// The day that dated outputs take for today.
    pub as_of: Option<Date>,
    /// Digest of what was said, for headers: the same for the same package, whatever its files.
    pub digest: String,
}

/// References, from what is referred to.
#[derive(Debug, Clone, Default)]
pub struct Uses {
    by_target: HashMap<BlockId, Vec<(BlockId, &'static str)>>,
}

impl Uses {
    fn of(graph: &Graph) -> Uses {
        let mut by_target: HashMap<BlockId, Vec<(BlockId, &'static str)>> = HashMap::new();
        for (from, to, edge) in graph.edges() {
            by_target.entry(to).or_default().push((from, edge.attribute));
        }
        Uses { by_target }
    }

    /// Who refers to a block, and through which attribute; sub-blocks count as the block they stand in.
    pub fn of_block(&self, block: BlockId) -> &[(BlockId, &'static str)] {
        self.by_target.get(&block).map_or(&[], Vec::as_slice)
    }

    /// Who refers to a block through this attribute.
    pub fn through(&self, block: BlockId, attribute: &str) -> impl Iterator<Item = BlockId> {
        self.of_block(block).iter().filter(move |(_, name)| *name == attribute).map(|(from, _)| *from)
    }
}

/// Whether something fits, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Also at the upper end of the bar.
    Yes,
    /// Only in the optimistic half of the bar.
    Tight,
    /// Not even at the value itself.
    No,
    /// Something it depends on is not known.
    Unknown,
}

impl Fit {
    /// Holds a need with its bar against what there is.
    pub fn of(need: f64, high: f64, available: f64) -> Fit {
        if formula::round::exceeds(need, available) {
            Fit::No
        } else if formula::round::exceeds(high, available) {
            Fit::Tight
        } else {
            Fit::Yes
        }
    }
}

/// GPU memory a workload needs on one GPU, against what one has.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Needed bytes.
    pub need: f64,
    /// The upper end of the bar.
    pub high: f64,
    /// Bytes that a runtime sees.
    pub available: f64,
    /// Whether that fits.
    pub fit: Fit,
}

/// How a training is spread over GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parallelism {
    /// GPUs that share a layer.
    pub tensor: u64,
    /// Stages that a batch runs through.
    pub pipeline: u64,
    /// GPUs that share a sequence.
    pub context: u64,
    /// GPUs that share the experts.
    pub expert: u64,
    /// Copies side by side.
    pub data: u64,
}

/// A training run, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingPlan {
    /// Which.
    pub id: Id<Training>,
    /// GPUs it uses.
    pub gpus: u64,
    /// Whole nodes it uses.
    pub nodes: u64,
    /// How it is spread.
    pub parallelism: Parallelism,
    /// Sequences of an optimizer step, when the batch is known.
    pub sequences: Option<u64>,
    /// Micro-batches that one copy runs through in a step.
    pub micro_batches: Option<u64>,
    /// Divisions that do not come out even, in words.
    pub uneven: Vec<String>,
    /// Memory on each GPU; nothing when the model's shape is not known.
    pub memory: Option<Memory>,
    /// Seconds: value, low, high.
    pub time: Option<(f64, f64, f64)>,
    /// Bytes of a checkpoint.
    pub checkpoint_bytes: Option<f64>,
    /// Seconds between checkpoints.
    pub checkpoint_every: Option<f64>,
    /// Bytes a second it reads.
    pub read_rate: Option<f64>,
    /// Bytes a second that a GPU needs to other nodes: value, low, high.
    pub network_rate: Option<(f64, f64, f64)>,
    /// The baseline that its time stands on.
    pub baseline: Option<BlockId>,
    /// Where that baseline and the formula do not agree.
    pub disagreement: Option<Disagreement>,
}

/// Fine-tuning, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct FinetunePlan {
    /// Which.
    pub id: Id<Finetune>,
    /// GPUs of a run.
    pub gpus: u64,
    /// Whole nodes of a run.
    pub nodes: u64,
    /// Memory on each GPU.
    pub memory: Option<Memory>,
    /// Seconds of a run: value, low, high.
    pub time: Option<(f64, f64, f64)>,
    /// Share of the time that its GPUs are busy; above 1 its runs do not get done.
    pub busy: Option<f64>,
    /// Bytes of an adapter (or of the weights, for full fine-tuning).
    pub result_bytes: Option<f64>,
    /// The baseline that its time stands on.
    pub baseline: Option<BlockId>,
    /// Where that baseline and the formula do not agree.
    pub disagreement: Option<Disagreement>,
}

/// Serving, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct InferencePlan {
    /// Which.
    pub id: Id<Inference>,
    /// GPUs of a replica; parts of them where its pool divides them.
    pub gpus_per_replica: u64,
    /// Replicas: the least and the most; nothing when they are left to the compiler and nothing says how many.
    pub replicas: Option<Span<u64>>,
    /// Replicas that the demand needs, when it is known.
    pub needed: Option<u64>,
    /// Memory on each GPU: weights and one request of full context against the engine's share.
    pub memory: Option<Memory>,
    /// Bytes of cache that are left on each GPU.
    pub cache_per_gpu: Option<f64>,
    /// Requests that the engine admits at once.
    pub sequences: Option<u64>,
    /// Requests of full context that fit into a replica at once.
    pub concurrency: Option<u64>,
    /// Requests that run at once at the speed that the service level allows.
    pub batch: Option<u64>,
    /// Seconds to the first token: value, low, high.
    pub first_token: Option<(f64, f64, f64)>,
    /// Seconds to the first token that 95 of 100 requests keep at the peak, with what they wait for.
    pub first_token_at_peak: Option<f64>,
    /// Seconds for each further token: value, low, high.
    pub per_token: Option<(f64, f64, f64)>,
    /// Tokens a second that a replica generates within its service level.
    pub throughput: Option<f64>,
    /// Why the service level cannot be met by any batch, in words.
    pub missed: Option<String>,
    /// The baseline that it stands on.
    pub baseline: Option<BlockId>,
    /// Where that baseline and the formula do not agree.
    pub disagreement: Option<Disagreement>,
}

/// Data preparation, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct DataprepPlan {
    /// Which.
    pub id: Id<Dataprep>,
    /// Cores it needs to be done in time.
    pub cores: Option<u64>,
    /// Nodes of its pool that have so many cores.
    pub nodes: Option<u64>,
    /// Bytes of memory over all nodes.
    pub memory: Option<f64>,
    /// Bytes a second it reads.
    pub read_rate: Option<f64>,
}

/// Retrieval, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievalPlan {
    /// Which.
    pub id: Id<Retrieval>,
    /// Copies of the index.
    pub replicas: u64,
    /// Bytes of one copy in memory.
    pub index_bytes: Option<f64>,
    /// Bytes of all copies in memory.
    pub memory: Option<f64>,
    /// Bytes of full vectors on disk, of all copies.
    pub disk: Option<f64>,
    /// Random reads a second at the peak.
    pub iops: Option<u64>,
    /// Cores for the queries of the peak.
    pub cores: Option<u64>,
}

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

/// Storage, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct StoragePlan {
    /// Which.
    pub id: Id<Storage>,
    /// Usable bytes it has.
    pub capacity: Option<f64>,
    /// Usable bytes it needs, growth over the lifetime included.
    pub needed: Option<f64>,
    /// Bytes a second it reads.
    pub read: Option<f64>,
    /// Bytes a second it must read.
    pub read_needed: Option<f64>,
    /// Bytes a second it writes.
    pub write: Option<f64>,
    /// Bytes a second it must write.
    pub write_needed: Option<f64>,
    /// Random reads a second it gives.
    pub iops: Option<u64>,
    /// Random reads a second it must give.
    pub iops_needed: u64,
    /// Appliances bought for it.
    pub appliances: Option<u64>,
    /// Who asks for what, in words, the largest first.
    pub demands: Vec<StorageDemand>,
}

/// What one block asks of a storage.
#[derive(Debug, Clone, PartialEq)]
pub struct StorageDemand {
    /// Who asks.
    pub by: BlockId,
    /// For what.
    pub what: &'static str,
    /// Bytes to be kept.
    pub bytes: f64,
    /// Bytes a second to be read.
    pub read: f64,
    /// Bytes a second to be written.
    pub write: f64,
    /// Random reads a second.
    pub iops: u64,
}

/// A fabric, sized.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricPlan {
    /// Which.
    pub id: Id<Fabric>,
    /// Pools it connects, with nodes and ports of a node.
    pub pools: Vec<FabricPool>,
    /// Storage on it, with its ports.
    pub storages: Vec<FabricStorage>,
    /// Switches of other fabrics on it, with their ports.
    pub switches: Vec<FabricSwitches>,
    /// Ports of what is described nowhere.
    pub further_ports: u64,
    /// Switches and links; nothing when it cannot be built.
    pub count: Option<FabricCount>,
    /// The same for exact fit, when whole units are cabled.
    pub exact: Option<FabricCount>,
    /// Every link with both ends.
    pub wiring: Wiring,
    /// What goes down and up each leaf.
    pub leaves: Vec<LeafLoad>,
    /// Logical ports of a switch at the fabric's speed.
    pub radix: u64,
    /// Why it cannot be built, in words.
    pub refusal: Option<String>,
}

/// Links of a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafLoad {
    /// The leaf, as every output names it.
    pub name: Arc<str>,
    /// Links to nodes, storage and other devices.
    pub down: u64,
    /// Links up, or across to its pair.
    pub up: u64,
}

/// A pool on a fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricPool {
    /// Which.
    pub pool: Id<Pool>,
    /// Its nodes at most.
    pub nodes: u64,
    /// Ports of a node on the fabric.
    pub ports_per_node: u64,
}

/// A storage on a fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricStorage {
    /// Which.
    pub storage: Id<Storage>,
    /// Its appliances; nothing while no product is chosen.
    pub appliances: Option<u64>,
    /// Ports of all of them on the fabric.
    pub ports: u64,
}

/// Switches of another fabric on a fabric.
#[derive(Debug, Clone, PartialEq)]
pub struct FabricSwitches {
    /// Whose switches.
    pub fabric: Id<Fabric>,
    /// How many.
    pub count: FabricCount,
    /// Ports of each on the fabric.
    pub ports_each: u64,
}

/// Racks of one sort, filled.
#[derive(Debug, Clone, PartialEq)]
pub struct RackPlan {
    /// Which; nothing for racks that nobody described.
    pub id: Option<Id<Rack>>,
    /// Where.
    pub site: Id<Site>,
    /// The name in outputs.
    pub name: String,
    /// Rack units of one.
    pub height: u64,
    /// How heat leaves it: as the rack says, else the site; nothing where neither does.
    pub cooling: Option<Cooling>,
    /// The racks, filled.
    pub racks: Vec<FilledRack>,
    /// Why devices found no place, in words.
    pub misfits: Vec<String>,
}

/// One rack with what stands in it.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledRack {
    /// `gpu-001`.
    pub name: String,
    /// From the bottom up.
    pub devices: Vec<Device>,
    /// Electrical power at most, of what is known.
    pub power: f64,
    /// Heat at most, of what is known.
    pub heat: f64,
    /// Rack units used.
    pub used: u64,
    /// Kilograms, of what is known.
    pub weight: f64,
    /// True when some device's power is not known.
    pub power_unknown: bool,
    /// True when some device's weight is not known.
    pub weight_unknown: bool,
    /// True when some device needs liquid.
    pub liquid: bool,
    /// What one of its feeds carries; nothing for a rack that nobody described.
    pub feed: Option<FeedLoad>,
    /// How dense it is.
    pub density: Density,
    /// Where it stands.
    pub spot: Spot,
}

/// Watts of one feed of a rack, devices spread evenly.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FeedLoad {
    /// Feeds of the rack.
    pub feeds: u64,
    /// While all feeds work.
    pub normal: f64,
    /// When one feed is lost; nothing for a rack with one feed, which is then dark.
    pub after_loss: Option<f64>,
    /// What a feed gives; nothing while voltage and current are not known.
    pub capacity: Option<f64>,
}

/// How much heat a rack gives off, in the classes that rooms are sold in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Density {
    /// Up to 10 kW.
    #[default]
    Enterprise,
    /// Up to 40 kW: rooms that are built for such racks, by air.
    Dense,
    /// Up to 60 kW: contained aisles or rear doors, where the room carries it.
    VeryDense,
    /// Above: liquid, whatever the room.
    Liquid,
}

impl Density {
    /// The class of a rack that gives off so many watts.
    pub fn of(watts: f64) -> Density {
        match watts {
            _ if !formula::round::exceeds(watts, 10_000.0) => Density::Enterprise,
            _ if !formula::round::exceeds(watts, 40_000.0) => Density::Dense,
            _ if !formula::round::exceeds(watts, 60_000.0) => Density::VeryDense,
            _ => Density::Liquid,
        }
    }

    /// The words in a report.
    pub fn word(self) -> &'static str {
        match self {
            Density::Enterprise => "up to 10 kW",
            Density::Dense => "10 to 40 kW",
            Density::VeryDense => "40 to 60 kW",
            Density::Liquid => "above 60 kW",
        }
    }
}

/// The place of a rack in its room: rows of racks, from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The row.
    pub row: u64,
    /// The place in the row.
    pub column: u64,
}

/// A device in a rack.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Its name in every output: `train-001`, `compute-leaf-01`.
    pub name: Arc<str>,
    /// The pool, fabric or storage it belongs to.
    pub of: BlockId,
    /// The server, switch or appliance that it is.
    pub product: BlockId,
    /// Lowest rack unit it takes, from 1.
    pub position: u64,
    /// Rack units it takes.
    pub height: u64,
    /// Electrical power at most.
    pub power: Option<f64>,
}

/// A site, summed.
#[derive(Debug, Clone, PartialEq)]
pub struct SitePlan {
    /// Which.
    pub id: Id<Site>,
    /// Electrical power of the machines at most, of what is known.
    pub it_power: f64,
    /// The same with cooling.
    pub power: f64,
    /// Heat at most.
    pub heat: f64,
    /// Racks.
    pub racks: u64,
    /// Products whose power is not known, and storages of which no product is chosen.
    pub power_unknown: Vec<BlockId>,
    /// Energy of a year; nothing where a factor of it is not known.
    pub energy: Option<SiteEnergy>,
}

/// Energy of a site over a year, with cooling.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteEnergy {
    /// Joules of the machines whose power is known.
    pub joules: Bar,
    /// Mean power over the maximum.
    pub load: Bar,
    /// Machines whose power is not known, by address.
    pub missing: Vec<String>,
}

impl PoolPlan {
    /// What copies of served models are counted in: GPUs, or parts of them.
    pub fn all_parts(&self) -> u64 {
        self.gpus.saturating_mul(self.parts.max(1))
    }
}

impl Plan<'_> {
    /// The pool's plan; every pool of a planned model has one.
    pub fn pool(&self, id: Id<Pool>) -> &PoolPlan {
        self.pools.get(&id).expect("every pool is sized")
    }

    /// Every known figure as a value of the language, by its address.
    pub fn named_values(&self) -> HashMap<String, Value> {
        let known = self.figures.iter().filter_map(|(block, name, estimate)| match estimate {
            Estimate::Known(figure) => {
                Some((format!("{}.{name}", self.model.address(block)), reader::quantity(figure)))
            }
            Estimate::Unknown(_) => None,
        });
        known.collect()
    }

    /// The nodes of a pool by name, at most.
    pub fn node_names(&self, id: Id<Pool>) -> impl Iterator<Item = String> + '_ {
        node::names(&self.model, id, self.pool(id).nodes.high)
    }
}

/// Sizes a model that has no errors.
pub fn plan<'a>(model: &Arc<Model<'a>>, graph: &Graph) -> Plan<'a> {
    let mut plan = Plan {
        model: Arc::clone(model),
        figures: Figures::default(),
        trainings: BTreeMap::new(),
        finetunes: BTreeMap::new(),
        inferences: BTreeMap::new(),
        datapreps: BTreeMap::new(),
        retrievals: BTreeMap::new(),
        pools: BTreeMap::new(),
        bottlenecks: BTreeMap::new(),
        storages: BTreeMap::new(),
        fabrics: BTreeMap::new(),
        racks: Vec::new(),
        cabling: Cabling::default(),
        sites: BTreeMap::new(),
        bill: Bill::default(),
        ledger: Ledger::default(),
        tenures: Vec::new(),
        uses: Uses::of(graph),
        as_of: model.platform().and_then(|platform| platform.as_of),
        digest: json::digest(model),
    };
    for block in graph.order() {
        size(&mut plan, *block);
    }
    rack::stand(&mut plan);
    cabling::lay(&mut plan);
    bottleneck::find(&mut plan);
    let occupancies = occupancy::all(&plan);
    energy::sum(&mut plan, &occupancies);
    bill::sum(&mut plan);
    ledger::sum(&mut plan, &occupancies);
    tenure::judge(&mut plan, &occupancies);
    plan
}

/// The one place that says which file sizes which kind.
fn size(plan: &mut Plan<'_>, block: BlockId) {
    let model = Arc::clone(&plan.model);
    match model.block(block).kind {
        Kind::Model => shape::size(plan, block),
        Kind::Training => model.as_id(block).into_iter().for_each(|id| training::size(plan, id)),
        Kind::Finetune => model.as_id(block).into_iter().for_each(|id| finetune::size(plan, id)),
        Kind::Inference => model.as_id(block).into_iter().for_each(|id| inference::size(plan, id)),
        Kind::Dataprep => model.as_id(block).into_iter().for_each(|id| dataprep::size(plan, id)),
        Kind::Retrieval => model.as_id(block).into_iter().for_each(|id| retrieval::size(plan, id)),
        Kind::Pool => model.as_id(block).into_iter().for_each(|id| pool::size(plan, id)),
        Kind::Storage => model.as_id(block).into_iter().for_each(|id| storage::size(plan, id)),
        Kind::Fabric => model.as_id(block).into_iter().for_each(|id| fabric::size(plan, id)),
        Kind::Rack => model.as_id(block).into_iter().for_each(|id| rack::fill(plan, id)),
        Kind::Site => model.as_id(block).into_iter().for_each(|id| site::sum(plan, id)),
        Kind::Cluster => pool::sum_cluster(plan, block),
        _ => {}
    }
}
