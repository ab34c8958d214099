//! Cables and Optics: what is pulled and what is plugged, for those who build the room.

use std::collections::HashMap;

use crate::base::unit;
use crate::plan::Plan;
use crate::plan::cabling::{Cable, Module};
use crate::plan::wiring::{Port, Tier};
use crate::target::bom::workbook::{Cell, Sheet};

use super::{left_out, maybe, measure, text, whole};

/// More cables than this are left to the plan.
const ROWS: usize = 20_000;

/// Both sheets.
pub fn sheets(plan: &Plan<'_>) -> [Sheet; 2] {
    let racks = racks(plan);
    [cables(plan, &racks), optics(plan, &racks)]
}

/// The rack of each device and its lowest unit there.
type Racks<'p> = HashMap<&'p str, (&'p str, u64)>;

fn racks<'p>(plan: &'p Plan<'_>) -> Racks<'p> {
    let racks = plan.racks.iter().flat_map(|row| &row.racks);
    let devices = |rack: &'p crate::plan::FilledRack| {
        rack.devices.iter().map(|device| (&*device.name, (&*rack.name, device.position)))
    };
    racks.flat_map(devices).collect()
}

fn cables(plan: &Plan<'_>, racks: &Racks<'_>) -> Sheet {
    let columns = [
        ("Label", 46.0),
        ("Fabric", 14.0),
        ("Joins", 14.0),
        ("Plane", 7.0),
        ("From device", 22.0),
        ("From ports", 16.0),
        ("From rack", 16.0),
        ("To device", 22.0),
        ("To ports", 16.0),
        ("To rack", 16.0),
        ("Links", 7.0),
        ("Speed of one, Gbps", 10.0),
        ("Medium", 13.0),
        ("Product", 40.0),
        ("Length, m", 9.0),
        ("Tails", 7.0),
        ("Group", 7.0),
        ("Open", 40.0),
    ];
    let all = &plan.cabling.cables;
    let mut rows: Vec<Vec<Cell>> = all.iter().take(ROWS).map(|cable| cable_row(plan, racks, cable)).collect();
    rows.extend(left_out(all.len().saturating_sub(ROWS), columns.len()));
    Sheet { kept: 1, ..Sheet::new("Cables", &columns, rows) }
}

fn cable_row(plan: &Plan<'_>, racks: &Racks<'_>, cable: &Cable) -> Vec<Cell> {
    let joins = match cable.tier {
        Tier::Node => "device to leaf",
        Tier::Spine => "leaf to spine",
        Tier::Core => "spine to core",
        Tier::Peer => "leaf to its pair",
    };
    let gigabit = unit::parse("Gbps").map_or(1.0, |unit| unit.factor.to_f64());
    let mut row = vec![text(&*cable.label), text(plan.model.name(cable.fabric)), text(joins), whole(cable.plane)];
    row.extend(ends(&cable.from, racks));
    row.extend(ends(&cable.to, racks));
    row.extend([
        whole(cable.links()),
        measure(cable.speed / gigabit),
        maybe(cable.medium),
        maybe(cable.product.map(|product| plan.model.address(product))),
        cable.length.map_or(Cell::Empty, measure),
        whole(cable.tails),
        whole(cable.group),
        maybe(cable.open.as_deref()),
    ]);
    row
}

/// Devices, ports and racks of an end, each said once.
fn ends(ports: &[Port], racks: &Racks<'_>) -> [Cell; 3] {
    let mut devices: Vec<&str> = Vec::new();
    for port in ports.iter().filter(|port| devices.last() != Some(&&*port.device)).collect::<Vec<_>>() {
        if !devices.contains(&&*port.device) {
            devices.push(&port.device);
        }
    }
    let mut places: Vec<String> = Vec::new();
    for (rack, position) in devices.iter().filter_map(|device| racks.get(device)) {
        let place = format!("{rack}, U {position}");
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let names: Vec<&str> = ports.iter().map(|port| &*port.name).collect();
    [text(devices.join(", ")), text(names.join(", ")), text(places.join("; "))]
}

fn optics(plan: &Plan<'_>, racks: &Racks<'_>) -> Sheet {
    let columns = [
        ("Device", 24.0),
        ("Cage", 16.0),
        ("Rack", 16.0),
        ("Lowest U", 9.0),
        ("Fabric", 14.0),
        ("Product", 44.0),
        ("Ports used", 9.0),
    ];
    let all = &plan.cabling.modules;
    let row = |module: &Module| {
        let place = racks.get(&*module.device);
        vec![
            text(&*module.device),
            text(&*module.cage),
            maybe(place.map(|(rack, _)| rack)),
            place.map_or(Cell::Empty, |(_, position)| whole(*position)),
            text(plan.model.name(module.fabric)),
            text(plan.model.address(module.product)),
            whole(module.ports),
        ]
    };
    let mut rows: Vec<Vec<Cell>> = all.iter().take(ROWS).map(row).collect();
    rows.extend(left_out(all.len().saturating_sub(ROWS), columns.len()));
    Sheet { kept: 1, ..Sheet::new("Optics", &columns, rows) }
}
