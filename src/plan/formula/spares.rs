//! Spare nodes: how many keep a pool whole while others are being repaired.

/// Terms below this share of the largest one do not change a sum.
const NEGLIGIBLE: f64 = 1e-18;
/// Beyond this mean the count is proportional anyway, and the sum would take long.
const LARGEST_MEAN: f64 = 1e9;

/// Nodes away at once on average: `nodes * r / 1000 * repair_days`, r failures in 1000 node-days. Source: Little 1961.
pub fn nodes_in_repair(nodes: u64, failures_per_1000_node_days: f64, repair_days: f64) -> f64 {
    nodes as f64 * failures_per_1000_node_days / 1000.0 * repair_days
}

/// Smallest number of spares k with `P(X > k) < miss`, X Poisson distributed with mean `mean`.
///
/// 0 for a mean of 0 or less; `miss` of 0 or less is taken as 1e-15. Independent failures; a rack that fails as a whole
/// needs its own spares. Observed: BLOOM 4 of 52, OPT-175B 12 of 124. Source: Palm 1938 (spare parts as a Poisson
/// process); BLOOM and OPT-175B logbooks.
pub fn spares(mean: f64, miss: f64) -> u64 {
    if mean.is_nan() || mean <= 0.0 {
        return 0;
    }
    let mean = mean.min(LARGEST_MEAN);
    let miss = if miss > 0.0 { miss } else { 1e-15 };
    smallest(mean, miss * total(mean))
}

/// Share of a pool that the rule of thumb keeps as spares, rounded up, at least `units` (one a scalable unit). Source:
/// ml-engineering.
pub fn by_share(nodes: u64, share: f64, units: u64) -> u64 {
    super::round::ceil_units(nodes as f64 * share).max(units)
}

/// Walks down from far above the mean, adding the tail, until the tail is as large as allowed. Terms are relative to
/// the largest.
fn smallest(mean: f64, allowed: f64) -> u64 {
    let (mut index, mut term) = top(mean);
    let mut tail = 0.0;
    while index > 0.0 && tail + term < allowed {
        tail += term;
        term *= index / mean;
        index -= 1.0;
    }
    if index == 0.0 && tail + term < allowed { 0 } else { index as u64 }
}

/// Sum of all terms relative to the largest.
fn total(mean: f64) -> f64 {
    let (mut index, mut term) = top(mean);
    let mut sum = 0.0;
    loop {
        sum += term;
        if index <= 0.0 || (index < mean && term < NEGLIGIBLE) {
            return sum;
        }
        term *= index / mean;
        index -= 1.0;
    }
}

/// The first index above the mean whose term is negligible, and that term relative to the largest.
fn top(mean: f64) -> (f64, f64) {
    let (mut index, mut term) = (mean.floor(), 1.0);
    while term > NEGLIGIBLE {
        index += 1.0;
        term *= mean / index;
    }
    (index, term)
}

#[cfg(test)]
mod tests {
    use super::{by_share, nodes_in_repair, spares};

    /// The definition, term by term with the library's exponential.
    fn plain(mean: f64, miss: f64) -> u64 {
        let (mut k, mut term) = (0, f64::exp(-mean));
        let mut sum = term;
        while 1.0 - sum >= miss {
            k += 1;
            term *= mean / k as f64;
            sum += term;
        }
        k
    }

    #[test]
    fn agrees_with_the_definition() {
        for mean in [0.01, 0.3, 1.0, 2.7, 9.5, 40.0, 300.0] {
            for miss in [0.5, 0.1, 0.01, 0.001] {
                assert_eq!(spares(mean, miss), plain(mean, miss), "mean {mean} miss {miss}");
            }
        }
    }

    #[test]
    fn logbooks() {
        // OPT-175B: 124 nodes, 16 failures in 1000 node-days, 12 spares last about 6 days of repair at the mean.
        let mean = nodes_in_repair(124, 16.0, 6.0);
        assert!((mean - 11.9).abs() < 0.1);
        // BLOOM: 48 nodes, 3 in 1000 node-days, two weeks of repair: 4 spares miss less than 15 %.
        let bloom = spares(nodes_in_repair(48, 3.0, 14.0), 0.15);
        assert!((3..=5).contains(&bloom), "{bloom}");
        assert_eq!((by_share(52, 0.08, 1), by_share(4, 0.08, 1), by_share(124, 0.08, 4)), (5, 1, 10));
    }

    #[test]
    fn odd_arguments() {
        assert_eq!((spares(0.0, 0.01), spares(-1.0, 0.01), spares(f64::NAN, 0.01)), (0, 0, 0));
        assert!(spares(5.0, 0.0) > 20 && spares(5.0, -1.0) > 20);
        assert_eq!(spares(5.0, 2.0), 0);
        assert!(spares(5000.0, 0.01) > 5100 && spares(5000.0, 0.01) < 5300);
    }
}
