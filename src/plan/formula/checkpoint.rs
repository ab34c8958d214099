//! Checkpoints and failures: sizes, stalls, the best interval, and what is left of the time.

use super::exponential::exp;
use super::round::ratio;

/// Bytes a parameter of a full checkpoint: 2 B of weights and 12 B of optimizer. Source: BLOOM chronicles; MLPerf
/// Storage checkpoint table.
pub const FULL: f64 = 14.0;
/// Bytes a parameter of weights alone. Source: arithmetic.
pub const WEIGHTS: f64 = 2.0;

/// Bytes of a checkpoint, `parameters * bytes`.
///
/// [`FULL`] reproduces BLOOM and MLPerf within 2.5 %; memory-efficient fp16 saves 9 to 10 B. Source: BLOOM chronicles.
pub fn size(parameters: f64, bytes_per_parameter: f64) -> f64 {
    parameters * bytes_per_parameter
}

/// Bytes to keep: `last` full checkpoints and `milestones` of weights. Source: BLOOM chronicles.
pub fn kept_bytes(parameters: f64, last: u64, milestones: u64) -> f64 {
    size(parameters, FULL) * last as f64 + size(parameters, WEIGHTS) * milestones as f64
}

/// Seconds a blocking write, or a restart's read, stops the job: `size / rate`. Infinite at rate 0. Source: arithmetic.
pub fn stall(size: f64, rate: f64) -> f64 {
    ratio(size, rate)
}

/// Bytes/s an asynchronous writer needs to be done before the next checkpoint: `size / interval`. Source: arithmetic.
pub fn background_rate(size: f64, interval: f64) -> f64 {
    ratio(size, interval)
}

/// Host bytes a node sets aside for asynchronous checkpoints: `size / nodes * copies`, copies 1 or 2 (double
/// buffering).
///
/// `nodes` of 0 counts as 1. Source: PyTorch distributed checkpoint documentation.
pub fn host_bytes(size: f64, nodes: u64, copies: u64) -> f64 {
    size / nodes.max(1) as f64 * copies as f64
}

/// Share of the time spent writing, `stall / interval`. BLOOM: 40 s every 3 h are 0.37 %. Source: BLOOM chronicles.
pub fn overhead(stall: f64, interval: f64) -> f64 {
    ratio(stall, interval)
}

/// Seconds between failures of a cluster: `86400 * 1000 / (nodes * r)`, r failures in 1000 node-days.
///
/// Infinite without nodes or failures. Constant hazard: early life and bad nodes break it, and small jobs fail more
/// often from other causes (1024 GPUs: 7.9 h seen, 28.8 h computed). Source: Kokolis et al. 2024 (Meta RSC); Llama 3
/// paper, section 3.3.4.
pub fn mtbf(nodes: f64, failures_per_1000_node_days: f64) -> f64 {
    ratio(86_400.0 * 1000.0, nodes * failures_per_1000_node_days)
}

/// Failures in 1000 node-days from a count over some days: `1000 failures / (nodes days)`. Source: Kokolis et al. 2024
/// (Meta RSC).
pub fn failure_rate(failures: f64, nodes: f64, days: f64) -> f64 {
    ratio(1000.0 * failures, nodes * days)
}

/// Seconds of work between checkpoints by Young: `sqrt(2 C M)`, C the blocking part of a checkpoint, M the time between
/// failures.
///
/// First order, for C far below M; 0 for negative arguments. Source: Young 1974.
pub fn young(stall: f64, mtbf: f64) -> f64 {
    (2.0 * stall * mtbf).max(0.0).sqrt()
}

/// Seconds of work between checkpoints by Daly: `sqrt(2CM) (1 + sqrt(C/2M)/3 + (C/2M)/9) - C` for `C < 2M`, else M.
///
/// Work only; a period that includes the checkpoint is C longer. The optimum is flat: a quarter off costs below 0.7
/// points. Infinite when nothing fails. Source: Daly 2006, equation 37.
pub fn daly(stall: f64, mtbf: f64) -> f64 {
    if mtbf.is_infinite() {
        return f64::INFINITY;
    }
    if stall >= 2.0 * mtbf {
        return mtbf;
    }
    let relative = ratio(stall, 2.0 * mtbf).max(0.0);
    young(stall, mtbf) * (1.0 + relative.sqrt() / 3.0 + relative / 9.0) - stall
}

/// Share of the time that becomes kept work: `tau / ((M + R) (exp((tau + C)/M) - 1))`.
///
/// tau work between checkpoints, C blocking part, M time between failures, R detect, restart and reload. Without
/// failures `tau/(tau + C)`. Capped at that: M + R stands for M exp(R/M), so the form is for R below M. Monte Carlo:
/// 0.7454 simulated, 0.7446 computed. Source: Daly 2006.
pub fn goodput(interval: f64, stall: f64, mtbf: f64, restart: f64) -> f64 {
    if interval <= 0.0 {
        return 0.0;
    }
    let without = if interval.is_infinite() { 1.0 } else { interval / (interval + stall) };
    if mtbf.is_infinite() {
        return without;
    }
    let lost = exp(ratio(interval + stall, mtbf)) - 1.0;
    if lost.is_infinite() {
        return 0.0;
    }
    ratio(interval, (mtbf + restart) * lost).min(without)
}

#[cfg(test)]
mod tests {
    use super::{
        FULL, background_rate, daly, failure_rate, goodput, host_bytes, kept_bytes, mtbf, overhead, size, stall, young,
    };

    const TIB: f64 = 1_099_511_627_776.0;

    fn near(actual: f64, published: f64, tolerance: f64) {
        assert!((actual / published - 1.0).abs() <= tolerance, "{actual} against {published}");
    }

    #[test]
    fn published_sizes() {
        // BLOOM: 2.3 TiB, written in 40 s at 57.5 GB/s. MLPerf Storage: 405 B are 5.29 TiB.
        near(size(176_247_271_424.0, FULL) / TIB, 2.3, 0.04);
        near(size(405_853_388_800.0, FULL) / TIB, 5.29, 0.03);
        near(stall(2.3e12, 57.5e9), 40.0, 0.001);
        near(overhead(40.0, 3.0 * 3600.0), 0.0037, 0.01);
        near(kept_bytes(1e9, 2, 3), 34e9, 1e-12);
        assert_eq!(
            (background_rate(100.0, 10.0), host_bytes(100.0, 5, 2), stall(1.0, 0.0)),
            (10.0, 40.0, f64::INFINITY)
        );
    }

    #[test]
    fn failures_of_large_clusters() {
        // Llama 3: 419 interruptions in 54 days on 2048 nodes are 3.8 in 1000 node-days and one in 3.1 h. Meta RSC:
        // 131,072 GPUs 0.23 h.
        let rate = failure_rate(419.0, 2048.0, 54.0);
        near(rate, 3.8, 0.01);
        near(mtbf(2048.0, rate) / 3600.0, 3.0, 0.04);
        near(mtbf(16384.0, 6.5) / 3600.0, 0.23, 0.03);
        // OPT-175B: two machines a day of 124.
        near(failure_rate(2.0, 124.0, 1.0), 16.1, 0.01);
        assert_eq!(mtbf(0.0, 5.0), f64::INFINITY);
    }

    #[test]
    fn intervals() {
        // BLOOM: 40 s and a failure a week give 1.93 h by Young (they used 3 h).
        near(young(40.0, 604_800.0) / 3600.0, 1.93, 0.002);
        let (young, daly) = (young(300.0, 11_124.0), daly(300.0, 11_124.0));
        assert!(daly < young && daly > 0.9 * young);
        assert_eq!((super::daly(500.0, 100.0), super::daly(1.0, f64::INFINITY)), (100.0, f64::INFINITY));
    }

    #[test]
    fn goodput_of_a_simulation() {
        // Monte Carlo at C = 300 s, M = 3.09 h, R = 600 s: 0.7454 at Daly's interval.
        let between = 3.09 * 3600.0;
        near(goodput(daly(300.0, between), 300.0, between, 600.0), 0.7454, 0.005);
        near(goodput(900.0, 100.0, f64::INFINITY, 600.0), 0.9, 1e-12);
        assert_eq!((goodput(0.0, 1.0, 1.0, 1.0), goodput(1e9, 1.0, 1.0, 1.0)), (0.0, 0.0));
    }
}
