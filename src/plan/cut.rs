//! Parts of a GPU: slices that the hardware makes (MIG), or turns that copies take (time slicing).
//!
//! A part serves one copy of a small model. Slices have memory, bandwidth and arithmetic of their own; copies that take
//! turns divide all three, so each is sized for the turn when all of them are busy.

use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Gpu, Pool};

use super::gpu::USABLE_SHARE;
use super::load::Known;
use super::node::Node;

/// Slices of memory that MIG divides a GPU into.
const MEMORY_SLICES: f64 = 8.0;

/// How a GPU is cut.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// Not at all.
    Whole,
    /// By MIG, into slices of a profile.
    Mig(Arc<str>),
    /// By time slicing.
    Shares,
}

/// A part of a GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// How it is cut.
    pub how: How,
    /// Parts of a GPU.
    pub parts: u64,
    /// Bytes of a part that a runtime sees; nothing where it is a share of what it sees of the GPU.
    pub memory: Option<f64>,
    /// Share of the memory bandwidth.
    pub bandwidth: f64,
    /// Share of the arithmetic.
    pub arithmetic: f64,
}

impl Cut {
    /// A whole GPU.
    pub const WHOLE: Cut = Cut { how: How::Whole, parts: 1, memory: None, bandwidth: 1.0, arithmetic: 1.0 };

    /// True for parts of a GPU.
    pub fn is_part(&self) -> bool {
        self.how != How::Whole
    }

    /// What a part does of what a GPU does, at least.
    pub fn speed(&self) -> f64 {
        self.bandwidth.min(self.arithmetic)
    }

    /// The attribute of the pool that says so.
    pub fn attribute(&self) -> Option<&'static str> {
        match self.how {
            How::Whole => None,
            How::Mig(_) => Some("mig"),
            How::Shares => Some("gpu_shares"),
        }
    }

    /// The cut of a pool's GPUs, or why they cannot be cut so.
    pub fn of(model: &Model<'_>, id: Id<Pool>) -> Known<Cut> {
        let pool = &model[id];
        let address = model.address(id.block());
        let gpu = || {
            let gpu = Node::of(model, pool).gpu;
            gpu.ok_or_else(|| Arc::from(format!("nodes of `{address}` have no GPU to be divided")))
        };
        match (&pool.mig, pool.gpu_shares) {
            // A GPU with one turn is not shared.
            (None, None | Some(1)) => Ok(Cut::WHOLE),
            (Some(_), Some(_)) => Err(Arc::from(format!("`{address}` has both `mig` and `gpu_shares`"))),
            (None, Some(0)) => Err(Arc::from(format!("`{address}.gpu_shares` is 0"))),
            (None, Some(parts)) => shares(model, gpu()?, parts),
            (Some(profile), None) => slice(model, gpu()?, profile),
        }
    }
}

/// Copies that take turns.
fn shares(model: &Model<'_>, gpu: Id<Gpu>, parts: u64) -> Known<Cut> {
    let nvidia = model[gpu].vendor.as_deref().is_some_and(|vendor| vendor.eq_ignore_ascii_case("nvidia"));
    if !nvidia {
        let address = model.address(gpu.block());
        return Err(Arc::from(format!("sharing by turns is known for GPUs of NVIDIA, and `{address}` is none")));
    }
    let share = 1.0 / parts as f64;
    Ok(Cut { how: How::Shares, parts, memory: None, bandwidth: share, arithmetic: share })
}

/// A slice of a profile that the GPU has.
fn slice(model: &Model<'_>, gpu: Id<Gpu>, profile: &Arc<str>) -> Known<Cut> {
    let facts = &model[gpu];
    let profiles: Vec<Profile<'_>> = facts.mig.iter().filter_map(|text| Profile::parse(text)).collect();
    let most = profiles.iter().map(|one| one.compute).max().unwrap_or(0);
    let Some(found) = profiles.iter().find(|one| one.name == &**profile) else {
        return Err(no_profile(model, gpu.block(), profile, &profiles));
    };
    let (whole, bytes) = (facts.memory.bytes(), found.gigabytes as f64 * 1e9);
    let eighths = (bytes / whole * MEMORY_SLICES).round().clamp(1.0, MEMORY_SLICES);
    Ok(Cut {
        how: How::Mig(Arc::clone(profile)),
        parts: found.parts,
        memory: Some(bytes.min(whole) * USABLE_SHARE),
        bandwidth: eighths / MEMORY_SLICES,
        arithmetic: found.compute as f64 / most.max(1) as f64,
    })
}

fn no_profile(model: &Model<'_>, gpu: BlockId, profile: &str, profiles: &[Profile<'_>]) -> Arc<str> {
    let address = model.address(gpu);
    if profiles.is_empty() {
        return Arc::from(format!("`{address}` is not known to be cut by MIG"));
    }
    let names: Vec<String> = profiles.iter().map(|one| format!("`{}`", one.name)).collect();
    Arc::from(format!("`{profile}` is no MIG profile of `{address}`, which has {}", names.join(", ")))
}

/// `1g.10gb:7`: a profile and how many of it a GPU gives.
struct Profile<'m> {
    name: &'m str,
    compute: u64,
    gigabytes: u64,
    parts: u64,
}

impl Profile<'_> {
    fn parse(text: &str) -> Option<Profile<'_>> {
        let (name, parts) = text.split_once(':')?;
        let (compute, memory) = name.split_once("g.")?;
        let profile = Profile {
            name,
            compute: compute.parse().ok()?,
            gigabytes: memory.strip_suffix("gb")?.parse().ok()?,
            parts: parts.parse().ok()?,
        };
        (profile.compute > 0 && profile.gigabytes > 0 && profile.parts > 0).then_some(profile)
    }
}

#[cfg(test)]
mod tests {
    use super::Profile;
    use crate::catalog::Catalogue;

    #[test]
    fn every_profile_of_the_catalogue_is_read() {
        let catalogue = Catalogue::new();
        let mut seen = 0;
        for id in catalogue.ids("gpu") {
            let facts = catalogue.entry("gpu", id).expect("an entry that is listed");
            for fact in facts.iter().filter(|fact| fact.attribute == "mig") {
                for text in fact.value.as_array().expect("a list").iter().filter_map(|text| text.as_str()) {
                    assert!(Profile::parse(text).is_some(), "{id}: {text}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 50, "{seen}");
        for text in ["", "1g.10gb", "g.10gb:7", "1g.10gb:0", "0g.10gb:7", "1g.10gb+me:1"] {
            assert!(Profile::parse(text).is_none(), "{text}");
        }
    }
}
