//! Sizing of `storage`.

use crate::model::ids::Id;
use crate::model::kinds::Storage;

use super::Plan;

/// Sizes one.
pub fn size(_plan: &mut Plan<'_>, _id: Id<Storage>) {}
