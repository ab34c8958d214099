//! Cables and modules of a group of cages: what fits every end, or why nothing does.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::model::ids::BlockId;
use crate::model::words::Medium;
use crate::plan::figure::show;
use crate::plan::formula::round;
use crate::plan::wiring::{Link, Port};

use super::cage::{Cage, Cages};
use super::group::{Group, Groups};
use super::stock::{Item, Stock};

/// What a link needs.
#[derive(Debug, Clone)]
pub(super) struct Need {
    /// Bytes a second: the slower end.
    pub speed: f64,
    /// Metres, or why they are not known.
    pub length: Result<f64, Arc<str>>,
}

/// One cable.
#[derive(Debug, Clone)]
pub(super) struct Pick {
    pub links: Vec<usize>,
    pub medium: Option<Medium>,
    pub product: Option<BlockId>,
    pub tails: u64,
    pub open: Option<Arc<str>>,
}

/// What a group gets: its cables, and the module of each cage that needs one.
#[derive(Debug, Clone, Default)]
pub(super) struct Choice {
    pub cables: Vec<Pick>,
    pub modules: Vec<(usize, BlockId)>,
}

/// A fabric while its cables are chosen.
pub(super) struct Chooser<'c, 'm> {
    pub links: &'c [Link],
    pub needs: &'c [Need],
    pub groups: &'c Groups,
    pub cages: &'c Cages<'m>,
    pub stock: &'c Stock,
}

impl Chooser<'_, '_> {
    pub(super) fn choose(&self, group: &Group) -> Choice {
        self.matched(group).unwrap_or_else(|why| Choice {
            cables: group.links.iter().map(|link| unknown(*link, &why)).collect(),
            modules: Vec::new(),
        })
    }

    fn matched(&self, group: &Group) -> Result<Choice, Arc<str>> {
        for &slot in &group.slots {
            self.cages.known(self.groups.slots[slot].sort).as_ref().map_err(Arc::clone)?;
        }
        let speed = group.links.first().map_or(0.0, |link| self.needs[*link].speed);
        if group.links.iter().any(|link| self.needs[*link].speed != speed) {
            return Err(Arc::from("links that share a cage run at different speeds"));
        }
        let mut longest = 0.0_f64;
        for &link in &group.links {
            longest = longest.max(*self.needs[link].length.as_ref().map_err(Arc::clone)?);
        }
        match self.fixed(group, speed, longest) {
            Some(item) => Ok(Choice { cables: vec![whole(group, item)], modules: Vec::new() }),
            None => self.optical(group, speed, longest),
        }
    }

    fn cage(&self, slot: usize) -> Option<&Cage> {
        self.cages.known(self.groups.slots[slot].sort).as_ref().ok()
    }

    /// One cable with fixed ends for the whole group.
    fn fixed(&self, group: &Group, speed: f64, length: f64) -> Option<&Item> {
        let ends = || group.links.iter().map(|link| self.groups.ends[*link]);
        let mut from: Vec<usize> = ends().map(|(from, _)| from).collect();
        let mut to: Vec<usize> = ends().map(|(_, to)| to).collect();
        let links = group.links.len() as u64;
        from.dedup();
        to.dedup();
        match (from.as_slice(), to.as_slice()) {
            ([from], [to]) => self.stock.straight(self.cage(*from)?, self.cage(*to)?, links, speed, length),
            (many, [one]) | ([one], many) if many.len() as u64 == links => {
                let many: Option<Vec<&Cage>> = many.iter().map(|slot| self.cage(*slot)).collect();
                self.stock.split(self.cage(*one)?, &many?, speed, length)
            }
            _ => None,
        }
    }

    /// Modules that understand each other in every cage, and the fibres between them.
    fn optical(&self, group: &Group, speed: f64, length: f64) -> Result<Choice, Arc<str>> {
        let first = group.slots.first().and_then(|slot| self.cage(*slot)).ok_or("nothing is joined")?;
        let leads = self.stock.modules(first, speed).filter(|item| !round::exceeds(length, item.reach));
        for lead in leads {
            if let Some(modules) = self.modules_like(group, lead, speed, length) {
                return Ok(Choice { cables: self.fibres(group, lead, speed), modules });
            }
        }
        Err(self.why_not(group, speed, length))
    }

    fn modules_like(&self, group: &Group, lead: &Item, speed: f64, length: f64) -> Option<Vec<(usize, BlockId)>> {
        let mut chosen: BTreeMap<usize, BlockId> = BTreeMap::new();
        let mut modules = Vec::with_capacity(group.slots.len());
        for &slot in &group.slots {
            let sort = self.groups.slots[slot].sort;
            let product = match chosen.entry(sort) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => {
                    let mut fitting = self.stock.modules(self.cage(slot)?, speed);
                    let found = fitting.find(|item| item.speaks_to(lead) && !round::exceeds(length, item.reach))?;
                    *free.insert(found.block)
                }
            };
            modules.push((slot, product));
        }
        Some(modules)
    }

    /// A straight fibre for each channel of the modules, or one that splits where a channel carries two links.
    fn fibres(&self, group: &Group, lead: &Item, speed: f64) -> Vec<Pick> {
        let ways = lead.ways(speed).max(1);
        let mut below: BTreeMap<(usize, u64), usize> = BTreeMap::new();
        for &link in &group.links {
            *below.entry(self.channel(self.groups.ends[link].0, &self.links[link].from, ways)).or_default() += 1;
        }
        let mut channels: BTreeMap<(usize, u64), Vec<usize>> = BTreeMap::new();
        let mut order: Vec<(usize, u64)> = Vec::new();
        for &link in &group.links {
            let channel = self.channel(self.groups.ends[link].1, &self.links[link].to, ways);
            let of = channels.entry(channel).or_default();
            if of.is_empty() {
                order.push(channel);
            }
            of.push(link);
        }
        let shapes: Vec<Option<u64>> =
            order.iter().map(|channel| self.tails(&channels[channel], &below, ways)).collect();
        // Both fibres of a module are of one sort; cages of a group share modules, so the whole group is.
        let even = shapes.windows(2).all(|pair| pair[0] == pair[1]);
        let picks = order.iter().zip(shapes).map(|(channel, tails)| {
            let links = channels.remove(channel).unwrap_or_default();
            let length =
                links.iter().filter_map(|link| self.needs[*link].length.as_ref().ok()).fold(0.0, |a, b| b.max(a));
            let pick = |product: Option<&Item>, tails, open: Option<&str>| Pick {
                links: links.clone(),
                medium: Some(lead.medium),
                product: product.map(|item| item.block),
                tails,
                open: open.map(Arc::from),
            };
            match tails.filter(|_| even) {
                Some(tails) => match self.stock.fibre(lead, tails, length) {
                    Some(fibre) => pick(Some(fibre), tails, None),
                    None => pick(None, tails, Some(&no_fibre(lead, tails, length))),
                },
                None => pick(None, 1, Some("fibres of one module would have to be straight and split")),
            }
        });
        picks.collect()
    }

    /// Plugs at the far end of the fibre of a channel: 1 when its links are all those of one channel there, 2 when each goes
    /// to a cage of its own; nothing when neither. `below` counts the links of every channel at the lower end.
    fn tails(&self, links: &[usize], below: &BTreeMap<(usize, u64), usize>, ways: u64) -> Option<u64> {
        if ways == 1 {
            return Some(1);
        }
        let from = |link: &usize| self.channel(self.groups.ends[*link].0, &self.links[*link].from, ways);
        let alone = |link: &usize| self.cage(self.groups.ends[*link].0).is_some_and(|cage| cage.links == 1);
        if links.iter().all(alone) {
            return Some(ways);
        }
        let first = links.first().map(from)?;
        (below.get(&first) == Some(&links.len()) && links.iter().all(|link| from(link) == first)).then_some(1)
    }

    /// The cage of a port and which fibre of its module the port is on.
    fn channel(&self, slot: usize, port: &Port, ways: u64) -> (usize, u64) {
        let links = self.cage(slot).map_or(1, |cage| cage.links.max(1));
        (slot, (port.number.saturating_sub(1) % links) / ways)
    }

    fn why_not(&self, group: &Group, speed: f64, length: f64) -> Arc<str> {
        let cages = || group.slots.iter().filter_map(|slot| self.cage(*slot));
        let none = cages().find(|cage| self.stock.modules(cage, speed).next().is_none());
        let speed = show(speed, "Gbps");
        Arc::from(match none {
            Some(cage) => {
                let length = show(length, "m");
                format!("no cable of {length} and no transceiver is known for a `{}` cage at {speed}", cage.form)
            }
            None if cages().any(|cage| cages().any(|other| other.form != cage.form)) => {
                let forms: Vec<&str> = cages().map(|cage| &*cage.form).collect();
                let (low, high) = (forms.iter().min().unwrap_or(&""), forms.iter().max().unwrap_or(&""));
                format!(
                    "no cable and no two transceivers over {} are known between `{low}` and `{high}` cages at {speed}",
                    show(length, "m")
                )
            }
            None => format!("no cable and no two transceivers over {} are known at {speed}", show(length, "m")),
        })
    }
}

fn whole(group: &Group, item: &Item) -> Pick {
    let (medium, product) = (Some(item.medium), Some(item.block));
    Pick { links: group.links.clone(), medium, product, tails: item.tails, open: None }
}

fn unknown(link: usize, why: &Arc<str>) -> Pick {
    Pick { links: vec![link], medium: None, product: None, tails: 1, open: Some(Arc::clone(why)) }
}

fn no_fibre(lead: &Item, tails: u64, length: f64) -> String {
    let shape = if tails > 1 { "split" } else { "straight" };
    format!("no {shape} {} fibre with {} reaches {}", lead.medium, lead.connector, show(length, "m"))
}
