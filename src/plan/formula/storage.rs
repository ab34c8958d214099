//! Storage: what training reads, what a guideline asks for, and what is left of raw capacity.

use super::round::ratio;

/// Share of capacity to plan with: above it file systems slow down. Source: MLPerf Storage practice.
pub const USABLE: f64 = 0.80;

/// Bytes/s one accelerator reads: `batch * record / compute_time * AU`.
///
/// AU is the accelerator utilisation to keep (0.9, or 0.7 for cosmoflow). Error 1.6 % against medians of MLPerf Storage
/// submissions, which print MiB/s. Infinite for a compute time of 0. Source: MLPerf Storage 1.0 rules and results.
pub fn read_rate(batch: u64, record_bytes: f64, compute_seconds: f64, utilisation: f64) -> f64 {
    ratio(batch as f64 * record_bytes * utilisation, compute_seconds)
}

/// Bytes/s of a language-model training read: tokens a second times bytes a token (2 to 4). Source: Megatron-LM indexed
/// data format.
pub fn token_rate(tokens_per_s: f64, bytes_per_token: f64) -> f64 {
    tokens_per_s * bytes_per_token
}

/// Bytes a data set must exceed for the rate to be the storage's and not a cache's: five times the clients' memory.
/// Source: MLPerf Storage 1.0 rules.
pub fn uncached_bytes(client_memory: f64, clients: u64) -> f64 {
    5.0 * client_memory * clients as f64
}

/// Level of a storage guideline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Language models from cached or small data.
    Good,
    /// Mixed work, data larger than memory.
    Better,
    /// Images, video, large checkpoints.
    Best,
}

/// Bytes/s to read and write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Read.
    pub read: f64,
    /// Write.
    pub write: f64,
}

/// Rates for a number of scalable units of 32 nodes, in proportion: 15/7, 40/20 and 125/62 GB/s a unit.
///
/// Units may be a fraction (nodes/32). A single node reads up to 40 and writes up to 20 GB/s at the best tier. Source:
/// NVIDIA DGX SuperPOD H100 reference architecture RA-11333-001, storage guideline.
pub fn guideline(tier: Tier, scalable_units: f64) -> Rates {
    let (read, write) = match tier {
        Tier::Good => (15e9, 7e9),
        Tier::Better => (40e9, 20e9),
        Tier::Best => (125e9, 62e9),
    };
    Rates { read: read * scalable_units, write: write * scalable_units }
}

/// How drives are protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redundancy {
    /// Not at all.
    None,
    /// Whole copies.
    Copies(u64),
    /// Data and parity parts.
    Erasure {
        /// Data parts.
        data: u64,
        /// Parity parts.
        parity: u64,
    },
}

impl Redundancy {
    /// Share of raw capacity that holds data: 1, `1/copies`, `data/(data + parity)`. Zero copies or zero data parts
    /// hold 0. Source: arithmetic.
    pub fn efficiency(self) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Copies(0) => 0.0,
            Self::Copies(copies) => 1.0 / copies as f64,
            Self::Erasure { data: 0, .. } => 0.0,
            Self::Erasure { data, parity } => data as f64 / (data as f64 + parity as f64),
        }
    }
}

/// Usable bytes of raw ones: `raw * efficiency * usable`. Source: MLPerf Storage practice for the 0.8.
pub fn usable_bytes(raw: f64, redundancy: Redundancy, usable: f64) -> f64 {
    raw * redundancy.efficiency() * usable
}

/// Raw bytes to buy for `needed` usable ones; infinite when nothing would be usable. Source: arithmetic.
pub fn raw_bytes(needed: f64, redundancy: Redundancy, usable: f64) -> f64 {
    ratio(needed, redundancy.efficiency() * usable)
}

/// Raw bytes of a cluster of storage nodes, spare nodes left out: `(nodes - spares) * drives * drive`. Source: Lenovo
/// LP1698.
pub fn cluster_bytes(nodes: u64, spare_nodes: u64, drives: u64, drive_bytes: f64) -> f64 {
    nodes.saturating_sub(spare_nodes) as f64 * drives as f64 * drive_bytes
}

#[cfg(test)]
mod tests {
    use super::{
        Redundancy, Tier, USABLE, cluster_bytes, guideline, raw_bytes, read_rate, token_rate, uncached_bytes,
        usable_bytes,
    };

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn mlperf_storage() {
        // MLPerf Storage 1.0, medians per accelerator in MiB/s.
        let mib = |batch, record, time, au| read_rate(batch, record, time, au) / 1_048_576.0;
        near(mib(7, 146_600_628.0, 0.636, 0.9), 1392.7, 0.03);
        near(mib(1, 2_828_486.0, 0.00551, 0.7), 347.2, 0.03);
        near(mib(400, 114_660.07, 0.224, 0.9), 181.4, 0.04);
        near(708.235 * 146_600_628.0 / 1_048_576.0, 99_017.79, 0.001);
    }

    #[test]
    fn guideline_is_linear() {
        // DGX SuperPOD H100 RA: best tier at four units reads 500 GB/s and writes 250 (62 is rounded down there).
        let best = guideline(Tier::Best, 4.0);
        near(best.read / 1e9, 500.0, 1e-9);
        near(best.write / 1e9, 250.0, 0.01);
        assert!(guideline(Tier::Good, 1.0).read < guideline(Tier::Better, 1.0).read);
        // Language models need little: 10k tokens/s of a GPU are 40 kB/s.
        assert_eq!(token_rate(10_000.0, 4.0), 40_000.0);
        assert_eq!(uncached_bytes(2e12, 4), 4e13);
    }

    #[test]
    fn capacity_of_a_cluster() {
        // Lenovo LP1698: 10 nodes of 10 drives of 7.68 TB, 8+2, one spare, 498 TB; 6 nodes of 10 x 3.2 TB, 4+2, 96 TB.
        let large = usable_bytes(cluster_bytes(10, 1, 10, 7.68), Redundancy::Erasure { data: 8, parity: 2 }, 0.9);
        near(large, 498.0, 0.001);
        let small = usable_bytes(cluster_bytes(6, 1, 10, 3.2), Redundancy::Erasure { data: 4, parity: 2 }, 0.9);
        near(small, 96.0, 0.001);
        near(usable_bytes(raw_bytes(5e15, Redundancy::Copies(3), USABLE), Redundancy::Copies(3), USABLE), 5e15, 1e-12);
        assert_eq!(
            (Redundancy::Copies(0).efficiency(), raw_bytes(1.0, Redundancy::Copies(0), 0.8)),
            (0.0, f64::INFINITY)
        );
    }
}
