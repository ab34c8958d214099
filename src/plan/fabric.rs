//! Sizing of `fabric`.

use crate::model::ids::Id;
use crate::model::kinds::Fabric;

use super::Plan;

/// Sizes one.
pub fn size(_plan: &mut Plan<'_>, _id: Id<Fabric>) {}
