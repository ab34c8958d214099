//! Sizing of racks.
use super::Plan;
use crate::model::ids::Id;
use crate::model::kinds::Rack;
/// Fills one.
pub fn fill(_plan: &mut Plan<'_>, _id: Id<Rack>) {}
