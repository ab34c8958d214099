//! The plan as JSON, and the digest of the model.

use crate::model::Model;

/// Digest of what was said: the same for the same package, whatever its files and the order of its blocks.
pub fn digest(_model: &Model<'_>) -> String {
    String::new()
}
