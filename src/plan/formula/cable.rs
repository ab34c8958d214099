//! Cable lengths: where racks stand in a room, how far it is between two ports, which length is sold.

use super::round::{div_ceil, exceeds, product};

/// Metres of a rack unit. Source: EIA-310-D, 1.75 inches.
pub const RACK_UNIT: f64 = 0.044_45;
/// Metres that a cable inside a rack needs beside the way up or down: to the side and back, and a bend at each end.
pub const IN_RACK: f64 = 0.5;
/// Metres that cables are sold in. Source: vendors' lists of copper and fibre cables; between them the next longer is taken.
pub const SOLD: &[f64] = &[
    0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0,
    200.0, 250.0, 300.0, 400.0, 500.0, 1000.0, 2000.0,
];

/// How a room is laid out, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// From row to row.
    pub row_pitch: f64,
    /// From the top of a rack to the cable tray.
    pub tray: f64,
    /// What a cable between racks has to spare, both ends together.
    pub slack: f64,
}

/// Where a port is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Which rack of the room.
    pub rack: usize,
    /// Its row.
    pub row: u64,
    /// Metres from the start of the row to the middle of the rack.
    pub across: f64,
    /// Metres from the port up to the top of the rack.
    pub below_top: f64,
    /// Metres from the lowest unit of the rack up to the port.
    pub height: f64,
}

/// Metres between two ports: in one rack up or down, otherwise up to the tray, along it, across to the row, and down.
///
/// Source: practice of overhead trays; every term is an attribute of site or rack.
pub fn run(from: &Place, to: &Place, room: &Room) -> f64 {
    if from.rack == to.rack {
        return (from.height - to.height).abs() + IN_RACK;
    }
    let along = (from.across - to.across).abs();
    let rows = from.row.abs_diff(to.row) as f64 * room.row_pitch;
    from.below_top + to.below_top + 2.0 * room.tray + along + rows + room.slack
}

/// The shortest cable on sale that is long enough; beyond the list whole kilometres.
pub fn sold(run: f64) -> f64 {
    let enough = SOLD.iter().copied().find(|&length| !exceeds(run, length));
    enough.unwrap_or_else(|| (run / 1000.0).ceil() * 1000.0)
}

/// Row and place in the row of each rack, from 1. Racks that many cables lead to (`central`) stand nearest to the middle of
/// the room; the others keep their order around them.
///
/// Source: NVIDIA DGX SuperPOD reference architectures put the racks of switches between those of nodes.
pub fn spots(central: &[bool], in_row: u64, width: f64, row_pitch: f64) -> Vec<(u64, u64)> {
    let (count, in_row) = (central.len() as u64, in_row.max(1));
    let columns = in_row.min(count);
    let rows = div_ceil(count, in_row);
    let middle = ((columns + 1) as f64 / 2.0, (rows + 1) as f64 / 2.0);
    let mut cells: Vec<(u64, u64)> =
        (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column))).collect();
    cells.truncate(usize::try_from(product([rows, columns]).min(count)).unwrap_or(usize::MAX));
    let away = |&(row, column): &(u64, u64)| {
        (column as f64 - middle.0).abs() * width + (row as f64 - middle.1).abs() * row_pitch
    };
    let mut nearest: Vec<(u64, u64)> = cells.clone();
    nearest.sort_by(|a, b| away(a).total_cmp(&away(b)).then(a.cmp(b)));
    let wanted = central.iter().filter(|central| **central).count();
    let mut middle: Vec<(u64, u64)> = nearest.iter().take(wanted).copied().collect();
    let mut around: Vec<(u64, u64)> = nearest.iter().skip(wanted).copied().collect();
    middle.sort_unstable();
    around.sort_unstable();
    let (mut middle, mut around) = (middle.into_iter(), around.into_iter());
    central.iter().filter_map(|central| if *central { middle.next() } else { around.next() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Place, Room, run, sold, spots};

    const ROOM: Room = Room { row_pitch: 2.4, tray: 0.3, slack: 1.0 };

    fn place(rack: usize, row: u64, across: f64, height: f64) -> Place {
        Place { rack, row, across, below_top: 2.0 - height, height }
    }

    #[test]
    fn ways_through_the_room() {
        let (low, high) = (place(0, 1, 0.3, 0.5), place(0, 1, 0.3, 1.75));
        assert!((run(&low, &high, &ROOM) - 1.75).abs() < 1e-9);
        // Up 1.5 m and the tray, three racks along, two rows across, and down again.
        let far = place(9, 3, 2.1, 1.0);
        assert!((run(&low, &far, &ROOM) - (1.5 + 0.3 + 1.8 + 4.8 + 0.3 + 1.0 + 1.0)).abs() < 1e-9);
        assert_eq!(run(&low, &far, &ROOM), run(&far, &low, &ROOM));
    }

    #[test]
    fn lengths_on_sale() {
        assert_eq!((sold(0.2), sold(0.5), sold(2.6), sold(3.0), sold(51.0)), (0.5, 0.5, 3.0, 3.0, 60.0));
        assert_eq!((sold(2000.0), sold(2001.0)), (2000.0, 3000.0));
    }

    #[test]
    fn racks_of_switches_stand_in_the_middle() {
        let central = [false, false, false, false, true];
        assert_eq!(spots(&central, 10, 0.6, 2.4), [(1, 1), (1, 2), (1, 4), (1, 5), (1, 3)]);
        // Two rows of two and one: as many cells as racks, each once.
        let mut all = spots(&[false; 5], 2, 0.6, 2.4);
        all.sort_unstable();
        assert_eq!(all, [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]);
        assert!(spots(&[], 10, 0.6, 2.4).is_empty());
    }
}
