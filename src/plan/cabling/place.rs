//! Where devices stand, and how far it is between two of them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::Id;
use crate::model::kinds::Site;

use crate::plan::Plan;
use crate::plan::formula::cable::{self as formula, RACK_UNIT, Room};

/// A device's place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    site: Id<Site>,
    at: formula::Place,
}

/// The place of every device that stands in a rack.
pub(super) struct Places<'p> {
    model: &'p Model<'p>,
    devices: HashMap<Arc<str>, Place>,
}

impl<'p> Places<'p> {
    pub(super) fn of(plan: &Plan<'_>, model: &'p Model<'p>) -> Places<'p> {
        let mut devices = HashMap::new();
        let racks = plan.racks.iter().flat_map(|row| row.racks.iter().map(move |rack| (row, rack)));
        for (index, (row, rack)) in racks.enumerate() {
            let width = width(model, row.id);
            for device in &rack.devices {
                let middle = (device.position.saturating_sub(1) as f64 + device.height as f64 / 2.0) * RACK_UNIT;
                let at = formula::Place {
                    rack: index,
                    row: rack.spot.row,
                    across: (rack.spot.column as f64 - 0.5) * width,
                    below_top: row.height as f64 * RACK_UNIT - middle,
                    height: middle,
                };
                devices.insert(Arc::clone(&device.name), Place { site: row.site, at });
            }
        }
        Places { model, devices }
    }

    /// The place of a device; nothing when it stands in no rack.
    pub(super) fn get(&self, device: &str) -> Option<Place> {
        self.devices.get(device).copied()
    }

    /// Metres of a cable on sale between two places; nothing between sites, where it is not ours.
    pub(super) fn length(&self, from: Place, to: Place) -> Option<f64> {
        if from.site != to.site {
            return None;
        }
        let site = &self.model[from.site];
        let room =
            Room { row_pitch: site.row_pitch.metres(), tray: site.tray.metres(), slack: site.cable_slack.metres() };
        Some(formula::sold(formula::run(&from.at, &to.at, &room)))
    }
}

/// Metres of a rack's width, that of the language's default where nobody described it.
pub fn width(model: &Model<'_>, rack: Option<Id<crate::model::kinds::Rack>>) -> f64 {
    rack.map_or(USUAL_WIDTH, |rack| model[rack].width.metres())
}

/// Width of racks that nobody described: that of a 19-inch rack. Source: EIA-310-D.
const USUAL_WIDTH: f64 = 0.6;
