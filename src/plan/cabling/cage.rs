//! Cages: what a module or a plug must fit.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::Model;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Fabric, Kind, Nic, Pool, Server, Storage};
use crate::model::words::Cooling;

use crate::plan::FabricPlan;
use crate::plan::fabric::{Role, port_speed, role};
use crate::plan::formula::round;
use crate::plan::wiring::Port;

/// The connector of a management port of 1 Gbps. Source: IEEE 802.3, 1000BASE-T.
const MANAGEMENT: &str = "RJ45";
/// Bytes a second up to which that holds.
const MANAGEMENT_SPEED: f64 = 125e6;

/// What every cage of a sort of device is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cage {
    /// `OSFP`, `QSFP112`, `RJ45`.
    pub form: Arc<str>,
    /// True where modules must have a flat top.
    pub flat: bool,
    /// Links of the fabric that one cage holds.
    pub links: u64,
    /// Bytes a second of a port.
    pub speed: f64,
}

/// What is known of cages, or why not.
pub(super) type Known = Result<Cage, Arc<str>>;

/// The cages of a fabric's devices, by what they belong to.
pub(super) struct Cages<'m> {
    model: &'m Model<'m>,
    fabric: &'m Fabric,
    switch: usize,
    known: Vec<Known>,
    by_owner: HashMap<BlockId, usize>,
}

impl<'m> Cages<'m> {
    pub(super) fn of(model: &'m Model<'m>, row: &FabricPlan) -> Cages<'m> {
        let fabric = &model[row.id];
        let known = vec![of_switch(model, fabric, row.radix)];
        Cages { model, fabric, switch: 0, known, by_owner: HashMap::new() }
    }

    /// The sort of cage that a port is in.
    pub(super) fn sort(&mut self, port: &Port) -> usize {
        if port.cage.is_some() {
            return self.switch;
        }
        if let Some(&sort) = self.by_owner.get(&port.of) {
            return sort;
        }
        self.known.push(of_device(self.model, self.fabric, port.of));
        let sort = self.known.len() - 1;
        self.by_owner.insert(port.of, sort);
        sort
    }

    pub(super) fn known(&self, sort: usize) -> &Known {
        &self.known[sort]
    }

    /// Which cage of its device a port is in, from 0; a port of its own where that is not known.
    pub(super) fn index(&self, sort: usize, port: &Port) -> u64 {
        match (port.cage, self.known(sort)) {
            (Some(cage), _) => cage,
            (None, Ok(cage)) => port.number.saturating_sub(1) / cage.links.max(1),
            (None, Err(_)) => port.number.saturating_sub(1),
        }
    }
}

/// `OSFP` of `OSFP flat-top`.
pub(super) fn form(connector: &str) -> Arc<str> {
    Arc::from(connector.split_whitespace().next().unwrap_or_default())
}

fn of_switch(model: &Model<'_>, fabric: &Fabric, radix: u64) -> Known {
    let switch = &model[fabric.switch];
    let unknown = || Arc::from(format!("the connector of `{}` is not known", model.address(fabric.switch.block())));
    let connector = switch.connector.as_deref().ok_or_else(unknown)?;
    Ok(Cage {
        form: form(connector),
        flat: switch.cooling == Cooling::Liquid,
        links: switch.cages.filter(|&cages| cages > 0).map_or(1, |cages| round::div_ceil(radix, cages)).max(1),
        speed: fabric.speed.bytes_per_second(),
    })
}

fn of_device(model: &Model<'_>, fabric: &Fabric, owner: BlockId) -> Known {
    match model.block(owner).kind {
        Kind::Pool => model.as_id(owner).map_or_else(|| Err(nobody(model, owner)), |pool| of_node(model, fabric, pool)),
        Kind::Storage => model
            .typed::<Storage>(owner)
            .map_or_else(|| Err(nobody(model, owner)), |one| of_storage(model, fabric, one)),
        Kind::Fabric if owner != fabric.id.block() => {
            Ok(Cage { form: Arc::from(MANAGEMENT), flat: false, links: 1, speed: MANAGEMENT_SPEED })
        }
        _ => Err(Arc::from(format!("what takes the further ports of `{}` is not described", model.address(owner)))),
    }
}

fn nobody(model: &Model<'_>, owner: BlockId) -> Arc<str> {
    Arc::from(format!("the ports of `{}` are not described", model.address(owner)))
}

fn of_node(model: &Model<'_>, fabric: &Fabric, pool: Id<Pool>) -> Known {
    let id = model[pool].server.ok_or_else(|| nobody(model, pool.block()))?;
    let server = &model[id];
    let role = role(model, fabric);
    let unknown = |what: &str| -> Arc<str> {
        Arc::from(format!("the {what} of the {} ports of `{}` is not known", word(role), model.address(id.block())))
    };
    let speed = port_speed(model, pool, fabric).ok_or_else(|| unknown("speed"))?;
    let (connector, ports) = match role {
        Role::Compute if server.compute_ports.is_some() => (&server.compute_connector, server.compute_ports),
        Role::Compute | Role::Storage => (&server.storage_connector, server.storage_ports),
        Role::Management => (&server.management_connector, server.management_ports),
    };
    let copper =
        || (role == Role::Management && !round::exceeds(speed, MANAGEMENT_SPEED)).then(|| Arc::<str>::from(MANAGEMENT));
    let connector = connector.clone().or_else(copper).or_else(|| of_cards(model, server, speed, ports));
    let connector = connector.ok_or_else(|| unknown("connector"))?;
    let shared = server.compute_cages.filter(|_| role == Role::Compute).zip(ports);
    let links = shared.map_or(1, |(cages, ports)| round::div_ceil(ports, cages.max(1))).max(1);
    let form = form(&connector);
    // Network cards have no room for fins.
    Ok(Cage { flat: &*form == "OSFP", form, links, speed })
}

/// The connector of the cards with ports of this speed, when they agree or when one sort has just as many ports.
fn of_cards(model: &Model<'_>, server: &Server, speed: f64, ports: Option<u64>) -> Option<Arc<str>> {
    let fitting: Vec<(u64, &Nic)> = server
        .nics
        .iter()
        .map(|part| (part.count, &model[part.item]))
        .filter(|(_, card)| card.speed.bytes_per_second() == speed)
        .collect();
    let connectors = |cards: &mut dyn Iterator<Item = &Nic>| {
        let mut found: Option<Arc<str>> = None;
        for card in cards {
            let connector = card.connector.clone()?;
            if found.as_ref().is_some_and(|found| form(found) != form(&connector)) {
                return None;
            }
            found = Some(connector);
        }
        found
    };
    connectors(&mut fitting.iter().map(|(_, card)| *card)).or_else(|| {
        let just = fitting.iter().filter(|(count, card)| Some(count.saturating_mul(card.ports)) == ports);
        connectors(&mut just.map(|(_, card)| *card))
    })
}

fn of_storage(model: &Model<'_>, fabric: &Fabric, storage: &Storage) -> Known {
    let address = model.address(storage.id.block());
    let product = storage.product.ok_or_else(|| Arc::<str>::from(format!("no product is chosen for `{address}`")))?;
    let appliance = &model[product];
    if role(model, fabric) == Role::Management {
        return Ok(Cage { form: Arc::from(MANAGEMENT), flat: false, links: 1, speed: MANAGEMENT_SPEED });
    }
    let unknown = |what: &str| -> Arc<str> {
        Arc::from(format!("the {what} of the ports of `{}` is not known", model.address(product.block())))
    };
    let speed = appliance.speed.ok_or_else(|| unknown("speed"))?.bytes_per_second();
    let form = form(appliance.connector.as_deref().ok_or_else(|| unknown("connector"))?);
    Ok(Cage { flat: &*form == "OSFP", form, links: 1, speed })
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Compute => "compute",
        Role::Storage => "storage",
        Role::Management => "management",
    }
}
