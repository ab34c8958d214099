//! What a platform counts in all, for those who only show it.

use crate::model::ids::BlockId;

use super::Plan;
use super::figure::Estimate;
use super::formula::fabric::FabricCount;

/// Counts over every block.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Nodes of all pools, at least.
    pub nodes_low: u64,
    /// Nodes of all pools, at most.
    pub nodes: u64,
    /// Pools whose number of nodes is not known.
    pub nodes_unknown: usize,
    /// Racks that hold something.
    pub racks: u64,
    /// Switches of all fabrics.
    pub switches: u64,
    /// Cables of all fabrics.
    pub cables: u64,
    /// Watts of heat of all sites at most, of what is known.
    pub heat: f64,
    /// Machines whose power is not known.
    pub power_unknown: usize,
}

impl Plan<'_> {
    /// False for a pool that the compiler sizes, and could not.
    pub fn nodes_are_known(&self, pool: BlockId) -> bool {
        !matches!(self.figures.get(pool, "nodes"), Some(Estimate::Unknown(_)))
    }

    /// Counts everything.
    pub fn tally(&self) -> Tally {
        let counts = self.fabrics.values().filter_map(|row| row.count.as_ref());
        Tally {
            nodes_low: self.pools.values().map(|row| row.nodes.low).fold(0, u64::saturating_add),
            nodes: self.pools.values().map(|row| row.nodes.high).fold(0, u64::saturating_add),
            nodes_unknown: self.pools.keys().filter(|id| !self.nodes_are_known(id.block())).count(),
            racks: self.racks.iter().map(|row| row.racks.len() as u64).sum(),
            switches: counts.map(FabricCount::switches).fold(0, u64::saturating_add),
            cables: self.cabling.fabrics.values().map(|sums| sums.total).sum(),
            heat: self.sites.values().map(|row| row.heat).sum::<f64>() + 0.0,
            power_unknown: self.sites.values().map(|row| row.power_unknown.len()).sum(),
        }
    }
}
