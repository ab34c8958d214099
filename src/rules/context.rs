//! What a rule may see.

use std::collections::HashMap;

use crate::base::date::Date;
use crate::graph::Graph;
use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::kinds::Security;
use crate::model::words::Stage;
use crate::plan::Plan;

use super::levels::Configured;

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
    /// Who refers to a block, and through which attribute.
    used_by: HashMap<BlockId, Vec<(BlockId, &'static str)>>,
}

impl<'p> Context<'p> {
    /// Indexes a plan.
    pub fn new(plan: &'p Plan<'p>, graph: &'p Graph, as_of: Option<Date>, configured: &'p Configured) -> Context<'p> {
        let mut used_by: HashMap<BlockId, Vec<(BlockId, &'static str)>> = HashMap::new();
        for (from, to, edge) in graph.edges() {
            used_by.entry(to).or_default().push((from, edge.attribute));
        }
        let platform = plan.model.platform();
        Context {
            plan,
            graph,
            stage: platform.map_or(Stage::Poc, |platform| platform.stage),
            as_of: as_of.or(platform.and_then(|platform| platform.as_of)),
            configured,
            used_by,
        }
    }

    /// The model.
    pub fn model(&self) -> &'p Model<'p> {
        &self.plan.model
    }

    /// Who refers to a block, and through which attribute.
    pub fn used_by(&self, block: BlockId) -> &[(BlockId, &'static str)] {
        self.used_by.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The security blocks; residency and frameworks of all of them hold together.
    pub fn securities(&self) -> &'p [Security] {
        &self.plan.model.tables.securities
    }
}
