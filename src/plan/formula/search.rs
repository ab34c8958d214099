//! Time of a search in a vector index, on one core, and what rescoring reads from disk.
//!
//! Orders of magnitude: the constants are assumptions, and a measured run replaces them.

use super::round::{div_ceil, ratio};

/// Bytes a second that one core streams from memory. Assumption: 5 to 20 GB/s on servers of the day.
pub const STREAM: f64 = 10e9;
/// Seconds until memory that is not cached answers. Assumption: 80 to 120 ns.
pub const MEMORY_LATENCY: f64 = 100e-9;
/// Candidates that a graph search keeps. Source: hnswlib and OpenSearch, common `ef_search`.
pub const CANDIDATES: u64 = 100;
/// Lists that an inverted file looks through. Assumption, for a recall of about 95 %.
pub const PROBES: u64 = 64;
/// Bytes of a read from disk.
pub const PAGE: u64 = 4096;
/// Seconds of a random read from NVMe. Assumption: 80 to 150 µs.
pub const DISK_LATENCY: f64 = 100e-6;
/// Reads that one query keeps under way.
pub const READS_AT_ONCE: u64 = 32;

/// Seconds to compare a query with every vector: `bytes / stream`. Source: arithmetic.
pub fn flat(bytes: f64) -> f64 {
    ratio(bytes, STREAM)
}

/// Seconds of a search in a graph: candidates times links visited, each one access and one vector streamed, but never more
/// than all vectors.
///
/// About 1 ms at d = 1536 in fp32, M = 16. Source: Malkov and Yashunin 2018 for the shape of the search.
pub fn graph(vectors: f64, vector_bytes: f64, links: u64) -> f64 {
    let visited = (CANDIDATES as f64 * links as f64).min(vectors);
    visited * (MEMORY_LATENCY + ratio(vector_bytes, STREAM))
}

/// Seconds of a search in inverted lists: the centres and the codes of the lists that are looked through. Source: Jégou et
/// al. 2011.
pub fn lists(vectors: f64, code_bytes: f64, centre_bytes: f64, lists: u64) -> f64 {
    let share = ratio(PROBES as f64, lists as f64).min(1.0);
    ratio(vectors * share * code_bytes + lists as f64 * centre_bytes, STREAM)
}

/// Reads from disk to rescore the candidates of one query: pages of a vector each. Source: arithmetic.
pub fn reads(candidates: u64, vector_bytes: u64) -> u64 {
    candidates.saturating_mul(div_ceil(vector_bytes, PAGE))
}

/// Seconds of so many reads with some under way at once. Source: arithmetic.
pub fn read_seconds(reads: u64) -> f64 {
    div_ceil(reads, READS_AT_ONCE) as f64 * DISK_LATENCY
}

#[cfg(test)]
mod tests {
    use super::{flat, graph, lists, read_seconds, reads};

    #[test]
    fn a_graph_beats_a_scan_and_knows_its_bounds() {
        let million = graph(1e6, 6144.0, 16);
        assert!((0.5e-3..3e-3).contains(&million), "{million}");
        assert!(million < flat(1e6 * 6144.0) / 100.0);
        assert!(graph(10.0, 6144.0, 16) < graph(1e6, 6144.0, 16) / 100.0);
    }

    #[test]
    fn lists_are_looked_through_in_part() {
        let some = lists(1e6, 96.0, 4096.0, 4000);
        assert!(some < flat(1e6 * 96.0), "{some}");
        assert_eq!(lists(1e6, 96.0, 0.0, 10), flat(1e6 * 96.0));
    }

    #[test]
    fn rescoring_reads_whole_pages() {
        assert_eq!((reads(100, 6144), reads(100, 512), reads(0, 512)), (200, 100, 0));
        assert_eq!(read_seconds(200), 7.0 * 100e-6);
    }
}
