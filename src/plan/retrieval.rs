//! Sizing of `retrieval`.

use crate::model::ids::Id;
use crate::model::kinds::Retrieval;

use super::Plan;

/// Sizes one.
pub fn size(_plan: &mut Plan<'_>, _id: Id<Retrieval>) {}
