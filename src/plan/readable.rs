//! The unit that a figure is read in.

/// Kibi, mebi, gibi for memory.
const GIB: f64 = 1_073_741_824.0;

/// Memory of chips.
pub fn memory(bytes: f64) -> &'static str {
    match bytes.abs() {
        bytes if bytes < 1024.0 * 1024.0 => "KiB",
        bytes if bytes < GIB => "MiB",
        bytes if bytes < 10_000.0 * GIB => "GiB",
        _ => "TiB",
    }
}

/// Data on disks.
pub fn data(bytes: f64) -> &'static str {
    match bytes.abs() {
        bytes if bytes < 1e6 => "kB",
        bytes if bytes < 1e9 => "MB",
        bytes if bytes < 1e12 => "GB",
        bytes if bytes < 1e16 => "TB",
        _ => "PB",
    }
}

/// Data rates.
pub fn rate(bytes_per_second: f64) -> &'static str {
    match bytes_per_second.abs() {
        rate if rate < 1e6 => "kB/s",
        rate if rate < 1e9 => "MB/s",
        _ => "GB/s",
    }
}

/// Times.
pub fn time(seconds: f64) -> &'static str {
    match seconds.abs() {
        seconds if seconds < 1.0 => "ms",
        seconds if seconds < 120.0 => "s",
        seconds if seconds < 2.0 * 3600.0 => "min",
        seconds if seconds < 3.0 * 86_400.0 => "h",
        _ => "days",
    }
}

/// A time in words, in its own unit.
pub fn time_text(seconds: f64) -> String {
    let unit = time(seconds);
    let factor = match unit {
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        "days" => 86_400.0,
        _ => 1.0,
    };
    format!("{} {unit}", short(seconds / factor))
}

/// Memory in words, in its own unit.
pub fn memory_text(bytes: f64) -> String {
    let unit = memory(bytes);
    let factor = match unit {
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "TiB" => 1024.0 * GIB,
        _ => GIB,
    };
    format!("{} {unit}", short(bytes / factor))
}

/// About three digits.
fn short(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use super::{data, memory, memory_text, rate, time, time_text};
    use crate::base::unit;

    #[test]
    fn every_unit_is_one_of_the_language() {
        for value in [0.0, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e18] {
            for name in [memory(value), data(value), rate(value), time(value)] {
                assert!(unit::parse(name).is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn words_carry_their_unit() {
        assert_eq!(time_text(0.0455), "45.5 ms");
        assert_eq!(time_text(9_650_000.0), "112 days");
        assert_eq!(memory_text(44.42 * 1_073_741_824.0), "44.4 GiB");
    }
}
