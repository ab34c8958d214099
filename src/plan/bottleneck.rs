//! The bottleneck of a pool: of everything that its loads ask for, what they use the largest share of.

use std::sync::Arc;

use crate::base::phrase;
use crate::model::Model;
use crate::model::decode::Setting;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Kind, Pool};

use super::figure::show;
use super::load::Known;
use super::sums::{Sum, Sums};
use super::{Memory, Plan, PoolPlan, StoragePlan, readable, storage};

/// Something that a pool may run out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// GPUs, counted.
    Gpus,
    /// Memory of a GPU.
    GpuMemory,
    /// Arithmetic of the GPUs against a deadline or a service level.
    GpuTime,
    /// Cores of the hosts.
    Cores,
    /// Main memory.
    Memory,
    /// Disks in the nodes.
    LocalDisk,
    /// Network of a node to storage.
    Network,
    /// Read rate of a storage that its loads read.
    StorageRead,
    /// Write rate of a storage that its loads write.
    StorageWrite,
}

impl Resource {
    /// The word people read.
    pub fn word(self) -> &'static str {
        match self {
            Resource::Gpus => "GPUs",
            Resource::GpuMemory => "GPU memory",
            Resource::GpuTime => "GPU time",
            Resource::Cores => "cores",
            Resource::Memory => "memory",
            Resource::LocalDisk => "local disk",
            Resource::Network => "network",
            Resource::StorageRead => "storage read",
            Resource::StorageWrite => "storage write",
        }
    }

    /// `GPUs decide`, `memory decides`.
    pub fn decides(self) -> &'static str {
        match self {
            Resource::Gpus => "GPUs decide",
            Resource::GpuMemory => "GPU memory decides",
            Resource::GpuTime => "GPU time decides",
            Resource::Cores => "cores decide",
            Resource::Memory => "memory decides",
            Resource::LocalDisk => "local disk decides",
            Resource::Network => "network decides",
            Resource::StorageRead => "storage read decides",
            Resource::StorageWrite => "storage write decides",
        }
    }
}

/// How much of a resource is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// Of what.
    pub resource: Resource,
    /// What is needed, with its unit.
    pub needed: String,
    /// What there is, with its unit.
    pub present: String,
    /// The one over the other.
    pub share: f64,
    /// The load or storage it is about; nothing when it is all loads together.
    pub about: Option<BlockId>,
}

/// A resource of which the share is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    /// Which.
    pub resource: Resource,
    /// Why.
    pub why: Arc<str>,
    /// The load or storage it is about.
    pub about: Option<BlockId>,
}

/// What limits a pool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bottleneck {
    /// What its loads ask for, the tightest first.
    pub uses: Vec<Use>,
    /// What they ask for without a known share.
    pub open: Vec<Open>,
}

/// Finds the bottleneck of every pool, and puts the sums that it stands on. Everything is sized.
pub fn find(plan: &mut Plan<'_>) {
    let ids: Vec<Id<Pool>> = plan.pools.keys().copied().collect();
    for id in ids {
        let sums = Sums::of(plan, id);
        let found = Finder::new(plan, id).find(&sums);
        sums.put(plan, id);
        plan.bottlenecks.insert(id, found);
    }
}

impl Plan<'_> {
    /// What limits a pool, in a sentence.
    pub fn bottleneck_sentence(&self, id: Id<Pool>) -> String {
        let row = self.pool(id);
        let address = self.model.address(id.block());
        let Some(found) = self.bottlenecks.get(&id) else { return format!("nothing runs on `{address}`") };
        let mut uses = found.uses.iter();
        let text = match (uses.next(), found.open.first()) {
            (Some(first), _) => {
                let share = percent(first.share);
                let name = self.named(first.resource, first.about);
                let Use { needed, present, .. } = first;
                format!("the bottleneck of `{address}` is {name}: {needed} of {present}, {share}")
            }
            (None, Some(open)) => format!("the bottleneck of `{address}` is not known: {}", open.why),
            (None, None) if row.loads.is_empty() => format!("nothing runs on `{address}`"),
            (None, None) => format!("nothing that runs on `{address}` says what it needs"),
        };
        let next = uses
            .next()
            .map(|next| format!("; next {}, {}", self.named(next.resource, next.about), percent(next.share)));
        let count = phrase::count(row.nodes.high, "node");
        let decided = row.binding.map(|binding| format!("; {} on {count}", binding.decides()));
        text + &next.unwrap_or_default() + &decided.unwrap_or_default()
    }

    fn named(&self, resource: Resource, about: Option<BlockId>) -> String {
        match about {
            Some(about) => format!("{} (`{}`)", resource.word(), self.model.address(about)),
            None => resource.word().to_string(),
        }
    }
}

/// A share as people read it: `96 %`.
pub fn percent(share: f64) -> String {
    show((share * 1000.0).round() / 1000.0, "%")
}

/// Collects the uses of one pool.
struct Finder<'p, 'a> {
    plan: &'p Plan<'a>,
    model: &'p Model<'a>,
    row: &'p PoolPlan,
    found: Bottleneck,
}

impl<'p, 'a> Finder<'p, 'a> {
    fn new(plan: &'p Plan<'a>, id: Id<Pool>) -> Finder<'p, 'a> {
        Finder { plan, model: &plan.model, row: plan.pool(id), found: Bottleneck::default() }
    }

    fn find(mut self, sums: &Sums) -> Bottleneck {
        self.gpus();
        for &load in &self.row.loads {
            self.gpu_memory(load);
            self.gpu_time(load);
        }
        self.sum(Resource::Cores, &sums.cores, |cores| show(cores, ""));
        self.sum(Resource::Memory, &sums.memory, readable::memory_text);
        self.sum(Resource::LocalDisk, &sums.local_disk, |bytes| show(bytes, readable::data(bytes)));
        self.sum(Resource::Network, &sums.network, |rate| show(rate, "Gbps"));
        for storage in self.plan.storages.values() {
            self.storage(storage);
        }
        // The sort is stable: of equals the first is the one that money buys first.
        self.found.uses.sort_by(|a, b| b.share.total_cmp(&a.share));
        self.found
    }

    fn add(
        &mut self,
        resource: Resource,
        about: Option<BlockId>,
        (needed, present): (f64, f64),
        say: impl Fn(f64) -> String,
    ) {
        if !needed.is_finite() {
            self.open(resource, about, Arc::from("what is needed has no end"));
        } else if needed > 0.0 && present > 0.0 {
            let share = needed / present;
            self.found.uses.push(Use { resource, needed: say(needed), present: say(present), share, about });
        } else if needed > 0.0 {
            self.open(resource, about, Arc::from("there is none"));
        }
    }

    fn open(&mut self, resource: Resource, about: Option<BlockId>, why: Arc<str>) {
        self.found.open.push(Open { resource, why, about });
    }

    fn gpus(&mut self) {
        match &self.row.open {
            Some(why) => self.open(Resource::Gpus, None, Arc::clone(why)),
            None => {
                let amounts = (self.row.used_gpus as f64, self.row.usable_gpus as f64);
                self.add(Resource::Gpus, None, amounts, |gpus| show(gpus, ""));
            }
        }
    }

    fn sum(&mut self, resource: Resource, sum: &Sum, say: fn(f64) -> String) {
        match (&sum.needed, &sum.present) {
            (Ok(needed), Ok(present)) => self.add(resource, None, (needed.value, *present), say),
            (Ok(needed), Err(_)) if needed.value == 0.0 => {}
            (Err(why), _) | (_, Err(why)) => self.open(resource, None, Arc::clone(why)),
        }
    }

    fn gpu_memory(&mut self, load: BlockId) {
        let memory: Option<&Memory> = match self.model.block(load).kind {
            Kind::Training => self.model.as_id(load).and_then(|id| self.plan.trainings.get(&id)?.memory.as_ref()),
            Kind::Finetune => self.model.as_id(load).and_then(|id| self.plan.finetunes.get(&id)?.memory.as_ref()),
            Kind::Inference => self.model.as_id(load).and_then(|id| self.plan.inferences.get(&id)?.memory.as_ref()),
            _ => return,
        };
        match memory {
            Some(memory) => {
                self.add(Resource::GpuMemory, Some(load), (memory.need, memory.available), readable::memory_text);
            }
            None => self.open(Resource::GpuMemory, Some(load), Arc::from("the GPU memory that it needs is not known")),
        }
    }

    fn gpu_time(&mut self, load: BlockId) {
        match self.model.block(load).kind {
            Kind::Training => {
                let Some(id) = self.model.as_id(load) else { return };
                let training: &crate::model::kinds::Training = &self.model[id];
                let time = self.plan.trainings.get(&id).and_then(|row| row.time);
                self.deadline(load, &training.deadline, time);
            }
            Kind::Finetune => {
                let Some(id) = self.model.as_id(load) else { return };
                let finetune: &crate::model::kinds::Finetune = &self.model[id];
                let row = self.plan.finetunes.get(&id);
                self.deadline(load, &finetune.deadline, row.and_then(|row| row.time));
                if let Some(busy) = row.and_then(|row| row.busy) {
                    self.add(Resource::GpuTime, Some(load), (busy, 1.0), percent);
                }
            }
            Kind::Inference => self.demand(load),
            _ => {}
        }
    }

    fn deadline(
        &mut self,
        load: BlockId,
        deadline: &Setting<crate::base::quantity::Time>,
        time: Option<(f64, f64, f64)>,
    ) {
        let Some(deadline) = deadline.given() else { return };
        match time {
            Some((time, ..)) => {
                self.add(Resource::GpuTime, Some(load), (time, deadline.seconds()), readable::time_text);
            }
            None => self.open(Resource::GpuTime, Some(load), Arc::from("how long it takes is not known")),
        }
    }

    /// Copies that the demand needs of those that run, and the first token against what is promised. Later tokens are
    /// left out: the batch is chosen so that they keep the promise barely.
    fn demand(&mut self, load: BlockId) {
        let Some(id) = self.model.as_id(load) else { return };
        let inference: &crate::model::kinds::Inference = &self.model[id];
        if inference.demand.is_empty() {
            return;
        }
        let Some(row) = self.plan.inferences.get(&id) else {
            return self.open(Resource::GpuTime, Some(load), Arc::from("the copies that it needs are not known"));
        };
        let copies = |count: f64| phrase::count(count as u64, "replica");
        match row.needed.zip(row.replicas) {
            Some((needed, replicas)) => {
                self.add(Resource::GpuTime, Some(load), (needed as f64, replicas.high as f64), copies);
            }
            None => self.open(Resource::GpuTime, Some(load), Arc::from("the copies that it needs are not known")),
        }
        let promised = inference.slo.first().and_then(|&slo| self.model[slo].first_token_p95);
        if let (Some((first, ..)), Some(promised)) = (row.first_token, promised) {
            self.add(Resource::GpuTime, Some(load), (first, promised.seconds()), readable::time_text);
        }
    }

    /// Rates of a storage that its loads use; what is yet to be bought as fast as they ask limits nothing.
    fn storage(&mut self, row: &StoragePlan) {
        let (model, block) = (self.model, row.id.block());
        let wanted = &model[row.id];
        let bought = wanted.product.is_some() || storage::disks_of(model, wanted).is_some();
        let loads = &self.row.loads;
        let mine = row.demands.iter().filter(|demand| loads.contains(&demand.by));
        let (reads, writes) = mine.fold((0.0, 0.0), |sum, demand| (sum.0 + demand.read, sum.1 + demand.write));
        let rows = [
            (Resource::StorageRead, reads, row.read_needed, row.read, wanted.read.given().is_some()),
            (Resource::StorageWrite, writes, row.write_needed, row.write, wanted.write.given().is_some()),
        ];
        for (resource, own, needed, present, given) in rows {
            if own <= 0.0 {
                continue;
            }
            let why = |text: &str| Arc::from(text);
            let known: Known<(f64, f64)> = match (needed, present) {
                (Some(needed), Some(present)) if bought || given => Ok((needed, present)),
                (Some(_), Some(_)) => Err(why("it is to be bought as fast as its loads ask")),
                (None, _) => Err(why("what is asked of it is not known")),
                (_, None) => Err(why("how fast it is is not known")),
            };
            match known {
                Ok(amounts) => self.add(resource, Some(block), amounts, |rate| show(rate, readable::rate(rate))),
                Err(why) => self.open(resource, Some(block), why),
            }
        }
    }
}
