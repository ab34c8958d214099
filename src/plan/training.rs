//! Sizing of `training`.

use crate::model::ids::Id;
use crate::model::kinds::Training;

use super::Plan;

/// Sizes one.
pub fn size(_plan: &mut Plan<'_>, _id: Id<Training>) {}
