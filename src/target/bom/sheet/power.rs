//! Power: what each rack and each site draws at most, and gives off.

use crate::model::ids::Id;
use crate::model::kinds::Site;
use crate::plan::{Density, FeedLoad, FilledRack, Plan, RackPlan, SitePlan};
use crate::target::bom::columns::BTU_PER_WATT_HOUR;
use crate::target::bom::workbook::{Cell, Form, Outcome, Sheet, at, range};

use super::{measure, racks, text, whole};

const NAME: &str = "Power and cooling";
const LEVEL: usize = 0;
const SITE: usize = 1;
const IT: usize = 6;
const PUE: usize = 7;
const HEAT: usize = 10;

/// The sheet: racks, then sites, whose sums are formulas over the racks.
pub fn sheet(plan: &Plan<'_>) -> Sheet {
    let columns = [
        ("Level", 8.0),
        ("Site", 14.0),
        ("Rack", 18.0),
        ("Devices", 9.0),
        ("Used, U", 9.0),
        ("Height, U", 9.0),
        ("IT power at most, kW", 12.0),
        ("PUE", 8.0),
        ("With cooling, kW", 12.0),
        ("Limit, kW", 12.0),
        ("Heat at most, kW", 12.0),
        ("Heat, BTU/h", 14.0),
        ("Weight, kg", 12.0),
        ("Feeds", 7.0),
        ("On each feed, kW", 10.0),
        ("After the loss of one, kW", 11.0),
        ("A feed gives, kW", 10.0),
        ("Cooling class", 22.0),
        ("Row and place", 9.0),
        ("Not counted", 60.0),
    ];
    let racks = racks::sorted(plan);
    let filled = racks.iter().flat_map(|row| row.racks.iter().map(move |rack| (*row, rack)));
    let mut rows: Vec<Vec<Cell>> =
        filled.enumerate().map(|(index, (row, rack))| of_rack(plan, index, row, rack)).collect();
    let count = rows.len();
    let mut sites: Vec<&SitePlan> = plan.sites.values().collect();
    sites.sort_by_key(|row| plan.model.name(row.id));
    rows.extend(sites.into_iter().zip(count..).map(|(site, index)| of_site(plan, index, count, site)));
    Sheet::new(NAME, &columns, rows)
}

fn of_rack(plan: &Plan<'_>, index: usize, row: &RackPlan, rack: &FilledRack) -> Vec<Cell> {
    // Of nothing that is known there is no sum.
    let sum = |unknown: bool, value: f64, cell: Cell| if unknown && value == 0.0 { Cell::Empty } else { cell };
    let watts = |value: f64| sum(rack.power_unknown, value, kilowatts(value));
    let of_feed = |value: fn(&FeedLoad) -> Option<f64>| rack.feed.as_ref().and_then(value).map_or(Cell::Empty, watts);
    let unknown = [(rack.power_unknown, "power"), (rack.weight_unknown, "weight")];
    let missing: Vec<String> = unknown
        .iter()
        .filter(|(unknown, _)| *unknown)
        .map(|(_, what)| format!("devices whose {what} is not known"))
        .collect();
    let limit = row.id.and_then(|id| plan.model[id].power_limit.given().map(|limit| limit.watts()));
    vec![
        text("rack"),
        text(plan.model.name(row.site)),
        text(rack.name.as_str()),
        whole(rack.devices.len() as u64),
        whole(rack.used),
        whole(row.height),
        watts(rack.power),
        Cell::Empty,
        Cell::Empty,
        limit.map_or(Cell::Empty, kilowatts),
        watts(rack.heat),
        sum(rack.power_unknown, rack.heat, btu(index, rack.heat)),
        sum(rack.weight_unknown, rack.weight, measure(rack.weight)),
        rack.feed.as_ref().map_or(Cell::Empty, |feed| whole(feed.feeds)),
        of_feed(|feed| Some(feed.normal)),
        of_feed(|feed| feed.after_loss),
        of_feed(|feed| feed.capacity),
        if rack.power_unknown { Cell::Empty } else { text(density(rack.density)) },
        if rack.spot.row > 0 { text(format!("{}/{}", rack.spot.row, rack.spot.column)) } else { Cell::Empty },
        text(missing.join("; ")),
    ]
}

/// The class of room that a rack of this density wants.
fn density(density: Density) -> &'static str {
    match density {
        Density::Enterprise => "up to 10 kW, air",
        Density::Dense => "up to 40 kW, dense air",
        Density::VeryDense => "up to 60 kW, contained",
        Density::Liquid => "above 60 kW, liquid",
    }
}

fn of_site(plan: &Plan<'_>, index: usize, racks: usize, row: &SitePlan) -> Vec<Cell> {
    let site = &plan.model[row.id];
    let pue = site.pue.given().map(|pue| pue.fraction());
    let known = |watts: f64, cell: Cell| if watts == 0.0 && !row.power_unknown.is_empty() { Cell::Empty } else { cell };
    let cooled = match pue {
        Some(_) => Cell::Formula(
            format!("{}*{}", at(IT, index), at(PUE, index)),
            Outcome::Number(row.power / 1_000.0),
            Form::Measure,
        ),
        None => Cell::Empty,
    };
    let unknown: Vec<String> = row.power_unknown.iter().map(|product| plan.model.address(*product)).collect();
    let mut missing = Vec::new();
    if !unknown.is_empty() {
        missing.push(format!("power not known: {}", unknown.join(", ")));
    }
    if pue.is_none() {
        missing.push(String::from("cooling: the site has no `pue`"));
    }
    vec![
        text("site"),
        text(plan.model.name(row.id)),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        known(row.it_power, sum(plan, row.id, IT, racks, row.it_power)),
        pue.map_or(Cell::Empty, measure),
        known(row.power, cooled),
        site.power_limit.given().map_or(Cell::Empty, |limit| kilowatts(limit.watts())),
        known(row.heat, sum(plan, row.id, HEAT, racks, row.heat)),
        known(row.heat, btu(index, row.heat)),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        text(missing.join("; ")),
    ]
}

/// The sum of a column over the racks of a site.
fn sum(plan: &Plan<'_>, site: Id<Site>, column: usize, racks: usize, watts: f64) -> Cell {
    // Without racks the range would be the row of the sum itself.
    if racks == 0 {
        return kilowatts(watts);
    }
    let over = |column| range(NAME, column, racks);
    // Names are letters, digits and hyphens.
    let formula =
        format!("SUMIFS({},{},\"rack\",{},\"{}\")", over(column), over(LEVEL), over(SITE), plan.model.name(site));
    Cell::Formula(formula, Outcome::Number(watts / 1_000.0), Form::Measure)
}

fn kilowatts(watts: f64) -> Cell {
    measure(watts / 1_000.0)
}

fn btu(index: usize, watts: f64) -> Cell {
    let per_kilowatt = BTU_PER_WATT_HOUR * 1_000.0;
    Cell::Formula(
        format!("{}*{per_kilowatt}", at(HEAT, index)),
        Outcome::Number(watts / 1_000.0 * per_kilowatt),
        Form::Whole,
    )
}
