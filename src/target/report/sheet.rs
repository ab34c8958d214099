//! The paper around a picture that stands on its own.

use serde::Serialize;

/// White around a picture.
const MARGIN: i64 = 12;

/// Where the paper begins and how large it is.
#[derive(Debug, Clone, Serialize)]
pub struct Sheet {
    left: i64,
    top: i64,
    width: i64,
    height: i64,
}

impl Sheet {
    /// The paper around a picture of this size.
    pub fn around(width: u64, height: u64) -> Sheet {
        let with_margins = |length: u64| i64::try_from(length).unwrap_or(i64::MAX).saturating_add(2 * MARGIN);
        Sheet { left: -MARGIN, top: -MARGIN, width: with_margins(width), height: with_margins(height) }
    }
}
