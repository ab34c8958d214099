//! Electrical power: how it reaches devices.

pub mod feeds;
