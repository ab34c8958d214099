//! Sizing of `finetune`.

use crate::model::ids::Id;
use crate::model::kinds::Finetune;

use super::Plan;

/// Sizes one.
pub fn size(_plan: &mut Plan<'_>, _id: Id<Finetune>) {}
