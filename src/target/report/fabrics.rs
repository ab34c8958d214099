//! Fabrics: counts, and the switches with what is linked to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::model::ids::BlockId;
use crate::model::value::Value;
use crate::plan::formula::fabric::FabricCount;
use crate::plan::wiring::Tier;
use crate::plan::{FabricPlan, Plan, rack};

use super::capped::Capped;
use super::sheet::Sheet;
use super::shown;
use super::words::{count, counted, fitting};

/// Fabrics that are drawn.
const FABRICS: usize = 24;
/// Switches of a tier that are drawn one by one.
const SWITCHES: usize = 11;
/// Groups of devices that are drawn one by one.
const GROUPS: usize = 6;

/// The width of a picture.
const WIDTH: u64 = 720;
/// The height of a line of text above a tier.
const CAPTION: u64 = 20;
/// The height of a switch.
const SWITCH: u64 = 24;
/// The height of a group of devices.
const GROUP: u64 = 40;
/// The height between two tiers.
const BETWEEN: u64 = 56;
/// The space between two boxes.
const GAP: u64 = 6;
/// The width of a small letter.
const LETTER: u64 = 5;

/// Every fabric.
#[derive(Serialize)]
pub struct Fabrics {
    /// Those that are drawn.
    pub drawn: Vec<Fabric>,
    more: usize,
}

/// A fabric.
#[derive(Serialize)]
pub struct Fabric {
    /// Its name.
    pub name: String,
    address: String,
    sort: String,
    switch: String,
    refusal: String,
    facts: Vec<Fact>,
    width: u64,
    height: u64,
    tiers: Vec<Shelf>,
    lines: Vec<Line>,
    captions: Vec<Caption>,
    summary: String,
    sheet: Sheet,
}

/// A fact in the table beside the picture.
#[derive(Serialize)]
struct Fact {
    name: &'static str,
    value: String,
}

/// Boxes of one tier.
#[derive(Serialize)]
struct Shelf {
    caption: Option<Caption>,
    boxes: Vec<Box>,
}

/// A switch, a group of devices, or what is not drawn.
#[derive(Serialize)]
struct Box {
    name: String,
    short: String,
    second: String,
    sort: &'static str,
    x: u64,
    y: u64,
    width: u64,
    height: u64,
    middle: u64,
    first: u64,
    line: u64,
}

/// Links between two boxes.
#[derive(Serialize)]
struct Line {
    x1: u64,
    y1: u64,
    x2: u64,
    y2: u64,
}

/// A text on a piece of paper, so that no line runs through it.
#[derive(Serialize)]
struct Caption {
    text: String,
    x: u64,
    y: u64,
    left: u64,
    top: u64,
    width: u64,
}

/// The fabrics of a plan.
pub fn view(plan: &Plan<'_>) -> Fabrics {
    let Capped { rows, more } = Capped::of(plan.fabrics.values(), FABRICS, |row| fabric(plan, row));
    Fabrics { drawn: rows, more }
}

fn fabric(plan: &Plan<'_>, row: &FabricPlan) -> Fabric {
    let model = &plan.model;
    let fabric = &model[row.id];
    let speed = model.show(&model.value(row.id.block(), "speed"));
    let mut drawing = Drawing::default();
    if let Some(count) = &row.count {
        drawing.draw(plan, row, count);
    }
    let name = model.name(row.id);
    Fabric {
        name: name.to_string(),
        address: model.address(row.id.block()),
        sort: format!("{}, {}, {speed}", fabric.technology, fabric.topology),
        switch: product(plan, fabric.switch.block()),
        refusal: row.refusal.clone().unwrap_or_default(),
        facts: facts(plan, row.id.block()),
        width: WIDTH,
        height: drawing.height,
        sheet: Sheet::around(WIDTH, drawing.height),
        summary: summary(row.count.as_ref()),
        tiers: drawing.tiers,
        lines: drawing.lines,
        captions: drawing.captions,
    }
}

fn product(plan: &Plan<'_>, block: BlockId) -> String {
    match plan.model.value(block, "product") {
        Value::Text(name) => name.to_string(),
        _ => plan.model.address(block),
    }
}

fn facts(plan: &Plan<'_>, block: BlockId) -> Vec<Fact> {
    const FACTS: &[(&str, &str)] = &[
        ("leaf_switches", "leaf switches"),
        ("spine_switches", "spine switches"),
        ("core_switches", "core switches"),
        ("switches", "switches in all"),
        ("exact_switches", "switches for an exact fit"),
        ("scalable_units", "scalable units"),
        ("node_links", "links of devices"),
        ("leaf_spine_links", "links from leaf to spine"),
        ("spine_core_links", "links from spine to core"),
        ("peer_links", "links between a pair"),
        ("oversubscription_max", "oversubscription of the fullest leaf"),
        ("oversubscription_all", "oversubscription of the fabric"),
    ];
    let fact = |(attribute, name): &(&str, &'static str)| Fact { name, value: shown::value(plan, block, attribute) };
    FACTS.iter().map(fact).filter(|fact| fact.value != "0").collect()
}

/// What the picture shows, for those who do not see it.
fn summary(count: Option<&FabricCount>) -> String {
    let Some(found) = count else { return String::from("nothing is drawn: the fabric cannot be built") };
    format!(
        "{} leaf, {} spine and {} core switches; {} links of devices, {} from leaf to spine, {} from spine to core, \
         {} between pairs",
        found.leaves,
        found.spines,
        found.cores,
        found.node_links,
        found.leaf_spine_links,
        found.spine_core_links,
        found.peer_links
    )
}

/// A picture that grows from the top down.
#[derive(Default)]
struct Drawing {
    height: u64,
    tiers: Vec<Shelf>,
    lines: Vec<Line>,
    captions: Vec<Caption>,
}

impl Drawing {
    fn draw(&mut self, plan: &Plan<'_>, row: &FabricPlan, found: &FabricCount) {
        let names = rack::switch_names(plan.model.name(row.id), found);
        let mut names = names.into_iter();
        let mut take = |number: u64| -> Vec<String> { names.by_ref().take(number as usize).collect() };
        let (leaves, spines, cores) = (take(found.leaves), take(found.spines), take(found.cores));
        let prefix = format!("{}-", plan.model.name(row.id));
        for (word, switches, links) in [
            ("core switch", &cores, found.spine_core_links),
            ("spine switch", &spines, found.leaf_spine_links),
            ("leaf switch", &leaves, found.node_links),
        ] {
            if !switches.is_empty() {
                self.switches(word, &prefix, switches, found.peer_links);
                self.between(links);
            }
        }
        self.groups(plan, row);
        self.link(row);
    }

    /// A tier of switches.
    fn switches(&mut self, word: &'static str, prefix: &str, names: &[String], peers: u64) {
        let number = names.len() as u64;
        let plural = if number == 1 { "" } else { "es" };
        let pair = if word == "leaf switch" && peers > 0 {
            format!(", {} links between the two of a pair", count(peers))
        } else {
            String::new()
        };
        let caption = format!("{} {word}{plural}{pair}", count(number));
        let shown = Capped::of(names, SWITCHES, |name| {
            (name.clone(), name.strip_prefix(prefix).unwrap_or(name).to_string(), String::new(), "switch")
        });
        self.shelf(caption, shown, SWITCH);
    }

    /// What is linked to the leaves.
    fn groups(&mut self, plan: &Plan<'_>, row: &FabricPlan) {
        let model = &plan.model;
        let ports = |number: u64| counted(number, "port");
        let pools = row.pools.iter().map(|pool| {
            let what = format!("{} × {}", counted(pool.nodes, "node"), ports(pool.ports_per_node));
            (model.address(pool.pool.block()), what, "server")
        });
        let storages = row.storages.iter().map(|storage| {
            let what = match storage.appliances {
                Some(number) => format!("{}, {}", counted(number, "appliance"), ports(storage.ports)),
                None => ports(storage.ports),
            };
            (model.address(storage.storage.block()), what, "store")
        });
        let switches = row.switches.iter().map(|other| {
            let what = format!("{} switches × {}", count(other.count.switches()), ports(other.ports_each));
            (model.address(other.fabric.block()), what, "switch")
        });
        let further =
            (row.further_ports > 0).then(|| (String::from("further ports"), ports(row.further_ports), "rest"));
        let all: Vec<_> = pools.chain(storages).chain(switches).chain(further).collect();
        let shown = Capped::of(all, GROUPS, |(name, what, sort)| (name.clone(), name, what, sort));
        self.shelf(String::new(), shown, GROUP);
    }

    /// Boxes over the whole width, and one for those that are not drawn.
    fn shelf(&mut self, caption: String, shown: Capped<(String, String, String, &'static str)>, height: u64) {
        if !caption.is_empty() {
            self.height += CAPTION;
        }
        let y = self.height;
        let mut all = shown.rows;
        if shown.more > 0 {
            all.push((String::new(), format!("… {} more", count(shown.more as u64)), String::new(), "rest"));
        }
        let number = (all.len() as u64).max(1);
        let widest = if height == GROUP { WIDTH / 3 } else { WIDTH / 8 };
        let width = ((WIDTH + GAP) / number - GAP).min(widest);
        let start = (WIDTH - (number * (width + GAP) - GAP)) / 2;
        let fits = (width / LETTER) as usize;
        let boxes = (0u64..).zip(all).map(|(index, (name, short, second, sort))| {
            let x = start + index * (width + GAP);
            let text = if second.is_empty() { y + height / 2 + 3 } else { y + height / 2 - 3 };
            Box {
                name,
                short: fitting(&short, fits),
                second: fitting(&second, fits),
                sort,
                x,
                y,
                width,
                height,
                middle: x + width / 2,
                first: text,
                line: text + 13,
            }
        });
        let caption = Some(caption).filter(|caption| !caption.is_empty());
        let caption = caption.map(|text| Caption {
            width: LETTER * 2 + 6 * text.chars().count() as u64,
            text,
            x: 0,
            y: y - 6,
            left: 0,
            top: y - 17,
        });
        self.tiers.push(Shelf { caption, boxes: boxes.collect() });
        self.height += height;
    }

    /// The space below a tier, with the number of links that cross it.
    fn between(&mut self, links: u64) {
        let text = counted(links, "link");
        let width = (text.chars().count() as u64 + 2) * (LETTER + 1);
        let middle = self.height + BETWEEN / 2 + 6;
        self.captions.push(Caption {
            text,
            x: WIDTH / 2,
            y: middle + 4,
            left: (WIDTH - width) / 2,
            top: middle - 9,
            width,
        });
        self.height += BETWEEN;
    }

    /// A line for every two boxes of neighbouring tiers that the port map links.
    fn link(&mut self, row: &FabricPlan) {
        let places: HashMap<&str, (usize, usize)> = self
            .tiers
            .iter()
            .enumerate()
            .flat_map(|(tier, shelf)| shelf.boxes.iter().enumerate().map(move |(at, one)| (&*one.name, (tier, at))))
            .filter(|(name, _)| !name.is_empty())
            .collect();
        let groups = self.tiers.len().saturating_sub(1);
        let of: BTreeMap<BlockId, usize> = ends(row).into_iter().zip(0..GROUPS).collect();
        let mut pairs: BTreeSet<((usize, usize), (usize, usize))> = BTreeSet::new();
        for link in &row.wiring.links {
            let upper = places.get(&*link.to.device);
            let lower = match link.tier {
                Tier::Node => of.get(&link.from.of).map(|at| (groups, *at)),
                Tier::Spine | Tier::Core => places.get(&*link.from.device).copied(),
                Tier::Peer => None,
            };
            pairs.extend(lower.zip(upper.copied()));
        }
        let lines = pairs.into_iter().filter_map(|((tier, at), (above, over))| {
            let (low, high) = (self.tiers.get(tier)?.boxes.get(at)?, self.tiers.get(above)?.boxes.get(over)?);
            Some(Line { x1: low.middle, y1: low.y, x2: high.middle, y2: high.y + high.height })
        });
        self.lines = lines.collect();
    }
}

/// The blocks of the groups, in the order they are drawn.
fn ends(row: &FabricPlan) -> Vec<BlockId> {
    let pools = row.pools.iter().map(|pool| pool.pool.block());
    let storages = row.storages.iter().map(|storage| storage.storage.block());
    let switches = row.switches.iter().map(|other| other.fabric.block());
    let further = (row.further_ports > 0).then(|| row.id.block());
    pools.chain(storages).chain(switches).chain(further).collect()
}
