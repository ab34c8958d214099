//! What a rule may see.

use std::collections::{BTreeSet, HashMap};

use crate::base::date::Date;
use crate::graph::Graph;
use crate::model::Model;
use crate::model::decode::Country;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Cluster, Dataset, Fabric, Kind, Partition, Pool, Security, Site, Storage};
use crate::model::words::{DataClass, FabricRole, Framework, Stage};
use crate::plan::Plan;
use crate::plan::figure::Estimate;

use super::levels::Configured;

/// A workload of any kind, with what all kinds have.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// The workload.
    pub block: BlockId,
    /// The nodes it runs on.
    pub pool: Id<Pool>,
    /// Where it queues.
    pub queue: Option<Id<Partition>>,
}

/// The plan with everything that rules ask for more than once.
pub struct Context<'p> {
    /// The plan.
    pub plan: &'p Plan<'p>,
    /// Who refers to whom.
    pub graph: &'p Graph,
    /// How far the platform has come.
    pub stage: Stage,
    /// The day that dated rules take for today.
    pub as_of: Option<Date>,
    /// What no waiver takes away.
    pub configured: &'p Configured,
    /// Every workload, by kind and in source order.
    pub loads: Vec<Load>,
    /// The pool that each workload runs on.
    pools: HashMap<BlockId, Id<Pool>>,
    /// The clusters that a pool is listed in.
    clusters: HashMap<Id<Pool>, Vec<Id<Cluster>>>,
    /// The fabrics that connect a pool or storage.
    fabrics: HashMap<BlockId, Vec<Id<Fabric>>>,
    /// Pairs of sites with a line between them, both ways.
    joined: BTreeSet<(Id<Site>, Id<Site>)>,
}

impl<'p> Context<'p> {
    /// The pools of a partition; one that names none has all of its cluster.
    pub fn held<'c>(&'c self, cluster: &'c Cluster, partition: Id<Partition>) -> &'c [Id<Pool>] {
        let own = &self.plan.model[partition].pools;
        if own.is_empty() { &cluster.pools } else { own }
    }

    /// Indexes a plan.
    pub fn new(plan: &'p Plan<'p>, graph: &'p Graph, as_of: Option<Date>, configured: &'p Configured) -> Context<'p> {
        let model: &Model<'_> = &plan.model;
        let mut clusters: HashMap<Id<Pool>, Vec<Id<Cluster>>> = HashMap::new();
        for cluster in &model.tables.clusters {
            for pool in cluster.pools.iter().collect::<BTreeSet<_>>() {
                clusters.entry(*pool).or_default().push(cluster.id);
            }
        }
        let mut fabrics: HashMap<BlockId, Vec<Id<Fabric>>> = HashMap::new();
        // Management carries no traffic of workloads.
        let traffic = |fabric: &&Fabric| fabric.role != Some(FabricRole::Management);
        for fabric in model.tables.fabrics.iter().filter(traffic) {
            for end in &fabric.connects {
                fabrics.entry(end.block).or_default().push(fabric.id);
            }
        }
        let joined = model.tables.links.iter().flat_map(|link| [(link.from, link.to), (link.to, link.from)]).collect();
        let platform = model.platform();
        let loads = loads(model);
        Context {
            plan,
            graph,
            stage: platform.map_or(Stage::Poc, |platform| platform.stage),
            as_of: as_of.or(platform.and_then(|platform| platform.as_of)),
            configured,
            pools: loads.iter().map(|load| (load.block, load.pool)).collect(),
            loads,
            clusters,
            fabrics,
            joined,
        }
    }

    /// The model.
    pub fn model(&self) -> &'p Model<'p> {
        &self.plan.model
    }

    /// The pool that a workload runs on.
    pub fn pool_of(&self, load: BlockId) -> Option<Id<Pool>> {
        self.pools.get(&load).copied()
    }

    /// Who refers to a block, and through which attribute.
    pub fn used_by(&self, block: BlockId) -> &[(BlockId, &'static str)] {
        self.plan.uses.of_block(block)
    }

    /// The blocks that refer to a block through an attribute.
    pub fn users(&self, block: BlockId, attribute: &'static str) -> impl Iterator<Item = BlockId> + '_ {
        self.plan.uses.through(block, attribute)
    }

    /// The blocks of a kind that refer to a block through an attribute.
    pub fn users_of(&self, block: BlockId, kind: Kind, attribute: &'static str) -> impl Iterator<Item = BlockId> + '_ {
        self.users(block, attribute).filter(move |user| self.plan.model.block(*user).kind == kind)
    }

    /// The clusters that a pool is listed in.
    pub fn clusters(&self, pool: Id<Pool>) -> &[Id<Cluster>] {
        self.clusters.get(&pool).map_or(&[], Vec::as_slice)
    }

    /// The fabrics that connect a pool or storage.
    pub fn fabrics(&self, end: BlockId) -> &[Id<Fabric>] {
        self.fabrics.get(&end).map_or(&[], Vec::as_slice)
    }

    /// True when a line joins two sites.
    pub fn are_joined(&self, one: Id<Site>, other: Id<Site>) -> bool {
        self.joined.contains(&(one, other))
    }

    /// Why a figure is not known, when sizing came to that.
    pub fn unknown(&self, block: BlockId, attribute: &str) -> Option<&'p str> {
        match self.plan.figures.get(block, attribute)? {
            Estimate::Unknown(why) => Some(why),
            Estimate::Known(_) => None,
        }
    }

    /// The security blocks; residency and frameworks of all of them hold together.
    pub fn securities(&self) -> &'p [Security] {
        &self.plan.model.tables.securities
    }

    /// The security block that asks for one of these frameworks.
    pub fn asked_by(&self, frameworks: &[Framework]) -> Option<(&'p Security, Framework)> {
        self.securities().iter().find_map(|security| {
            let found = security.frameworks.iter().find(|framework| frameworks.contains(framework))?;
            Some((security, *found))
        })
    }

    /// The security block whose list of countries leaves out this one.
    pub fn forbidden_by(&self, country: Country) -> Option<&'p Security> {
        self.securities()
            .iter()
            .find(|security| !security.residency.is_empty() && !security.residency.contains(&country))
    }

    /// True when data on the storage are about people, confidential or restricted.
    pub fn is_sensitive(&self, storage: Id<Storage>) -> bool {
        let model = self.model();
        let here = self.used_by(storage.block()).iter().filter(|(_, through)| {
            // The other attributes that lead to a storage say nothing about data.
            matches!(*through, "lives_on" | "prefetch_to")
        });
        here.filter_map(|(user, _)| model.typed::<Dataset>(*user)).any(|dataset| {
            dataset.personal_data == Some(true)
                || matches!(dataset.class, Some(DataClass::Confidential | DataClass::Restricted))
        })
    }
}

fn loads(model: &Model<'_>) -> Vec<Load> {
    let tables = &model.tables;
    let load = |block, pool, queue| Load { block, pool, queue };
    let trainings = tables.trainings.iter().map(|one| load(one.id.block(), one.runs_on, one.queue));
    let finetunes = tables.finetunes.iter().map(|one| load(one.id.block(), one.runs_on, one.queue));
    let inferences = tables.inferences.iter().map(|one| load(one.id.block(), one.runs_on, None));
    let datapreps = tables.datapreps.iter().map(|one| load(one.id.block(), one.runs_on, one.queue));
    let retrievals = tables.retrievals.iter().map(|one| load(one.id.block(), one.runs_on, None));
    trainings.chain(finetunes).chain(inferences).chain(datapreps).chain(retrievals).collect()
}
