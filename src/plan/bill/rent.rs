//! What an hour of a GPU costs in a cloud: an instance of the package, or one of the catalogue with the same GPU.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::{Currency, Money, Quantity};
use crate::catalog::Fact;
use crate::model::Model;
use crate::model::block::Origin;
use crate::model::ids::{BlockId, Id};
use crate::model::kinds::{Gpu, Instance};

use super::price::{Market, Priced, Term, hourly, rank};

/// An offer of the hour of one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Rent {
    /// `p5.48xlarge of aws, list price in us-east-1, 2026-08-01`.
    pub what: Arc<str>,
    /// GPUs of the instance.
    pub gpus: u64,
    /// Money for a GPU and an hour.
    pub hour: Priced,
    /// The quote it is from.
    pub quote: Option<BlockId>,
}

/// The best offer for a GPU: quotes before list prices, instances with as many GPUs as a node before others, then the
/// lowest price; nothing without any.
pub fn cheapest(market: &Market<'_>, model: &Model<'_>, gpu: Id<Gpu>, of_node: u64) -> Option<Rent> {
    let mut offers: Vec<Rent> = Vec::new();
    let mut seen = BTreeSet::new();
    for instance in &model.tables.instances {
        if model.block(instance.id.block()).origin == Origin::Catalogue {
            seen.insert(model.name(instance.id).to_string());
        }
        let gpus = match instance.gpus.as_slice() {
            [part] if part.item == gpu => part.count,
            _ => continue,
        };
        offers.extend(of_instance(market, model, instance, gpus));
    }
    if model.block(gpu.block()).origin == Origin::Catalogue {
        let ids = model.catalogue.ids("instance").filter(|id| !seen.contains(*id));
        let entries = ids.filter_map(|id| model.catalogue.entry("instance", id));
        offers.extend(entries.filter_map(|facts| of_entry(market, &facts, model.name(gpu))));
    }
    let order = |offer: &Rent| {
        let (known, price) = rank(&offer.hour);
        (known, offer.quote.is_none(), offer.gpus != of_node, price)
    };
    offers.into_iter().min_by_key(order)
}

/// An instance that the package uses, at its quoted or its list price.
pub fn of_instance(market: &Market<'_>, model: &Model<'_>, instance: &Instance, gpus: u64) -> Option<Rent> {
    let name = format!("{} of {}", instance.r#type, instance.provider);
    let quoted = market.offer(instance.id.block(), Term::Hour);
    if let (Some(quote), Priced::Known(_) | Priced::Foreign(_)) = (quoted.quote, &quoted.each) {
        let what = Arc::from(format!("{name}, `{}`", model.address(quote)));
        return Some(Rent { what, gpus, hour: each(quoted.each, gpus)?, quote: Some(quote) });
    }
    let price = hourly(instance.price?.0);
    let region = instance.price_region.as_ref().map(|region| region.0.to_string());
    let what = listed(&name, region.as_deref(), instance.price_date);
    Some(Rent { what, gpus, hour: each(market.converted(price), gpus)?, quote: None })
}

/// An instance of the catalogue that nobody uses.
fn of_entry(market: &Market<'_>, facts: &[Fact], gpu: &str) -> Option<Rent> {
    let fact = |name: &str| facts.iter().find(|fact| fact.attribute == name).map(|fact| &fact.value);
    let text = |name: &str| fact(name).and_then(serde_json::Value::as_str);
    let gpus = match fact("gpus")?.as_array()?.as_slice() {
        [one] => one.as_str()?.strip_suffix(gpu)?.strip_suffix(" * catalog.gpu.")?.parse::<u64>().ok()?,
        _ => return None,
    };
    let price = Quantity::parse(text("price")?).ok()?;
    let currency = Currency::parse(price.dimension.currency()?)?;
    let price = hourly(Money { amount: price.value, currency });
    let name = format!("{} of {}", text("type")?, text("provider")?);
    let what = listed(&name, text("price_region"), text("price_date").and_then(Date::parse));
    Some(Rent { what, gpus, hour: each(market.converted(price), gpus)?, quote: None })
}

fn listed(name: &str, region: Option<&str>, date: Option<Date>) -> Arc<str> {
    let region = region.map_or(String::new(), |region| format!(" in {region}"));
    let date = date.map_or(String::new(), |date| format!(", {date}"));
    Arc::from(format!("{name}, list price{region}{date}"))
}

/// The price of one of several GPUs.
fn each(price: Priced, gpus: u64) -> Option<Priced> {
    let part = |money: Money| Some(Money { amount: money.amount.over(Number::whole(gpus))?, ..money });
    match price {
        Priced::Known(money) => part(money).map(Priced::Known),
        Priced::Foreign(money) => part(money).map(Priced::Foreign),
        Priced::Tbd(_) | Priced::Unknown => None,
    }
}
