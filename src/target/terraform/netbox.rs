//! The inventory of rooms of our own, as NetBox records.
//!
//! One layer for all of them: makers, device types and roles belong to no site, and two states cannot own one record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::model::Model;
use crate::model::decode::Control;
use crate::model::ids::BlockId;
use crate::model::kinds::{Appliance, Fabric, Kind, Pool, Server, Site, Switch};
use crate::model::words::{Provider, Technology};
use crate::plan::{Device, Plan};
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
    product: String,
    role: &'static str,
    rack: String,
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
    let (racks, groups, used) = racks(plan);
    let (manufacturers, products) = products(model, &used, writer);
    let view = View {
        address: model.address(platform.id.block()),
        tag: hcl::label(model.name(platform.id), 100),
        sites: sites.iter().map(|site| site_row(model, site)).collect(),
        manufacturers,
        products,
        roles: roles(plan),
        racks,
        groups,
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
    crate::base::phrase::excerpt(text, LONGEST - 1)
}

/// Racks and what stands in them, by name, with the products that are used.
fn racks(plan: &Plan<'_>) -> (Vec<RackRow>, Vec<Group>, BTreeMap<BlockId, u64>) {
    let model = &*plan.model;
    let (mut rows, mut used) = (Vec::new(), BTreeMap::new());
    let mut groups: BTreeMap<String, Vec<DeviceRow>> = BTreeMap::new();
    for sort in plan.racks.iter().filter(|sort| model[sort.site].provider == Provider::OnPrem) {
        let address = model.address(sort.id.map_or(sort.site.block(), |id| id.block()));
        let weight = sort.id.and_then(|id| model[id].weight_limit).map(|weight| weight.kilograms().floor() as u64);
        for rack in &sort.racks {
            rows.push(RackRow {
                name: rack.name.clone(),
                site: model.name(sort.site).to_string(),
                about: address.clone(),
                address: address.clone(),
                height: sort.height,
                max_weight: weight,
            });
            for device in &rack.devices {
                used.insert(device.product, device.height);
                let row = DeviceRow {
                    name: device.name.to_string(),
                    product: hcl::label(&model.block(device.product).name, 100),
                    role: role(plan, device).key,
                    rack: rack.name.clone(),
                    position: device.position,
                };
                groups.entry(model.address(device.of)).or_default().push(row);
            }
        }
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    let group = |(address, mut devices): (String, Vec<DeviceRow>)| {
        devices.sort_by(|a, b| a.name.cmp(&b.name));
        Group { address, devices }
    };
    (rows, groups.into_iter().map(group).collect(), used)
}

/// What a device does.
fn role(plan: &Plan<'_>, device: &Device) -> Role {
    let model = &*plan.model;
    if let Some(fabric) = model.typed::<Fabric>(device.of) {
        return match fabric.technology {
            Technology::Infiniband => INFINIBAND,
            Technology::Ethernet => ETHERNET,
        };
    }
    let Some(pool) = model.typed::<Pool>(device.of) else { return STORAGE };
    let controls = |cluster: &crate::model::kinds::Cluster| {
        matches!(cluster.control, Some(Control::Pool(id)) if id == pool.id) && !cluster.pools.contains(&pool.id)
    };
    match plan.pools.get(&pool.id) {
        Some(row) if row.node.gpus > 0 => GPU_NODE,
        _ if model.tables.clusters.iter().any(controls) => CONTROL_NODE,
        _ => CPU_NODE,
    }
}

fn roles(plan: &Plan<'_>) -> Vec<Role> {
    let here = plan.racks.iter().filter(|sort| plan.model[sort.site].provider == Provider::OnPrem);
    let devices = here.flat_map(|sort| &sort.racks).flat_map(|rack| &rack.devices);
    devices.map(|device| role(plan, device)).collect::<BTreeSet<Role>>().into_iter().collect()
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
fn products(model: &Model<'_>, used: &BTreeMap<BlockId, u64>, writer: &mut Writer) -> (Vec<Maker>, Vec<Product>) {
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
        makers.insert(maker.clone(), vendor.to_string());
        let name = &model.block(id).name;
        let key = hcl::label(name, 100);
        products.insert(
            key.clone(),
            Product {
                key,
                address,
                manufacturer: maker,
                model: facts.product.as_deref().unwrap_or(name).to_string(),
                height: (height > 0).then_some(height),
                part_number: facts.part_number.map(|number| number.to_string()),
            },
        );
    }
    (makers.into_iter().map(|(key, name)| Maker { key, name }).collect(), products.into_values().collect())
}

fn prefixes(model: &Model<'_>) -> Vec<Prefix> {
    let here = model.tables.networks.iter().filter(|network| model[network.site].provider == Provider::OnPrem);
    let row = |network: &crate::model::kinds::Network| Prefix {
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
