//! Cables, transceivers and fibres of every fabric, from its port map and the places of its devices.
//!
//! A cable is one thing that is bought and pulled: it carries one logical link or several, when a cage has several. What
//! cannot be matched has no product and says why; nothing is filled in by likeness.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Fabric;
use crate::model::words::Medium;

use super::wiring::{Port, Tier};

/// Everything that is plugged between the devices of a platform.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cabling {
    /// Every cable once: by fabric, in the order of its port map.
    pub cables: Vec<Cable>,
    /// Every transceiver once, in the order in which cables reach it. Cables with fixed ends have none.
    pub modules: Vec<Module>,
    /// Sums by fabric, of the fabrics that have links.
    pub fabrics: BTreeMap<Id<Fabric>, Sums>,
}

impl Cabling {
    /// True when a cable or module is of this product.
    pub fn has(&self, product: BlockId) -> bool {
        self.fabrics.values().any(|sums| sums.cables.contains_key(&product) || sums.modules.contains_key(&product))
    }
}

/// A cable: with fixed ends, of copper pairs, or a patch of fibre between transceivers.
#[derive(Debug, Clone, PartialEq)]
pub struct Cable {
    /// Stable, the same in every output: `<fabric>-<from device>-<port>--<to device>-<port>`, of its first link.
    pub label: Arc<str>,
    /// Whose it is.
    pub fabric: Id<Fabric>,
    /// What it joins.
    pub tier: Tier,
    /// Its plane, from 1.
    pub plane: u64,
    /// Lower ends of the links it carries: the nth of them meets the nth of `to`.
    pub from: Vec<Port>,
    /// Upper ends, as many.
    pub to: Vec<Port>,
    /// Bytes a second of one of its links: the slower end.
    pub speed: f64,
    /// Metres: slack included, a length that is sold; nothing while a place is not known.
    pub length: Option<f64>,
    /// What it is made of; nothing while it is not matched.
    pub medium: Option<Medium>,
    /// The `optic` block: the cable itself, for fibre the patch cable.
    pub product: Option<BlockId>,
    /// Plugs on the side that splits: 1 for a straight cable, 2 for one that ends at two devices.
    pub tails: u64,
    /// The group of cages whose cables are alike, numbered within the fabric from 1: ends of one module are of one kind.
    pub group: u64,
    /// Why product, medium or length is not known.
    pub open: Option<Arc<str>>,
}

impl Cable {
    /// Logical links it carries.
    pub fn links(&self) -> u64 {
        self.from.len() as u64
    }
}

/// A transceiver in a cage.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// The device, as every output names it.
    pub device: Arc<str>,
    /// The pool, fabric or storage that the device belongs to.
    pub of: BlockId,
    /// Whose cables it serves.
    pub fabric: Id<Fabric>,
    /// The cage: `17` on a switch, `compute-3` or `compute-3+4` on a node.
    pub cage: Arc<str>,
    /// The `optic` block.
    pub product: BlockId,
    /// Ports of it that are used.
    pub ports: u64,
}

/// What a fabric's cables add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    /// Cables by product; those without one are left out.
    pub cables: BTreeMap<BlockId, u64>,
    /// The same by length in centimetres too, as they are ordered.
    pub lengths: BTreeMap<(BlockId, u64), u64>,
    /// Transceivers by product.
    pub modules: BTreeMap<BlockId, u64>,
    /// Cables of all sorts, known and unknown.
    pub total: u64,
    /// Cables without a product.
    pub unknown: u64,
    /// Cables without a length.
    pub unplaced: u64,
    /// Why cables are not known, with their number.
    pub open: BTreeMap<Arc<str>, u64>,
}
