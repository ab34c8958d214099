//! The target over small packages.
