//! Feeds of a rack: what each carries, what it gives, and what is left when one is lost.

use crate::model::kinds::{Rack, Server};

use crate::plan::figure::{Basis, Figure};
use crate::plan::formula::{power, round};
use crate::plan::lack::Lack;
use crate::plan::{FilledRack, Plan};

/// The share of a breaker's current that may flow without a break. Source: NFPA 70, article 210; elsewhere good practice.
const CONTINUOUS: f64 = 0.8;
/// Real over apparent power of supplies with correction. Source: 80 PLUS Platinum asks for 0.95 and more at half load; 1 is
/// what published examples of 415 V and 60 A count with.
const POWER_FACTOR: f64 = 1.0;
const THREE_PHASES: u64 = 3;

/// Watts of one feed of a rack, devices spread evenly.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FeedLoad {
    /// Feeds of the rack.
    pub feeds: u64,
    /// While all feeds work.
    pub normal: f64,
    /// When one feed is lost; nothing for a rack with one feed, which is then dark.
    pub after_loss: Option<f64>,
    /// What a feed gives; nothing while voltage and current are not known.
    pub capacity: Option<f64>,
}

/// Watts that one feed of a rack gives; nothing while voltage or current is not known.
pub fn capacity(rack: &Rack) -> Option<f64> {
    let (volts, amperes) = (rack.voltage?.volts(), rack.current?.amperes());
    Some(if rack.phases == THREE_PHASES {
        power::three_phase_watts(volts, amperes, POWER_FACTOR, CONTINUOUS)
    } else {
        volts * amperes * POWER_FACTOR * CONTINUOUS
    })
}

/// Watts that a rack may draw and still draw when one of its feeds is lost.
pub fn usable(rack: &Rack) -> Option<f64> {
    let left = if rack.feeds > 1 { rack.feeds - 1 } else { 1 };
    capacity(rack).map(|each| each * left as f64)
}

/// What the feeds of a rack carry, devices spread evenly over them.
pub fn of(rack: &Rack, watts: f64) -> FeedLoad {
    let feeds = rack.feeds.max(1);
    FeedLoad {
        feeds,
        normal: watts / feeds as f64,
        after_loss: (feeds > 1).then(|| watts / (feeds - 1) as f64),
        capacity: capacity(rack),
    }
}

/// Power supplies of a server that are left when one of so many feeds is lost, and those it needs.
///
/// What it needs is what its vendor says, or as many as carry its maximum. Nothing where neither is known.
pub fn supplies(server: &Server, feeds: u64) -> Option<(u64, u64)> {
    let installed = server.psus?;
    let by_power = || {
        let (each, most) = (server.psu_power?.watts(), server.max_power.given()?.watts());
        Some(round::ceil_units(round::ratio(most, each)))
    };
    let needed = server.psus_required.or_else(by_power)?;
    Some((installed.saturating_sub(round::div_ceil(installed, feeds.max(1))), needed))
}

/// The figures of a rack's feeds, and what its power lacks.
pub fn put_figures(plan: &mut Plan<'_>, rack: &Rack, racks: &[FilledRack], lack: &Lack) {
    let block = rack.id.block();
    match capacity(rack) {
        Some(watts) => {
            let formula = if rack.phases == THREE_PHASES {
                "√3 × voltage × current × 0.8"
            } else {
                "voltage × current × 0.8"
            };
            let figure = Figure::exact(watts, "kW", formula);
            plan.figures.put(block, "feed_limit", figure.of(block, "voltage").of(block, "current").of(block, "phases"));
        }
        None => plan.figures.unknown(block, "feed_limit", "voltage and current of the feeds are not known"),
    }
    let lost = racks
        .iter()
        .filter_map(|filled| filled.feed?.after_loss)
        .fold(None, |most: Option<f64>, watts| Some(most.map_or(watts, |most| most.max(watts))));
    match lost {
        Some(watts) => {
            let figure =
                Figure::exact(watts, "kW", "power of the fullest rack ÷ feeds that are left").basis(Basis::Vendor);
            let figure = figure.of(block, "power").of(block, "feeds");
            lack.put(&mut plan.figures, block, "feed_load", figure);
        }
        None if racks.is_empty() => plan.figures.unknown(block, "feed_load", "nothing stands in it"),
        None => plan.figures.unknown(block, "feed_load", "it has one feed and is dark without it"),
    }
}
