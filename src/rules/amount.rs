//! Amounts as people read them in a message: the unit that leaves one to four digits, three of them shown.

use crate::base::number::Number;
use crate::base::quantity::{group, with_unit};

const DAY: f64 = 86_400.0;

const POWERS: &[(f64, &str)] = &[(1e6, "MW"), (1e3, "kW"), (1.0, "W")];
const DATA: &[(f64, &str)] = &[(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1.0, "B")];
const MEMORY: &[(f64, &str)] = &[(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1.0, "B")];
const RATES: &[(f64, &str)] = &[(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1.0, "B/s")];
const BITS: &[(f64, &str)] = &[(1e12 / 8.0, "Tbps"), (1e9 / 8.0, "Gbps"), (1e6 / 8.0, "Mbps"), (0.125, "bps")];
const TIMES: &[(f64, &str)] = &[(2.0 * DAY, "days"), (7_200.0, "h"), (120.0, "min"), (1.0, "s"), (0.0, "ms")];

/// `40.8 kW`.
pub fn power(watts: f64) -> String {
    scaled(watts, POWERS)
}

/// `1.6 PB`.
pub fn data(bytes: f64) -> String {
    scaled(bytes, DATA)
}

/// `79.1 GiB`: memory is counted in powers of two.
pub fn memory(bytes: f64) -> String {
    scaled(bytes, MEMORY)
}

/// `160 GB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, RATES)
}

/// `400 Gbps`: what ports and lines carry.
pub fn bits(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, BITS)
}

/// `112 days`, `4.5 h`, `900 ms`.
pub fn time(seconds: f64) -> String {
    let unit = TIMES.iter().find(|(from, _)| seconds.abs() >= *from).map_or("s", |(_, unit)| *unit);
    let factor = match unit {
        "days" => DAY,
        "h" => 3_600.0,
        "min" => 60.0,
        "ms" => 1e-3,
        _ => 1.0,
    };
    with_unit(&digits(seconds / factor), unit)
}

/// `99.9%`.
pub fn share(fraction: f64) -> String {
    with_unit(&digits(fraction * 100.0), "%")
}

/// `1_204 kg`.
pub fn mass(kilograms: f64) -> String {
    with_unit(&digits(kilograms), "kg")
}

fn scaled(value: f64, units: &[(f64, &'static str)]) -> String {
    let fits = |factor: f64| value.abs() >= factor * 0.999_5;
    let found = units.iter().find(|(factor, _)| fits(*factor)).or(units.last());
    found.map_or_else(|| digits(value), |(factor, unit)| with_unit(&digits(value / factor), unit))
}

/// Three digits, or all of them before the point.
fn digits(value: f64) -> String {
    let places = match value.abs() {
        large if large >= 100.0 => 0,
        middle if middle >= 10.0 => 1,
        _ => 2,
    };
    Number::from_f64(value)
        .map_or_else(|| String::from("an endless number of"), |number| group(&number.round(places).to_string()))
}

#[cfg(test)]
mod tests {
    use super::{bits, data, memory, power, rate, share, time};

    #[test]
    fn amounts_have_the_unit_people_use() {
        assert_eq!(power(40_800.0), "40.8 kW");
        assert_eq!(power(2_000_000.0), "2 MW");
        assert_eq!(data(1.6e15), "1.6 PB");
        assert_eq!(memory(79.1 * 1_073_741_824.0), "79.1 GiB");
        assert_eq!(rate(1.6e11), "160 GB/s");
        assert_eq!(bits(5e10), "400 Gbps");
        assert_eq!((time(0.9), time(60.0), time(3_600.0), time(9.65e6)), s("900 ms", "60 s", "60 min", "112 days"));
        assert_eq!(share(0.999), "99.9%");
    }

    fn s(a: &str, b: &str, c: &str, d: &str) -> (String, String, String, String) {
        (a.into(), b.into(), c.into(), d.into())
    }
}
