//! The platform on one picture: loads, pools, fabrics and storage, sites.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::ids::BlockId;
use crate::model::kinds::{Kind, Pool};
use crate::model::value::Value;
use crate::plan::{Plan, rack, storage};

use super::sheet::Sheet;
use super::shown;
use super::words::{count, counted, fitting, range, replicas};

/// Boxes of a column that are drawn.
const BOXES: usize = 12;
/// The width of the picture.
const WIDTH: u64 = 720;
/// The width of a box.
const BOX: u64 = 144;
/// Its height.
const HEIGHT: u64 = 40;
/// The space between two of them.
const GAP: u64 = 10;
/// The height of the titles.
const HEAD: u64 = 24;
/// Characters that fit into a box.
const CHARACTERS: usize = 23;
/// The titles of the columns.
const TITLES: [&str; 4] = ["Loads", "Pools", "Fabrics and storage", "Sites"];

/// The picture.
#[derive(Serialize)]
pub struct Overview {
    name: String,
    width: u64,
    height: u64,
    titles: Vec<Title>,
    boxes: Vec<Box>,
    lines: Vec<Line>,
    summary: String,
    sheet: Sheet,
}

/// The title of a column.
#[derive(Serialize)]
struct Title {
    text: &'static str,
    x: u64,
}

/// A block.
#[derive(Serialize)]
struct Box {
    address: String,
    short: String,
    fact: String,
    sort: &'static str,
    x: u64,
    y: u64,
    width: u64,
    height: u64,
    left: u64,
    first: u64,
    second: u64,
}

/// A line from one box to another.
#[derive(Serialize)]
struct Line {
    path: String,
}

/// What may be drawn, and what it is joined to on its left.
struct Entry {
    /// Nothing where a line only passes.
    block: Option<BlockId>,
    fact: String,
    sort: &'static str,
    /// Rows of the column before that it is joined to.
    from: Vec<usize>,
}

/// The picture of a plan.
pub fn view(plan: &Plan<'_>) -> Overview {
    let (pools, more_pools) = cut(plan.pools.keys().map(|id| id.block()));
    let at: BTreeMap<BlockId, usize> = pools.iter().copied().zip(0..).collect();
    let (loads, more_loads) = loads(plan, &at);
    let (mut paths, more_paths) = paths(plan, &at);
    let sites = sites(plan, &mut paths, &pools);
    let pools = pools.into_iter().map(|pool| of_pool(plan, pool, &loads)).collect();
    let loads: Vec<Entry> = loads.into_iter().map(|(entry, _)| entry).collect();
    let mut columns = [loads, pools, paths, sites];
    let more = [more_loads, more_pools, more_paths, 0];
    order(&mut columns);
    draw(plan, &columns, more)
}

fn cut(all: impl Iterator<Item = BlockId>) -> (Vec<BlockId>, usize) {
    let mut all = all;
    let shown: Vec<BlockId> = all.by_ref().take(BOXES).collect();
    (shown, all.count())
}

/// Loads with the pool that each runs on.
fn loads(plan: &Plan<'_>, pools: &BTreeMap<BlockId, usize>) -> (Vec<(Entry, Option<BlockId>)>, usize) {
    let kinds = [Kind::Training, Kind::Finetune, Kind::Inference, Kind::Dataprep, Kind::Retrieval];
    let (shown, more) = cut(kinds.into_iter().flat_map(|kind| plan.model.blocks_of(kind).iter().copied()));
    let mut loads: Vec<(Entry, Option<BlockId>)> = shown
        .into_iter()
        .map(|block| {
            let pool = match plan.model.value(block, "runs_on") {
                Value::Block(pool) => Some(pool),
                _ => None,
            };
            (Entry { block: Some(block), fact: load_fact(plan, block), sort: "load", from: Vec::new() }, pool)
        })
        .collect();
    loads.sort_by_key(|(_, pool)| pool.and_then(|pool| pools.get(&pool).copied()));
    (loads, more)
}

fn load_fact(plan: &Plan<'_>, block: BlockId) -> String {
    let model = &plan.model;
    let gpus = |number: u64| counted(number, "GPU");
    match model.block(block).kind {
        Kind::Training => model.as_id(block).and_then(|id| plan.trainings.get(&id)).map(|row| gpus(row.gpus)),
        Kind::Finetune => model.as_id(block).and_then(|id| plan.finetunes.get(&id)).map(|row| gpus(row.gpus)),
        Kind::Inference => model
            .as_id(block)
            .and_then(|id| plan.inferences.get(&id))
            .map(|row| format!("{} × {}", replicas(row.replicas), gpus(row.gpus_per_replica))),
        Kind::Dataprep => model
            .as_id(block)
            .and_then(|id| plan.datapreps.get(&id))
            .and_then(|row| row.cores)
            .map(|cores| counted(cores, "core")),
        _ => None,
    }
    .unwrap_or_default()
}

fn of_pool(plan: &Plan<'_>, block: BlockId, loads: &[(Entry, Option<BlockId>)]) -> Entry {
    let row = plan.model.as_id::<Pool>(block).and_then(|id| plan.pools.get(&id));
    let fact = row.map(|row| {
        if !plan.nodes_are_known(block) {
            return String::from("nodes unknown");
        }
        let (low, high) = (row.nodes.low, row.nodes.high);
        let nodes = if low == high { counted(high, "node") } else { format!("{} nodes", range(low, high)) };
        if row.gpus > 0 { format!("{nodes}, {}", counted(row.gpus, "GPU")) } else { nodes }
    });
    let from = (0..).zip(loads).filter(|(_, (_, pool))| *pool == Some(block)).map(|(at, _)| at).collect();
    Entry { block: Some(block), fact: fact.unwrap_or_default(), sort: "server", from }
}

/// Fabrics with the pools on them, and storage with the pools whose loads use it.
fn paths(plan: &Plan<'_>, pools: &BTreeMap<BlockId, usize>) -> (Vec<Entry>, usize) {
    let fabrics = plan.fabrics.values().map(|row| {
        let fact = row.count.as_ref().map(|found| switches(found.switches()));
        let from = row.pools.iter().filter_map(|pool| pools.get(&pool.pool.block()).copied()).collect();
        let fact = fact.unwrap_or_else(|| String::from("cannot be built"));
        Entry { block: Some(row.id.block()), fact, sort: "switch", from }
    });
    let storages = plan.storages.values().map(|row| {
        let loads = |pool: &BlockId| plan.model.as_id::<Pool>(*pool).map(|id| &plan.pool(id).loads);
        let disks = storage::disks_of(&plan.model, &plan.model[row.id]).map(|pool| pool.block());
        let asks = |pool: &BlockId| {
            disks == Some(*pool)
                || row.demands.iter().any(|demand| loads(pool).is_some_and(|on| on.contains(&demand.by)))
        };
        let from = pools.iter().filter(|(pool, _)| asks(pool)).map(|(_, at)| *at).collect();
        Entry { block: Some(row.id.block()), fact: plan.model[row.id].kind.to_string(), sort: "store", from }
    });
    let mut all = fabrics.chain(storages);
    let shown: Vec<Entry> = all.by_ref().take(BOXES).collect();
    (shown, all.count())
}

/// Sites with what stands in them; pools on no fabric reach theirs on a line of their own.
fn sites(plan: &Plan<'_>, paths: &mut Vec<Entry>, pools: &[BlockId]) -> Vec<Entry> {
    let mut of_site: BTreeMap<BlockId, Vec<usize>> = plan.sites.keys().map(|id| (id.block(), Vec::new())).collect();
    for (at, entry) in paths.iter().enumerate() {
        if let Some(site) = entry.block.and_then(|block| site_of(plan, block)) {
            of_site.entry(site).or_default().push(at);
        }
    }
    for (at, pool) in pools.iter().enumerate() {
        let site = site_of(plan, *pool);
        let reaches = paths.iter().enumerate().any(|(path, entry)| {
            entry.from.contains(&at) && site.is_some_and(|site| of_site.get(&site).is_some_and(|on| on.contains(&path)))
        });
        if let (false, Some(site)) = (reaches, site) {
            of_site.entry(site).or_default().push(paths.len());
            paths.push(Entry { block: None, fact: String::new(), sort: "", from: vec![at] });
        }
    }
    let entry = |(block, from): (BlockId, Vec<usize>)| {
        let row = plan.model.as_id(block).and_then(|id| plan.sites.get(&id));
        let own = row.filter(|row| row.power > 0.0);
        let fact = own.map_or_else(|| provider(plan, block), |_| shown::value(plan, block, "power"));
        Entry { block: Some(block), fact, sort: "site", from }
    };
    of_site.into_iter().take(BOXES).map(entry).collect()
}

/// `1 switch`, `5 switches`.
fn switches(number: u64) -> String {
    if number == 1 { String::from("1 switch") } else { format!("{} switches", count(number)) }
}

fn provider(plan: &Plan<'_>, site: BlockId) -> String {
    match plan.model.value(site, "provider") {
        Value::Word(provider) => provider.to_string(),
        _ => String::new(),
    }
}

fn site_of(plan: &Plan<'_>, block: BlockId) -> Option<BlockId> {
    let model = &plan.model;
    match (model.block(block).kind, model.value(block, "site")) {
        (Kind::Fabric, _) => rack::site_of(model, model.typed(block)?).map(|site| site.block()),
        (_, Value::Block(site)) => Some(site),
        _ => None,
    }
}

/// Puts each column in the order of what its boxes are joined to, so that few lines cross.
fn order(columns: &mut [Vec<Entry>; 4]) {
    for column in 2..columns.len() {
        let mean = |entry: &Entry| {
            let sum: usize = entry.from.iter().sum();
            // In hundredths: whole numbers have an order.
            (sum * 100).checked_div(entry.from.len()).unwrap_or(usize::MAX)
        };
        let mut places: Vec<usize> = (0..columns[column].len()).collect();
        places.sort_by_key(|at| mean(&columns[column][*at]));
        let mut taken: Vec<Option<Entry>> = std::mem::take(&mut columns[column]).into_iter().map(Some).collect();
        columns[column] = places.iter().filter_map(|at| taken[*at].take()).collect();
        let moved: BTreeMap<usize, usize> = places.into_iter().zip(0..).collect();
        for entry in columns.get_mut(column + 1).into_iter().flatten() {
            entry.from = entry.from.iter().filter_map(|at| moved.get(at).copied()).collect();
        }
    }
}

/// The left edge of a column.
fn left(column: usize) -> u64 {
    column as u64 * ((WIDTH - BOX) / 3)
}

fn draw(plan: &Plan<'_>, columns: &[Vec<Entry>; 4], more: [usize; 4]) -> Overview {
    let tall = |entry: &Entry| if entry.block.is_some() { HEIGHT } else { GAP };
    let height_of = |(column, more): (&Vec<Entry>, usize)| {
        let rest = if more > 0 { HEIGHT / 2 + GAP } else { 0 };
        column.iter().map(|entry| tall(entry) + GAP).sum::<u64>() + rest
    };
    let height = columns.iter().zip(more).map(height_of).max().unwrap_or_default();
    let (mut boxes, mut lines, mut before) = (Vec::new(), Vec::new(), Vec::<u64>::new());
    for (column, (entries, more)) in columns.iter().zip(more).enumerate() {
        let (x, mut y) = (left(column), HEAD + (height - height_of((entries, more))) / 2);
        let mut middles = Vec::new();
        for entry in entries {
            let middle = y + tall(entry) / 2;
            let ends = entry.from.iter().filter_map(|at| before.get(*at));
            lines.extend(ends.map(|from| curve(left(column.saturating_sub(1)) + BOX, *from, x, middle)));
            match entry.block {
                Some(block) => boxes.push(boxed(plan.model.address(block), &entry.fact, entry.sort, x, y)),
                None => lines.push(Line { path: format!("M{x} {middle}H{}", x + BOX) }),
            }
            middles.push(middle);
            y += tall(entry) + GAP;
        }
        if more > 0 {
            let rest = boxed(format!("… {} more", count(more as u64)), "", "rest", x, y);
            boxes.push(Box { height: HEIGHT / 2, first: y + HEIGHT / 4 + 4, ..rest });
        }
        before = middles;
    }
    let name = plan.model.platform().map(|platform| plan.model.name(platform.id)).unwrap_or_default();
    let numbers = columns
        .iter()
        .zip(more)
        .map(|(column, more)| column.iter().filter(|entry| entry.block.is_some()).count() + more);
    let parts: Vec<String> = TITLES.iter().zip(numbers).map(|(title, number)| format!("{title}: {number}")).collect();
    Overview {
        name: name.to_string(),
        width: WIDTH,
        height: HEAD + height,
        titles: TITLES.iter().enumerate().map(|(column, text)| Title { text, x: left(column) }).collect(),
        boxes,
        lines,
        summary: parts.join("; "),
        sheet: Sheet::around(WIDTH, HEAD + height),
    }
}

fn boxed(address: String, fact: &str, sort: &'static str, x: u64, y: u64) -> Box {
    let first = if fact.is_empty() { y + HEIGHT / 2 + 4 } else { y + 17 };
    Box {
        short: fitting(&address, CHARACTERS),
        address,
        fact: fitting(fact, CHARACTERS),
        sort,
        x,
        y,
        width: BOX,
        height: HEIGHT,
        left: x + 10,
        first,
        second: y + 31,
    }
}

/// A line that leaves and arrives level.
fn curve(x1: u64, y1: u64, x2: u64, y2: u64) -> Line {
    let bend = x1 + (x2.saturating_sub(x1)) / 2;
    Line { path: format!("M{x1} {y1}C{bend} {y1} {bend} {y2} {x2} {y2}") }
}
