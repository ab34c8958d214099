//! The facts of a GPU that sizes stand on.

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Gpu;
use crate::model::words::{Interconnect, Precision};

use super::cut::Cut;

/// Share of the memory as sold that a runtime sees, where the catalogue does not say it. Engine logs: 0.93 (L40S with
/// error correction) to 0.99 (H100) of the bytes as sold.
pub const USABLE_SHARE: f64 = 0.93;

/// A GPU, as far as it is known.
pub struct Card<'m> {
    /// Which.
    pub id: Id<Gpu>,
    /// Its name in the catalogue or the package.
    pub name: &'m str,
    /// Its facts.
    gpu: &'m Gpu,
    /// The part of it that is meant.
    cut: Cut,
}

impl<'m> Card<'m> {
    /// Reads one.
    pub fn of(model: &'m Model<'_>, id: Id<Gpu>) -> Card<'m> {
        Card { id, name: model.name(id), gpu: &model[id], cut: Cut::WHOLE }
    }

    /// A part of it.
    pub fn cut(self, cut: Cut) -> Card<'m> {
        Card { cut, ..self }
    }

    /// The part of it that is meant.
    pub fn part(&self) -> &Cut {
        &self.cut
    }

    /// Bytes that a runtime sees.
    pub fn memory(&self) -> f64 {
        self.cut.memory.unwrap_or(self.whole() / self.cut.parts.max(1) as f64)
    }

    /// Bytes of the device that a runtime finds: all of them where the GPU is shared, those of its slice where it is cut.
    pub fn device_memory(&self) -> f64 {
        self.cut.memory.unwrap_or(self.whole())
    }

    fn whole(&self) -> f64 {
        match self.gpu.usable_memory {
            Some(usable) => usable.bytes(),
            None => self.gpu.memory.bytes() * USABLE_SHARE,
        }
    }

    /// The attribute that the memory is from.
    pub fn memory_attribute(&self) -> &'static str {
        if self.memory_is_assumed() { "memory" } else { "usable_memory" }
    }

    /// True when only the memory as sold is known.
    pub fn memory_is_assumed(&self) -> bool {
        // Of a slice only the size in its name is known.
        self.gpu.usable_memory.is_none() || self.cut.memory.is_some()
    }

    /// Bytes a second of its memory.
    pub fn bandwidth(&self) -> Option<f64> {
        let rate = self.gpu.memory_bandwidth.map(|rate| rate.bytes_per_second() * self.cut.bandwidth);
        rate.filter(|&rate| rate > 0.0)
    }

    /// Dense FLOP/s of training in a format; nothing for formats that are not trained in, and where the rate is not
    /// known.
    pub fn training_peak(&self, precision: Precision) -> Option<f64> {
        let rate = match precision {
            Precision::Bf16 | Precision::Fp16 => self.gpu.bf16,
            Precision::Fp8 => self.gpu.fp8,
            Precision::Fp32 | Precision::Int8 | Precision::Int4 | Precision::Mxfp4 | Precision::Nvfp4 => None,
        };
        rate.map(|rate| rate.flops()).filter(|&rate| rate > 0.0)
    }

    /// Dense FLOP/s of the matrix products of serving; weights in a format that the GPU cannot multiply are widened to
    /// 16 bits first.
    pub fn serving_peak(&self, precision: Precision) -> Option<f64> {
        let own = match precision {
            Precision::Fp8 => self.gpu.fp8,
            Precision::Int8 => self.gpu.int8,
            Precision::Nvfp4 | Precision::Mxfp4 => self.gpu.fp4,
            Precision::Bf16 | Precision::Fp16 | Precision::Int4 => None,
            Precision::Fp32 => return None,
        };
        own.or(self.gpu.bf16).map(|rate| rate.flops() * self.cut.arithmetic).filter(|&rate| rate > 0.0)
    }

    /// Its architecture, where the catalogue says it.
    pub fn architecture(&self) -> Option<&'m str> {
        self.gpu.architecture.as_deref()
    }

    /// The names that constants know it by, finest first.
    pub fn names(&self) -> Vec<&'m str> {
        let architecture: Option<&'m str> = self.gpu.architecture.as_deref();
        std::iter::once(self.name).chain(architecture).collect()
    }

    /// True when neighbours are reached over links of their own, not over the host's bus.
    pub fn is_linked(&self) -> bool {
        match self.gpu.interconnect {
            Some(Interconnect::Nvlink | Interconnect::InfinityFabric | Interconnect::Ethernet) => true,
            Some(Interconnect::Pcie | Interconnect::None) | None => false,
        }
    }
}
