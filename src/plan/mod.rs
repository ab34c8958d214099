//! The plan: the platform with everything sized and every default filled.
//!
//! [`plan()`](plan) walks the blocks in the order the graph gives and lets each kind's own file size it. What a step
//! finds goes to two places: figures (number, bar, basis, reasons) into [`Figures`], for people and checks; and plain
//! counts into the kind's own struct (`PoolPlan` in `pool.rs`), for rules and targets.

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
pub mod fit;
pub mod formula;
pub mod gpu;
pub mod inference;
pub mod json;
pub mod lack;
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
pub mod uses;
pub mod wiring;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::date::Date;
use crate::graph::Graph;
use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Dataprep, Fabric, Finetune, Inference, Kind, Pool, Retrieval, Site, Storage, Training};
use crate::model::value::Value;
use bill::Bill;
use bottleneck::Bottleneck;
use cabling::Cabling;
use figure::{Estimate, Figures};
use ledger::Ledger;
use tenure::Tenure;
use uses::Uses;

pub use dataprep::DataprepPlan;
pub use energy::SiteEnergy;
pub use fabric::{FabricPlan, FabricPool, FabricStorage, FabricSwitches, LeafLoad};
pub use finetune::FinetunePlan;
pub use fit::{Fit, Memory};
pub use inference::InferencePlan;
pub use pool::PoolPlan;
pub use power::feeds::FeedLoad;
pub use rack::{Density, Device, FilledRack, RackPlan, Spot};
pub use retrieval::RetrievalPlan;
pub use site::SitePlan;
pub use storage::{StorageDemand, StoragePlan};
pub use training::{Parallelism, TrainingPlan};

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
