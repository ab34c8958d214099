//! Data preparation: cores, memory and time to get data ready.

use super::round::{ceil_units, ratio};

/// Bytes/s one GPU deduplicates (fuzzy, 8 TB on eight H100 in 2.05 h). Source: NVIDIA NeMo Curator README.
pub const FUZZY_DEDUP_PER_GPU: f64 = 0.1355e9;
/// Bytes/s one CPU node curates web text, lower bound (2.8 TB on 30 nodes in 38 h). Source: NVIDIA NeMo Curator blog.
pub const CURATION_PER_NODE: f64 = 0.682e6;
/// The published cases that set both rates, by id.
pub const CASES: &[&str] = &["prep-curator-fuzzy-dedup", "prep-curator-cc"];
/// Share of raw web text that survives curation. Source: NVIDIA NeMo Curator blog (2.8 TB to 0.52 TB).
pub const CURATION_YIELD: f64 = 0.186;

/// Physical cores of a training node: `gpus (workers + 1) + system`.
///
/// Workers of the data loader a GPU: 2 for text, 4 for images; 4 cores for the system. Source: ml-engineering.
pub fn node_cores(gpus: u64, workers: u64, system: u64) -> u64 {
    gpus.saturating_mul(workers.saturating_add(1)).saturating_add(system)
}

/// Host bytes of a training node: the GPUs' memory times 1 at least, 2 by preference. Source: ml-engineering.
pub fn host_bytes(gpus: u64, gpu_bytes: f64, factor: f64) -> f64 {
    gpus as f64 * gpu_bytes * factor
}

/// Workers (cores, nodes or GPUs) to process `bytes` in `window` seconds at `rate` bytes/s each: `ceil(bytes / (rate
/// window))`.
///
/// Linear scaling, seen up to four nodes. `u64::MAX` when rate or window is 0 and there is something to do. Source:
/// NVIDIA NeMo Curator README.
pub fn workers(bytes: f64, rate: f64, window: f64) -> u64 {
    ceil_units(ratio(bytes, rate * window))
}

/// Seconds for `bytes` on `workers` of `rate` bytes/s each. Source: arithmetic.
pub fn seconds(bytes: f64, workers: u64, rate: f64) -> f64 {
    ratio(bytes, workers as f64 * rate)
}

#[cfg(test)]
mod tests {
    use super::{CURATION_PER_NODE, FUZZY_DEDUP_PER_GPU, host_bytes, node_cores, seconds, workers};

    #[test]
    fn cores_of_a_node() {
        // ml-engineering: 28 cores for text, 44 for images on eight GPUs.
        assert_eq!((node_cores(8, 2, 4), node_cores(8, 4, 4), node_cores(u64::MAX, 2, 4)), (28, 44, u64::MAX));
        assert_eq!(host_bytes(8, 80e9, 2.0), 1.28e12);
    }

    #[test]
    fn windows() {
        // NeMo Curator: 8 TB on one node of eight H100 in 2.05 h, on four nodes in 0.5 h; 2.8 TB on 30 CPU nodes in 38
        // h.
        assert!((seconds(8e12, 8, FUZZY_DEDUP_PER_GPU) / 3600.0 / 2.05 - 1.0).abs() < 0.01);
        assert!((seconds(8e12, 32, FUZZY_DEDUP_PER_GPU) / 3600.0 / 0.5 - 1.0).abs() < 0.03);
        assert_eq!(workers(2.8e12, CURATION_PER_NODE, 38.02 * 3600.0), 30);
        assert_eq!((workers(1.0, 0.0, 1.0), workers(0.0, 0.0, 0.0)), (u64::MAX, 0));
    }
}
