//! What every floor stands on: places in sources, problems, words, numbers and units.
//!
//! Nothing here knows the language, the hardware or an output.

pub mod code;
pub mod date;
pub mod diagnostic;
pub mod hosts;
pub mod judged;
pub mod number;
pub mod phrase;
pub mod quantity;
pub mod secret;
pub mod source;
pub mod span;
pub mod unit;
