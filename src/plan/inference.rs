//! Sizing of `inference`.

use crate::model::ids::Id;
use crate::model::kinds::Inference;

use super::Plan;

/// Sizes one.
pub fn size(_plan: &mut Plan<'_>, _id: Id<Inference>) {}
