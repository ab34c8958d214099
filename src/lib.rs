//! `aipc`, the AI Platform Compiler.
//!
//! ```text
//! text ──syntax──▶ ast::File ──model──▶ Model ──graph──▶ Graph ──plan──▶ Plan ──target──▶ Files
//!                                                           │
//!                                                         rules ──▶ Diagnostics
//! ```
//!
//! Floors, lowest first: `base`, `catalog`, `syntax`, `model`, `graph`, `plan`, then `rules` and `target` side by side,
//! `compile`, then `fmt`, `explain`, `diff`, `repair` and `whatif`, and on top `cli`. A floor imports only floors below
//! it, `rules` and `target` do not know each other, and only `cli` touches disk, terminal and process. `tests/tidy.rs`
//! holds the code to that.

// pest without its `std` feature speaks of `alloc`.
extern crate alloc;

pub mod base;
pub mod catalog;
pub mod cli;
pub mod compile;
pub mod diff;
pub mod explain;
pub mod fmt;
pub mod graph;
pub mod model;
pub mod plan;
pub mod repair;
pub mod rules;
pub mod syntax;
pub mod target;
pub mod whatif;
