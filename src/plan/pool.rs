//! Sizing of pools.
use super::Plan;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::Pool;
/// Sizes one.
pub fn size(_plan: &mut Plan<'_>, _id: Id<Pool>) {}
/// Sums one.
pub fn sum_cluster(_plan: &mut Plan<'_>, _block: BlockId) {}
