//! The inventory of rooms of our own, as NetBox records.
//!
//! One layer for all of them: makers, device types and roles belong to no site, and two states cannot own one record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::base::phrase;
use crate::model::Model;
use crate::model::block::Origin;
use crate::model::decode::Control;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Appliance, Cluster, Fabric, Kind, Network, Pool, Server, Site, Switch};
use crate::model::words::{Provider, Technology};
use crate::plan::{Plan, RackPlan, rack};
use crate::target::problems;

use super::{Writer, hcl};

/// The layer.
const LAYER: &str = "netbox";
/// The longest description that NetBox takes.
const LONGEST: usize = 200;
/// The maker of a product that names none.
const NO_MAKER: &str = "unspecified";

#[derive(Serialize)]
struct View {
    address: String,
    tag: String,
    sites: Vec<SiteRow>,
    manufacturers: Vec<Maker>,
    products: Vec<Product>,
    roles: Vec<Role>,
    racks: Vec<RackRow>,
    groups: Vec<Group>,
    prefixes: Vec<Prefix>,
}

#[derive(Serialize)]
struct SiteRow {
    name: String,
    slug: String,
    address: String,
    about: String,
}

#[derive(Serialize)]
struct Maker {
    key: String,
    name: String,
}

#[derive(Serialize)]
struct Product {
    key: String,
    address: String,
    manufacturer: String,
    model: String,
    height: Option<u64>,
    part_number: Option<String>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Role {
    key: &'static str,
    name: &'static str,
    color: &'static str,
}

#[derive(Serialize)]
struct RackRow {
    name: String,
    site: String,
    address: String,
    about: String,
    height: u64,
    max_weight: Option<u64>,
}

/// The devices of one pool, fabric or storage.
#[derive(Serialize)]
struct Group {
    address: String,
    devices: Vec<DeviceRow>,
}

#[derive(Serialize)]
struct DeviceRow {
    name: String,
    site: String,
    product: String,
    role: &'static str,
    /// Nothing where it found no place.
    rack: Option<String>,
    position: u64,
}

#[derive(Serialize)]
struct Prefix {
    key: String,
    site: String,
    address: String,
    cidr: String,
    about: String,
}

const GPU_NODE: Role = Role { key: "gpu-node", name: "GPU node", color: "4caf50" };
const CPU_NODE: Role = Role { key: "cpu-node", name: "CPU node", color: "2196f3" };
const CONTROL_NODE: Role = Role { key: "control-node", name: "Control node", color: "9c27b0" };
const STORAGE: Role = Role { key: "storage", name: "Storage", color: "ff9800" };
const INFINIBAND: Role = Role { key: "infiniband-switch", name: "InfiniBand switch", color: "009688" };
const ETHERNET: Role = Role { key: "ethernet-switch", name: "Ethernet switch", color: "607d8b" };

/// Writes the layer, when there is a room of our own.
pub(super) fn write(plan: &Plan<'_>, writer: &mut Writer) {
    let model = &*plan.model;
    let mut sites: Vec<&Site> = model.tables.sites.iter().filter(|site| site.provider == Provider::OnPrem).collect();
    let Some(platform) = model.platform().filter(|_| !sites.is_empty()) else { return };
    sites.sort_by_key(|site| model.name(site.id));
    let found = inventory(plan, writer);
    let (manufacturers, products) = products(model, &found.products, writer);
    let view = View {
        address: model.address(platform.id.block()),
        tag: hcl::label(model.name(platform.id), 100),
        sites: sites.iter().map(|site| site_row(model, site)).collect(),
        manufacturers,
        products,
        roles: found.roles.into_iter().collect(),
        racks: found.racks,
        groups: found.groups.into_iter().map(|(address, devices)| Group { address, devices }).collect(),
        prefixes: prefixes(model),
    };
    for name in ["versions.tf", "variables.tf", "inventory.tf", "netbox.tf", "outputs.tf"] {
        writer.file(LAYER, "netbox", name, &view);
    }
}

fn site_row(model: &Model<'_>, site: &Site) -> SiteRow {
    let name = model.name(site.id).to_string();
    let title = site.title.as_deref().unwrap_or_default();
    SiteRow { slug: hcl::label(&name, 100), address: model.address(site.id.block()), about: short(title), name }
}

/// A text as long as NetBox takes it.
fn short(text: &str) -> String {
    phrase::excerpt(text, LONGEST - 1)
}

/// What there is, before it is written.
#[derive(Default)]
struct Inventory {
    racks: Vec<RackRow>,
    groups: BTreeMap<String, Vec<DeviceRow>>,
    /// Products with the height they take; nothing where nobody knows it.
    products: BTreeMap<BlockId, Option<u64>>,
    roles: BTreeSet<Role>,
    placed: BTreeSet<Arc<str>>,
}

/// Racks, what stands in them, and what found no place in any.
fn inventory(plan: &Plan<'_>, writer: &mut Writer) -> Inventory {
    let mut found = Inventory::default();
    for sort in plan.racks.iter().filter(|sort| at_home(plan, sort.site)) {
        put_racks(plan, sort, &mut found);
    }
    for pool in plan.pools.values().filter(|pool| at_home(plan, plan.model[pool.id].site)) {
        if pool.nodes.high > rack::MOST_DEVICES {
            too_many(plan, pool.id.block(), writer);
        } else if let Some(product) = pool.node.product {
            let names = plan.node_names(pool.id).map(Arc::from).collect();
            put_rest(plan, pool.id.block(), (product, plan.model[pool.id].site), names, &mut found);
        }
    }
    for fabric in plan.fabrics.values() {
        let site = rack::site_of(&plan.model, &plan.model[fabric.id]).filter(|site| at_home(plan, *site));
        let Some((site, count)) = site.zip(fabric.count.as_ref()) else { continue };
        if count.leaves.saturating_add(count.spines).saturating_add(count.cores) > rack::MOST_DEVICES {
            too_many(plan, fabric.id.block(), writer);
        } else {
            let names = rack::switch_names(plan.model.name(fabric.id), count).into_iter().map(Arc::from).collect();
            let switch = plan.model[fabric.id].switch.block();
            put_rest(plan, fabric.id.block(), (switch, site), names, &mut found);
        }
    }
    for storage in plan.storages.values().filter(|storage| at_home(plan, plan.model[storage.id].site)) {
        let address = plan.model.address(storage.id.block());
        let placed = found.groups.get(&address).map_or(0, Vec::len) as u64;
        if storage.appliances.is_some_and(|bought| bought > placed) {
            let why = "the inventory lacks appliances that found no place in a rack";
            writer.problem(problems::not_in_terraform(&address, why).at(plan.model.place(storage.id), ""));
        }
    }
    found.racks.sort_by(|a, b| a.name.cmp(&b.name));
    found.groups.values_mut().for_each(|devices| devices.sort_by(|a, b| a.name.cmp(&b.name)));
    found
}

fn too_many(plan: &Plan<'_>, block: BlockId, writer: &mut Writer) {
    let most = crate::base::quantity::group(&rack::MOST_DEVICES.to_string());
    let why = format!("it has more than {most} devices, which are no inventory to type in");
    let problem = problems::not_in_terraform(&plan.model.address(block), &why);
    writer.problem(problem.at(plan.model.block(block).place, ""));
}

fn at_home(plan: &Plan<'_>, site: Id<Site>) -> bool {
    plan.model[site].provider == Provider::OnPrem
}

fn put_racks(plan: &Plan<'_>, sort: &RackPlan, found: &mut Inventory) {
    let model = &*plan.model;
    let address = model.address(sort.id.map_or(sort.site.block(), |id| id.block()));
    let weight = sort.id.and_then(|id| model[id].weight_limit).map(|weight| weight.kilograms().floor() as u64);
    for rack in &sort.racks {
        found.racks.push(RackRow {
            name: rack.name.clone(),
            site: model.name(sort.site).to_string(),
            about: address.clone(),
            address: address.clone(),
            height: sort.height,
            max_weight: weight,
        });
        for device in &rack.devices {
            let place = Some((rack.name.clone(), device.position));
            found.products.insert(device.product, Some(device.height));
            put(plan, device.of, (device.product, sort.site), Arc::clone(&device.name), place, found);
        }
    }
}

/// The devices of a pool or fabric that stand in no rack.
fn put_rest(plan: &Plan<'_>, of: BlockId, what: (BlockId, Id<Site>), names: Vec<Arc<str>>, found: &mut Inventory) {
    for name in names {
        if !found.placed.contains(&name) {
            found.products.entry(what.0).or_insert(None);
            put(plan, of, what, name, None, found);
        }
    }
}

fn put(
    plan: &Plan<'_>,
    of: BlockId,
    (product, site): (BlockId, Id<Site>),
    name: Arc<str>,
    place: Option<(String, u64)>,
    found: &mut Inventory,
) {
    let role = role(plan, of);
    found.roles.insert(role);
    let row = DeviceRow {
        name: name.to_string(),
        site: plan.model.name(site).to_string(),
        product: product_key(&plan.model, product),
        role: role.key,
        position: place.as_ref().map_or(0, |(_, position)| *position),
        rack: place.map(|(rack, _)| rack),
    };
    found.groups.entry(plan.model.address(of)).or_default().push(row);
    found.placed.insert(name);
}

/// A catalogue's product by its id; one of the package under the platform's name, as NetBox may know others.
fn product_key(model: &Model<'_>, product: BlockId) -> String {
    let block = model.block(product);
    match (block.origin, model.platform()) {
        (Origin::Package, Some(platform)) => hcl::label(&format!("{}-{}", model.name(platform.id), block.name), 100),
        _ => hcl::label(&block.name, 100),
    }
}

/// What a device does.
fn role(plan: &Plan<'_>, of: BlockId) -> Role {
    let model = &*plan.model;
    if let Some(fabric) = model.typed::<Fabric>(of) {
        return match fabric.technology {
            Technology::Infiniband => INFINIBAND,
            Technology::Ethernet => ETHERNET,
        };
    }
    let Some(pool) = model.typed::<Pool>(of) else { return STORAGE };
    let controls = |cluster: &Cluster| {
        matches!(cluster.control, Some(Control::Pool(id)) if id == pool.id) && !cluster.pools.contains(&pool.id)
    };
    match plan.pools.get(&pool.id) {
        Some(row) if row.node.gpus > 0 => GPU_NODE,
        _ if model.tables.clusters.iter().any(controls) => CONTROL_NODE,
        _ => CPU_NODE,
    }
}

/// What a product says of itself.
struct Facts {
    vendor: Option<Arc<str>>,
    product: Option<Arc<str>>,
    part_number: Option<Arc<str>>,
}

fn facts(model: &Model<'_>, id: BlockId) -> Facts {
    let nothing = Facts { vendor: None, product: None, part_number: None };
    match model.block(id).kind {
        Kind::Server => model.typed::<Server>(id).map(|server| Facts {
            vendor: server.vendor.clone(),
            product: server.product.clone(),
            part_number: server.part_number.clone(),
        }),
        Kind::Switch => model.typed::<Switch>(id).map(|switch| Facts {
            vendor: switch.vendor.clone(),
            product: switch.product.clone(),
            part_number: switch.part_number.clone(),
        }),
        _ => model.typed::<Appliance>(id).map(|appliance| Facts {
            vendor: appliance.vendor.clone(),
            product: appliance.product.clone(),
            part_number: None,
        }),
    }
    .unwrap_or(nothing)
}

/// Makers and device types of what is used.
fn products(
    model: &Model<'_>,
    used: &BTreeMap<BlockId, Option<u64>>,
    writer: &mut Writer,
) -> (Vec<Maker>, Vec<Product>) {
    let (mut makers, mut products) = (BTreeMap::new(), BTreeMap::new());
    for (&id, &height) in used {
        let (facts, address) = (facts(model, id), model.address(id));
        if facts.vendor.is_none() {
            let what = format!("no vendor is given; NetBox gets the maker `{NO_MAKER}`");
            let help = "add `vendor` and `product` as they stand on the offer";
            writer.problem(problems::terraform_default(&address, &what, help).at(model.block(id).place, ""));
        }
        let vendor = facts.vendor.as_deref().unwrap_or(NO_MAKER);
        let maker = hcl::label(&vendor.to_lowercase(), 100);
        makers.insert(maker.clone(), phrase::excerpt(vendor, 99));
        let key = product_key(model, id);
        products.insert(
            key.clone(),
            Product {
                address,
                manufacturer: maker,
                model: phrase::excerpt(facts.product.as_deref().unwrap_or(&key), 99),
                height,
                part_number: facts.part_number.map(|number| number.to_string()),
                key,
            },
        );
    }
    (makers.into_iter().map(|(key, name)| Maker { key, name }).collect(), products.into_values().collect())
}

fn prefixes(model: &Model<'_>) -> Vec<Prefix> {
    let here = model.tables.networks.iter().filter(|network| model[network.site].provider == Provider::OnPrem);
    let row = |network: &Network| Prefix {
        key: model.name(network.id).to_string(),
        site: model.name(network.site).to_string(),
        address: model.address(network.id.block()),
        cidr: network.cidr.0.to_string(),
        about: short(network.title.as_deref().unwrap_or(&model.address(network.id.block()))),
    };
    let mut rows: Vec<Prefix> = here.map(row).collect();
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    rows
}
