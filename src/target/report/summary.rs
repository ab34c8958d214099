//! The first page: what it is, what it costs, what it draws, when it comes, and what is still open.

use serde::Serialize;

use crate::base::phrase;
use crate::model::ids::Id;
use crate::plan::Plan;
use crate::plan::bill::{Line, Paid, delivery};
use crate::target::bom::rows::Row;

use super::capped::Capped;
use super::findings::Findings;
use super::open::Open;
use super::words::{self, Cash, cash, count, kilowatts};
use super::{money, shown};

/// Sites, pools and categories that the first page has room for.
const SHOWN: usize = 6;

/// What the first page shows.
#[derive(Serialize)]
pub struct Summary {
    name: String,
    title: String,
    owner: String,
    stage: String,
    as_of: String,
    lifetime: String,
    doc: Vec<String>,
    capex: Option<Cash>,
    opex_least: Option<Cash>,
    opex_most: Option<Cash>,
    opex_varies: bool,
    /// Pools whose nodes are not known; nothing of theirs is counted.
    unsized_pools: String,
    currency: String,
    lines: usize,
    unpriced: usize,
    once: Capped<money::Sum>,
    yearly: Capped<money::Sum>,
    power: String,
    heat: String,
    power_unknown: String,
    sites: Capped<Site>,
    delivery: Delivery,
    gpus: String,
    nodes: String,
    racks: String,
    switches: String,
    cables: String,
    limits: Capped<String>,
    open: usize,
    decisions: usize,
    unpriced_points: usize,
    memories: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    waived: usize,
}

/// Power of a site.
#[derive(Serialize)]
struct Site {
    name: String,
    power: String,
    limit: String,
    energy: String,
    racks: String,
}

/// When it is there.
#[derive(Serialize)]
struct Delivery {
    longest: String,
    what: String,
    needed_by: String,
    order_by: String,
    first: String,
    all_there: String,
    undated: usize,
}

/// The first page of a plan, when there is a platform.
pub fn view(plan: &Plan<'_>, rows: &[Row<'_>], open: &Open, findings: &Findings) -> Option<Summary> {
    let model = &plan.model;
    let platform = model.platform()?;
    let block = platform.id.block();
    let tally = plan.tally();
    let opex = plan.bill.opex;
    let own = rows.iter().filter(|row| row.own().is_some());
    Some(Summary {
        name: model.name(platform.id).to_string(),
        title: platform.title.as_deref().unwrap_or_default().to_string(),
        owner: platform.owner.as_deref().unwrap_or_default().to_string(),
        stage: platform.stage.to_string(),
        as_of: plan.as_of.map(|date| date.to_string()).unwrap_or_default(),
        lifetime: model.show(&model.value(block, "lifetime")),
        doc: paragraphs(&model.doc),
        capex: plan.bill.capex.map(cash),
        opex_least: opex.map(|year| cash(year.least)),
        opex_most: opex.map(|year| cash(year.most)),
        opex_varies: opex.is_some_and(|year| year.least != year.most),
        unsized_pools: match tally.nodes_unknown as u64 {
            0 => String::new(),
            number => words::counted(number, "pool"),
        },
        currency: platform.currency.to_string(),
        lines: own.clone().count(),
        unpriced: own.filter(|row| !row.open.is_empty()).count(),
        once: Capped::of(money::known(plan, rows, Paid::Once), SHOWN, |sum| sum),
        yearly: Capped::of(money::known(plan, rows, Paid::Yearly), SHOWN, |sum| sum),
        power: shown::value(plan, block, "power"),
        heat: heat(plan),
        power_unknown: match tally.power_unknown as u64 {
            0 => String::new(),
            number => phrase::count(number, "machine"),
        },
        sites: sites(plan),
        delivery: delivered(plan, rows),
        gpus: shown::words(plan, block, "gpus"),
        nodes: match tally.nodes_unknown {
            0 => words::range(tally.nodes_low, tally.nodes),
            _ => format!("at least {}", count(tally.nodes_low)),
        },
        racks: count(tally.racks),
        switches: count(tally.switches),
        cables: count(tally.cables),
        limits: Capped::of(plan.pools.values().filter(|row| !row.loads.is_empty()), SHOWN, |row| {
            words::readable(&plan.bottleneck_sentence(row.id))
        }),
        open: open.count(),
        decisions: open.decisions.count,
        unpriced_points: open.prices.count,
        memories: open.memories.count,
        errors: findings.errors,
        warnings: findings.warnings,
        notes: findings.notes,
        waived: findings.waived,
    })
}

/// A text without its line ends, which are those of the source; an empty line begins a paragraph.
fn paragraphs(text: &str) -> Vec<String> {
    let paragraphs = text.trim().split("\n\n").filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|paragraph| paragraph.replace('\n', " ")).collect()
}

/// Heat of the sites of our own, or what is known of it.
fn heat(plan: &Plan<'_>) -> String {
    let tally = plan.tally();
    match tally.power_unknown {
        _ if plan.sites.is_empty() => String::from("unknown"),
        0 => kilowatts(tally.heat),
        _ if tally.heat == 0.0 => String::from("unknown"),
        _ => format!("at least {}", kilowatts(tally.heat)),
    }
}

/// The sites of our own: the cloud carries the power of the others.
fn sites(plan: &Plan<'_>) -> Capped<Site> {
    let own = plan.sites.values().filter(|row| row.racks > 0 || row.it_power > 0.0);
    Capped::of(own, SHOWN, |row| {
        let block = row.id.block();
        Site {
            name: plan.model.name(row.id).to_string(),
            power: shown::value(plan, block, "power"),
            limit: plan.model[row.id].power_limit.given().map(|limit| kilowatts(limit.watts())).unwrap_or_default(),
            energy: shown::words(plan, block, "energy"),
            racks: count(row.racks),
        }
    })
}

fn delivered(plan: &Plan<'_>, rows: &[Row<'_>]) -> Delivery {
    let lines = &plan.bill.lines;
    let longest = delivery::longest(lines);
    let first = rows.iter().filter_map(|row| Some((row.order_by?, row))).min_by_key(|(order, _)| *order);
    let all_there = plan.as_of.and_then(|today| lines.iter().filter_map(|line| delivery::arrives(line, today)).max());
    let needed = plan.model.platform().and_then(|platform| platform.needed_by);
    Delivery {
        longest: longest.and_then(|line| line.lead_weeks).map(weeks).unwrap_or_default(),
        what: longest.map(|line| named(plan, line)).unwrap_or_default(),
        needed_by: needed.map(|date| date.to_string()).unwrap_or_default(),
        order_by: first.map(|(order, _)| order.to_string()).unwrap_or_default(),
        first: first.map(|(_, row)| row.description().to_string()).unwrap_or_default(),
        all_there: all_there.map(|date| date.to_string()).unwrap_or_default(),
        undated: delivery::undated(lines),
    }
}

fn named(plan: &Plan<'_>, line: &Line) -> String {
    format!("{} for {}", line.description, plan.model.address(line.of))
}

/// `28 weeks`.
pub fn weeks(weeks: f64) -> String {
    let number = words::show(weeks, "");
    if number == "1" { String::from("1 week") } else { format!("{number} weeks") }
}

/// The address of an id.
pub fn address<K>(plan: &Plan<'_>, id: Id<K>) -> String {
    plan.model.address(id.block())
}
