//! Money: the cost of an owned hour, a rented one, and where they meet. Any one currency.

use super::power::HOURS_PER_YEAR;
use super::round::ratio;

/// What a platform costs its owner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Owned {
    /// Purchase, network and storage included.
    pub purchase: f64,
    /// Support over the whole time as a share of the purchase.
    pub support: f64,
    /// Value left at the end as a share of the purchase.
    pub residual: f64,
    /// Years of use.
    pub years: f64,
    /// IT power, kW.
    pub it_kilowatts: f64,
    /// Mean load as a share of that power.
    pub load: f64,
    /// Facility power over IT power.
    pub pue: f64,
    /// Price of a kWh.
    pub per_kilowatt_hour: f64,
    /// Price of a kW of housing a month.
    pub colocation: f64,
    /// Staff and other cost a year.
    pub operation: f64,
}

impl Owned {
    /// Costs nothing; what is known of a platform is filled in.
    pub const NOTHING: Owned = Owned {
        purchase: 0.0,
        support: 0.0,
        residual: 0.0,
        years: 1.0,
        it_kilowatts: 0.0,
        load: 0.0,
        pue: 1.0,
        per_kilowatt_hour: 0.0,
        colocation: 0.0,
        operation: 0.0,
    };
}

/// Cost a year: `purchase (1 + support)(1 - residual)/years + kW load PUE 8760 price + kW colocation 12 + operation`.
///
/// Infinite for zero years of something bought. Source: Barroso, Hölzle and Ranganathan, The Datacenter as a Computer,
/// chapter on cost.
pub fn per_year(owned: &Owned) -> f64 {
    let capital = ratio(owned.purchase * (1.0 + owned.support) * (1.0 - owned.residual), owned.years);
    let energy = owned.it_kilowatts * owned.load * owned.pue * HOURS_PER_YEAR * owned.per_kilowatt_hour;
    capital + energy + owned.it_kilowatts * owned.colocation * 12.0 + owned.operation
}

/// Cost of a delivered GPU-hour: cost a year over `gpus * 8760 * utilisation`. Source: as [`per_year`].
pub fn per_gpu_hour(owned: &Owned, gpus: u64, utilisation: f64) -> f64 {
    ratio(per_year(owned), gpus as f64 * HOURS_PER_YEAR * utilisation)
}

/// Cost of rented hours: `units * price * hours`. Source: arithmetic.
pub fn rented(units: f64, price: f64, hours: f64) -> f64 {
    units * price * hours
}

/// Cost of a million of what comes out: `cost an hour / (rate a second * 3600) * 1e6`; infinite when nothing comes out.
///
/// Source: arithmetic.
pub fn per_million(cost_per_hour: f64, rate_per_second: f64) -> f64 {
    ratio(cost_per_hour * 1e6, rate_per_second * 3600.0)
}

/// Utilisation from which owning is cheaper: cost a year over `gpus * 8760 * rented price`.
///
/// Above 1 owning never is. Compare hours that were delivered. Source: arithmetic on [`per_year`].
pub fn break_even(owned: &Owned, gpus: u64, rented_price: f64) -> f64 {
    ratio(per_year(owned), gpus as f64 * HOURS_PER_YEAR * rented_price)
}

/// Months until the purchase is paid back by not renting: `purchase (1 + support) / (rented - running)` a month.
///
/// `rented_per_month` is what the same delivered hours would cost. Infinite when running alone costs as much as
/// renting. Source: arithmetic.
pub fn payback_months(owned: &Owned, rented_per_month: f64) -> f64 {
    let running = per_year(&Owned { purchase: 0.0, ..*owned }) / 12.0;
    let saved = rented_per_month - running;
    if saved <= 0.0 { f64::INFINITY } else { owned.purchase * (1.0 + owned.support) / saved }
}

#[cfg(test)]
mod tests {
    use super::{Owned, break_even, payback_months, per_gpu_hour, per_million, per_year, rented};

    fn node(purchase: f64) -> Owned {
        Owned { purchase, years: 3.0, ..Owned::NOTHING }
    }

    #[test]
    fn rented_hours() {
        // DeepSeek: 226.75 nodes of 8 at 2 USD for a day are 87,072; 2.788 M GPU-hours are 5.576 M.
        assert_eq!((rented(226.75 * 8.0, 2.0, 24.0), rented(2_788_000.0, 2.0, 1.0)), (87_072.0, 5_576_000.0));
    }

    #[test]
    fn a_million_tokens() {
        // DeepSeek: 87,072 USD a day for 168 billion generated and 608 billion read tokens.
        let hour = rented(226.75 * 8.0, 2.0, 1.0);
        assert!((per_million(hour, 168e9 / 86_400.0) - 0.518).abs() < 0.001);
        assert!((per_million(hour, 776e9 / 86_400.0) - 0.112).abs() < 0.001);
        assert_eq!(per_million(1.0, 0.0), f64::INFINITY);
    }

    #[test]
    fn owned_hours() {
        // Public cost pages: 450 to 650 thousand USD a node of 8 over three years is 2.14 to 3.09 USD an hour, not
        // 1.20.
        assert!((per_gpu_hour(&node(450e3), 8, 1.0) - 2.14).abs() < 0.01);
        assert!((per_gpu_hour(&node(650e3), 8, 1.0) - 3.09).abs() < 0.01);
        let full = Owned {
            it_kilowatts: 10.0,
            load: 0.8,
            pue: 1.3,
            per_kilowatt_hour: 0.1,
            colocation: 150.0,
            operation: 1000.0,
            ..node(300e3)
        };
        assert!((per_year(&full) - (100_000.0 + 9110.4 + 18_000.0 + 1000.0)).abs() < 1e-6);
    }

    #[test]
    fn break_even_meets_the_rented_price() {
        let share = break_even(&node(450e3), 8, 3.0);
        assert!((per_gpu_hour(&node(450e3), 8, share) - 3.0).abs() < 1e-9);
        assert_eq!((break_even(&node(1.0), 0, 3.0), payback_months(&node(1.0), 0.0)), (f64::INFINITY, f64::INFINITY));
        assert!((payback_months(&node(450e3), 45e3) - 10.0).abs() < 1e-9);
    }
}
