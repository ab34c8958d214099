//! What one costs: quotes, list prices, exchange rates.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::date::Date;
use crate::base::number::Number;
use crate::base::quantity::{Currency, Money};
use crate::model::Model;
use crate::model::decode::{Price, Setting};
use crate::model::ids::BlockId;
use crate::model::kinds::{Instance, PriceLine, Quote, Site};

use super::SECONDS_PER_HOUR;

const SECONDS_PER_WEEK: f64 = 604_800.0;

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

/// What prices there are, and how money converts.
pub struct Market<'m> {
    model: &'m Model<'m>,
    currency: Currency,
    quoted: HashMap<BlockId, Vec<(BlockId, &'m PriceLine)>>,
}

/// A price with where it is from.
pub struct Offer {
    /// The price of one.
    pub each: Priced,
    /// The quote it is from.
    pub quote: Option<BlockId>,
    /// Who says so.
    pub source: Option<String>,
    /// The day of it.
    pub date: Option<Date>,
    /// Weeks until it is there.
    pub lead_weeks: Option<f64>,
    /// Share of the price that support costs each year.
    pub support: Option<Number>,
}

impl Offer {
    /// No price.
    pub fn none() -> Offer {
        Offer { each: Priced::Unknown, quote: None, source: None, date: None, lead_weeks: None, support: None }
    }
}

impl<'m> Market<'m> {
    /// Indexes the quotes of a model.
    pub fn new(model: &'m Model<'m>, currency: Currency) -> Market<'m> {
        let mut quoted: HashMap<BlockId, Vec<(BlockId, &PriceLine)>> = HashMap::new();
        for quote in &model.tables.quotes {
            for line in &quote.price {
                quoted.entry(model[*line].of.block).or_default().push((quote.id.block(), &model[*line]));
            }
        }
        Market { model, currency, quoted }
    }

    /// The lowest quoted price of a product; a price that is still open before none at all.
    pub fn offer(&self, product: BlockId, per_hour: bool) -> Offer {
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
    pub fn converted(&self, money: Money) -> Priced {
        converted(self.model, self.currency, money).map_or(Priced::Foreign(money), Priced::Known)
    }

    /// The list price of an instance, in the region of its site only.
    pub fn list_price(&self, instance: &Instance, site: &Site) -> Option<Offer> {
        let same_region = instance.price_region.is_some() && instance.price_region == site.region;
        let money = instance.price.filter(|_| same_region)?.0;
        let source = self.model.fact_source(instance.id.block(), "price").map(|source| source.title.clone());
        let each = self.converted(hourly(money));
        Some(Offer { each, source, date: instance.price_date, ..Offer::none() })
    }
}

/// Money in another currency, where a `rate` block says how, in one direction or the other.
pub fn converted(model: &Model<'_>, currency: Currency, money: Money) -> Option<Money> {
    if money.currency == currency {
        return Some(money);
    }
    let rates = &model.tables.rates;
    let straight = rates.iter().find(|rate| rate.from == money.currency && rate.to == currency);
    let inverse = rates.iter().find(|rate| rate.to == money.currency && rate.from == currency);
    let amount = match (straight, inverse) {
        (Some(rate), _) => money.amount.times(rate.value.exact())?,
        (None, Some(rate)) => money.amount.over(rate.value.exact())?,
        (None, None) => return None,
    };
    Some(Money { amount, currency })
}

/// Known prices first, the lowest before others; then open ones.
pub(super) fn rank(each: &Priced) -> (u8, Number) {
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

pub(super) fn hourly(per_second: Money) -> Money {
    let amount = per_second.amount.times(Number::whole(SECONDS_PER_HOUR)).unwrap_or(per_second.amount).round(6);
    Money { amount, ..per_second }
}

/// The money of a price that is known.
pub fn known(each: &Priced) -> Option<Money> {
    match each {
        Priced::Known(money) => Some(*money),
        Priced::Foreign(_) | Priced::Tbd(_) | Priced::Unknown => None,
    }
}
