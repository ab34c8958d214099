//! The parser pest makes of `grammar/aip.pest`.
#![allow(missing_docs, reason = "pest writes this code")]

use pest_derive::Parser;

/// The parser; [`Rule`] has a variant for each rule.
#[derive(Parser)]
#[grammar = "../grammar/aip.pest"]
pub(super) struct Grammar;
