//! Sums of a site.
use super::Plan;
use crate::model::ids::Id;
use crate::model::kinds::Site;
/// Sums one.
pub fn sum(_plan: &mut Plan<'_>, _id: Id<Site>) {}
