//! Units and their dimensions: one table.

use std::fmt;

use super::number::Number;

/// The base dimensions, in the order of [`Dimension`]'s exponents. Energy is power × time, a rate is data ÷ time.
const BASES: usize = 10;
const DATA: usize = 0;
const TIME: usize = 1;
const POWER: usize = 2;
const LENGTH: usize = 3;
const MASS: usize = 4;
const RACK_UNITS: usize = 5;
const TOKENS: usize = 6;
const REQUESTS: usize = 7;
const FLOP: usize = 8;
const CURRENT: usize = 9;

/// What a number measures: exponents of the base dimensions, and of money in one currency.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Dimension {
    exponents: [i8; BASES],
    money: i8,
    /// The currency, when `money` is not 0; all zero means "any currency", which only the schema uses.
    currency: [u8; 3],
}

impl Dimension {
    /// A plain number.
    pub const NONE: Dimension = Dimension { exponents: [0; BASES], money: 0, currency: [0; 3] };
    /// Bytes.
    pub const DATA: Dimension = Dimension::base(DATA);
    /// Seconds.
    pub const TIME: Dimension = Dimension::base(TIME);
    /// Watts.
    pub const POWER: Dimension = Dimension::base(POWER);
    /// Amperes.
    pub const CURRENT: Dimension = Dimension::base(CURRENT);
    /// Volts.
    pub const VOLTAGE: Dimension = Dimension::POWER.per(Dimension::CURRENT);
    /// Joules.
    pub const ENERGY: Dimension = Dimension::base(POWER).times(Dimension::TIME);
    /// Metres.
    pub const LENGTH: Dimension = Dimension::base(LENGTH);
    /// Kilograms.
    pub const MASS: Dimension = Dimension::base(MASS);
    /// Rack units.
    pub const RACK_UNITS: Dimension = Dimension::base(RACK_UNITS);
    /// Tokens.
    pub const TOKENS: Dimension = Dimension::base(TOKENS);
    /// Requests.
    pub const REQUESTS: Dimension = Dimension::base(REQUESTS);
    /// Floating-point operations.
    pub const FLOP: Dimension = Dimension::base(FLOP);
    /// Money of any currency; only types have it, values name their currency.
    pub const MONEY: Dimension = Dimension { exponents: [0; BASES], money: 1, currency: [0; 3] };
    /// Bytes a second.
    pub const RATE: Dimension = Dimension::DATA.per(Dimension::TIME);
    /// Tokens a second.
    pub const TOKEN_RATE: Dimension = Dimension::TOKENS.per(Dimension::TIME);
    /// Requests a second.
    pub const REQUEST_RATE: Dimension = Dimension::REQUESTS.per(Dimension::TIME);
    /// Something every so often.
    pub const FREQUENCY: Dimension = Dimension::NONE.per(Dimension::TIME);
    /// Floating-point operations a second.
    pub const FLOP_RATE: Dimension = Dimension::FLOP.per(Dimension::TIME);
    /// Money a second.
    pub const MONEY_RATE: Dimension = Dimension::MONEY.per(Dimension::TIME);
    /// Money a joule.
    pub const ENERGY_PRICE: Dimension = Dimension::MONEY.per(Dimension::ENERGY);
    /// Kilograms a joule.
    pub const CARBON_INTENSITY: Dimension = Dimension::MASS.per(Dimension::ENERGY);

    const fn base(index: usize) -> Dimension {
        let mut exponents = [0; BASES];
        exponents[index] = 1;
        Dimension { exponents, money: 0, currency: [0; 3] }
    }

    /// Money of one currency.
    pub fn money(currency: &str) -> Option<Dimension> {
        let code: [u8; 3] = currency.as_bytes().try_into().ok()?;
        CURRENCIES.contains(&currency).then_some(Dimension { money: 1, currency: code, ..Dimension::NONE })
    }

    /// The dimension of a product. Currencies are compared by the caller, see [`Dimension::mixes_currency`].
    pub const fn times(self, other: Dimension) -> Dimension {
        self.combine(other, 1)
    }

    /// The dimension of a quotient.
    pub const fn per(self, other: Dimension) -> Dimension {
        self.combine(other, -1)
    }

    const fn combine(self, other: Dimension, sign: i8) -> Dimension {
        let mut exponents = self.exponents;
        let mut i = 0;
        while i < BASES {
            exponents[i] = exponents[i].saturating_add(other.exponents[i].saturating_mul(sign));
            i += 1;
        }
        let money = self.money.saturating_add(other.money.saturating_mul(sign));
        let currency = if money == 0 {
            [0; 3]
        } else if self.money != 0 {
            self.currency
        } else {
            other.currency
        };
        Dimension { exponents, money, currency }
    }

    /// The currency, where money is in it.
    pub fn currency(&self) -> Option<&str> {
        if self.money == 0 || self.currency == [0; 3] { None } else { std::str::from_utf8(&self.currency).ok() }
    }

    /// True when both name a currency and it is not the same.
    pub fn mixes_currency(&self, other: &Dimension) -> bool {
        matches!((self.currency(), other.currency()), (Some(a), Some(b)) if a != b)
    }

    /// True when a value of dimension `self` can stand where `wanted` is asked; a type's money takes any currency.
    pub fn fits(&self, wanted: &Dimension) -> bool {
        self.exponents == wanted.exponents
            && self.money == wanted.money
            && (wanted.currency == [0; 3] || self.currency == wanted.currency)
    }

    /// True for a plain number.
    pub fn is_none(&self) -> bool {
        *self == Dimension::NONE
    }

    /// What people call it: `a rate (data per time)`.
    pub fn name(&self) -> &'static str {
        let plain = Dimension { currency: [0; 3], ..*self };
        NAMES.iter().find(|(dimension, _)| *dimension == plain).map_or("a compound quantity", |(_, name)| name)
    }
}

const NAMES: &[(Dimension, &str)] = &[
    (Dimension::NONE, "a plain number"),
    (Dimension::DATA, "an amount of data, like `80 GiB`"),
    (Dimension::TIME, "a time, like `30 min`"),
    (Dimension::POWER, "a power, like `10.2 kW`"),
    (Dimension::CURRENT, "a current, like `63 A`"),
    (Dimension::VOLTAGE, "a voltage, like `400 V`"),
    (Dimension::ENERGY, "an energy, like `5 kWh`"),
    (Dimension::LENGTH, "a length, like `3 m`"),
    (Dimension::MASS, "a mass, like `130 kg`"),
    (Dimension::RACK_UNITS, "a height in rack units, like `8 U`"),
    (Dimension::TOKENS, "a number of tokens, like `8_192 tok`"),
    (Dimension::REQUESTS, "a number of requests, like `100 req`"),
    (Dimension::FLOP, "a number of operations, like `5 TFLOP`"),
    (Dimension::MONEY, "money, like `31_500 EUR`"),
    (Dimension::RATE, "a data rate, like `400 Gbps` or `40 GB/s`"),
    (Dimension::TOKEN_RATE, "a token rate, like `1_300 tok/s`"),
    (Dimension::REQUEST_RATE, "a request rate, like `40 req/s`"),
    (Dimension::FREQUENCY, "a frequency, like `20/month`"),
    (Dimension::FLOP_RATE, "a compute rate, like `989 TFLOP/s`"),
    (Dimension::MONEY_RATE, "money per time, like `47.5 EUR/h`"),
    (Dimension::ENERGY_PRICE, "an energy price, like `0.19 EUR/kWh`"),
    (Dimension::CARBON_INTENSITY, "a carbon intensity, like `380 g/kWh`"),
];

impl fmt::Debug for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One simple unit: how many base units it is, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Base units in one of it.
    pub factor: Number,
    /// What it measures.
    pub dimension: Dimension,
}

macro_rules! currencies {
    ($($code:ident)+) => {
        /// ISO 4217 codes in use.
        pub const CURRENCIES: &[&str] = &[$(stringify!($code)),+];
        /// The same, a year.
        const YEARLY: &[&str] = &[$(concat!(stringify!($code), "/year")),+];
        /// The same, an hour.
        const HOURLY: &[&str] = &[$(concat!(stringify!($code), "/h")),+];
    };
}

currencies! {
    AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW MAD MXN MYR NGN
    NOK NZD PEN PHP PLN QAR RON RSD SAR SEK SGD THB TND TRY TWD UAH USD VND ZAR
}

const fn kilo(power: u32) -> Number {
    Number::new(10i64.pow(power), 0)
}

const fn kibi(power: u32) -> Number {
    Number::new(1i64 << (10 * power), 0)
}

const fn whole(value: i64) -> Number {
    Number::new(value, 0)
}

/// Every unit word. Bits are an eighth of a byte; a month is a twelfth of a year of 365 days.
const UNITS: &[(&str, Number, Dimension)] = &[
    ("B", whole(1), Dimension::DATA),
    ("kB", kilo(3), Dimension::DATA),
    ("MB", kilo(6), Dimension::DATA),
    ("GB", kilo(9), Dimension::DATA),
    ("TB", kilo(12), Dimension::DATA),
    ("PB", kilo(15), Dimension::DATA),
    ("EB", kilo(18), Dimension::DATA),
    ("KiB", kibi(1), Dimension::DATA),
    ("MiB", kibi(2), Dimension::DATA),
    ("GiB", kibi(3), Dimension::DATA),
    ("TiB", kibi(4), Dimension::DATA),
    ("PiB", kibi(5), Dimension::DATA),
    ("bps", Number::new(125, 3), Dimension::RATE),
    ("kbps", whole(125), Dimension::RATE),
    ("Mbps", whole(125_000), Dimension::RATE),
    ("Gbps", whole(125_000_000), Dimension::RATE),
    ("Tbps", whole(125_000_000_000), Dimension::RATE),
    ("ns", Number::new(1, 9), Dimension::TIME),
    ("us", Number::new(1, 6), Dimension::TIME),
    ("µs", Number::new(1, 6), Dimension::TIME),
    ("ms", Number::new(1, 3), Dimension::TIME),
    ("s", whole(1), Dimension::TIME),
    ("min", whole(60), Dimension::TIME),
    ("h", whole(3_600), Dimension::TIME),
    ("d", whole(86_400), Dimension::TIME),
    ("day", whole(86_400), Dimension::TIME),
    ("days", whole(86_400), Dimension::TIME),
    ("week", whole(604_800), Dimension::TIME),
    ("weeks", whole(604_800), Dimension::TIME),
    ("month", whole(2_628_000), Dimension::TIME),
    ("months", whole(2_628_000), Dimension::TIME),
    ("year", whole(31_536_000), Dimension::TIME),
    ("years", whole(31_536_000), Dimension::TIME),
    ("W", whole(1), Dimension::POWER),
    ("kW", kilo(3), Dimension::POWER),
    ("MW", kilo(6), Dimension::POWER),
    ("A", whole(1), Dimension::CURRENT),
    ("V", whole(1), Dimension::VOLTAGE),
    ("J", whole(1), Dimension::ENERGY),
    ("Wh", whole(3_600), Dimension::ENERGY),
    ("kWh", whole(3_600_000), Dimension::ENERGY),
    ("MWh", whole(3_600_000_000), Dimension::ENERGY),
    ("BTU", Number::new(105_505_585_262, 8), Dimension::ENERGY),
    ("mm", Number::new(1, 3), Dimension::LENGTH),
    ("cm", Number::new(1, 2), Dimension::LENGTH),
    ("m", whole(1), Dimension::LENGTH),
    ("km", kilo(3), Dimension::LENGTH),
    ("g", Number::new(1, 3), Dimension::MASS),
    ("kg", whole(1), Dimension::MASS),
    ("t", kilo(3), Dimension::MASS),
    ("U", whole(1), Dimension::RACK_UNITS),
    ("tok", whole(1), Dimension::TOKENS),
    ("req", whole(1), Dimension::REQUESTS),
    ("FLOP", whole(1), Dimension::FLOP),
    ("GFLOP", kilo(9), Dimension::FLOP),
    ("TFLOP", kilo(12), Dimension::FLOP),
    ("PFLOP", kilo(15), Dimension::FLOP),
    ("EFLOP", kilo(18), Dimension::FLOP),
];

/// The currency's own word, for figures; the table's first when it is none.
pub fn currency_unit(code: &str) -> &'static str {
    CURRENCIES[place(code)]
}

/// `EUR/year` for `EUR`.
pub fn yearly_unit(code: &str) -> &'static str {
    YEARLY[place(code)]
}

/// `EUR/h` for `EUR`.
pub fn hourly_unit(code: &str) -> &'static str {
    HOURLY[place(code)]
}

fn place(code: &str) -> usize {
    CURRENCIES.iter().position(|known| *known == code).unwrap_or(0)
}

/// The words that multiply: `4.2 million EUR`.
pub const SCALES: &[(&str, Number)] =
    &[("thousand", kilo(3)), ("million", kilo(6)), ("billion", kilo(9)), ("trillion", kilo(12))];

/// Words people write for a unit, and what they most likely meant.
const MEANT: &[(&str, &str)] = &[
    ("Gb", "`GB` is gigabytes, `Gbps` gigabits a second"),
    ("Mb", "`MB` is megabytes, `Mbps` megabits a second"),
    ("Kb", "`kB` is kilobytes, `kbps` kilobits a second"),
    ("kb", "`kB` is kilobytes, `kbps` kilobits a second"),
    ("Tb", "`TB` is terabytes, `Tbps` terabits a second"),
    ("KB", "a kilobyte is `kB`, a kibibyte `KiB`"),
    ("gb", "`GB` is 10^9 bytes, `GiB` is 2^30 bytes"),
    ("tb", "`TB` is 10^12 bytes, `TiB` is 2^40 bytes"),
    ("G", "`GB` is 10^9 bytes, `GiB` is 2^30 bytes"),
    ("T", "`TB` is 10^12 bytes, `TiB` is 2^40 bytes"),
    ("M", "`MB` is 10^6 bytes, `million` a number"),
    ("Gi", "write `GiB`"),
    ("Mi", "write `MiB`"),
    ("Ti", "write `TiB`"),
    ("Gbit", "write `Gbps` for gigabits a second"),
    ("GbE", "write `Gbps` for gigabits a second"),
    ("sec", "write `s`"),
    ("seconds", "write `s`"),
    ("second", "write `s`"),
    ("mins", "write `min`"),
    ("minutes", "write `min`"),
    ("minute", "write `min`"),
    ("hour", "write `h`"),
    ("hours", "write `h`"),
    ("hr", "write `h`"),
    ("y", "write `year` or `years`"),
    ("w", "write `week` or `weeks`, or `W` for watts"),
    ("kw", "write `kW`"),
    ("KW", "write `kW`"),
    ("tokens", "write `tok`"),
    ("token", "write `tok`"),
    ("requests", "write `req`"),
    ("rps", "write `req/s`"),
    ("u", "write `U`"),
    ("TFLOPS", "write `TFLOP/s`"),
    ("PFLOPS", "write `PFLOP/s`"),
    ("euro", "write `EUR`"),
    ("dollars", "write `USD`"),
    ("GPU", COUNT),
    ("GPUs", COUNT),
    ("gpu", COUNT),
    ("gpus", COUNT),
    ("CPU", COUNT),
    ("CPUs", COUNT),
    ("core", COUNT),
    ("cores", COUNT),
    ("node", COUNT),
    ("nodes", COUNT),
    ("rack", COUNT),
    ("racks", COUNT),
    ("server", COUNT),
    ("servers", COUNT),
    ("port", COUNT),
    ("ports", COUNT),
    ("job", COUNT),
    ("jobs", COUNT),
    ("user", COUNT),
    ("users", COUNT),
    ("replica", COUNT),
    ("replicas", COUNT),
];

/// Things that are counted have no unit.
const COUNT: &str = "a count has no unit: write the number alone";

/// The unit of a word: `GiB`, `EUR`.
pub fn simple(word: &str) -> Option<Unit> {
    if word == "%" {
        return Some(Unit { factor: Number::new(1, 2), dimension: Dimension::NONE });
    }
    if let Some((_, factor, dimension)) = UNITS.iter().find(|(name, ..)| *name == word) {
        return Some(Unit { factor: *factor, dimension: *dimension });
    }
    Dimension::money(word).map(|dimension| Unit { factor: Number::ONE, dimension })
}

/// Why a unit is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownUnit {
    /// The word that is no unit.
    pub word: String,
    /// What was most likely meant.
    pub meant: Option<String>,
}

/// The unit of a text such as `GB/s`, `/month`, `EUR/kWh`, `%`.
pub fn parse(text: &str) -> Result<Unit, UnknownUnit> {
    let (above, below) = match text.split_once('/') {
        Some((above, below)) => (above, Some(below)),
        None => (text, None),
    };
    let above = if above.is_empty() {
        Unit { factor: Number::ONE, dimension: Dimension::NONE }
    } else {
        simple(above).ok_or_else(|| unknown(above))?
    };
    let Some(below) = below else { return Ok(above) };
    let divisor = simple(below).ok_or_else(|| unknown(below))?;
    // The factors of time, energy and data are whole, so the quotient is as exact as 28 digits allow.
    let factor = above.factor.over(divisor.factor).ok_or_else(|| unknown(below))?;
    Ok(Unit { factor, dimension: above.dimension.per(divisor.dimension) })
}

fn unknown(word: &str) -> UnknownUnit {
    let known = || UNITS.iter().map(|(name, ..)| *name).chain(CURRENCIES.iter().copied());
    let meant = MEANT.iter().find(|(wrong, _)| *wrong == word).map(|(_, meant)| (*meant).to_string()).or_else(|| {
        known()
            .find(|name| name.eq_ignore_ascii_case(word))
            .or_else(|| super::phrase::nearest(word, known()))
            .map(|near| format!("perhaps `{near}`"))
    });
    UnknownUnit { word: word.to_string(), meant }
}

#[cfg(test)]
mod tests {
    use super::{Dimension, parse};
    use crate::base::number::Number;

    #[test]
    fn units_have_factors_and_dimensions() {
        let gbps = parse("Gbps").expect("a unit");
        assert_eq!((gbps.factor, gbps.dimension), (Number::whole(125_000_000), Dimension::RATE));
        assert_eq!(parse("GB/s").expect("a unit").dimension, Dimension::RATE);
        assert_eq!(parse("/month").expect("a unit").dimension, Dimension::FREQUENCY);
        assert!(parse("EUR/kWh").expect("a unit").dimension.fits(&Dimension::ENERGY_PRICE));
    }

    #[test]
    fn wrong_units_say_what_was_meant() {
        assert!(parse("Gb").expect_err("gigabits alone are refused").meant.expect("a hint").contains("GB"));
        assert!(parse("kw").expect_err("case matters").meant.expect("a hint").contains("kW"));
        assert!(parse("GPU").expect_err("a count").meant.expect("a hint").contains("the number alone"));
    }
}
