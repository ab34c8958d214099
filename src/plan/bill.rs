//! The bill: what is bought and rented, what it costs, and who asked for it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::{Currency, Money};
use crate::catalog::Confidence;
use crate::model::Model;
use crate::model::decode::{Price, Setting};
use crate::model::ids::BlockId;
use crate::model::kinds::{Instance, Kind, PriceLine, Quote, Server};
use crate::model::value::Value;
use crate::model::words::Provider;

use super::Plan;
use super::figure::{Figure, Reason};

const HOURS_PER_YEAR: u64 = 8_760;
const SECONDS_PER_HOUR: u64 = 3_600;
const SECONDS_PER_WEEK: f64 = 604_800.0;

/// Every line, and the sums of those that have a price.
#[derive(Debug, Clone, Default)]
pub struct Bill {
    /// In the order they are printed.
    pub lines: Vec<Line>,
    /// To buy everything that has a price, in the platform's currency.
    pub capex: Option<Money>,
    /// A year of everything that has a price: rent (low and high), support, energy.
    pub opex: Option<(Money, Money)>,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// A server.
    Server,
    /// A network switch.
    Switch,
    /// A storage system, or a requirement for one.
    Storage,
    /// A rack.
    Rack,
    /// A cloud instance.
    Instance,
    /// Support of something bought.
    Support,
    /// Electrical energy.
    Energy,
}

impl Category {
    /// The word in the bill.
    pub fn word(self) -> &'static str {
        match self {
            Category::Server => "server",
            Category::Switch => "switch",
            Category::Storage => "storage",
            Category::Rack => "rack",
            Category::Instance => "instance",
            Category::Support => "support",
            Category::Energy => "energy",
        }
    }
}

/// How often a price is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paid {
    /// Once.
    Once,
    /// Every year.
    Yearly,
}

/// A price of one, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Priced {
    /// Known, in the platform's currency, with the discount taken off.
    Known(Money),
    /// Known in another currency, and no `rate` block converts it.
    Foreign(Money),
    /// A supplier still has to answer.
    Tbd(Arc<str>),
    /// Nobody gave one.
    Unknown,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The block it comes from: a pool, a fabric, a storage.
    pub of: BlockId,
    /// What it is.
    pub category: Category,
    /// The product, when it is one.
    pub product: Option<BlockId>,
    /// Who makes it.
    pub manufacturer: Option<Arc<str>>,
    /// The maker's part number.
    pub part_number: Option<Arc<str>>,
    /// What a buyer reads.
    pub description: String,
    /// How many: the least and the most.
    pub quantity: (u64, u64),
    /// In what: `ea`, `h`, `kWh`.
    pub unit: &'static str,
    /// How often the price is paid.
    pub paid: Paid,
    /// Price of one.
    pub each: Priced,
    /// The quote that the price is from.
    pub quote: Option<BlockId>,
    /// Where a list price is from.
    pub price_source: Option<String>,
    /// The day of the price.
    pub price_date: Option<Date>,
    /// Weeks until it is there.
    pub lead_weeks: Option<f64>,
    /// Watts of one at most.
    pub power: Option<f64>,
    /// Kilograms of one.
    pub weight: Option<f64>,
    /// Rack units of one.
    pub height: Option<u64>,
    /// Where its facts are from, and how sure they are.
    pub source: String,
    /// True when a fact of it was written from memory.
    pub from_memory: bool,
}

/// Writes the bill of a sized platform, and the sums of it.
pub fn sum(plan: &mut Plan<'_>) {
    let model = Arc::clone(&plan.model);
    let Some(platform) = model.platform() else { return };
    let market = Market::new(&model, platform.currency);
    let mut lines = Vec::new();
    pools(plan, &model, &market, &mut lines);
    fabrics(plan, &model, &market, &mut lines);
    storages(plan, &model, &market, &mut lines);
    racks(plan, &model, &mut lines);
    energy(plan, &model, &market, &mut lines);
    plan.bill = total(lines, platform.currency);
    put_figures(plan, &model, platform.id.block());
}

/// What prices there are, and how money converts.
struct Market<'m> {
    model: &'m Model<'m>,
    currency: Currency,
    quoted: HashMap<BlockId, Vec<(BlockId, &'m PriceLine)>>,
}

/// A price with where it is from.
struct Offer {
    each: Priced,
    quote: Option<BlockId>,
    source: Option<String>,
    date: Option<Date>,
    lead_weeks: Option<f64>,
    /// Share of the price that support costs each year.
    support: Option<Number>,
}

impl Offer {
    fn none() -> Offer {
        Offer { each: Priced::Unknown, quote: None, source: None, date: None, lead_weeks: None, support: None }
    }
}

impl<'m> Market<'m> {
    fn new(model: &'m Model<'m>, currency: Currency) -> Market<'m> {
        let mut quoted: HashMap<BlockId, Vec<(BlockId, &PriceLine)>> = HashMap::new();
        for quote in &model.tables.quotes {
            for line in &quote.price {
                quoted.entry(model[*line].of.block).or_default().push((quote.id.block(), &model[*line]));
            }
        }
        Market { model, currency, quoted }
    }

    /// The lowest quoted price of a product; a price that is still open before none at all.
    fn offer(&self, product: BlockId, per_hour: bool) -> Offer {
        let lines = self.quoted.get(&product).map_or(&[][..], Vec::as_slice);
        let offers = lines.iter().map(|(quote, line)| self.read(*quote, line, per_hour));
        offers.min_by_key(|offer| rank(&offer.each)).unwrap_or_else(Offer::none)
    }

    fn read(&self, quote: BlockId, line: &PriceLine, per_hour: bool) -> Offer {
        let each = match &line.each {
            Setting::Given(Price::Once(money)) if !per_hour => self.converted(discounted(*money, line)),
            Setting::Given(Price::PerSecond(money)) if per_hour => self.converted(hourly(discounted(*money, line))),
            Setting::Tbd(why) => Priced::Tbd(Arc::clone(why)),
            // A monthly price of something bought, or a price to buy of something rented, is no price of it.
            Setting::Given(_) | Setting::Auto | Setting::Absent => Priced::Unknown,
        };
        let block = self.model.typed::<Quote>(quote);
        Offer {
            each,
            quote: Some(quote),
            source: block.map(|quote| {
                format!(
                    "{}{}",
                    quote.vendor,
                    quote.reference.as_ref().map_or(String::new(), |reference| format!(", {reference}"))
                )
            }),
            date: block.and_then(|quote| quote.date),
            lead_weeks: line.lead_time.map(|time| time.seconds() / SECONDS_PER_WEEK),
            support: line.support.map(|share| share.exact()),
        }
    }

    /// In the platform's currency, where a `rate` block says how.
    fn converted(&self, money: Money) -> Priced {
        if money.currency == self.currency {
            return Priced::Known(money);
        }
        let rates = &self.model.tables.rates;
        let straight = rates.iter().find(|rate| rate.from == money.currency && rate.to == self.currency);
        let inverse = rates.iter().find(|rate| rate.to == money.currency && rate.from == self.currency);
        let amount = match (straight, inverse) {
            (Some(rate), _) => money.amount.times(rate.value.exact()),
            (None, Some(rate)) => money.amount.over(rate.value.exact()),
            (None, None) => None,
        };
        amount.map_or(Priced::Foreign(money), |amount| Priced::Known(Money { amount, currency: self.currency }))
    }

    /// The list price of an instance, in the region of its site only.
    fn list_price(&self, instance: &Instance, site: &crate::model::kinds::Site) -> Option<Offer> {
        let same_region = instance.price_region.is_some() && instance.price_region == site.region;
        let money = instance.price.filter(|_| same_region)?.0;
        let source = self.model.fact_source(instance.id.block(), "price").map(|source| source.title.clone());
        let each = self.converted(hourly(money));
        Some(Offer { each, source, date: instance.price_date, ..Offer::none() })
    }
}

/// Known prices first, the lowest before others; then open ones.
fn rank(each: &Priced) -> (u8, Number) {
    match each {
        Priced::Known(money) => (0, money.amount),
        Priced::Foreign(money) => (1, money.amount),
        Priced::Tbd(_) => (2, Number::ZERO),
        Priced::Unknown => (3, Number::ZERO),
    }
}

fn discounted(money: Money, line: &PriceLine) -> Money {
    let share = line.discount.and_then(|discount| Number::ONE.minus(discount.exact()));
    let amount = share.and_then(|share| money.amount.times(share)).unwrap_or(money.amount);
    Money { amount, ..money }
}

fn hourly(per_second: Money) -> Money {
    let amount = per_second.amount.times(Number::whole(SECONDS_PER_HOUR)).unwrap_or(per_second.amount).round(6);
    Money { amount, ..per_second }
}

fn pools(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.pools.values() {
        let Some(product) = row.node.product else { continue };
        let block = row.id.block();
        if row.node.rented {
            let pool = &model[row.id];
            let quoted = market.offer(product, true);
            let listed =
                model.typed::<Instance>(product).and_then(|instance| market.list_price(instance, &model[pool.site]));
            let offer = if quoted.quote.is_none() { listed.unwrap_or(quoted) } else { quoted };
            let hours = |nodes: u64| nodes.saturating_mul(HOURS_PER_YEAR);
            let quantity = (hours(row.nodes.low), hours(row.nodes.high));
            lines.push(Line {
                unit: "h",
                paid: Paid::Yearly,
                ..line(model, block, Category::Instance, Some(product), quantity, offer)
            });
        } else {
            bought(model, market, block, Category::Server, product, row.nodes.high, lines);
        }
    }
}

/// A line for something bought, and one for its support when the price says what that costs.
fn bought(
    model: &Model<'_>,
    market: &Market<'_>,
    of: BlockId,
    category: Category,
    product: BlockId,
    count: u64,
    lines: &mut Vec<Line>,
) {
    if count == 0 {
        return;
    }
    let offer = market.offer(product, false);
    let support = offer.support.zip(known(&offer.each));
    let quote = (offer.quote, offer.source.clone(), offer.date);
    lines.push(line(model, of, category, Some(product), (count, count), offer));
    if let Some((share, price)) = support {
        let each = price.amount.times(share).map_or(Priced::Unknown, |amount| Priced::Known(Money { amount, ..price }));
        let offer = Offer { each, quote: quote.0, source: quote.1, date: quote.2, ..Offer::none() };
        let support = line(model, of, Category::Support, Some(product), (count, count), offer);
        let description = format!("Support of {}, a year", support.description);
        lines.push(Line {
            description,
            paid: Paid::Yearly,
            power: None,
            weight: None,
            height: None,
            part_number: None,
            ..support
        });
    }
}

fn known(each: &Priced) -> Option<Money> {
    match each {
        Priced::Known(money) => Some(*money),
        Priced::Foreign(_) | Priced::Tbd(_) | Priced::Unknown => None,
    }
}

fn fabrics(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.fabrics.values() {
        let count = row.count.as_ref().map_or(0, super::formula::fabric::FabricCount::switches);
        bought(model, market, row.id.block(), Category::Switch, model[row.id].switch.block(), count, lines);
    }
}

fn storages(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.storages.values() {
        let storage = &model[row.id];
        let block = row.id.block();
        match (storage.product, row.appliances) {
            (Some(product), Some(count)) => {
                bought(model, market, block, Category::Storage, product.block(), count, lines)
            }
            (Some(_), None) => {}
            // Disks in the nodes come with them; everything else is a requirement that somebody must price.
            (None, _) if storage.kind == crate::model::words::StorageKind::LocalNvme => {}
            (None, _) => {
                let rented = model[storage.site].provider != Provider::OnPrem;
                let offer = market.offer(block, rented);
                let paid = if rented { Paid::Yearly } else { Paid::Once };
                let description = requirement(plan, model, row);
                let basis = line(model, block, Category::Storage, None, (1, 1), offer);
                lines.push(Line { description, paid, source: String::from("requirement of the plan"), ..basis });
            }
        }
    }
}

/// `Storage scratch: lustre, 9.1 TB usable, 20 GB/s read`.
fn requirement(plan: &Plan<'_>, model: &Model<'_>, row: &super::StoragePlan) -> String {
    let mut text = format!("Storage {}: {}", model.name(row.id), model[row.id].kind);
    for (name, word) in [("capacity", "usable"), ("read", "read"), ("write", "write")] {
        let written = model.value(row.id.block(), name);
        let shown = match (&written, plan.figures.known(row.id.block(), name)) {
            (Value::Quantity(quantity), _) => Some(quantity.to_string()),
            (_, Some(figure)) => Some(figure.show()),
            _ => None,
        };
        if let Some(shown) = shown {
            text.push_str(&format!(", {shown} {word}"));
        }
    }
    text
}

fn racks(plan: &Plan<'_>, model: &Model<'_>, lines: &mut Vec<Line>) {
    for row in plan.racks.iter().filter(|row| !row.racks.is_empty()) {
        let of = row.id.map_or(row.site.block(), crate::model::ids::Id::block);
        let count = row.racks.len() as u64;
        let basis = line(model, of, Category::Rack, None, (count, count), Offer::none());
        let description = format!("Rack {}, {} U", row.name, row.height);
        lines.push(Line { description, source: String::from("rack plan"), ..basis });
    }
}

/// A year of every site at the maximum power of its machines.
fn energy(plan: &Plan<'_>, model: &Model<'_>, market: &Market<'_>, lines: &mut Vec<Line>) {
    for row in plan.sites.values().filter(|row| row.power > 0.0) {
        let site = &model[row.id];
        let each = match &site.power_price {
            Setting::Given(price) => {
                let per_kwh = price.0.amount.times(Number::whole(3_600_000)).unwrap_or(price.0.amount).round(9);
                market.converted(Money { amount: per_kwh, ..price.0 })
            }
            Setting::Tbd(why) => Priced::Tbd(Arc::clone(why)),
            Setting::Auto | Setting::Absent => Priced::Unknown,
        };
        let kwh = super::formula::round::ceil_units(row.power / 1_000.0 * HOURS_PER_YEAR as f64);
        let basis = line(model, row.id.block(), Category::Energy, None, (kwh, kwh), Offer { each, ..Offer::none() });
        let description = format!("Energy of {}, a year at maximum power with cooling", model.name(row.id));
        lines.push(Line { description, unit: "kWh", paid: Paid::Yearly, source: String::from("power plan"), ..basis });
    }
}

/// A line with what is known of its product.
fn line(
    model: &Model<'_>,
    of: BlockId,
    category: Category,
    product: Option<BlockId>,
    quantity: (u64, u64),
    offer: Offer,
) -> Line {
    let text = |name: &str| match product.map(|product| model.value(product, name)) {
        Some(Value::Text(text) | Value::Word(text)) => Some(text),
        _ => None,
    };
    let (source, from_memory) = product.map_or((String::new(), false), |product| provenance(model, product));
    let (power, weight, height) = product.map_or((None, None, None), |product| physical(model, product));
    Line {
        of,
        category,
        product,
        manufacturer: text("vendor").or_else(|| text("provider")),
        part_number: text("part_number").or_else(|| text("type")),
        description: description(model, of, product, text("product").or_else(|| text("type"))),
        quantity,
        unit: "ea",
        paid: Paid::Once,
        each: offer.each,
        quote: offer.quote,
        price_source: offer.source,
        price_date: offer.date,
        lead_weeks: offer.lead_weeks,
        power,
        weight,
        height,
        source,
        from_memory,
    }
}

/// The product's name; for one that the package describes itself, its parts.
fn description(model: &Model<'_>, of: BlockId, product: Option<BlockId>, name: Option<Arc<str>>) -> String {
    let Some(product) = product else { return model.address(of) };
    match name {
        Some(name) => name.to_string(),
        None => model.typed::<Server>(product).map_or_else(|| model.address(product), |server| parts(model, server)),
    }
}

/// `Server box: 2 × NVIDIA L40S, 2 × AMD EPYC 9354, 512 GiB`.
fn parts(model: &Model<'_>, server: &Server) -> String {
    let mut text = format!("Server {}:", model.name(server.id));
    let mut add = |count: u64, block: BlockId| {
        let name = match model.value(block, "product") {
            Value::Text(name) => name.to_string(),
            _ => model.address(block),
        };
        text.push_str(&format!(" {count} × {name},"));
    };
    server.gpus.iter().for_each(|part| add(part.count, part.item.block()));
    server.cpus.iter().for_each(|part| add(part.count, part.item.block()));
    server.disks.iter().for_each(|part| add(part.count, part.item.block()));
    server.nics.iter().for_each(|part| add(part.count, part.item.block()));
    match model.value(server.id.block(), "memory") {
        Value::Quantity(memory) => format!("{text} {memory} memory"),
        _ => text.trim_end_matches(',').to_string(),
    }
}

/// Watts, kilograms and rack units of one.
fn physical(model: &Model<'_>, product: BlockId) -> (Option<f64>, Option<f64>, Option<u64>) {
    let number = |name: &str| match model.value(product, name) {
        Value::Quantity(quantity) => Some(quantity.value.to_f64()),
        _ => None,
    };
    let height = number("height").map(super::formula::round::ceil_units);
    match model.block(product).kind {
        Kind::Server | Kind::Switch | Kind::Appliance => (number("max_power"), number("weight"), height),
        _ => (None, None, None),
    }
}

/// Where the facts of a product are from, each source once, and whether one is from memory.
fn provenance(model: &Model<'_>, product: BlockId) -> (String, bool) {
    let block = model.block(product);
    let sources =
        block.slots.iter().filter_map(|slot| model.fact_source(product, block.attribute(slot.attribute).name));
    let mut titles: Vec<String> = Vec::new();
    let mut memory = false;
    for source in sources {
        let from_memory = source.confidence == Confidence::Memory;
        memory |= from_memory;
        let title = if from_memory && !source.title.contains("from memory") {
            format!("{} (from memory)", source.title)
        } else {
            source.title.clone()
        };
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    if titles.is_empty() {
        titles.push(String::from("described in the package"));
    }
    (titles.join("; "), memory)
}

/// Sums lines with a known price.
fn total(lines: Vec<Line>, currency: Currency) -> Bill {
    let zero = Money { amount: Number::ZERO, currency };
    let (mut capex, mut low, mut high) = (Some(zero), Some(zero), Some(zero));
    for line in &lines {
        let Some(each) = known(&line.each) else { continue };
        let add = |sum: Option<Money>, count: u64| {
            let amount = each.amount.times(Number::whole(count)).zip(sum).and_then(|(more, sum)| sum.amount.plus(more));
            amount.map(|amount| Money { amount, currency })
        };
        match line.paid {
            Paid::Once => capex = add(capex, line.quantity.1),
            Paid::Yearly => (low, high) = (add(low, line.quantity.0), add(high, line.quantity.1)),
        }
    }
    // A sum of which every line is missing is no sum.
    let any = |paid: Paid| {
        let mut of = lines.iter().filter(|line| line.paid == paid).peekable();
        of.peek().is_none() || of.any(|line| known(&line.each).is_some())
    };
    let (capex, opex) = (capex.filter(|_| any(Paid::Once)), low.zip(high).filter(|_| any(Paid::Yearly)));
    Bill { lines, capex, opex }
}

fn put_figures(plan: &mut Plan<'_>, model: &Model<'_>, platform: BlockId) {
    let unpriced: Vec<BlockId> =
        plan.bill.lines.iter().filter(|line| known(&line.each).is_none()).map(|line| line.of).collect();
    let priced: Vec<BlockId> =
        plan.bill.lines.iter().filter(|line| known(&line.each).is_some()).map(|line| line.of).collect();
    let because = |figure: Figure, blocks: &[BlockId]| {
        let mut blocks = blocks.to_vec();
        blocks.dedup();
        blocks.into_iter().fold(figure, |figure, block| figure.because(Reason::Block(block)))
    };
    let count =
        Figure::exact(unpriced.len() as f64, "", "lines of the bill without a price in the platform's currency");
    plan.figures.put(platform, "unpriced", because(count, &unpriced));
    let currency =
        model.platform().map_or("EUR", |platform| crate::base::unit::currency_unit(platform.currency.code()));
    let yearly = crate::base::unit::yearly_unit(currency);
    if let Some(capex) = plan.bill.capex {
        let figure = Figure::exact(capex.amount.to_f64(), currency, "quantity × price of every line that has one");
        plan.figures.put(platform, "capex", because(figure, &priced));
    } else {
        plan.figures.unknown(platform, "capex", "no line to buy has a price");
    }
    if let Some((low, high)) = plan.bill.opex {
        let per_second = |money: Money| money.amount.to_f64() / (HOURS_PER_YEAR * SECONDS_PER_HOUR) as f64;
        let (low, high) = (per_second(low), per_second(high));
        let figure =
            Figure::between(high, low, high, yearly, "rent, support and energy of every line that has a price");
        plan.figures.put(platform, "opex", because(figure, &priced));
    } else {
        plan.figures.unknown(platform, "opex", "no line to run has a price");
    }
    let gpus: u64 = plan.pools.values().map(|row| row.gpus).fold(0, u64::saturating_add);
    let pools: Vec<BlockId> = plan.pools.keys().map(|id| id.block()).collect();
    plan.figures.put(platform, "gpus", because(Figure::exact(gpus as f64, "", "GPUs of all pools"), &pools));
    let power: f64 = plan.sites.values().map(|row| row.power).sum();
    let sites: Vec<BlockId> = plan.sites.keys().map(|id| id.block()).collect();
    plan.figures.put(
        platform,
        "power",
        because(Figure::exact(power, "kW", "power of all sites, with cooling"), &sites),
    );
}
