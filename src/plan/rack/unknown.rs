//! What stands in racks and nobody knows enough of: its power, or how much of it there is.

use crate::model::Model;
use crate::model::ids::BlockId;
use crate::model::kinds::{Fabric, Kind, Pool, Storage};
use crate::model::words::StorageKind;

use crate::plan::Plan;
use crate::plan::lack::Lack;

/// What sums over some pools, fabrics and storages lack of power.
pub fn power(plan: &Plan<'_>, model: &Model<'_>, users: &[BlockId]) -> Vec<BlockId> {
    let mut unknown: Vec<BlockId> = users.iter().filter_map(|user| powerless(plan, model, *user)).collect();
    unknown.sort_unstable();
    unknown.dedup();
    unknown
}

/// What counts over some pools, fabrics and storages lack. A storage without a product has no place yet: it is a
/// requirement, and none of the devices that are counted.
pub fn size(plan: &Plan<'_>, model: &Model<'_>, users: &[BlockId]) -> Lack {
    let placed = |user: BlockId| model.typed::<Storage>(user).is_none_or(|storage| storage.product.is_some());
    let unknown = users.iter().copied().filter(|user| placed(*user) && stock(plan, model, *user) == Stock::Unknown);
    Lack::of(model, "size", unknown)
}

/// The product of which nobody knows the power, or the block itself where nobody knows what or how many it is.
fn powerless(plan: &Plan<'_>, model: &Model<'_>, user: BlockId) -> Option<BlockId> {
    match stock(plan, model, user) {
        Stock::None => None,
        Stock::Unknown => Some(user),
        Stock::Of { product, power_known } => (!power_known).then_some(product),
    }
}

/// What a block puts into racks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stock {
    /// Nothing: it is rented, part of something else, or there is none.
    None,
    /// Nobody knows what, or how many.
    Unknown,
    /// Some of a product.
    Of { product: BlockId, power_known: bool },
}

fn stock(plan: &Plan<'_>, model: &Model<'_>, user: BlockId) -> Stock {
    match model.block(user).kind {
        Kind::Pool => pool(plan, model, user),
        Kind::Storage => storage(plan, model, user),
        Kind::Fabric => fabric(plan, model, user),
        _ => Stock::None,
    }
}

fn pool(plan: &Plan<'_>, model: &Model<'_>, user: BlockId) -> Stock {
    let Some(row) = model.as_id::<Pool>(user).and_then(|id| plan.pools.get(&id)) else { return Stock::None };
    match row.node.product {
        _ if row.node.rented => Stock::None,
        _ if !plan.nodes_are_known(user) => Stock::Unknown,
        _ if row.nodes.high == 0 => Stock::None,
        Some(product) => Stock::Of { product, power_known: row.node.power.is_some() },
        None => Stock::Unknown,
    }
}

/// A storage without a product will be something; disks in the nodes are part of the nodes.
fn storage(plan: &Plan<'_>, model: &Model<'_>, user: BlockId) -> Stock {
    let Some(storage) = model.typed::<Storage>(user) else { return Stock::None };
    let appliances = plan.storages.get(&storage.id).and_then(|row| row.appliances);
    match (storage.product, appliances) {
        _ if storage.kind == StorageKind::LocalNvme => Stock::None,
        (Some(_), Some(0)) => Stock::None,
        (Some(product), Some(_)) => {
            Stock::Of { product: product.block(), power_known: model[product].max_power.given().is_some() }
        }
        (Some(_) | None, _) => Stock::Unknown,
    }
}

fn fabric(plan: &Plan<'_>, model: &Model<'_>, user: BlockId) -> Stock {
    let Some(fabric) = model.typed::<Fabric>(user) else { return Stock::None };
    let count = plan.fabrics.get(&fabric.id).and_then(|row| row.count.as_ref());
    match count.map(|count| count.switches()) {
        Some(0) => Stock::None,
        Some(_) => Stock::Of { product: fabric.switch.block(), power_known: model[fabric.switch].max_power.is_some() },
        None => Stock::Unknown,
    }
}
